"""Two implementations, one written from the definitions alone, give the same answers."""

import pytest

from tests.slow_reference.comparisons import compare

N_BLOCKS, BLOCK = 8, 25


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_both_implementations_agree(block):
    seeds = range(block * BLOCK, (block + 1) * BLOCK)
    assert [line for seed in seeds for line in compare(seed)[1]] == []

"""Sums are those of `math.fsum`, to the last bit, however many values and groups there are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core.aggregate.aggregators import offsets_of
from steadycut.core.aggregate.exact_sums import BLOCK, blocks_of, exact_sum, exact_sums


@pytest.mark.parametrize("n", [0, 1, 399, 400, 5000, 140_000])
@pytest.mark.parametrize("spread", [0, 5, 300])
def test_exact_sum_is_fsum(n, spread):
    rng = np.random.default_rng(n + spread)
    values = rng.normal(size=n) * 10.0 ** rng.integers(-spread, spread + 1, n)
    assert exact_sum(values) == math.fsum(values.tolist())
    assert exact_sum(rng.permutation(values)) == exact_sum(values)


def test_exact_sum_cancels_and_keeps_what_is_tiny():
    values = np.concatenate((np.full(500, 1e299), [5e-324], np.full(500, -1e299)))
    assert exact_sum(values) == 5e-324
    assert exact_sum(np.full(1000, 0.1)) == math.fsum([0.1] * 1000)
    assert exact_sum(np.full(1000, 5e-324)) == 1000 * 5e-324
    assert exact_sum(np.tile([1e306, -1e306, 1.0], 200)) == 200.0


@given(
    st.lists(st.floats(-1e290, 1e290), min_size=1, max_size=30),
    st.integers(400, 900),
)
def test_exact_sum_of_repeated_values(values, n):
    many = np.resize(np.array(values), n)
    assert exact_sum(many) == math.fsum(many.tolist())


finite = st.floats(-1e308, 1e308) | st.floats(-1e-300, 1e-300) | st.floats(-1, 1)


@given(
    st.lists(st.lists(finite, min_size=1, max_size=40), min_size=1, max_size=8),
    st.integers(1, 5),
)
def test_sums_of_groups_are_those_of_fsum(groups, times):
    groups = [group * times for group in groups]
    try:
        expected = [math.fsum(group) for group in groups]
    except OverflowError:
        return
    values, offsets = np.concatenate(groups), offsets_of(np.array([len(g) for g in groups]))
    assert exact_sums(values, offsets).tolist() == expected


def test_groups_are_summed_block_by_block():
    sizes = np.array([3, BLOCK + 5, 1, BLOCK - 1, 2, 2])
    values = np.random.default_rng(0).normal(size=sizes.sum())
    offsets = offsets_of(sizes)
    expected = [math.fsum(group.tolist()) for group in np.split(values, offsets[1:-1])]
    assert exact_sums(values, offsets).tolist() == expected
    assert [groups for groups, _ in blocks_of(offsets)] == [
        slice(0, 1), slice(1, 2), slice(2, 4), slice(4, 6)
    ]  # fmt: skip


def test_sums_of_three_parts_are_rounded_once():
    groups = [[1.0, 2.0**-53, 2.0**-106], [1.0, 2.0**-53, -(2.0**-106)], [1.0, 2.0**-53, 0.0]]
    sums = exact_sums(np.concatenate(groups), np.array([0, 3, 6, 9]))
    assert sums.tolist() == [1 + 2.0**-52, 1.0, 1.0]


@pytest.mark.parametrize("spread", [2, 5, 12])
def test_what_cancels_leaves_the_last_bits_of_the_rest(spread):
    rng = np.random.default_rng(spread)
    large = rng.normal(size=2000) * 10.0 ** rng.integers(-spread, spread + 1, 2000)
    values = rng.permutation(np.concatenate((large, -large, rng.normal(size=500) * 1e-9)))
    assert exact_sum(values) == math.fsum(values.tolist())

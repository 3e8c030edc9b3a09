import numpy as np
import pytest

from steadycut.core.rules.ties import middle_of_widest_flat
from tests.slow_reference import cuts


def chosen(objective, ranks=None, tie=0.0):
    ranks = np.arange(len(objective)) if ranks is None else np.array(ranks)
    return middle_of_widest_flat(np.array([objective], dtype=float), ranks[None, :], tie).tolist()


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_enumerating_the_runs_row_by_row(seed):
    rng = np.random.default_rng(seed)
    shape = 25, int(rng.integers(1, 15))
    objective = rng.integers(0, 3, size=shape).astype(float)
    # Some cuts have the same rank: nobody lies between them.
    ranks = np.cumsum(rng.integers(0, 4, size=shape), axis=1)
    expected = [
        cuts.middle_of_widest_flat(list(o), list(r), 0.0)
        for o, r in zip(objective, ranks.tolist(), strict=True)
    ]
    assert middle_of_widest_flat(objective, ranks, 0.0).tolist() == expected


def test_the_widest_stretch_is_counted_in_patients_not_in_cuts():
    assert chosen([0, 0, 0, 1, 0, 0], ranks=[0, 1, 2, 3, 4, 9]) == [4]


def test_of_three_stretches_as_wide_the_middle_one_is_taken():
    assert chosen([0, 1, 0, 1, 0]) == [2]


def test_of_two_stretches_as_wide_the_lower_one_is_taken():
    assert chosen([1, 0, 0, 0, 1, 0, 0, 0]) == [2]


def test_of_two_cuts_as_near_to_the_middle_the_lower_one_is_taken():
    assert chosen([1, 0, 0, 1]) == [1]


def test_values_within_the_tie_are_as_small():
    assert chosen([1e-9, 0, 1e-9, 1], tie=1e-8) == [1]
    assert chosen([1e-9, 1, 0, 1], tie=1e-10) == [2]


def test_a_forbidden_cut_is_never_taken():
    assert chosen([np.inf, np.inf, 5]) == [2]

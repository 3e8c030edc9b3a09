"""Scores of two hospitals and their cut-offs, worked by hand."""

import numpy as np

from steadycut.core.adapt.pool import HomeScores, Pool, share_below


def test_a_pool_of_whole_numbers_by_hand():
    pool = Pool.of([3, 1, 3, 2])
    assert pool.scores.dtype == np.float64
    assert pool.scores.tolist() == [1, 2, 3, 3]
    assert pool.cuts.tolist() == [1, 2, 3, np.nextafter(3.0, 4.0)]
    assert pool.ranks.tolist() == [0, 0.25, 0.5, 1]
    assert [pool.rank_of(cut) for cut in (0.5, 1.0, 1.5, 3.0, 9.0)] == [0, 0, 0.25, 0.5, 1]
    # Midway between two ranks the lower one is taken.
    assert pool.nearest([0, 0.125, 0.126, 0.75, 0.76, 1]).tolist() == [0, 0, 1, 2, 3, 3]
    assert (pool.at_rank(0.3), pool.at_rank(0.4)) == (2.0, 3.0)
    # Rounding may carry a rank beyond 1.
    assert pool.nearest([1 + 1e-12, -1e-12]).tolist() == [3, 0]


def test_a_pool_of_one_and_of_two_patients_by_hand():
    assert Pool.of([5.0]).ranks.tolist() == [0, 1]
    assert Pool.of([2.0, 1.0]).cuts.tolist() == [1, 2, np.nextafter(2.0, 3.0)]


def test_the_first_hospital_by_hand():
    home = HomeScores(
        positive=np.array([2.0, 4.0]), negative=np.array([1.0, 2.0]), n_positive=3, n_negative=9
    )
    assert (home.n_patients, home.prevalence) == (12, 0.25)
    assert home.cuts.tolist() == [1, 2, 4, np.inf]
    ill, well = home.shares_below(home.cuts)
    assert ill.tolist() == [0, 0, 0.5, 1]
    assert well.tolist() == [0, 0.5, 1, 1]
    assert share_below(np.array([]), np.array([1.0])).tolist() == [0]

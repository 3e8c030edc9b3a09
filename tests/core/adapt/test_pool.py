"""Scores of two hospitals and their cut-offs, worked by hand."""

import numpy as np

from steadycut.core.adapt.pool import HomeScores, Pool, share_below
from steadycut.core.records import Costs


def test_a_pool_of_whole_numbers_by_hand():
    pool = Pool.of([3, 1, 3, 2])
    assert pool.scores.dtype == np.float64
    assert pool.scores.tolist() == [1, 2, 3, 3]
    assert [pool.rank_of(cut) for cut in (0.5, 1.0, 1.5, 3.0, 9.0)] == [0, 0, 0.25, 0.5, 1]


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
    # The cut-offs cost 0.9, 0.45, 0.05 and 0.1.
    assert home.smallest_risk(0.1, Costs()) == 0.05
    assert home.smallest_risk(0.1, Costs(cost_fn=9.5)) == 0.45

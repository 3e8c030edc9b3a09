"""How far a stated prevalence is followed, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from steadycut.core.adapt.mix import mix, told
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.records import Costs
from tests.core.adapt.hospitals import COSTS, HOME, POOL


@pytest.mark.parametrize("costs", COSTS)
def test_the_mix_worked_by_hand(costs):
    """Odds of 1 to 9 and of 3 to 7; their geometric mean is stated, and each may be half more."""
    odds = np.array([1 / 9, 3 / 7])
    found = mix(HOME, POOL, 0.8, (0.1, 0.3), costs)
    middle = np.sqrt(odds.prod())
    assert found.prevalence == pytest.approx(middle / (1 + middle))
    stated = told(HOME, found.prevalence, costs)
    assert found.told.rank == pytest.approx(stated.rank)
    low, high = (told(HOME, one / (1 + one), costs).rank for one in odds * [1 / 1.5, 1.5])
    d, s = np.log(middle * HOME.n_negative / HOME.n_positive), abs(low - high) / 2
    assert found.pull == pytest.approx(0.75 * (2 + d**2) / (2 + d**2 + 40 * s**2))
    wanted = (1 - found.pull) * np.mean(POOL.scores < 0.8) + found.pull * stated.rank
    assert found.cut == POOL.cuts[np.argmin(np.abs(POOL.ranks - wanted))]


@pytest.mark.parametrize(("stated", "followed"), [(0.0, 0.001), (1.0, 0.999)])
def test_a_prevalence_near_0_or_1_is_not_followed_all_the_way(stated, followed):
    found, near = (mix(HOME, POOL, 0.8, (end, end), Costs()) for end in (stated, followed))
    assert (found.cut, found.pull) == (near.cut, near.pull)
    assert found.prevalence == pytest.approx(followed)
    assert told(HOME, stated, Costs()).rank == told(HOME, followed, Costs()).rank


def test_a_first_hospital_without_ill_patients_counts_as_one_with_a_prevalence_of_a_thousandth():
    home = HomeScores(positive=np.array([]), negative=HOME.negative, n_positive=0, n_negative=90)
    d = logit(0.2) - logit(0.001)
    ends = [told(home, expit(logit(0.2) + move), Costs()).rank for move in np.log([1 / 1.5, 1.5])]
    s = abs(ends[0] - ends[1]) / 2
    found = mix(home, POOL, 0.8, (0.2, 0.2), Costs())
    assert found.pull == pytest.approx(0.75 * (2 + d**2) / (2 + d**2 + 40 * s**2))


def test_a_mix_that_decides_as_the_frozen_cut_off_does_is_the_frozen_one():
    pool = Pool.of(np.repeat([0.0, 2.0], 20))
    assert mix(HOME, pool, 0.8, (0.35, 0.35), Costs()).cut == 0.8


@pytest.mark.parametrize("costs", COSTS)
def test_the_smallest_risk_is_that_of_the_best_cut_off(costs):
    found = told(HOME, 0.1, costs)
    risks = [
        0.1 * costs.cost_fn * np.mean(HOME.positive < cut)
        + 0.9 * costs.cost_fp * np.mean(HOME.negative >= cut)
        for cut in found.cuts
    ]
    assert found.smallest_risk == pytest.approx(min(risks))
    away = np.abs(found.ranks - found.rank)
    assert found.same_score == found.cuts[np.argmin(away)]


def test_a_large_first_hospital_has_weights_too():
    home = replace(HOME, n_positive=400_000, n_negative=600_000)
    found = told(home, 0.4, Costs())
    assert found.weights.sum() == pytest.approx(1)
    risks = 0.4 * home.shares_below(found.cuts)[0] + 0.6 * (1 - home.shares_below(found.cuts)[1])
    assert risks[found.weights.argmax()] == pytest.approx(found.smallest_risk)


def test_fewer_patients_count_less_and_none_counts_more_than_there_are():
    every, half, more = (
        told(HOME, 0.3, Costs(), patients) for patients in (None, HOME.n_patients / 2, 9e9)
    )
    assert np.array_equal(more.weights, every.weights)
    # The logarithms of the weights, without the part that does not depend on the labels.
    nothing = told(HOME, 0.3, Costs(), 1e-9)
    full, part = (np.log(one.weights / nothing.weights) for one in (every, half))
    assert part - part[0] == pytest.approx((full - full[0]) / 2, abs=1e-6)

"""Whom to label: coins, strata and probabilities; and what hidden patients may change."""

import numpy as np
import pytest
from scipy.special import ndtri

from steadycut.core.adapt.pool import HomeScores
from steadycut.core.adapt.sampling import (
    Expected,
    Labelled,
    chances_for,
    coins,
    counted,
    lower_edge,
    strata_of,
)
from steadycut.core.bounds.binomial import lower_limit, upper_limit
from steadycut.core.records import Costs

LEVELS = (np.arange(200) + 0.5) / 200
HOME = HomeScores(positive=ndtri(LEVELS) + 3, negative=ndtri(LEVELS), n_positive=9, n_negative=9)


def test_coins_are_uniform_and_belong_to_the_patient_alone():
    names = [f"p{number}" for number in range(20_000)]
    found = coins(names, 0, "rule")
    shares = np.bincount((10 * found).astype(int), minlength=10) / found.size
    assert np.abs(shares - 0.1).max() < 0.01
    assert np.array_equal(coins(names[::-1], 0, "rule"), found[::-1])
    for other in (coins(names, 1, "rule"), coins(names, 0, "other")):
        assert abs(np.corrcoef(found, other)[0, 1]) < 0.03


def test_a_score_at_the_cut_off_is_called():
    scores = np.array([2.0, 1.9, 1.0, 0.9])
    assert strata_of(scores, [2.0, 1.0]).tolist() == [0, 1, 1, 2]
    assert strata_of(scores, [2.0]).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("labels", [30, 150, 400])
def test_probabilities_give_the_number_of_labels_and_none_exceeds_one(labels):
    sizes = np.array([50, 100, 1000])
    chances = np.array(chances_for(np.array([3.0, 1.0, 0.1]), sizes, labels))
    assert chances.max() <= 1
    assert chances @ sizes == pytest.approx(labels, rel=0.01)


def test_the_ratios_have_the_smallest_variance():
    """Against many other probabilities with the same number of labels."""
    found = Expected.of(HOME, [2.0, 1.0], 0.02, 1000)
    r, w = found.prevalence * found.ill, found.patients
    assert w.sum() == pytest.approx(1)

    def variance(q):
        return (r[1] / q[1] + r[2] / q[2]) / (r[1] + r[2]) ** 2 + 1 / (q[0] * r[0])

    best = found.ratios / (found.ratios @ w)
    assert variance(best) == pytest.approx(found.variance)
    rng = np.random.default_rng(0)
    for other in rng.random((500, 3)):
        assert variance(other / (other @ w)) >= found.variance * (1 - 1e-12)


def test_the_lower_edge_is_the_best_of_all_scores_at_home():
    edge = lower_edge(HOME, 2.0, 0.02, 1000)
    others = HOME.cuts[HOME.cuts < 2.0][1:]
    variances = [Expected.of(HOME, [2.0, one], 0.02, 1000).variance for one in others]
    assert edge == others[int(np.argmin(variances))]
    assert lower_edge(HOME, -9.0, 0.02, 1000) is None


def labelled(chances=(1.0, 0.5, 0.0)):
    return Labelled(ill=(80, 4, 0), healthy=(60, 96, 0), sizes=(140, 200, 1660), chances=chances)


def test_hidden_patients_worked_by_hand():
    """Odds of a miss: those among labelled strata, plus hidden over called ill patients."""
    found, level = labelled(), 0.05
    inside = found.highest_miss(level, 0.0)
    called = lower_limit(80, 2000, level / 3)
    hidden = upper_limit(1660, 2000, level / 3)
    odds = inside / (1 - inside) + hidden / called
    assert found.highest_miss(level) == pytest.approx(odds / (1 + odds))
    share = found.most_hidden(level, inside + 0.1)
    assert found.highest_miss(level, share) == pytest.approx(inside + 0.1)
    assert 0 < share < 0.05
    assert found.most_hidden(level, inside) == pytest.approx(0)


def test_hidden_patients_never_make_a_limit_narrower():
    found, level, costs = labelled(), 0.05, Costs(cost_fn=5.0)
    known = Labelled(ill=(80, 4), healthy=(60, 96), sizes=(140, 200), chances=(1.0, 0.5))
    assert found.highest_alarm(level) == known.highest_alarm(level)
    assert found.lowest_alarm(level) < known.lowest_alarm(level)
    assert found.lowest_miss(level) == known.lowest_miss(level)
    assert found.highest_cost(costs, level) > 5 * 1660 / 2000


def test_no_ill_patient_called_means_that_nothing_is_known_of_misses():
    found = Labelled(ill=(0, 2, 0), healthy=(9, 9, 0), sizes=(9, 20, 50), chances=(1.0, 0.5, 0.0))
    assert (found.highest_miss(0.05), found.most_hidden(0.05, 0.5)) == (1.0, 0.0)


def test_a_target_prevalence_takes_the_limits_of_both_rates():
    found = labelled((1.0, 0.5, 0.1))
    costs = Costs(cost_fn=5.0, target=(0.02, 0.05))
    rates = found.highest_miss(0.05), found.highest_alarm(0.05)
    assert found.highest_cost(costs, 0.1) == pytest.approx(costs.worst_risk(*rates))
    assert found.lowest_cost(costs, 0.1) <= found.estimated_cost(costs)


def test_patients_are_counted_by_stratum_and_class():
    strata, ill = np.array([0, 0, 1, 2, 2]), np.array([1, 0, 1, 1, 0], dtype=bool)
    found = counted(strata, ill, np.array([1, 1, 1, 0, 1], dtype=bool), (1.0, 0.5, 0.1))
    assert (found.ill, found.healthy, found.sizes) == ((1, 1, 0), (1, 0, 1), (2, 1, 2))
    assert (found.n_drawn, found.n_patients, found.n_hidden) == (4, 5, 0)


def test_the_cost_worked_by_hand():
    """Misses and false alarms per patient, each divided by its probability."""
    found = labelled((1.0, 0.5, 0.1))
    costs = Costs(cost_fn=5.0)
    assert found.estimated_cost(costs) == pytest.approx((5 * (4 / 0.5) + 60) / 2000)
    low, high = found.lowest_cost(costs, 0.1), found.highest_cost(costs, 0.1)
    missed = lower_limit(4, 2000, 0.025) / 0.5
    assert low == pytest.approx(5 * missed + lower_limit(60, 2000, 0.05))
    assert low < found.estimated_cost(costs) < high < 5


def test_labels_of_called_patients_alone_say_nothing_of_misses():
    found = Labelled(ill=(80, 0), healthy=(60, 0), sizes=(140, 1860), chances=(1.0, 0.0))
    assert found.highest_miss(0.05, 0.0) == 0.0
    assert (found.lowest_miss(0.05), found.highest_alarm(0.05)) == (0.0, 1.0)
    assert found.highest_miss(0.05) > 0.9

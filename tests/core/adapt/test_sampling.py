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
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.bounds.sampled import highest_below, highest_mean_cost
from steadycut.core.confusion import Confusion
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


def test_a_coin_never_changes():
    """Patients who come later, on another machine, must be drawn as the plan says."""
    assert coins(["p1", "Zoë"], 3, "rule").tolist() == [0.2653207511243219, 0.7232343454469186]


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


def test_probabilities_have_three_digits_and_are_1_if_all_patients_are_wanted():
    """Two thirds of 200 patients in the ratio of 2 to 1: 8/9 and 4/9."""
    sizes = np.array([100, 100])
    assert chances_for(np.array([2.0, 1.0]), sizes, 400 / 3) == [0.889, 0.444]
    assert chances_for(np.array([2.0, 1.0]), sizes, 200) == [1.0, 1.0]
    assert chances_for(np.array([2.0, 1.0]), sizes, 999) == [1.0, 1.0]


def test_the_shares_of_the_strata_worked_by_hand():
    """20 ill patients are expected among the labels; 4 more lie below, as the healthy ones do."""
    home = HomeScores(
        positive=np.array([2.0, 5.0, 6.0, 7.0, 8.0]),
        negative=np.array([1.0, 1.5, 2.0, 4.0, 6.0]),
        n_positive=5,
        n_negative=5,
    )
    found = Expected.of(home, [5.0, 2.0], 0.1, 200)
    # Called, just below and far below; of the healthy 2 : 2 lie below.
    assert found.healthy == pytest.approx([0.2, 0.4, 0.4])
    assert found.ill == pytest.approx(np.array([0.8, 0.2 + 0.1, 0.1]) / 1.2)
    assert found.patients == pytest.approx(0.1 * found.ill + 0.9 * found.healthy)
    # No healthy patient below: nobody is added, and nothing is divided by 0.
    assert Expected.of(home, [0.5], 0.1, 200).ill.tolist() == [1.0, 0.0]


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


def test_an_edge_leaves_somebody_far_below():
    """Of the scores below the cut-off only the second has a score below it."""
    ill, well = np.array([1.5, 4.0, 5.0]), np.array([1.0, 2.5, 3.0])
    for positive, negative in ((ill, well), (well, ill)):
        home = HomeScores(positive=positive, negative=negative, n_positive=3, n_negative=3)
        assert lower_edge(home, 2.0, 0.2, 100) == 1.5
        assert lower_edge(home, 1.5, 0.2, 100) is None


def labelled(chances=(1.0, 0.5, 0.0)):
    return Labelled(ill=(80, 4, 0), healthy=(60, 96, 0), sizes=(140, 200, 1660), chances=chances)


def test_hidden_patients_worked_by_hand():
    """Odds of a miss: those among labelled strata, plus hidden over called ill patients."""
    found, level = labelled(), 0.05
    # Of 84 labelled ill patients 4 are below, each drawn with probability 1/2.
    theta = upper_limit(4, 84, level / 3)
    inside = 2 * theta / (1 + theta)
    assert found.highest_miss(level, 0.0) == pytest.approx(inside)
    called = lower_limit(80, 2000, level / 3)
    hidden = upper_limit(1660, 2000, level / 3)
    odds = inside / (1 - inside) + hidden / called
    assert found.highest_miss(level) == pytest.approx(odds / (1 + odds))
    # If half of the called are drawn, too, twice as many of them are ill.
    found = labelled((0.5, 0.5, 0.0))
    odds = theta / (1 - theta) + hidden / (2 * called)
    assert found.highest_miss(level) == pytest.approx(odds / (1 + odds))
    found = labelled()
    share = found.most_hidden(level, inside + 0.1)
    assert found.highest_miss(level, share) == pytest.approx(inside + 0.1)
    assert 0 < share < 0.05
    assert found.most_hidden(level, inside) == pytest.approx(0)
    assert (found.most_hidden(level, 0.0), found.most_hidden(level, 0.999)) == (0.0, 1.0)


def test_shares_of_all_patients_worked_by_hand():
    """Half of the called are drawn, a fifth of those just below, and nobody far below."""
    found = Labelled(ill=(8, 4, 0), healthy=(6, 9, 0), sizes=(30, 70, 900), chances=(0.5, 0.2, 0.0))
    low, high = found.called(found.healthy, 0.1)
    assert low == pytest.approx(lower_limit(6, 1000, 0.1) / 0.5)
    assert high == pytest.approx(upper_limit(6, 1000, 0.1) / 0.5)
    low, high = found.below(found.ill, 0.02)
    hidden = upper_limit(900, 1000, 0.01)
    assert low == pytest.approx(lower_limit(4, 1000, 0.02) / 0.2)
    assert high == pytest.approx(upper_limit(4, 1000, 0.01) / 0.2 + hidden)
    called = lower_limit(6, 1000, 0.05) / 0.5
    below = upper_limit(9, 1000, 0.025) / 0.2 + upper_limit(900, 1000, 0.025)
    assert found.lowest_alarm(0.1) == pytest.approx(called / (called + min(below, 1)))
    assert found.hidden_share(0.01) == pytest.approx(hidden)
    # With fewer hidden patients, so that less than all may lie below.
    found = Labelled(
        ill=(8, 4, 0), healthy=(6, 2, 0), sizes=(300, 500, 200), chances=(0.5, 0.2, 0.0)
    )
    below = upper_limit(2, 1000, 0.025) / 0.2 + upper_limit(200, 1000, 0.025)
    assert found.lowest_alarm(0.1) == pytest.approx(called / (called + below))


def test_without_hidden_patients_all_of_the_level_is_for_the_labelled_ones():
    found = Labelled(ill=(8, 4), healthy=(6, 9), sizes=(30, 70), chances=(0.5, 0.5))
    assert found.hidden_share(0.1) == 0
    assert found.below(found.ill, 0.1)[1] == pytest.approx(upper_limit(4, 100, 0.1) / 0.5)
    assert found.lowest_alarm(0.1) == pytest.approx(lower_limit(6, 15, 0.1))
    assert found.highest_alarm(0.1) == pytest.approx(upper_limit(6, 15, 0.1))
    assert found.estimated_cost(Costs(cost_fn=5.0)) == pytest.approx((5 * 8 + 12) / 100)


def test_a_share_is_at_most_1():
    found = Labelled(ill=(9, 9), healthy=(1, 1), sizes=(10, 10), chances=(0.1, 0.1))
    assert found.called(found.ill, 0.1)[1] == found.below(found.ill, 0.1)[1] == 1.0


def test_the_cost_of_hidden_patients_worked_by_hand():
    """Half of the level for the labelled patients, half for the share of the hidden ones."""
    found, costs = labelled(), Costs(cost_fn=5.0)
    # A missed patient is drawn with probability 1/2, so it counts twice.
    known = buehler_limit(Confusion(tp=0, fn=4, fp=60, tn=1936), Costs(cost_fn=10.0), 0.05)
    hidden = upper_limit(1660, 2000, 0.05)
    assert found.highest_cost(costs, 0.1) == pytest.approx(known + 5 * hidden)
    everybody = Labelled(ill=(1, 0), healthy=(1, 0), sizes=(2, 98), chances=(1.0, 0.0))
    assert everybody.highest_cost(costs, 0.1) == 5.0


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
    called = Labelled(ill=(0, 0), healthy=(9, 0), sizes=(9, 50), chances=(1.0, 0.0))
    assert (called.highest_miss(0.05), called.most_hidden(0.05, 0.5)) == (1.0, 0.0)


def test_a_limit_of_1_among_the_labelled_patients_is_one_of_all():
    found = Labelled(
        ill=(1, 4, 5, 0), healthy=(0,) * 4, sizes=(9, 90, 900, 5), chances=(1.0, 0.5, 0.1, 0.0)
    )
    assert highest_below(found.drawn(found.ill), 0.001) == 1.0
    assert found.highest_miss(0.003) == 1.0


def test_a_target_prevalence_takes_the_limits_of_both_rates():
    found = labelled((1.0, 0.5, 0.1))
    costs = Costs(cost_fn=5.0, target=(0.02, 0.05))
    rates = found.highest_miss(0.05), found.highest_alarm(0.05)
    assert found.highest_cost(costs, 0.1) == pytest.approx(costs.worst_risk(*rates))
    rates = found.lowest_miss(0.05), found.lowest_alarm(0.05)
    assert found.lowest_cost(costs, 0.1) == pytest.approx(costs.worst_risk(*rates))
    # 80 ill patients called, 8 just below; 60 healthy ones called, 192 just below.
    estimate = costs.worst_risk(8 / 88, 60 / 252)
    assert found.estimated_cost(costs) == pytest.approx(estimate)
    assert found.lowest_cost(costs, 0.1) < estimate < found.highest_cost(costs, 0.1)
    nobody = Labelled(ill=(0, 0), healthy=(5, 5), sizes=(9, 9), chances=(1.0, 1.0))
    assert nobody.estimated_cost(costs) is None


def test_patients_are_counted_by_stratum_and_class():
    strata, ill = np.array([0, 0, 1, 2, 2]), np.array([1, 0, 1, 1, 0], dtype=bool)
    found = counted(strata, ill, np.array([1, 1, 1, 0, 1], dtype=bool), (1.0, 0.5, 0.1))
    assert (found.ill, found.healthy, found.sizes) == ((1, 1, 0), (1, 0, 1), (2, 1, 2))
    assert (found.n_drawn, found.n_patients, found.n_hidden) == (4, 5, 0)
    assert (found.known, found.chances) == ([0, 1, 2], (1.0, 0.5, 0.1))
    hidden = counted(strata, ill, np.array([1, 1, 0, 0, 0], dtype=bool), (1.0, 0.0, 0.0))
    assert (hidden.known, hidden.n_hidden, hidden.n_drawn) == ([0], 3, 2)


def test_the_cost_worked_by_hand():
    """Misses and false alarms per patient, each divided by its probability."""
    found = labelled((1.0, 0.5, 0.1))
    costs = Costs(cost_fn=5.0)
    assert found.estimated_cost(costs) == pytest.approx((5 * (4 / 0.5) + 60) / 2000)
    low, high = found.lowest_cost(costs, 0.1), found.highest_cost(costs, 0.1)
    missed = lower_limit(4, 2000, 0.025) / 0.5
    assert low == pytest.approx(5 * missed + lower_limit(60, 2000, 0.05))
    assert low < found.estimated_cost(costs) < high < 5
    assert high == highest_mean_cost(found.drawn(found.ill), 60, 2000, costs, 0.1)


def test_labels_of_called_patients_alone_say_nothing_of_misses():
    found = Labelled(ill=(80, 0), healthy=(60, 0), sizes=(140, 1860), chances=(1.0, 0.0))
    assert found.highest_miss(0.05, 0.0) == 0.0
    assert (found.lowest_miss(0.05), found.highest_alarm(0.05)) == (0.0, 1.0)
    assert found.highest_miss(0.05) > 0.9

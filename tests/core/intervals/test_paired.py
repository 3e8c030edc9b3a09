import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest

from steadycut.core.bounds.anytime import upper_mean
from steadycut.core.confusion import confusion_at
from steadycut.core.intervals.paired import is_cheaper, paired_difference
from steadycut.core.records import Costs
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort
from tests.slow_reference import stable

LEVELS = (0.3, 0.1, 0.02, 0.005, 0.001)
TARGETS = [Costs(target=(0.2, 0.2)), Costs(cost_fn=3.0, target=(0.1, 0.6))]


def wrong_at(cohort, threshold):
    return (cohort.scores >= threshold) != (cohort.labels == 1)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_mean_difference_of_the_losses(costs, seed):
    cohort = random_cohort(seed)
    found = paired_difference(cohort.labels, wrong_at(cohort, 0.5), wrong_at(cohort, 1.5), costs)
    losses = [
        stable.losses_at(*as_lists(cohort), cut, costs.cost_fn, costs.cost_fp) for cut in (0.5, 1.5)
    ]
    assert found == pytest.approx(stable.excess(*losses), abs=1e-12)


@pytest.mark.parametrize("costs", [*COSTS, *TARGETS])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_difference_is_that_of_the_two_risks(costs, seed):
    cohort = random_cohort(seed)
    risks = [confusion_at(cohort, cut).risk(costs) for cut in (0.5, 1.5)]
    wrong = [wrong_at(cohort, cut) for cut in (0.5, 1.5)]
    assert paired_difference(cohort.labels, *wrong, costs)[0] == pytest.approx(risks[0] - risks[1])


@pytest.mark.parametrize("costs", TARGETS)
def test_against_a_rule_without_errors_it_is_the_plain_standard_error(costs):
    cohort = random_cohort(3)
    wrong = wrong_at(cohort, 0.5)
    found = paired_difference(cohort.labels, wrong, np.zeros_like(wrong), costs)
    counts = confusion_at(cohort, 0.5)
    assert found == pytest.approx((counts.risk(costs), counts.standard_error(costs)))


@pytest.mark.parametrize("costs", [*COSTS, *TARGETS])
def test_a_rule_does_not_differ_from_itself(costs):
    wrong = wrong_at(random_cohort(3), 0.5)
    assert paired_difference(random_cohort(3).labels, wrong, wrong, costs) == (0.0, 0.0)


@pytest.mark.parametrize(("label", "worst"), [(0, 0.9), (1, 3 * 0.6)])
def test_a_class_that_is_not_there_costs_nothing(label, worst):
    labels, wrong = np.full(4, label, dtype=np.int8), np.array([True, False, False, False])
    nothing = np.zeros(4, dtype=bool)
    found = paired_difference(labels, wrong, nothing, TARGETS[1])
    assert found == pytest.approx((worst / 4, worst * math.sqrt(3 / 16 / 4)))


# Whether one rule is cheaper than another ----------------------------------------------------


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_cut_offs_of_one_score_are_compared_by_an_exact_binomial_test(costs, seed):
    """Between the cut-offs, every ill patient counts for one rule and every healthy one against."""
    cohort = random_cohort(seed)
    low, high = wrong_at(cohort, 0.5), wrong_at(cohort, 1.5)
    between = cohort.labels[(cohort.scores >= 0.5) & (cohort.scores < 1.5)]
    # The lower cut-off calls them: it saves cost_fn for the ill, and loses cost_fp for the others.
    even = costs.cost_fp / (costs.cost_fn + costs.cost_fp)
    if not between.size:
        return
    ill = int(between.sum())
    chances = {
        alternative: binomtest(ill, between.size, even, alternative=alternative).pvalue
        for alternative in ("greater", "less")
    }
    for level in (0.01, 0.1, 0.4):
        found = is_cheaper(cohort.labels, low, high, costs, level, same_score=True)
        assert found == (chances["greater"] < level)
        found = is_cheaper(cohort.labels, high, low, costs, level, same_score=True)
        assert found == (chances["less"] < level)


def test_a_p_value_at_the_level_does_not_show_anything():
    """One patient who is decided better: a p-value of one half."""
    labels, nothing, wrong = np.array([1], dtype=np.int8), np.array([False]), np.array([True])
    assert not is_cheaper(labels, nothing, wrong, Costs(), 0.5, same_score=True)
    assert is_cheaper(labels, nothing, wrong, Costs(), 0.51, same_score=True)


def highest(differences, level):
    """An upper limit of a mean difference between -1 and 1."""
    held = Counter((1 + differences) / 2)
    return 2 * upper_mean(list(held), list(held.values()), level) - 1


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_rules_of_different_scores_are_compared_by_limits_of_the_mean(seed):
    """At unequal costs of all patients together, at a target prevalence in each class."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(150) < 0.4).astype(np.int8)
    one, other = rng.random(150) < 0.1, rng.random(150) < rng.choice([0.3, 0.5], 2)[labels]
    difference = one.astype(float) - other
    rises = [
        {level: highest(difference[labels == y], level / 2) for level in LEVELS} for y in (0, 1)
    ]
    for level in LEVELS:
        for fn, fp in ((4.0, 1.0), (0.5, 2.0)):
            costs = Costs(cost_fn=fn, cost_fp=fp)
            price = np.where(labels == 1, fn, fp) / max(fn, fp)
            found = is_cheaper(labels, one, other, costs, level, same_score=False)
            assert found == (highest(price * difference, level) < 0)
            for target in ((0.1, 0.1), (0.05, 0.7)):
                costs = Costs(cost_fn=fn, cost_fp=fp, target=target)
                found = is_cheaper(labels, one, other, costs, level, same_score=False)
                shown = [
                    fn * p * rises[1][level] + fp * (1 - p) * rises[0][level] < 0 for p in target
                ]
                assert found == all(shown)


def shares_of_wrong_answers(costs, *, same_score, seed, n_runs=400, n=120, level=0.1):
    """How often a rule is called cheaper than another that costs the same in truth."""
    rng, wrong = np.random.default_rng(seed), 0
    for _ in range(n_runs):
        labels = (rng.random(n) < 0.4).astype(np.int8)
        one, other = rng.random((2, n)) < 0.25
        wrong += is_cheaper(labels, one, other, costs, level, same_score=same_score)
    return wrong / n_runs


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=4.0), *TARGETS])
def test_equal_rules_are_seldom_called_different(costs):
    # Three standard errors above the promised level.
    assert shares_of_wrong_answers(costs, same_score=False, seed=1) <= 0.1 + 3 * 0.015


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=4.0), *TARGETS])
def test_a_much_better_rule_is_called_cheaper(costs):
    labels = np.tile(np.array([0, 1, 1], dtype=np.int8), 60)
    nothing, everything = np.zeros(180, dtype=bool), np.ones(180, dtype=bool)
    assert is_cheaper(labels, nothing, everything, costs, 0.05, same_score=False)
    assert not is_cheaper(labels, everything, nothing, costs, 0.05, same_score=False)
    assert not is_cheaper(labels, nothing, nothing, costs, 0.05, same_score=False)


def test_at_a_target_prevalence_the_rises_of_both_classes_count_by_their_shares():
    """The ill are decided alike, which leaves a small possible rise; the healthy better."""
    labels = np.repeat(np.array([1, 0], dtype=np.int8), 100)
    nothing, alarms = np.zeros(200, dtype=bool), labels == 0
    rare = Costs(target=(0.1, 0.1))
    assert is_cheaper(labels, nothing, alarms, rare, 0.1, same_score=False)
    assert not is_cheaper(labels, alarms, nothing, rare, 0.1, same_score=False)


def test_without_patients_of_a_class_nothing_is_shown_at_a_target_prevalence():
    labels = np.ones(50, dtype=np.int8)
    nothing, everything = np.zeros(50, dtype=bool), np.ones(50, dtype=bool)
    assert not is_cheaper(labels, nothing, everything, TARGETS[0], 0.1, same_score=True)

import math

import numpy as np
import pytest

from steadycut.core.confusion import confusion_at
from steadycut.core.intervals.paired import paired_difference
from steadycut.core.records import Costs
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort
from tests.slow_reference import stable

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

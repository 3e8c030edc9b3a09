import math

import numpy as np
import pytest

from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.basins import barriers, barriers_in_row, excess_risk
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort, two_basins
from tests.slow_reference import cuts, risks, stable


def losses_along(scores, labels, costs):
    """What each patient costs at every exact cut."""
    thresholds = cuts.exact_thresholds(scores)
    return [stable.losses_at(scores, labels, t, costs.cost_fn, costs.cost_fp) for t in thresholds]


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_excess_risk_agrees_with_the_loss_of_every_patient(costs, seed):
    cohort = random_cohort(seed)
    scores, labels = as_lists(cohort)
    losses = losses_along(scores, labels, costs)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    reference = len(losses) // 2
    excess, error = excess_risk(curve, costs, 0, np.arange(len(losses)), reference)
    for cut, own in enumerate(losses):
        expected = stable.excess(own, losses[reference])
        assert (excess[cut], error[cut]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("height", [1.0, 2.0])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_agree_with_their_definition(costs, seed, height):
    cohort = two_basins(60, seed) if seed % 3 else random_cohort(seed)
    found = barriers(count_errors(exact_cuts(cohort).cells[None, :]), costs, height)[0]
    expected = stable.barriers(losses_along(*as_lists(cohort), costs), height)
    assert np.flatnonzero(found).tolist() == expected


@pytest.mark.parametrize("height", [1.0, 2.0])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_of_a_part_of_a_row_are_those_of_the_whole(costs, seed, height):
    curve = count_errors(exact_cuts(two_basins(60, seed)).cells[None, :])
    every = barriers(curve, costs, height)[0]
    size = every.size
    for start, stop in ((0, size), (0, 1), (size - 1, size), (size // 3, size // 2), (5, size - 7)):
        found = barriers_in_row(curve, costs, height, start, stop)
        assert found.tolist() == every[start:stop].tolist()


def test_at_a_target_the_error_of_a_difference_is_that_of_two_classes():
    cohort, costs = random_cohort(5, 60, tied=False), Costs(cost_fn=2.0, target=(0.2, 0.2))
    scores, labels = as_lists(cohort)
    thresholds = cuts.exact_thresholds(scores)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    excess, error = excess_risk(curve, costs, 0, np.array([10]), 25)
    low, high = thresholds[10], thresholds[25]
    between = (cohort.scores >= low) & (cohort.scores < high)
    expected = 0.0
    for label, weight in ((1, 2.0 * 0.2), (0, 0.8)):
        share = between[cohort.labels == label]
        expected += weight**2 * share.var() / share.size
    assert error[0] == pytest.approx(math.sqrt(expected), abs=1e-12)
    ends = [risks.risk_at(scores, labels, t, 2.0, 1.0, (0.2, 0.2)) for t in (low, high)]
    assert excess[0] == pytest.approx(ends[0] - ends[1], abs=1e-12)

import math

import numpy as np
import pytest

from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.basins import (
    barriers,
    excess_risk,
    lowest_on_either_side,
)
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


@pytest.mark.parametrize("label", [0, 1])
def test_at_a_target_the_only_patient_of_a_class_adds_no_chance(label):
    """Four of the other class: two of them lie between the cuts, and so does the only one."""
    labels = [1 - label, 1 - label, label, 1 - label, 1 - label]
    cohort = PatientScores(scores=np.arange(5.0), labels=labels)
    costs = Costs(cost_fn=2.0, target=(0.2, 0.2))
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    _, error = excess_risk(curve, costs, 0, np.array([1]), 4)
    weight = 0.8 if label else 2.0 * 0.2
    assert error[0] == pytest.approx(weight * math.sqrt(0.5 * 0.5 / 4), abs=1e-12)


@pytest.mark.parametrize("n", range(1, 40))
def test_if_every_patient_costs_the_same_more_there_is_no_error(n):
    """Rounding must not make a variance negative."""
    for cost in (0.1, 0.7, 0.9):
        curve = count_errors(np.array([[0, n]]))
        excess, error = excess_risk(curve, Costs(cost_fp=cost), 0, np.array([0]), 1)
        assert excess[0] == pytest.approx(cost)
        assert error[0] == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lowest_cut_on_either_side_is_the_nearest(seed):
    risk = np.random.default_rng(seed).integers(0, 6, (3, 9)).astype(float)
    left, right = lowest_on_either_side(risk, 0.5)
    for row, cut in np.ndindex(3, 9):
        before, after = risk[row, : cut + 1], risk[row, cut:]
        assert left[row, cut] == np.flatnonzero(before == before.min())[-1]
        assert right[row, cut] == cut + np.flatnonzero(after == after.min())[0]


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_the_unit_of_the_costs_makes_no_barrier(factor):
    curve = count_errors(exact_cuts(two_basins(60, 1)).cells[None, :])
    expected = barriers(curve, Costs(), 1.0)[0].tolist()
    scaled = Costs(cost_fn=factor, cost_fp=factor)
    assert sum(expected) > 3
    assert barriers(curve, scaled, 1.0)[0].tolist() == expected


@pytest.mark.parametrize("rows", [2, 3])
def test_barriers_of_every_row_are_those_of_the_row_alone(rows):
    cells = np.stack([exact_cuts(two_basins(60, seed)).cells for seed in range(rows)])
    together = barriers(count_errors(cells), Costs(), 1.0)
    alone = [barriers(count_errors(row[None, :]), Costs(), 1.0)[0].tolist() for row in cells]
    assert together.tolist() == alone
    assert len({tuple(row) for row in alone}) == rows


@pytest.mark.parametrize("cost", [0.1, 0.7, 0.9])
def test_between_calling_all_and_nobody_of_one_class_there_is_no_barrier(cost):
    for n in range(1, 40):
        curve = count_errors(np.array([[0, 0, 0, n, n, n]]))
        assert not barriers(curve, Costs(cost_fp=cost), 1.0).any()

import itertools

import numpy as np
import pytest

from steadycut.core.bootstrap.draws import bootstrap_radius, joint_radius
from steadycut.core.bounds.modulus import modulus, windows_of
from steadycut.core.bounds.multiscale import mass_limits, multiscale_band, weight_layers
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.draws import stratum_of
from steadycut.core.strata.modulus import (
    joint_band,
    joint_modulus,
    local_modulus,
)
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS, random_cohort
from tests.core.strata_cohorts import MATRICES, SEEDS, SQUARE, WIDE, graded

WIDTHS = [0.0, 1e-9, 0.3, 1.0, 2.0, 100.0]


def mean_cost(patients, grades, thresholds, costs):
    return costs.of_patients(grades, stratum_of(patients.scores, np.sort(thresholds))).mean()


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_boundary_of_two_grades_has_the_modulus_and_band_of_one_cut_off(costs, seed):
    cohort = random_cohort(seed)
    matrix = CostMatrix([[0, costs.cost_fp], [costs.cost_fn, 0]])
    windows = windows_of(cohort.scores, cohort.labels, 2)
    for width in WIDTHS:
        radius = np.array([width])
        assert joint_modulus(windows, radius, matrix) == pytest.approx(
            modulus(cohort, width, costs)
        )
        assert joint_band(windows, radius, matrix, 0.1) == pytest.approx(
            multiscale_band(cohort, width, costs, 0.1)
        )


@pytest.mark.parametrize("costs", MATRICES)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_move_within_the_radii_costs_more(costs, seed):
    """Every pair of ordered thresholds, each boundary moved to either side or not at all."""
    patients, grades = graded(seed, 25, costs.n_grades)
    windows = windows_of(patients.scores, grades, costs.n_grades)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        thresholds = np.sort(rng.normal(1, 1.5, costs.n_boundaries))
        radius = rng.exponential(0.6, costs.n_boundaries)
        local = local_modulus(windows, thresholds, radius, costs)
        for move in itertools.product((-1, 0, 1), repeat=costs.n_boundaries):
            moved = np.maximum.accumulate(thresholds + radius * np.array(move))
            before, after = (mean_cost(patients, grades, t, costs) for t in (thresholds, moved))
            if np.array_equal(moved, thresholds + radius * np.array(move)):
                assert abs(after - before) <= local + 1e-9
        assert local <= joint_modulus(windows, radius, costs) + 1e-9
        assert joint_modulus(windows, radius, costs) <= joint_band(windows, radius, costs, 0.1)


def test_the_band_of_two_boundaries_by_hand():
    """Absolute costs: both boundaries weigh every grade by 1, one set of grades, all of delta."""
    costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    windows = windows_of(np.arange(10.0), np.arange(10) % 3, 3)
    limits = mass_limits(np.arange(11), 10, 0.1)
    found = joint_band(windows, np.array([0.5, 2.5]), costs, 0.1)
    assert found == pytest.approx(limits[1] + limits[3])


def test_layers_add_up_to_the_weights():
    for costs in (SQUARE, WIDE):
        for step in np.abs(costs.steps.T):
            layers = weight_layers(step)
            assert sum(height * members for height, members in layers).tolist() == step.tolist()


def test_the_radius_of_one_boundary_is_that_of_one_cut_off():
    draws = np.random.default_rng(0).normal(size=40)
    plain = bootstrap_radius(0.3, draws, 0.1)
    joint = joint_radius(np.array([0.3]), draws[:, None], 0.1)
    assert joint.bias.tolist() == [plain.bias]
    assert (joint.quantile, joint.radius.tolist()) == (plain.quantile, [plain.radius])


def test_enough_draws_have_all_boundaries_within_the_quantile():
    draws = np.sort(np.random.default_rng(1).normal(size=(200, 3)), axis=1)
    thresholds = draws.mean(axis=0)
    found = joint_radius(thresholds, draws, 0.1)
    within = (np.abs(draws - thresholds) <= found.quantile).all(axis=1)
    assert within.mean() >= 0.9


def test_a_delta_that_is_none_is_refused():
    windows = windows_of(np.arange(4.0), np.array([0, 1, 0, 1]), 2)
    costs = CostMatrix([[0, 1], [1, 0]])
    with pytest.raises(BadOption, match="delta"):
        joint_band(windows, np.array([1.0]), costs, 1.0)
    with pytest.raises(BadOption, match="delta"):
        joint_radius(np.zeros(1), np.zeros((3, 1)), 0.0)


def test_a_boundary_without_radius_adds_nothing_and_the_others_still_count():
    patients, grades = graded(1)
    windows = windows_of(patients.scores, grades, 3)
    both = joint_band(windows, np.array([0.3, 0.5]), SQUARE, 0.1)
    alone = [joint_band(windows, np.array(one), SQUARE, 0.1) for one in ([0.3, 0], [0, 0.5])]
    assert min(alone) > 0
    assert sum(alone) == pytest.approx(both)


def test_sets_of_another_boundary_have_their_share_of_the_error_probability():
    """The first boundary has one set of grades, the second that one and another."""
    costs = CostMatrix([[0, 1, 2], [3, 2, 0]])
    windows = windows_of(np.arange(10.0), np.arange(10) % 2, 2)
    limit = mass_limits(np.array([1]), 10, 0.05)[0]
    assert joint_band(windows, np.array([0.5, 0.0]), costs, 0.1) == pytest.approx(limit)

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.records import PatientScores
from steadycut.core.rules.rank_logistic import even_place
from steadycut.core.rules.registry import parse_rule
from steadycut.core.rules.stable import Stable
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import draw_strata
from steadycut.core.strata.rules import (
    RULES,
    joint_minimum,
    parse_strata_rule,
    smallest_risk,
    stable_boundaries,
    stable_boundary,
)
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS, random_cohort, two_basins
from tests.core.strata_cohorts import (
    GREY,
    MATRICES,
    SEEDS,
    SQUARE,
    cells_of,
    every_cost,
)
from tests.slow_reference import stable


def ranks_by(rule, cells, costs):
    return rule(boundary_curves(cells[None], costs), costs)[0]


def cost_at_ranks(cells, costs, ranks):
    below = np.append(0, np.cumsum(cells.sum(axis=0)))
    return every_cost(cells, costs)[tuple(np.searchsorted(below, ranks).tolist())]


@pytest.mark.parametrize("costs", MATRICES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_joint_minimum_is_the_smallest_cost_of_all_ordered_cuts(costs, seed):
    _, cells, _, _ = cells_of(seed, costs, 12)
    smallest = min(every_cost(cells, costs).values())
    curves = boundary_curves(cells[None], costs)
    assert smallest_risk(curves)[0] == pytest.approx(smallest)
    ranks = joint_minimum(curves, costs)[0]
    assert cost_at_ranks(cells, costs, ranks) == pytest.approx(smallest)


def test_three_clear_grades_by_hand():
    """Groups of 4, 2 and 6 patients that do not mix: the boundaries lie between them."""
    cells = np.array([[4, 0, 0], [0, 2, 0], [0, 0, 6]])
    assert ranks_by(joint_minimum, cells, SQUARE).tolist() == [4, 6]


def test_boundaries_that_would_cross_meet_at_the_best_common_cut():
    """Each boundary alone wants its own order; together the grey stratum is empty."""
    costs = CostMatrix([[0, 0.9, 1], [1, 0.9, 0]])
    cells = np.array([[5, 2, 3, 1], [1, 3, 2, 5]])
    curves = boundary_curves(cells[None], costs)
    alone = curves.risk[0].argmin(axis=1)
    assert alone[0] > alone[1]
    ranks = joint_minimum(curves, costs)[0]
    assert ranks[0] == ranks[1]
    assert cost_at_ranks(cells, costs, ranks) == pytest.approx(
        min(every_cost(cells, costs).values())
    )


@pytest.mark.parametrize("costs", [GREY, SQUARE])
@pytest.mark.parametrize("seed", SEEDS)
def test_with_convex_costs_the_cheapest_boundaries_are_in_order_anyway(costs, seed):
    """Then what is cheapest for each boundary alone is cheapest for all of them."""
    assert (np.diff(costs.values, n=2, axis=1) >= 0).all()
    _, cells, _, _ = cells_of(seed, costs, 40, distance=0.3)
    curves = boundary_curves(cells[None], costs)
    alone = curves.base + curves.risk.min(axis=2).sum(axis=1)
    assert smallest_risk(curves) == pytest.approx(alone)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("grid", ["exact", 40])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("make", [random_cohort, lambda seed: two_basins(80, seed)])
def test_one_boundary_of_two_grades_is_the_cut_off_of_the_plain_rule(rule, grid, costs, make):
    """Every bootstrap draw too: the same random numbers reach the same cells."""
    matrix = CostMatrix([[0, costs.cost_fp], [costs.cost_fn, 0]])
    for seed in range(6):
        cohort = make(seed)
        cuts, cells = grade_cells(cohort, cohort.labels.astype(int), 2, grid)
        rngs = np.random.default_rng(seed), np.random.default_rng(seed)
        strata = draw_strata(cuts, cells, parse_strata_rule(rule), matrix, 15, rngs[0])
        plain = draw_thresholds(cuts_of(cohort, grid), parse_rule(rule), costs, 15, rngs[1])
        assert strata.thresholds.tolist() == [plain.threshold]
        assert strata.draws[:, 0].tolist() == plain.thresholds.tolist()
        assert strata.ranks.tolist() == [plain.rank]
        assert strata.draw_ranks[:, 0].tolist() == plain.ranks.tolist()


@pytest.mark.parametrize("costs", MATRICES)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_is_the_rule_of_one_cut_off_at_every_boundary(costs, seed):
    """Grades that belong above the boundary are the ill, at what they cost below it."""
    _, cells, patients, grades = cells_of(seed, costs, 40)
    scores = patients.scores.tolist()
    alone = [
        stable.chosen_rank(scores, [Fraction(step[grade]) for grade in grades], step)[0]
        for step in costs.steps.T.tolist()
    ]
    found = ranks_by(stable_boundaries, cells, costs)
    if sorted(alone) == alone:
        assert found.tolist() == alone
    assert (np.diff(found) >= 0).all()


def test_boundaries_of_stable_that_would_cross_are_chosen_as_one():
    """Without the grey stratum the costs are those of one cut-off, and so is the choice."""
    costs = CostMatrix([[0, 0.9, 1], [1, 0.9, 0]])
    labels = np.random.default_rng(0).random(200) < np.linspace(0.05, 0.95, 200)
    cohort = PatientScores(scores=np.arange(200.0), labels=labels)
    _, cells = grade_cells(cohort, labels.astype(int), 2, "exact")
    curves = boundary_curves(np.stack([cells, cells]), costs)
    alone = [int(stable_boundary(curves, step)[0]) for step in costs.steps.T]
    assert alone[0] > alone[1]
    together = int(stable_boundary(curves, np.array([-1.0, 1.0]))[0])
    assert stable_boundaries(curves, costs).tolist() == [[together, together]] * 2


def test_pooled_boundaries_can_cross_those_before_them():
    """Four strata: the last two boundaries meet, and fall below the first one."""
    steps = np.array([[-1.0, 2.0], [-9.0, 1.0], [-1.0, 9.0]])
    labels = np.random.default_rng(1).random(300) < np.linspace(0.05, 0.95, 300)
    cohort = PatientScores(scores=np.arange(300.0), labels=labels)
    _, cells = grade_cells(cohort, labels.astype(int), 2, "exact")
    values = np.array([[0.0, 0.0], *(-steps.cumsum(axis=0))]).T
    costs = CostMatrix(values - values.min())
    found = ranks_by(stable_boundaries, cells, costs)
    assert (np.diff(found) >= 0).all()
    assert found[1] == found[2]


def test_a_boundary_that_matters_to_nobody_is_placed_anyway():
    """A replicate may have patients of one grade only."""
    curves = boundary_curves(np.array([[[2, 3], [0, 0], [0, 0]]]), SQUARE)
    assert stable_boundary(curves, np.array([0.0, 1.0, -1.0])).tolist() in ([0], [2], [5])


def test_a_cost_that_nobody_can_avoid_changes_nothing():
    """Grades of which even the best stratum costs something: only differences count."""
    dear = CostMatrix(SQUARE.values + np.array([[1.0], [0.0], [7.0]]))
    for seed in SEEDS:
        _, cells, _, _ = cells_of(seed, SQUARE, 60)
        for rule in RULES.values():
            assert ranks_by(rule, cells, dear).tolist() == ranks_by(rule, cells, SQUARE).tolist()


@settings(deadline=None, max_examples=60)
@given(
    values=st.lists(st.tuples(st.integers(-3, 6), st.integers(0, 2)), min_size=4, max_size=40),
    costs=st.sampled_from([SQUARE, MATRICES[3]]),
    rule=st.sampled_from(sorted(RULES)),
    grid=st.sampled_from(["exact", 10]),
    seed=st.integers(0, 1000),
)
def test_boundaries_never_cross(values, costs, rule, grid, seed):
    """Whatever the patients, in the cohort and in every resampled one, ties and all."""
    scores, grades = (np.array(column) for column in zip(*values, strict=True))
    cuts, cells = grade_cells(PatientScores(scores=scores), grades, costs.n_grades, grid)
    rng = np.random.default_rng(seed)
    found = draw_strata(cuts, cells, parse_strata_rule(rule), costs, 8, rng)
    for ordered in (found.thresholds, found.draws, found.ranks, found.draw_ranks):
        assert np.array_equal(ordered, np.sort(ordered, axis=-1))


def test_an_unknown_rule_is_refused():
    with pytest.raises(BadOption, match="rule must be one of stable, erm; got 'youden'"):
        parse_strata_rule("youden")


@pytest.mark.parametrize("factor", [1e-9, 1e9])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_unit_of_the_costs_changes_no_boundary(seed, factor):
    _, cells, _, _ = cells_of(seed, SQUARE, 40)
    scaled = CostMatrix(factor * SQUARE.values)
    for rule in RULES.values():
        expected = rule(boundary_curves(cells[None], SQUARE), SQUARE).tolist()
        assert rule(boundary_curves(cells[None], scaled), scaled).tolist() == expected


def test_a_rule_that_is_no_text_is_refused():
    with pytest.raises(BadOption, match="rule must be one of stable, erm"):
        parse_strata_rule(3)


def test_what_is_at_stake_at_a_boundary_by_hand(monkeypatch):
    """All patients wrong cost 3 x 2 + 2 x 1 + 3 x 3 = 17, and are 8."""
    seen = []
    monkeypatch.setattr(Stable, "choose", lambda _, *given: seen.extend(given))
    cells = np.array([[[2, 1, 0], [0, 1, 1], [0, 1, 2]]])
    stable_boundary(boundary_curves(cells, SQUARE), np.array([-2.0, 1.0, 3.0]))
    stake, line = seen
    unit, misses, alarms = 8 / 17, np.array([[0, 0, 4, 11]]), np.array([[6, 2, 0, 0]])
    assert (stake.ranks.tolist(), stake.n_patients.tolist()) == ([[0, 2, 5, 8]], [[8]])
    assert stake.errors == pytest.approx(unit * (misses + alarms))
    assert stake.squares == pytest.approx(unit**2 * np.array([[0, 8, 22, 41]]))
    assert stake.two_more.tolist() == [[pytest.approx(unit**2 * 14)]]
    assert line == pytest.approx(
        even_place(stake.ranks, np.array([[8]]), unit * misses, unit * alarms)
    )


def ranks_by_pooling(curves, steps):
    """Choose for each group of boundaries, and join the first two that cross, until none do."""
    groups = [[k] for k in range(len(steps))]
    while True:
        ranks = [int(stable_boundary(curves, steps[group].sum(axis=0))[0]) for group in groups]
        crossing = [k for k in range(len(groups) - 1) if ranks[k] > ranks[k + 1]]
        if not crossing:
            pairs = zip(ranks, groups, strict=True)
            return [rank for rank, group in pairs for _ in group], len(groups)
        groups[crossing[0] : crossing[0] + 2] = [groups[crossing[0]] + groups[crossing[0] + 1]]


def test_neighbouring_boundaries_are_joined_until_none_cross():
    """Five boundaries, of which two to five meet; of ties too: 30 patients have 6 scores."""
    left = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        steps = np.stack([-rng.choice([1.0, 2, 5], 5), rng.choice([1.0, 2, 5], 5)], axis=1)
        labels = rng.random(30) < np.linspace(0.1, 0.9, 30)
        cohort = PatientScores(scores=np.arange(30) // 5, labels=labels)
        _, cells = grade_cells(cohort, labels.astype(int), 2, "exact")
        values = np.array([[0.0, 0.0], *(-steps.cumsum(axis=0))]).T
        costs = CostMatrix(values - values.min())
        expected, n_groups = ranks_by_pooling(boundary_curves(cells[None], costs), costs.steps.T)
        assert ranks_by(stable_boundaries, cells, costs).tolist() == expected
        left.append(n_groups)
    assert set(left) >= {1, 2, 3, 4}


def test_each_cohort_has_its_own_smallest_risk():
    several = list(np.random.default_rng(0).integers(0, 4, (3, 3, 5)))
    alone = [float(smallest_risk(boundary_curves(cells[None], SQUARE))[0]) for cells in several]
    assert smallest_risk(boundary_curves(np.stack(several), SQUARE)).tolist() == alone
    assert len(set(alone)) == 3

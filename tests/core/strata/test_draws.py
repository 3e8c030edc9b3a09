from functools import partial

import numpy as np
import pytest

from steadycut.core.records import PatientScores
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import (
    _placed,
    draw_strata,
    stratum_counts,
    stratum_flips,
    stratum_of,
)
from steadycut.core.strata.rules import joint_minimum, parse_strata_rule
from tests.core.strata_cohorts import GREY, SEEDS, SQUARE, cells_of


def random_draws(seed, n_draws=30):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=25), 1)
    thresholds = np.sort(rng.normal(size=2)).round(1)
    return scores, thresholds, np.sort(rng.normal(size=(n_draws, 2)), axis=1).round(1)


@pytest.mark.parametrize("seed", SEEDS)
def test_flips_agree_with_every_patient_in_every_draw(seed):
    scores, thresholds, draws = random_draws(seed)
    own = [sum(score >= t for t in thresholds) for score in scores]
    moved = np.array(
        [
            [abs(sum(score >= t for t in draw) - mine) for draw in draws]
            for score, mine in zip(scores, own, strict=True)
        ]
    )
    assert stratum_of(scores, thresholds).tolist() == own
    for at_least in (1, 2):
        found = stratum_flips(scores, thresholds, draws, at_least)
        assert found == pytest.approx((moved >= at_least).mean(axis=1))
    assert stratum_counts(scores, draws).sum(axis=1).tolist() == [len(draws)] * 25


@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_a_replicate_is_the_whole_rule_on_drawn_patients(rule):
    """The draws of resampled indices, patient by patient, from the same random numbers."""
    cuts, cells, patients, grades = cells_of(3, SQUARE, 30, tied=False)
    found = draw_strata(cuts, cells, parse_strata_rule(rule), SQUARE, 5, np.random.default_rng(7))
    order = np.lexsort([patients.scores, -grades])
    drawn = np.random.default_rng(7).integers(0, 30, size=(1, 5, 30))[0]
    for replicate, index in enumerate(order[drawn]):
        scores, level = patients.scores[index], grades[index]
        own_cuts, own_cells = grade_cells(PatientScores(scores=scores), level, 3, "exact")
        again = draw_strata(
            own_cuts, own_cells, parse_strata_rule(rule), SQUARE, 1, np.random.default_rng(0)
        )
        assert found.draws[replicate] == pytest.approx(again.thresholds)


def test_same_seed_same_draws():
    cuts, cells, _, _ = cells_of(1, SQUARE, 50, 20)
    one, other = (
        draw_strata(cuts, cells, joint_minimum, SQUARE, 40, np.random.default_rng(2))
        for _ in range(2)
    )
    assert one.draws.tolist() == other.draws.tolist()


def test_the_rank_of_a_boundary_lies_in_the_middle_of_its_empty_cuts():
    """The patients between three cuts of the cohort were not drawn."""
    cuts, cells, _, _ = cells_of(0, SQUARE, 30, tied=False)
    everyone = boundary_curves(cells[None], SQUARE)
    below = everyone.ranks[0]
    replicate = cells.copy()
    replicate[:, 10:12] = 0
    curves = boundary_curves(replicate[None], SQUARE)
    ranks = np.array([[below[10], below[20] - 2]])
    thresholds, found = _placed(cuts, below, curves, lambda *_: ranks, SQUARE)
    assert found.tolist() == [[(below[10] + below[12]) / 2, below[20]]]
    assert thresholds[0, 0] == cuts.place(np.array([10]), np.array([12]))[0]


def test_one_boundary_may_have_any_rule():
    cuts, cells, _, _ = cells_of(1, GREY, 50, 20)
    costs = CostMatrix([[0, 1], [3, 0]])
    assert parse_strata_rule("erm") is joint_minimum
    usual, other = (
        draw_strata(cuts, cells, rule, costs, 9, np.random.default_rng(2))
        for rule in (joint_minimum, partial(joint_minimum))
    )
    for name in ("thresholds", "ranks", "draws", "draw_ranks"):
        one, two = getattr(usual, name), getattr(other, name)
        assert (one.dtype, one.tolist()) == (two.dtype, two.tolist())

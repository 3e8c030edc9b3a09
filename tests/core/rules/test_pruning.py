"""Cuts that are left out because they do not matter change no choice."""

import numpy as np
import pytest

from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import Curve, count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.pruning import Stretch, by_row, near_best, span, without_repeats
from steadycut.core.rules.registry import cuts_at_rank, parse_rule

COSTS = [Costs(), Costs(cost_fn=3.0), Costs(cost_fn=0.1, cost_fp=0.7)]
RULES = ["erm", "stable", "youden", "sensitivity:0.9"]


def sharp_cohort(seed, n=1500):
    """Enough patients, and a score good enough, that most cuts are far too dear."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(int)
    scores = rng.normal(size=n) + 4 * labels + 5 * (rng.random(n) < 0.3 * (seed % 2))
    return PatientScores(scores=scores.round(2), labels=labels)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("grid", [exact_cuts, even_cuts])
@pytest.mark.parametrize("seed", range(4))
def test_the_choice_is_that_along_all_cuts(rule, costs, grid, seed):
    chooser = parse_rule(rule)
    drawn = resample(grid(sharp_cohort(seed)).cells[None, :], 12, np.random.default_rng(seed))[0]
    curve = count_errors(drawn)
    start, near = near_best(curve, chooser, costs)
    chosen = chooser(near, costs)
    assert chosen.tolist() == chooser(curve, costs).tolist()
    first, last = cuts_at_rank(near.ranks, chosen)
    expected = cuts_at_rank(curve.ranks, chosen)
    assert (start + first).tolist() == expected[0].tolist()
    assert (start + last).tolist() == expected[1].tolist()


@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_most_cuts_are_left_out(rule):
    curve = count_errors(exact_cuts(sharp_cohort(0)).cells[None, :])
    _, near = near_best(curve, parse_rule(rule), Costs())
    assert isinstance(near, Stretch)
    assert near.misses.shape[1] < 0.6 * curve.misses.shape[1]
    assert near.n_patients.tolist() == curve.n_patients.tolist() == [[1500]]


def test_a_cut_that_ties_is_kept_and_one_error_more_is_not():
    curve = Curve(misses=np.array([[0, 0, 1, 1, 2, 5]]), alarms=np.array([[5, 2, 1, 1, 2, 0]]))
    start, near = near_best(curve, parse_rule("erm"), Costs())
    assert (start, near.misses.tolist()) == (0, [[0, 0, 1, 1, 2]])
    later = Curve(misses=np.array([[0, 0, 0, 1, 5]]), alarms=np.array([[9, 7, 4, 1, 0]]))
    start, near = near_best(later, parse_rule("erm"), Costs())
    assert (start, near.misses.tolist()) == (2, [[0, 1, 5]])


def test_at_a_target_prevalence_every_cut_matters():
    curve = count_errors(exact_cuts(sharp_cohort(0)).cells[None, :])
    assert near_best(curve, parse_rule("stable"), Costs(target=(0.1, 0.2))) == (0, curve)


def test_a_rule_that_does_not_say_looks_at_every_cut():
    curve = count_errors(exact_cuts(sharp_cohort(0)).cells[None, :])
    assert near_best(curve, object(), Costs()) == (0, curve)


def test_the_span_is_from_the_first_to_the_last():
    found = np.array([[False, True, False, False], [False, False, True, False]])
    assert span(found) == slice(1, 3)
    assert span(np.zeros((2, 3), dtype=bool)) == slice(0, 0)


def test_every_row_has_its_own_smallest_cost():
    """Two cohorts, one of which errs far more: its cheapest cuts must not be left out."""
    rows = np.array([[0, 0, 0, 9, 9, 0, 0, 0], [5, 5, 5, 6, 5, 6, 5, 5]])
    assert by_row(rows[:, :1]).tolist() == [[0], [5]]
    for rule in ("erm", "stable"):
        chooser, curve = parse_rule(rule), count_errors(rows)
        start, near = near_best(curve, chooser, Costs())
        alone = [int(chooser(count_errors(row[None, :]), Costs())[0]) for row in rows]
        assert chooser(near, Costs()).tolist() == alone
        assert start == 0


def test_one_cut_is_kept_of_those_with_nobody_between():
    curve = count_errors(np.array([[0, 1, 0, 0, 2, 1, 0, 0, 0, 0]]))
    found = without_repeats(curve)
    assert curve.ranks.tolist() == [[0, 1, 2, 2, 2, 4]]
    assert found.ranks.tolist() == [[0, 1, 2, 4]]
    assert found.misses.tolist() == [[0, 0, 1, 3]]
    assert found.alarms.tolist() == [[1, 0, 0, 0]]
    assert (found.n_positive.tolist(), found.n_negative.tolist()) == ([[3]], [[1]])
    two = count_errors(np.array([[0, 1, 0, 1], [1, 0, 1, 0]]))
    assert without_repeats(two) is two


def test_a_stretch_keeps_what_its_rule_knows_of_all_cuts():
    curve = count_errors(np.array([[0, 1, 0, 0, 2, 1, 0, 0, 0, 0]]))
    _, near = near_best(curve, parse_rule("stable"), Costs())
    assert without_repeats(near).line is near.line is not None
    assert without_repeats(curve).line is None

"""Cuts that are left out because they do not matter change no choice."""

import numpy as np
import pytest

from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import Curve, count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.pruning import Stretch, near_best, span
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

"""Replicates drawn finely only where a rule looks are replicates like any other."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from steadycut.core.bootstrap import refined_resampling as refine
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.refined_resampling import (
    is_worth_refining,
    make_blocks,
    refined_replicates,
)
from steadycut.core.cuts.grid import even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import Curve, count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.pruning import near_best, span
from steadycut.core.rules.registry import Stable, parse_rule

RULES = ["erm", "stable"]


def cohort(seed, n=400, gap=2.0, decimals=12):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(int)
    scores = (rng.normal(size=n) + gap * labels).round(decimals)
    return PatientScores(scores=scores, labels=labels)


@pytest.mark.parametrize("decimals", [1, 12])
def test_blocks_hold_every_patient_once(decimals):
    cells = exact_cuts(cohort(0, decimals=decimals)).cells
    m, blocks = cells.size // 2, make_blocks(cells, 30)
    assert blocks.edges[0] == 0
    assert blocks.edges[-1] == m
    assert (np.diff(blocks.edges) > 0).all()
    assert blocks.cells.sum() == 400
    assert np.diff(blocks.below).ravel().tolist() == cells.tolist()
    assert blocks.below[:, 0].tolist() == [0, 0]
    for k in range(blocks.edges.size - 1):
        inside = slice(blocks.edges[k], blocks.edges[k + 1])
        assert blocks.cells[k] == cells[:m][inside].sum()
        assert blocks.cells[blocks.edges.size - 1 + k] == cells[m:][inside].sum()
        assert blocks.sizes[:, k].tolist() == cells.reshape(2, m)[:, inside].sum(axis=1).tolist()
        assert blocks.below_block[:, k].tolist() == blocks.below[:, inside.start].tolist()


def test_a_block_holds_about_as_many_patients_as_asked_for():
    """400 groups of one patient: a block ends where the count passes a multiple of 30."""
    cells = exact_cuts(cohort(0)).cells
    assert np.diff(make_blocks(cells, 30).edges).tolist() == [29, *[30] * 12, 11]
    assert np.diff(make_blocks(cells).edges).tolist() == [15, *[16] * 24, 1]


class All:
    """A rule that looks at every cut."""

    def reach(self, smallest, n_positive, n_negative, costs, rank):
        return np.full(smallest.shape, 1e9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3.0), Costs(cost_fp=7.0)])
@pytest.mark.parametrize("decimals", [1, 12])
def test_no_cut_that_matters_lies_outside_the_needed_blocks(rule, costs, decimals):
    blocks = make_blocks(exact_cuts(cohort(1, 2000, 3.0, decimals)).cells, 40)
    chooser = parse_rule(rule)
    left_out = 0
    for start, whole in refined_replicates(blocks, All(), costs, 60, np.random.default_rng(3)):
        assert start == 0
        assert whole.misses.shape[1] == blocks.edges[-1] + 1
        first, near = near_best(whole, chooser, costs)
        edges = blocks.edges
        coarse = Curve(misses=whole.misses[:, edges], alarms=whole.alarms[:, edges])
        needed = span(refine._needed(coarse, chooser, costs))
        low, high = blocks.edges[needed.start], blocks.edges[needed.stop]
        assert low <= first
        assert first + near.misses.shape[1] <= high + 1
        left_out += low + blocks.edges[-1] - high
    assert left_out > 0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3.0), Costs(cost_fp=7.0)])
def test_a_block_is_needed_if_a_cut_inside_could_cost_as_little(rule, costs):
    cells = make_blocks(exact_cuts(cohort(3, 2000)).cells, 40).cells
    curve = count_errors(cells[None, :])
    one = type(curve)(misses=curve.misses[0], alarms=curve.alarms[0])
    cost = costs.cost_fn * one.misses + costs.cost_fp * one.alarms
    smallest = cost.min(keepdims=True)
    rank = one.ranks[cost.argmin(keepdims=True)]
    counts = one.n_positive, one.n_negative
    limit = smallest + parse_rule(rule).reach(smallest, *counts, costs, rank)
    could = []
    for k in range(cost.size - 1):
        after_left = cost[k] - costs.cost_fp * (one.alarms[k] - one.alarms[k + 1])
        before_right = cost[k + 1] - costs.cost_fn * (one.misses[k + 1] - one.misses[k])
        could.append(bool(max(after_left, before_right) <= limit[0] * (1 + 1e-9)))
    needed = span(refine._needed(curve, parse_rule(rule), costs))
    first, last = could.index(True), len(could) - 1 - could[::-1].index(True)
    assert (needed.start, needed.stop) == (first, last + 1)
    assert needed.stop - needed.start < len(could)


def test_a_replicate_has_all_patients_and_whole_errors():
    blocks, costs = make_blocks(exact_cuts(cohort(2)).cells, 25), Costs()
    rng = np.random.default_rng(0)
    for _, curve in refined_replicates(blocks, parse_rule("erm"), costs, 40, rng):
        assert curve.n_patients.tolist() == [[400]]
        steps = np.diff(curve.misses), -np.diff(curve.alarms)
        assert min(step.min() for step in steps) >= 0
        assert curve.ranks.min() >= 0
        assert curve.ranks.max() <= 400


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("decimals", [1, 12])
def test_draws_have_the_distribution_of_patients_drawn_one_by_one(rule, decimals, monkeypatch):
    cuts, costs = exact_cuts(cohort(4, 300, 2.0, decimals)), Costs(cost_fn=2.0)
    plain = draw_thresholds(cuts, parse_rule(rule), costs, 4000, np.random.default_rng(1))
    monkeypatch.setattr(refine, "MANY_BINS", 1)
    refined = draw_thresholds(cuts, parse_rule(rule), costs, 4000, np.random.default_rng(1))
    assert plain.threshold == refined.threshold
    assert plain.thresholds.tolist() != refined.thresholds.tolist()
    assert ks_2samp(plain.ranks, refined.ranks).pvalue > 0.01


def test_counts_in_a_group_have_the_mean_and_variance_of_a_binomial():
    cells = exact_cuts(cohort(5, 60)).cells
    blocks, rng = make_blocks(cells, 10), np.random.default_rng(0)
    drawn = refined_replicates(blocks, All(), Costs(), 6000, rng)
    counts = np.array([np.diff(curve.ranks[0]) for _, curve in drawn])
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.08)
    assert counts.var(axis=0) == pytest.approx(59 / 60, abs=0.12)
    # Different patients of one replicate: covariance -1 / n.
    pairs = np.cov(counts.T)[np.triu_indices(60, 1)]
    assert pairs.mean() == pytest.approx(-1 / 60, abs=0.002)


def test_it_is_worth_it_for_many_groups_of_few_patients_and_a_rule_that_looks_at_few():
    many = exact_cuts(cohort(6, refine.MANY_BINS + 10)).cells
    few = exact_cuts(cohort(6, 500)).cells
    coarse = even_cuts(cohort(6, refine.MANY_BINS + 10), 100).cells
    assert is_worth_refining(many, parse_rule("erm"), Costs())
    assert is_worth_refining(many, Stable(), Costs(cost_fn=2.0))
    assert not is_worth_refining(few, Stable(), Costs())
    assert not is_worth_refining(coarse, Stable(), Costs())
    assert not is_worth_refining(many, parse_rule("youden"), Costs())
    assert not is_worth_refining(many, Stable(), Costs(target=(0.1, 0.2)))


@pytest.mark.parametrize("rule", RULES)
def test_a_large_cohort_is_refined_and_agrees_with_the_plain_way(rule, monkeypatch):
    cuts = exact_cuts(cohort(7, refine.MANY_BINS + 5000, 1.5))
    refined = draw_thresholds(cuts, parse_rule(rule), Costs(), 150, np.random.default_rng(1))
    monkeypatch.setattr(refine, "MANY_BINS", 10**9)
    plain = draw_thresholds(cuts, parse_rule(rule), Costs(), 150, np.random.default_rng(1))
    assert refined.threshold == plain.threshold
    assert ks_2samp(plain.ranks, refined.ranks).pvalue > 0.01

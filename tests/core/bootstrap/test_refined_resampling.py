"""Replicates drawn finely only where a rule looks are replicates like any other."""

from itertools import pairwise

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
from steadycut.core.bootstrap.resampling import replicates
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
    m, blocks = cells.size // 2, make_blocks(cells, All(), Costs(), 30)
    assert blocks.edges[0] == 0
    assert blocks.edges[-1] == m
    assert (np.diff(blocks.edges) > 0).all()
    assert blocks.cells.sum() == 400
    ill, well = blocks.bins[: cells[:m].sum()], blocks.bins[cells[:m].sum() :]
    assert np.bincount(ill, minlength=m).tolist() == cells[:m].tolist()
    assert np.bincount(well, minlength=m).tolist() == cells[m:].tolist()
    for k in range(blocks.edges.size - 1):
        inside = slice(blocks.edges[k], blocks.edges[k + 1])
        assert blocks.cells[k] == cells[:m][inside].sum()
        assert blocks.cells[blocks.edges.size - 1 + k] == cells[m:][inside].sum()
        assert blocks.sizes[:, k].tolist() == cells.reshape(2, m)[:, inside].sum(axis=1).tolist()
        for first, size in zip(blocks.first[:, k], blocks.sizes[:, k], strict=True):
            held = blocks.bins[int(first) : int(first + size)]
            assert ((held >= inside.start) & (held < inside.stop)).all()


class All:
    """A rule that looks at every cut; the limit of what matters is where the cost is smallest."""

    def reach(self, smallest, sizes, costs):
        return np.full(smallest.shape, 1e9)


class Cheapest(All):
    """A rule that looks at the cheapest cuts only."""

    def reach(self, smallest, sizes, costs):
        return np.zeros(smallest.shape)


def test_blocks_are_larger_where_the_cost_is_far_from_the_limit():
    """400 bins of one patient: at least 30 in a block, or half of the errors to the limit."""
    cells = exact_cuts(cohort(0)).cells
    curve = count_errors(cells)
    away = (curve.misses + curve.alarms)[:-1] - (curve.misses + curve.alarms).min()
    edges = make_blocks(cells, Cheapest(), Costs(), 30).edges
    sizes = [np.maximum(30, away[a:b] / 2) for a, b in pairwise(edges)]
    assert len(sizes) > 5
    # A block ends where the shares that its patients have in a block add up to one.
    assert all(sum(1 / size) < 1 + 2 / 30 for size in sizes)
    assert all(sum(1 / size) > 1 - 2 / 30 for size in sizes[1:-1])
    assert make_blocks(cells, Cheapest(), Costs()).edges.size > edges.size
    assert make_blocks(cells, Cheapest(), Costs(cost_fn=2.0, cost_fp=2.0), 30).edges.tolist() == (
        edges.tolist()
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3.0), Costs(cost_fp=7.0)])
@pytest.mark.parametrize("decimals", [1, 12])
def test_no_cut_that_matters_lies_outside_the_needed_blocks(rule, costs, decimals):
    blocks = make_blocks(exact_cuts(cohort(1, 2000, 3.0, decimals)).cells, Cheapest(), costs, 40)
    chooser = parse_rule(rule)
    left_out = 0
    for whole in refined_replicates(blocks, All(), costs, 60, np.random.default_rng(3)):
        edges = blocks.edges
        assert (whole.bounds[0], whole.bounds[-1]) == (-1, edges[-1])
        first, near = near_best(whole, chooser, costs)
        # Cut j of the cohort is the cut of the replicate after all drawn bins below j.
        place = whole.bounds[1:-1].searchsorted(edges)
        coarse = Curve(misses=whole.misses[:, place], alarms=whole.alarms[:, place])
        needed = span(refine._needed(coarse, chooser, costs))
        low, high = edges[needed.start], edges[needed.stop]
        last = first + near.misses.shape[1]
        assert low <= whole.bounds[first + 1]
        assert whole.bounds[last - 1] + 1 <= high
        left_out += low + edges[-1] - high
    assert left_out > 0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3.0), Costs(cost_fp=7.0)])
def test_a_block_is_needed_if_a_cut_inside_could_cost_as_little(rule, costs):
    cells = make_blocks(exact_cuts(cohort(3, 2000)).cells, Cheapest(), costs, 40).cells
    curve = count_errors(cells[None, :])
    one = type(curve)(misses=curve.misses[0], alarms=curve.alarms[0])
    cost = costs.cost_fn * one.misses + costs.cost_fp * one.alarms
    smallest = cost.min(keepdims=True)
    limit = smallest + parse_rule(rule).reach(smallest, (one.n_positive, one.n_negative), costs)
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
    costs, rule = Costs(), parse_rule("erm")
    blocks = make_blocks(exact_cuts(cohort(2)).cells, rule, costs, 25)
    rng = np.random.default_rng(0)
    for curve in refined_replicates(blocks, rule, costs, 40, rng):
        assert curve.n_patients.tolist() == [[400]]
        steps = np.diff(curve.misses), -np.diff(curve.alarms)
        assert min(step.min() for step in steps) >= 0
        assert sum(steps).min() > 0
        assert (np.diff(curve.bounds) > 0).all()
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
    blocks, rng = make_blocks(cells, All(), Costs(), 10), np.random.default_rng(0)
    counts = np.zeros((6000, 60))
    for row, curve in zip(
        counts, refined_replicates(blocks, All(), Costs(), 6000, rng), strict=True
    ):
        row[curve.bounds[1:-1]] = np.diff(curve.ranks[0])
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


def test_a_first_bin_of_many_patients_begins_the_first_block():
    cells = np.array([40, 1, 1, 1, 15, 1, 1, 1])
    blocks = make_blocks(cells, Cheapest(), Costs(), 30)
    assert blocks.edges[0] == 0
    assert blocks.cells.sum() == 61


def test_by_default_a_block_holds_two_fifths_of_the_root_of_all_patients():
    """400 patients who alternate: no cut is better than another by more than one error."""
    cells = np.concatenate([np.arange(400) % 2, 1 - np.arange(400) % 2])
    expected = make_blocks(cells, Cheapest(), Costs(), 8).edges.tolist()
    assert make_blocks(cells, Cheapest(), Costs()).edges.tolist() == expected
    assert set(np.diff(expected)[1:-1].tolist()) == {8}


def test_a_block_whose_cheapest_cut_is_the_cheapest_of_all_is_needed():
    """5 healthy, 5 ill, 1 healthy: one error at the cut between the first two blocks."""
    curve = count_errors(np.array([[0, 5, 0, 5, 0, 1]]))
    needed = refine._needed(curve, parse_rule("erm"), Costs())
    assert needed.tolist() == [[True, True, False]]


def test_of_each_replicate_only_the_blocks_are_dealt_that_it_needs():
    """The blocks of all replicates of a batch are drawn first, so they can be drawn again."""
    rule, costs = parse_rule("erm"), Costs(cost_fn=2.0)
    blocks = make_blocks(exact_cuts(cohort(2)).cells, rule, costs, 25)
    dealt = list(refined_replicates(blocks, rule, costs, 12, np.random.default_rng(6)))
    (_, drawn), *more = replicates(blocks.cells, 12, np.random.default_rng(6))
    assert not more
    spans = [span(refine._needed(count_errors(row[None, :]), rule, costs)) for row in drawn]
    for one, needed in zip(dealt, spans, strict=True):
        assert one.bounds[0] == blocks.edges[needed.start] - 1
        assert one.bounds[-1] == blocks.edges[needed.stop]
    assert len({(needed.start, needed.stop) for needed in spans}) > 3


def test_each_replicate_brings_along_what_the_rule_knows_of_all_its_cuts():
    class Numbered(All):
        def line(self, curve, _):
            return curve.misses[:, -1] + 0.5

    blocks = make_blocks(exact_cuts(cohort(2)).cells, Numbered(), Costs(), 25)
    dealt = list(refined_replicates(blocks, Numbered(), Costs(), 12, np.random.default_rng(6)))
    known = [replicate.line.tolist() for replicate in dealt]
    assert known == [[replicate.misses[0, -1] + 0.5] for replicate in dealt]
    assert len(set(map(tuple, known))) > 3

"""The threshold that a rule chooses in each bootstrap replicate."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.bootstrap.refined_resampling import (
    is_worth_refining,
    make_blocks,
    refined_replicates,
)
from steadycut.core.bootstrap.resampling import BATCH, resample
from steadycut.core.bootstrap.within_groups import replicates_within
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.best_criterion import Best
from steadycut.core.rules.next_site import AtNextSite
from steadycut.core.rules.pruning import Local
from steadycut.core.rules.registry import Rule, choose, on_cuts

# The first and the last cut of runs of cuts that call the same patients.
Runs = tuple[IntArray, IntArray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThresholdDraws:
    """The chosen threshold, and the threshold that the same rule chose in each bootstrap replicate.

    ``rank`` and ``ranks`` are the numbers of original patients below them. ``n_infeasible`` counts
    the replicates in which no cut met the limits of the rule. ``refit`` names the approximation by
    which a scorer was fitted again; None if there was none.
    """

    threshold: float
    rank: int
    thresholds: FloatArray
    ranks: FloatArray
    n_infeasible: int = 0
    refit: str | None = None


def draw_thresholds(
    cuts: Cuts,
    rule: Rule,
    costs: Costs,
    n_replicates: int,
    rng: np.random.Generator,
    groups: IntArray | None = None,
) -> ThresholdDraws:
    """Choose a cut, then run the whole rule again on ``n_replicates`` resampled cohorts.

    Whole patients are drawn with replacement, as many as there are. In a replicate of the exact
    cuts, a threshold lies midway between two drawn scores. ``groups``, shape (groups, 2m), are the
    patients of each group counted between the cuts. Every replicate then has as many patients of
    each group as the cohort.
    """
    rule, groups = on_cuts(rule, cuts), cuts.cells[None, :] if groups is None else groups
    if isinstance(rule, AtNextSite):
        return _draw_by_site(cuts, rule, n_replicates, rng, groups)
    everyone = count_errors(cuts.cells[None, :])
    chosen = choose(everyone, rule, costs)
    first, last = np.empty((2, n_replicates), dtype=np.int64)
    n_infeasible = 0
    if len(groups) == 1 and isinstance(rule, Local) and is_worth_refining(groups[0], rule, costs):
        blocks = make_blocks(groups[0], rule, costs)
        drawn = refined_replicates(blocks, rule, costs, n_replicates, rng)
        for place, dealt in enumerate(drawn):
            first[place], last[place] = dealt.cuts_at(rule(dealt, costs))
    else:
        for batch, cells in replicates_within(groups, n_replicates, rng):
            curve = count_errors(cells)
            first[batch], last[batch] = choose(curve, rule, costs)
            n_infeasible += rule.n_infeasible(curve, costs) if isinstance(rule, Best) else 0
    return _placed(cuts, chosen, (first, last), n_infeasible)


def _placed(cuts: Cuts, chosen: Runs, drawn: Runs, n_infeasible: int = 0) -> ThresholdDraws:
    """Return thresholds and ranks of the chosen run of cuts, and of that of each replicate."""
    below, (first, last) = count_errors(cuts.cells).ranks, drawn
    return ThresholdDraws(
        threshold=float(cuts.place(*chosen)[0]),
        rank=int(below[chosen[0][0]]),
        thresholds=read_only(cuts.place(first, last)),
        ranks=read_only((below[first] + below[last]) / 2),
        n_infeasible=n_infeasible,
    )


def draw_weighted(
    cuts: Cuts,
    rule: Rule,
    costs: Costs,
    n_replicates: int,
    rng: np.random.Generator,
    cell_of: IntArray,
    weights: FloatArray,
) -> ThresholdDraws:
    """Do the same with patients who count by weights, drawn one by one; a weight stays as it is.

    ``cell_of`` is the place of each patient in ``cuts.cells``.
    """
    n_cells, n = cuts.cells.size, cell_of.size
    chosen = choose(count_errors(np.bincount(cell_of, weights, n_cells)[None, :]), rule, costs)
    first, last = np.empty((2, n_replicates), dtype=np.int64)
    for place in range(n_replicates):
        drawn = rng.integers(0, n, n)
        cells = np.bincount(cell_of[drawn], weights[drawn], n_cells)
        found = choose(count_errors(cells[None, :]), rule, costs)
        first[place], last[place] = found[0][0], found[1][0]
    return _placed(cuts, chosen, (first, last))


def _draw_by_site(
    cuts: Cuts, rule: AtNextSite, n_replicates: int, rng: np.random.Generator, sites: IntArray
) -> ThresholdDraws:
    """Do the same for a rule that looks at each site; patients are resampled within sites."""
    chosen, _ = rule.choose(sites[None])
    drawn, n_infeasible = [], 0
    step = max(1, BATCH // sites.size)
    for start in range(0, n_replicates, step):
        size = min(step, n_replicates - start)
        found = [resample(cells[None, :], size, rng)[0] for cells in sites]
        cut, keeps = rule.choose(np.stack(found, axis=1))
        drawn.append(cut)
        n_infeasible += int(np.count_nonzero(~keeps))
    draws = np.concatenate(drawn) if drawn else np.empty(0, dtype=np.int64)
    return _placed(cuts, (chosen, chosen), (draws, draws), n_infeasible)

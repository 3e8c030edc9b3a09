"""The threshold that a rule chooses in each bootstrap replicate, and how far it moves."""

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from steadycut.core.bootstrap.refined_resampling import (
    is_worth_refining,
    make_blocks,
    refined_replicates,
)
from steadycut.core.bootstrap.resampling import BATCH, resample
from steadycut.core.bootstrap.within_groups import replicates_within
from steadycut.core.checks import FloatArray, IntArray, check_choice, check_fraction, read_only
from steadycut.core.confusion import LOWEST
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
    the replicates in which no cut met the limits of the rule.
    """

    threshold: float
    rank: int
    thresholds: FloatArray
    ranks: FloatArray
    n_infeasible: int = 0


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


CENTERINGS = ("none", "bias")


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """Bias, quantile and radius of the bootstrap thresholds around the chosen one."""

    bias: float
    quantile: float
    radius: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JointRadius:
    """Bias and radius of every boundary, shape (boundaries,), and one quantile for all of them."""

    bias: FloatArray
    quantile: float
    radius: FloatArray


def bootstrap_radius(
    threshold: float, draws: FloatArray, delta: float, centering: str = "none"
) -> Radius:
    """Return b = mean(t* - t), q = the (1 - delta) quantile of |t* - t|, and r = |b| + q.

    Parameters
    ----------
    threshold
        The chosen threshold t.
    draws
        The thresholds t* of the bootstrap replicates, shape (B,).
    delta
        The quantile is taken at 1 - delta.
    centering
        ``"none"`` follows the paper's main text and Algorithm 1. ``"bias"`` follows its appendix,
        which takes the quantile of |t* - t - b|.

    Notes
    -----
    The quantile is an order statistic: the smallest value that is at least as large as a share 1 -
    delta of the values. r is rounded up to the next floating-point number. r is a heuristic. The
    minimiser of a step function converges at a cube-root rate, and the bootstrap is not consistent
    for it.

    Examples
    --------
    >>> import numpy as np
    >>> result = bootstrap_radius(2.0, np.array([1.0, 2.0, 2.0, 3.0, 4.0]), 0.2)
    >>> result.bias, result.quantile, round(result.radius, 6)
    (0.4, 1.0, 1.4)
    """
    joint = joint_radius(np.array([threshold]), draws[:, None], delta, centering)
    return Radius(bias=float(joint.bias[0]), quantile=joint.quantile, radius=float(joint.radius[0]))


def joint_radius(
    thresholds: FloatArray, draws: FloatArray, delta: float, centering: str = "none"
) -> JointRadius:
    """Return b_k = mean(t*_k - t_k), q, and r_k = |b_k| + q, for several boundaries at once.

    ``thresholds`` has shape (boundaries,), ``draws`` has shape (B, boundaries). q is the (1 -
    delta) quantile of max over k of |t*_k - t_k|. In a share 1 - delta of the draws all boundaries
    are within q at once.

    Examples
    --------
    >>> draws = np.array([[1.0, 5.0], [1.5, 4.0], [1.0, 7.0], [0.5, 6.0]])
    >>> found = joint_radius(np.array([1.0, 5.0]), draws, 0.25)
    >>> found.bias, found.quantile, found.radius.round(6)
    (array([0. , 0.5]), 1.0, array([1. , 1.5]))
    """
    check_fraction("delta", delta)
    check_choice("centering", centering, CENTERINGS)
    shift = draws - thresholds
    bias = np.array([math.fsum(column) / len(draws) for column in shift.T])
    farthest = np.abs(shift - bias if centering == "bias" else shift).max(axis=1)
    quantile = float(np.quantile(farthest, 1 - delta, method="inverted_cdf"))
    radius = np.nextafter(np.abs(bias) + quantile, np.inf)
    return JointRadius(bias=read_only(bias), quantile=quantile, radius=read_only(radius))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """About which share of patients two studies of one size disagree, over all pairs of draws.

    The ends of ``middle`` are the smallest shares that 5 % and 95 % of the pairs do not exceed.
    """

    mean: float
    middle: tuple[float, float]

    @classmethod
    def of(cls, scores: FloatArray, draws: FloatArray) -> "Disagreement":
        """Return it from oriented scores and from the cut-off of every draw, two or more.

        Of two cut-offs, the lower one calls all whom the other one calls. So they disagree about as
        many patients as one calls more than the other.

        Examples
        --------
        >>> Disagreement.of(np.array([0.2, 0.5]), np.array([0.1, 0.3, 0.4])).middle
        (0.0, 0.5)
        """
        n, places = scores.size, np.arange(draws.size)
        pairs = int(places.sum())
        # The lowest score is above -∞: nobody calls who has no score and is left.
        called = np.sort(n - np.searchsorted(np.sort(scores), np.maximum(draws, LOWEST)))

        def twenty_times(most: int) -> int:
            return 20 * int((np.searchsorted(called, called + most, "right") - 1 - places).sum())

        low, high = (bisect_left(range(n), k * pairs, key=twenty_times) / n for k in (1, 19))
        apart = int((called * (2 * places - draws.size + 1)).sum())
        return cls(mean=apart / (pairs * n), middle=(low, high))

"""One cut for each window of a covariate, pulled towards the common cut as far as chance explains.

Every window chooses its own cut by the same rule, and all patients together choose the pooled cut.
The cut of a window is a weighted mean of the two ranks, weight x own + (1 - weight) x pooled. The
weight is that of a random-effects meta-analysis: what remains of the heterogeneity after removing
the part due to chance. The heterogeneity is not estimated from the cuts, because their error is
hard to know. It is estimated by `covariate_test` over all patients.
"""

from dataclasses import dataclass

import numpy as np

from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.covariate.design import Design, Slices
from steadycut.core.covariate.one_cut_test import covariate_test
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.registry import Rule, choose


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CovariateCuts:
    """Ranks of cuts: pooled, of each window alone (``own``), and pulled towards the pooled one.

    ``weights`` say how far each window follows its own cut. ``draws``, shape (replicates, windows),
    are the ranks that the whole procedure chose for resampled patients. ``pooled_draws`` are the
    pooled cuts of the same replicates.
    """

    pooled: float
    own: FloatArray
    weights: FloatArray
    ranks: FloatArray
    draws: FloatArray
    pooled_draws: FloatArray


def choose_by_covariate(
    slices: Slices,
    design: Design,
    rule: Rule,
    costs: Costs,
    n_replicates: int,
    rng: np.random.Generator,
) -> CovariateCuts:
    """Choose a cut for every window, then do the same on resampled patients.

    Patients are resampled together with their score, label and covariate.
    """
    (pooled,), (own,), (weights,) = _choose(slices.cells[None], slices, design, rule, costs)
    draws, pooled_draws = np.empty((n_replicates, own.size)), np.empty(n_replicates)
    for batch, drawn in replicates(slices.cells.ravel(), n_replicates, rng):
        cells = drawn.reshape(-1, *slices.cells.shape)
        chosen = _choose(cells, slices, design, rule, costs)
        draws[batch], pooled_draws[batch] = shrink(*chosen), chosen[0]
    return CovariateCuts(
        pooled=float(pooled),
        own=read_only(own),
        weights=read_only(weights),
        ranks=read_only(shrink(pooled[None], own[None], weights[None])[0]),
        draws=read_only(draws),
        pooled_draws=read_only(pooled_draws),
    )


def shrink(pooled: FloatArray, own: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted mean of own and pooled cut, shape (replicates, windows)."""
    return np.asarray(pooled[:, None] + weights * (own - pooled[:, None]))


def shrinkage(cells: IntArray, design: Design) -> FloatArray:
    """Return how far each window follows its own cut, between 0 and 1.

    Let T be the statistic of `covariate_test` over all patients, m its median under chance, and k =
    max(T - m, 0) / df. The weight is k e / (1 + k e). For windows of a number e = 1. For groups, e
    is the size of the group divided by the mean of DerSimonian and Laird, (n - Σ nⱼ² / n) / (G -
    1). A small group therefore follows its own cut less.
    """
    excess = covariate_test(cells, design.basis).excess
    if design.kind == "smooth":
        return np.full(len(design.windows), excess / (1 + excess))
    size = cells.sum(axis=1)
    n = int(size.sum())
    mean = (n - (size**2).sum() / n) / max(np.count_nonzero(size) - 1, 1)
    strength = excess * size / max(mean, 1e-12)
    return np.asarray(strength / (1 + strength))


def _choose(
    cells: IntArray, slices: Slices, design: Design, rule: Rule, costs: Costs
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return pooled rank, own ranks and weights for each of several cohorts."""
    everybody = cells.sum(axis=1)
    pooled = rank_of(everybody, slices, rule, costs)
    own = np.empty((len(cells), len(design.windows)))
    for place, window in enumerate(design.windows):
        inside = cells[:, window > 0].sum(axis=1)
        # A window without drawn patients has no cut of its own.
        empty = inside.sum(axis=1, keepdims=True) == 0
        own[:, place] = rank_of(np.where(empty, everybody, inside), slices, rule, costs)
    weights = np.array([shrinkage(counts, design) for counts in cells])
    return pooled, own, weights


def rank_of(cells: IntArray, slices: Slices, rule: Rule, costs: Costs) -> FloatArray:
    """Return the cut that each cohort chooses, as a rank among all patients."""
    first, last = choose(count_errors(cells), rule, costs)
    ranks = slices.scale.ranks
    return (ranks[first] + ranks[last]) / 2

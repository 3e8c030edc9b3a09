"""All boundaries chosen on resampled patients, and how often a stratum changes."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.bootstrap.draws import ThresholdDraws, draw_thresholds
from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.grid import Cuts
from steadycut.core.rules.registry import PLAIN_RULES, cuts_at_rank
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import BoundaryCurves, boundary_curves
from steadycut.core.strata.rules import RULES, StrataRule

# The rules of one cut-off, by the rules of strata with the same names.
PLAIN = {rule: PLAIN_RULES[name] for name, rule in RULES.items()}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataDraws:
    """The chosen thresholds, and those of each bootstrap replicate, all in ascending order.

    ``thresholds`` has shape (boundaries,), ``draws`` has shape (replicates, boundaries). ``ranks``
    and ``draw_ranks`` are the numbers of original patients below them.
    """

    thresholds: FloatArray
    ranks: FloatArray
    draws: FloatArray
    draw_ranks: FloatArray

    def disagreement(self, scores: FloatArray) -> float:
        """Return the mean share of patients whom two draws put into different strata."""
        counts, n_draws = stratum_counts(scores, self.draws), len(self.draws)
        agree = int((counts * (counts - 1)).sum())
        return 1 - agree / (scores.size * n_draws * (n_draws - 1))


def draw_strata(
    cuts: Cuts,
    cells: IntArray,
    rule: StrataRule,
    costs: CostMatrix,
    n_replicates: int,
    rng: np.random.Generator,
) -> StrataDraws:
    """Choose all boundaries, then choose all of them again on resampled patients.

    ``cells``, shape (grades, m), are the patients of each grade between the cuts. The random
    numbers are those of `steadycut.core.bootstrap.draws.draw_thresholds`, which does the same, and
    far faster, for one boundary between two grades.
    """
    plain_rule, plain_costs = PLAIN.get(rule), costs.of_one_cut_off
    if plain_rule is not None and plain_costs is not None:
        return _of_one_boundary(draw_thresholds(cuts, plain_rule, plain_costs, n_replicates, rng))
    everyone = boundary_curves(cells[None], costs)
    below = everyone.ranks[0]
    chosen = _placed(cuts, below, everyone, rule, costs)
    thresholds, ranks = np.empty((2, n_replicates, costs.n_boundaries))
    for batch, drawn in replicates(cells[::-1].ravel(), n_replicates, rng):
        resampled = drawn.reshape(-1, *cells.shape)[:, ::-1]
        curves = boundary_curves(resampled, costs)
        thresholds[batch], ranks[batch] = _placed(cuts, below, curves, rule, costs)
    return StrataDraws(
        thresholds=read_only(chosen[0][0]),
        ranks=read_only(chosen[1][0]),
        draws=read_only(thresholds),
        draw_ranks=read_only(ranks),
    )


def _of_one_boundary(found: ThresholdDraws) -> StrataDraws:
    return StrataDraws(
        thresholds=read_only(np.array([found.threshold])),
        ranks=read_only(np.array([found.rank], dtype=np.float64)),
        draws=found.thresholds[:, None],
        draw_ranks=found.ranks[:, None],
    )


def _placed(
    cuts: Cuts, below: IntArray, curves: BoundaryCurves, rule: StrataRule, costs: CostMatrix
) -> tuple[FloatArray, FloatArray]:
    """Return the thresholds and ranks that a rule chooses, shape (rows, boundaries) each."""
    placed = []
    for rank in rule(curves, costs).T:
        first, last = cuts_at_rank(curves.ranks, rank)
        placed.append((cuts.place(first, last), (below[first] + below[last]) / 2))
    thresholds, ranks = zip(*placed, strict=True)
    return np.stack(thresholds, axis=1), np.stack(ranks, axis=1)


def stratum_of(scores: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return the stratum of each score: the number of thresholds that it reaches.

    Examples
    --------
    >>> stratum_of(np.array([0.1, 0.5, 0.9]), np.array([0.5, 0.8]))
    array([0, 1, 2])
    """
    return np.searchsorted(thresholds, scores, side="right").astype(np.int64)


def stratum_counts(scores: FloatArray, draws: FloatArray) -> IntArray:
    """Return how many of the draws put each score into each stratum, (scores, strata).

    The thresholds of a draw are ordered. A score is in stratum k if it reaches threshold k but not
    k + 1. The difference of two marginal counts is therefore exact.

    Examples
    --------
    >>> stratum_counts(np.array([0.5]), np.array([[0.1, 0.4], [0.2, 0.6], [0.6, 0.7], [0.3, 0.9]]))
    array([[1, 2, 1]])
    """
    reached = [np.searchsorted(np.sort(column), scores, side="right") for column in draws.T]
    ends = np.full(scores.size, len(draws)), np.zeros(scores.size, dtype=np.int64)
    counts = np.stack([ends[0], *reached, ends[1]], axis=1)
    return counts[:, :-1] - counts[:, 1:]


def stratum_flips(
    scores: FloatArray, thresholds: FloatArray, draws: FloatArray, at_least: int = 1
) -> FloatArray:
    """Return for each score the share of draws that move it by at least ``at_least`` strata.

    Examples
    --------
    >>> draws = np.array([[0.1, 0.4], [0.2, 0.6], [0.6, 0.7], [0.3, 0.9]])
    >>> stratum_flips(np.array([0.5]), np.array([0.3, 0.8]), draws)
    array([0.5])
    """
    counts = stratum_counts(scores, draws)
    distance = np.abs(np.arange(counts.shape[1]) - stratum_of(scores, thresholds)[:, None])
    # The sum of whole numbers does not depend on their order.
    return np.asarray(np.where(distance >= at_least, counts, 0).sum(axis=1) / len(draws))

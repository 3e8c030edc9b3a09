"""Draws of the whole rule over resampled patients."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts import Cuts
from steadycut.core.records import Costs
from steadycut.core.resample import BATCH, resample
from steadycut.core.risk_curve import count_errors
from steadycut.core.rules import Rule, cuts_at_rank


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThresholdDraws:
    """The chosen threshold, and what the same rule chose in each bootstrap replicate.

    ``rank`` and ``ranks`` say how many of the original patients lie below each of them.
    """

    threshold: float
    rank: int
    thresholds: FloatArray
    ranks: FloatArray


def draw_thresholds(
    cuts: Cuts, rule: Rule, costs: Costs, n_replicates: int, rng: np.random.Generator
) -> ThresholdDraws:
    """Choose a cut, then resample the patients and run the whole rule again, again and again.

    Patients are drawn whole, with replacement, as many as there are. In a replicate of the exact
    cuts a threshold lies midway between two scores that were drawn.
    """
    threshold, rank = _choose(cuts, cuts.cells[None, :], rule, costs, rng)
    thresholds, ranks = np.empty(n_replicates), np.empty(n_replicates)
    # The size of a batch depends on the data alone: it decides which random numbers are drawn.
    step = max(1, BATCH // max(cuts.cells.size, cuts.n_patients))
    for start in range(0, n_replicates, step):
        batch = slice(start, min(start + step, n_replicates))
        cells = resample(cuts.cells[None, :], batch.stop - start, rng)[0]
        thresholds[batch], ranks[batch] = _choose(cuts, cells, rule, costs, rng)
    return ThresholdDraws(
        threshold=float(threshold[0]),
        rank=int(rank[0]),
        thresholds=read_only(thresholds),
        ranks=read_only(ranks),
    )


def _choose(
    cuts: Cuts, cells: IntArray, rule: Rule, costs: Costs, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    chosen = rule(cells, costs, rng)
    first, last = cuts_at_rank(count_errors(cells).ranks, chosen)
    below = count_errors(cuts.cells).ranks
    return cuts.place(first, last), (below[first] + below[last]) / 2

"""Replicates for very many cuts, drawn in detail only where a rule looks.

A rule that looks only at the cheapest cuts does not need the others. The patients are therefore
first counted in blocks of neighbouring bins. These counts are multinomial, like those of any cells.
Within a block the cost can fall by at most the cost of its negative patients, because misses only
add to it. In the other direction it can fall by at most the cost of its positive patients. So most
blocks cannot contain a cut that matters. Only in the remaining blocks the drawn patients are
assigned to their bins, with equal probability, as in plain resampling. The distribution is the same
as that of drawing all patients one by one, at a fraction of the work.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.bootstrap.resampling import is_few, replicates
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import Curve, cost_at_cuts, count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.pruning import Local, Stretch, span

# With fewer bins it is as fast to draw all of them.
MANY_BINS = 20_000
# Patients per block, as a multiple of the square root of all patients.
BLOCK = 0.8


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Blocks:
    """Blocks of neighbouring bins with about the same number of patients.

    ``edges`` are the first bins of the blocks and, as last entry, the number of bins. ``cells`` has
    shape (2 blocks,). ``below`` counts the patients of each class below each bin and, as last
    entry, all of them, shape (2, bins + 1). ``sizes`` and ``below_block`` are the patients of each
    class in a block, and below it, shape (2, blocks).
    """

    edges: IntArray
    cells: IntArray
    below: IntArray
    sizes: FloatArray
    below_block: IntArray


def is_worth_refining(cells: IntArray, rule: Local, costs: Costs) -> bool:
    """Return whether there are many bins with few patients, and the rule looks at few cuts."""
    if cells.size // 2 < MANY_BINS or not is_few(cells) or costs.target is not None:
        return False
    one = np.ones((1, 1), dtype=np.int64)
    return bool(np.isfinite(rule.reach(np.zeros((1, 1)), one, one, costs)).all())


def make_blocks(cells: IntArray, size: float | None = None) -> Blocks:
    """Group the bins of ``cells``, shape (2m,), into blocks of about ``size`` patients."""
    m = cells.size // 2
    patients = np.cumsum(cells[:m] + cells[m:])
    size = BLOCK * math.sqrt(patients[-1]) if size is None else size
    first = np.flatnonzero(np.diff(patients // size, prepend=-1.0))
    by_class = np.add.reduceat(cells.reshape(2, m), first, axis=1)
    below = np.zeros((2, m + 1), dtype=np.int64)
    np.cumsum(cells.reshape(2, m), axis=1, out=below[:, 1:])
    return Blocks(
        edges=np.append(first, m),
        cells=by_class.ravel(),
        below=below,
        sizes=by_class.astype(np.float64),
        below_block=below[:, first],
    )


def refined_replicates(
    blocks: Blocks, rule: Local, costs: Costs, n_replicates: int, rng: np.random.Generator
) -> Iterator[tuple[int, Curve]]:
    """Yield, for each replicate, the first cut that is drawn in detail and the curve from there on.

    The curve contains every cut that can matter to ``rule``, and one more on each side.
    """
    for _, drawn in replicates(blocks.cells, n_replicates, rng):
        curve = count_errors(drawn)
        needed = _needed(curve, rule, costs)
        for row, cells in enumerate(drawn):
            one = Curve(misses=curve.misses[row], alarms=curve.alarms[row])
            yield _deal(blocks, cells, one, span(needed[row : row + 1]), rng)


def _needed(curve: Curve, rule: Local, costs: Costs) -> NDArray[np.bool_]:
    """Return which blocks of each row may contain a cut that matters, from the costs at edges."""
    cost = cost_at_cuts(curve, costs)
    best = cost.argmin(axis=1)[:, None]
    rows = np.arange(len(best))[:, None]
    smallest, rank = cost[rows, best], curve.ranks[rows, best]
    reach = rule.reach(smallest, curve.n_positive, curve.n_negative, costs, rank)
    # A margin, so that rounding cannot exclude a cut.
    limit = (smallest + reach) * (1 + 1e-9)
    least = np.maximum(
        cost[:, :-1] - costs.cost_fp * (curve.alarms[:, :-1] - curve.alarms[:, 1:]),
        cost[:, 1:] - costs.cost_fn * (curve.misses[:, 1:] - curve.misses[:, :-1]),
    )
    return np.asarray(least <= limit)


def _deal(
    blocks: Blocks, cells: IntArray, curve: Curve, needed: slice, rng: np.random.Generator
) -> tuple[int, Curve]:
    """Draw which patients of the needed blocks are in ``cells``, and count them up to each cut."""
    low, high = int(blocks.edges[needed.start]), int(blocks.edges[needed.stop])
    below, drawn = blocks.below[:, low : high + 1], cells.reshape(2, -1)[:, needed].ravel()
    # The patients between ``low`` and ``high`` have numbers from 0 on, positive patients first.
    n_positive, n_negative = (below[:, -1] - below[:, 0]).tolist()
    offset = below[:, :1] - np.array([[0], [n_positive]])
    # Faster than `integers`. No block is large enough for the rounding to matter.
    place = rng.random(int(drawn.sum()))
    place *= blocks.sizes[:, needed].ravel().repeat(drawn)
    patient = place.astype(np.int64)
    patient += (blocks.below_block[:, needed] - offset).ravel().repeat(drawn)
    through = np.zeros(n_positive + n_negative + 1, dtype=np.int64)
    np.bincount(patient, minlength=through.size - 1).cumsum(out=through[1:])
    misses, negative = through.take(below - offset)
    misses += curve.misses[needed.start]
    alarms = np.subtract(curve.alarms[needed.start] + through[n_positive], negative, out=negative)
    return low, Stretch(
        misses=misses[None, :],
        alarms=alarms[None, :],
        positives=curve.n_positive[None, :],
        negatives=curve.n_negative[None, :],
        below=(misses + (curve.n_negative - alarms))[None, :],
    )

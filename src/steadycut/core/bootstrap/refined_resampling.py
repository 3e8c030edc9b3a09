"""Replicates for very many cuts, drawn in detail only where a rule looks.

A rule that looks only at the cheapest cuts does not need the others. The patients are therefore
first counted in blocks of neighbouring bins. These counts are multinomial, like those of any cells.
Within a block the cost can fall by at most the cost of its negative patients, because misses only
add to it. So most blocks cannot contain a cut that matters. Only in the remaining blocks the drawn
patients are assigned to their bins, with equal probability, as in plain resampling. The
distribution is the same as that of drawing all patients one by one, at a fraction of the work.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.bootstrap.resampling import cell_of_patients, is_few, replicates
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import Curve, cost_at_cuts, count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.pruning import Local, Stretch, line_of, span
from steadycut.core.rules.rank_logistic import largest_group

# With fewer bins it is as fast to draw all of them.
MANY_BINS = 20_000
# Fewest patients per block, as a multiple of the square root of all patients.
BLOCK = 0.4
# Patients per error by which the cost at a block is away from the limit of what matters.
GROWTH = 0.5


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Blocks:
    """Blocks of neighbouring bins, small ones where it depends on the replicate what matters.

    ``edges`` are the first bins of the blocks and, as last entry, the number of bins. ``cells`` has
    shape (2 blocks,). ``bins`` is the bin of every patient, the positive patients first.
    ``sizes`` and ``first`` are the number of patients of each class in a block, and the place of
    the first one in ``bins``, shape (2, blocks).
    """

    edges: IntArray
    cells: IntArray
    bins: IntArray
    sizes: FloatArray
    first: IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Dealt(Stretch):
    """Neighbouring cuts of one replicate, with a drawn patient between any two of them.

    ``bounds`` are the bins of these patients, with one entry before the first and one after the
    last. The cuts of the cohort between two of them are the same cut of the replicate.
    """

    bounds: IntArray

    def cuts_at(self, rank: IntArray) -> tuple[int, int]:
        """Return the first and the last cut of the cohort with ``rank`` drawn patients below."""
        place = int(self.below[0].searchsorted(rank[0]))
        return int(self.bounds[place]) + 1, int(self.bounds[place + 1])


def is_worth_refining(cells: IntArray, rule: Local, costs: Costs) -> bool:
    """Return whether there are many bins with few patients, and the rule looks at few cuts."""
    if cells.size // 2 < MANY_BINS or not is_few(cells) or costs.target is not None:
        return False
    one = np.ones((1, 1), dtype=np.int64)
    return bool(np.isfinite(rule.reach(np.zeros((1, 1)), (one, one), costs)).all())


def make_blocks(cells: IntArray, rule: Local, costs: Costs, size: float | None = None) -> Blocks:
    """Group the bins of ``cells``, shape (2m,), into blocks of at least ``size`` patients.

    A block where the cost is far from the limit of what matters to ``rule`` may be larger: it will
    be needed in every replicate, or in none.
    """
    m = cells.size // 2
    curve = count_errors(cells[None, :])
    cost = cost_at_cuts(curve, costs)
    smallest = cost.min(axis=1, keepdims=True)
    limit = smallest + rule.reach(smallest, (curve.n_positive, curve.n_negative), costs)
    away = np.abs(cost - limit)[0, :-1] / costs.largest
    size = BLOCK * math.sqrt(cells.sum()) if size is None else size
    wanted = np.maximum(size, GROWTH * away)
    if hasattr(rule, "line"):
        # It has to know something of all cuts, and needs no larger blocks than its own groups.
        wanted = np.minimum(wanted, largest_group(curve.ranks[0, :-1], curve.n_patients[0]))
    blocks = np.cumsum((cells[:m] + cells[m:]) / wanted)
    first = np.flatnonzero(np.diff(blocks // 1, prepend=-1.0))
    by_class = np.add.reduceat(cells.reshape(2, m), first, axis=1)
    through = np.cumsum(by_class.ravel())
    return Blocks(
        edges=np.append(first, m),
        cells=by_class.ravel(),
        bins=cell_of_patients(cells[None, :])[0] % m,
        sizes=by_class.astype(np.float64),
        first=(through - by_class.ravel()).reshape(2, -1),
    )


def refined_replicates(
    blocks: Blocks, rule: Local, costs: Costs, n_replicates: int, rng: np.random.Generator
) -> Iterator[Dealt]:
    """Yield the cuts of each replicate that can matter to ``rule``, and some more beside them."""
    for _, drawn in replicates(blocks.cells, n_replicates, rng):
        curve = count_errors(drawn)
        needed, line = _needed(curve, rule, costs), line_of(rule, curve, costs)
        for row, cells in enumerate(drawn):
            single = Curve(misses=curve.misses[row], alarms=curve.alarms[row])
            own = None if line is None else line[row : row + 1]
            yield _deal(blocks, cells, single, span(needed[row : row + 1]), own, rng)


def _needed(curve: Curve, rule: Local, costs: Costs) -> NDArray[np.bool_]:
    """Return which blocks of each row may contain a cut that matters, from the costs at edges."""
    cost = cost_at_cuts(curve, costs)
    smallest = cost.min(axis=1, keepdims=True)
    reach = rule.reach(smallest, (curve.n_positive, curve.n_negative), costs)
    # A margin, so that rounding cannot exclude a cut.
    limit = (smallest + reach) * (1 + 1e-9)
    least = cost[:, :-1] - costs.cost_fp * (curve.alarms[:, :-1] - curve.alarms[:, 1:])
    return np.asarray(least <= limit)


def _deal(
    blocks: Blocks,
    cells: IntArray,
    curve: Curve,
    needed: slice,
    line: FloatArray | None,
    rng: np.random.Generator,
) -> Dealt:
    """Draw which patients of the needed blocks are in ``cells``, and count them up to each cut."""
    low, high = int(blocks.edges[needed.start]), int(blocks.edges[needed.stop])
    drawn = cells.reshape(2, -1)[:, needed]
    times = drawn.ravel()
    # Faster than `integers`. No block is large enough for the rounding to matter.
    place = rng.random(int(times.sum()))
    place *= blocks.sizes[:, needed].ravel().repeat(times)
    patient = place.astype(np.int64)
    patient += blocks.first[:, needed].ravel().repeat(times)
    bins = blocks.bins.take(patient)
    bins -= low
    ill = np.bincount(bins[: int(drawn[0].sum())], minlength=high - low)
    everybody = np.bincount(bins, minlength=high - low)
    occupied = (everybody > 0).nonzero()[0]
    counts = np.zeros((2, occupied.size + 1), dtype=np.int64)
    ill.take(occupied).cumsum(out=counts[0, 1:])
    everybody.take(occupied).cumsum(out=counts[1, 1:])
    start = needed.start
    misses, ranks = counts
    misses += curve.misses[start]
    ranks += curve.misses[start] + curve.alarms[0] - curve.alarms[start]
    return Dealt(
        misses=misses[None, :],
        alarms=(curve.alarms[0] + misses - ranks)[None, :],
        positives=curve.n_positive[None, :],
        negatives=curve.n_negative[None, :],
        below=ranks[None, :],
        line=line,
        bounds=np.concatenate(([low - 1], occupied + low, [high])),
    )

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

from steadycut.core.bootstrap.resampling import is_few, replicates
from steadycut.core.checks import IntArray
from steadycut.core.cuts.risk_curve import Curve, count_errors
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
    shape (2 blocks,). ``bins`` holds the bin of each patient, positive patients first.
    """

    edges: IntArray
    cells: IntArray
    bins: IntArray


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
    return Blocks(
        edges=np.append(first, m),
        cells=by_class.ravel(),
        bins=np.repeat(np.tile(np.arange(m), 2), cells),
    )


def refined_replicates(
    blocks: Blocks, rule: Local, costs: Costs, n_replicates: int, rng: np.random.Generator
) -> Iterator[tuple[int, Curve]]:
    """Yield, for each replicate, the first cut that is drawn in detail and the curve from there on.

    The curve contains every cut that can matter to ``rule``, and one more on each side.
    """
    for _, drawn in replicates(blocks.cells, n_replicates, rng):
        curve = count_errors(drawn)
        for row in range(len(drawn)):
            one = Curve(misses=curve.misses[row], alarms=curve.alarms[row])
            yield _deal(blocks, one, _needed(one, rule, costs), rng)


def _needed(curve: Curve, rule: Local, costs: Costs) -> slice:
    """Return the blocks that may contain a cut that matters, from the costs at their edges."""
    cost = costs.cost_fn * curve.misses + costs.cost_fp * curve.alarms
    smallest = cost.min(keepdims=True)
    reach = rule.reach(smallest, curve.n_positive, curve.n_negative, costs)
    # A margin, so that rounding cannot exclude a cut.
    limit = (smallest + reach) * (1 + 1e-9)
    least = np.maximum(
        cost[:-1] - costs.cost_fp * (curve.alarms[:-1] - curve.alarms[1:]),
        cost[1:] - costs.cost_fn * (curve.misses[1:] - curve.misses[:-1]),
    )
    return span((least <= limit)[None, :])


def _deal(
    blocks: Blocks, curve: Curve, needed: slice, rng: np.random.Generator
) -> tuple[int, Curve]:
    """Assign the drawn patients of the needed blocks to their bins."""
    start, stop = needed.start, needed.stop
    low, high = int(blocks.edges[start]), int(blocks.edges[stop])
    half = blocks.cells.size // 2
    chosen = np.concatenate([np.arange(start, stop), half + np.arange(start, stop)])
    first_patient = (np.cumsum(blocks.cells) - blocks.cells)[chosen]
    drawn = np.concatenate(
        [np.diff(curve.misses[start : stop + 1]), -np.diff(curve.alarms[start : stop + 1])]
    )
    # Faster than `integers`. No block is large enough for the rounding to matter.
    place = (rng.random(int(drawn.sum())) * np.repeat(blocks.cells[chosen], drawn)).astype(np.int64)
    bins = blocks.bins[place + np.repeat(first_patient, drawn)] - low
    n_positive = int(drawn[: stop - start].sum())
    bins[n_positive:] += high - low
    fine = count_errors(np.bincount(bins, minlength=2 * (high - low))[None, :])
    return low, Stretch(
        misses=curve.misses[start] + fine.misses,
        alarms=curve.alarms[stop] + fine.alarms,
        positives=curve.n_positive[None, :],
        negatives=curve.n_negative[None, :],
    )

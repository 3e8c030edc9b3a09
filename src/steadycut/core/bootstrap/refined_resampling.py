"""Replicates of very many cuts, drawn finely only where a rule looks.

A rule that looks at the cheapest cuts and their like needs no other. So the patients are first
counted in blocks of neighbouring groups, which are multinomial like any cells. Inside a block the
cost falls by at most its negative patients (as misses only add to it), and on the way back by at
most its positive ones: most blocks cannot hold a cut that matters. Only in the others are the
drawn patients dealt to their groups, evenly, as resampling deals them. The distribution is that of
drawing patients one by one, at the price of a part of them.
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

# Below this many groups of patients, to draw all of them is as fast.
MANY_GROUPS = 20_000
# Patients of a block, times the square root of all: few blocks, and few patients in each.
BLOCK = 0.8


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Blocks:
    """Neighbouring groups of patients, in blocks of about as many patients.

    ``edges`` are the first groups of the blocks and, last, the number of groups; ``cells`` has
    shape (2 blocks,); ``group`` is the group of each patient, the positive ones first.
    """

    edges: IntArray
    cells: IntArray
    group: IntArray


def is_worth_refining(cells: IntArray, rule: Local, costs: Costs) -> bool:
    """Return whether there are many groups, each with few patients, and the rule looks at few."""
    if cells.size // 2 < MANY_GROUPS or not is_few(cells) or costs.target is not None:
        return False
    one = np.ones((1, 1), dtype=np.int64)
    return bool(np.isfinite(rule.reach(np.zeros((1, 1)), one, one, costs)).all())


def make_blocks(cells: IntArray, size: float | None = None) -> Blocks:
    """Cut the groups of ``cells``, shape (2m,), into blocks of about ``size`` patients."""
    m = cells.size // 2
    patients = np.cumsum(cells[:m] + cells[m:])
    size = BLOCK * math.sqrt(patients[-1]) if size is None else size
    first = np.flatnonzero(np.diff(patients // size, prepend=-1.0))
    by_class = np.add.reduceat(cells.reshape(2, m), first, axis=1)
    return Blocks(
        edges=np.append(first, m),
        cells=by_class.ravel(),
        group=np.repeat(np.tile(np.arange(m), 2), cells),
    )


def refined_replicates(
    blocks: Blocks, rule: Local, costs: Costs, n_replicates: int, rng: np.random.Generator
) -> Iterator[tuple[int, Curve]]:
    """Yield, for each replicate, the first cut that is drawn finely and the curve from there on.

    It has every cut that matters to ``rule``, and one more on either side.
    """
    for _, drawn in replicates(blocks.cells, n_replicates, rng):
        curve = count_errors(drawn)
        for row in range(len(drawn)):
            one = Curve(misses=curve.misses[row], alarms=curve.alarms[row])
            yield _deal(blocks, one, _needed(one, rule, costs), rng)


def _needed(curve: Curve, rule: Local, costs: Costs) -> slice:
    """Return the blocks that may hold a cut that matters, from the cost at their edges."""
    cost = costs.cost_fn * curve.misses + costs.cost_fp * curve.alarms
    smallest = cost.min(keepdims=True)
    reach = rule.reach(smallest, curve.n_positive, curve.n_negative, costs)
    # Rounding must not hide a cut.
    limit = (smallest + reach) * (1 + 1e-9)
    least = np.maximum(
        cost[:-1] - costs.cost_fp * (curve.alarms[:-1] - curve.alarms[1:]),
        cost[1:] - costs.cost_fn * (curve.misses[1:] - curve.misses[:-1]),
    )
    return span((least <= limit)[None, :])


def _deal(
    blocks: Blocks, curve: Curve, needed: slice, rng: np.random.Generator
) -> tuple[int, Curve]:
    """Deal the drawn patients of the needed blocks to their groups."""
    start, stop = needed.start, needed.stop
    low, high = int(blocks.edges[start]), int(blocks.edges[stop])
    half = blocks.cells.size // 2
    chosen = np.concatenate([np.arange(start, stop), half + np.arange(start, stop)])
    first_patient = (np.cumsum(blocks.cells) - blocks.cells)[chosen]
    drawn = np.concatenate(
        [np.diff(curve.misses[start : stop + 1]), -np.diff(curve.alarms[start : stop + 1])]
    )
    place = rng.integers(0, np.repeat(blocks.cells[chosen], drawn))
    group = blocks.group[place + np.repeat(first_patient, drawn)] - low
    n_positive = int(drawn[: stop - start].sum())
    group[n_positive:] += high - low
    fine = count_errors(np.bincount(group, minlength=2 * (high - low))[None, :])
    return low, Stretch(
        misses=curve.misses[start] + fine.misses,
        alarms=curve.alarms[stop] + fine.alarms,
        positives=curve.n_positive[None, :],
        negatives=curve.n_negative[None, :],
    )

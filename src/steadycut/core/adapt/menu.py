"""A few cut-offs with weights, fixed before any label is seen, and whom to label next.

Each cut-off gets its weight's share of the error probability. Their limits then hold together, so
any of them may be chosen after the labels are seen (a weighted union bound). The menu may depend on
the first hospital, on unlabelled patients and on a stated prevalence, but not on the labels, nor on
the patients whose labels certify.

Two cut-offs differ only in what they decide about patients between them. Labels of patients far
from all plausible cut-offs say nothing about which one is better. So some of the labels go to the
grey zone. Those say nothing about how often a cut-off errs, and must never certify.

All labelled patients who were not picked certify every cut-off of the menu. Of these the one is
chosen that decides most nearly as the rule does that is fitted again with the labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Labels, Model, refitted_each
from steadycut.core.bounds.anytime import TARGET_BETS, largest_refuted
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# Between the most likely shift and that of another cut-off, and the weight of the two at that
# distance. Real hospitals seldom differ by more.
STEPS = {0.3: 0.24, 0.75: 0.16, 1.4: 0.10, 2.5: 0.10}
# The weights of the frozen cut-off, and of the one at the most likely shift.
FROZEN_WEIGHT, LARGEST_WEIGHT = 0.10, 0.30
FROZEN, ADAPTED = "frozen", "adapted"
# Cut-offs at shifts further away than this are not plausible.
PLAUSIBLE = 1.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One cut-off of a menu; ``weight`` is its share of the error probability."""

    name: str
    cut: float
    weight: float


def make_menu(
    model: Model, pool: Pool, frozen: float, costs: Costs, shift: float = 0.0
) -> list[Item]:
    """Return the frozen cut-off, the one at the most likely shift, and those around it.

    ``shift`` follows a stated prevalence, if there is one. Cut-offs that decide alike about the
    pool are one: the first is kept, and has the weights of all.
    """
    around = [(ADAPTED, 0.0, LARGEST_WEIGHT)]
    for step, weight in STEPS.items():
        times = f"{np.exp(step):.2g} times"
        around += [(f"{times} lower odds", -step, weight / 2)]
        around += [(f"{times} higher odds", step, weight / 2)]
    shifts = np.array([away for _, away, _ in around]) + shift
    items = [Item(name=FROZEN, cut=frozen, weight=FROZEN_WEIGHT)]
    for cut, (name, _, weight) in zip(refitted_each(model, costs, shifts), around, strict=True):
        items.append(Item(name=name, cut=float(cut), weight=weight))
    return _merged(pool, items)


def _merged(pool: Pool, items: Sequence[Item]) -> list[Item]:
    merged: dict[float, Item] = {}
    for item in items:
        rank = pool.rank_of(item.cut)
        kept = merged.get(rank, item)
        weight = item.weight if kept is item else kept.weight + item.weight
        merged[rank] = Item(name=kept.name, cut=kept.cut, weight=weight)
    return list(merged.values())


def random_part(n_patients: int, size: int, rng: np.random.Generator) -> IntArray:
    """Return which patients are labelled to certify: ``size`` at random, in random order."""
    return np.asarray(rng.choice(n_patients, size, replace=False))


def grey_zone(model: Model, costs: Costs, shift: float) -> tuple[float, float]:
    """Return between which scores the plausible cut-offs lie."""
    ends = np.array([shift + PLAUSIBLE, shift - PLAUSIBLE])
    low, high = refitted_each(model, costs, ends)
    return float(low), float(high)


def grey_part(
    scores: FloatArray, zone: tuple[float, float], size: int, rng: np.random.Generator
) -> IntArray:
    """Return which patients are labelled to choose: up to ``size`` at random in the grey zone."""
    inside = np.flatnonzero((scores >= zone[0]) & (scores < zone[1]))
    return np.asarray(rng.choice(inside, min(size, inside.size), replace=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """A cut-off with the counts of the patients who certify it, and the limit of its mean cost."""

    item: Item
    counts: Confusion
    limit: float


def limited(menu: Sequence[Item], labels: Labels, costs: Costs, delta: float) -> list[Limited]:
    """Return the cut-offs with their limits, which hold together at 1 - delta."""
    limits = []
    for item in menu:
        counts = labels.counts_at(item.cut)
        limit = exact_limit(counts, costs, delta * item.weight)
        limits.append(Limited(item=item, counts=counts, limit=limit))
    return limits


def exact_limit(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return Buehler's limit of the risk, which at equal costs is that of Clopper and Pearson."""
    if costs.equal:
        return costs.largest * upper_limit(counts.fn + counts.fp, counts.n_patients, delta)
    return buehler_limit(counts, costs, delta)


def nearest(pool: Pool, menu: Sequence[Item], cut: float) -> int:
    """Return which item of a menu decides most nearly as a cut-off does; of several the first.

    Examples
    --------
    >>> menu = [Item(name="", cut=cut, weight=0.5) for cut in (2.0, 5.0)]
    >>> [nearest(Pool.of(range(10)), menu, cut) for cut in (-np.inf, 3.0, 4.0)]
    [0, 0, 1]
    """
    rank = pool.rank_of(cut)
    return int(np.argmin([abs(pool.rank_of(item.cut) - rank) for item in menu]))


def limits_at_every_look(
    menu: Sequence[Item], labels: Labels, costs: Costs, delta: float
) -> FloatArray:
    """Return upper limits after each label, shape (cut-offs, labels); all hold at all times.

    The labels come in the order given. A cut-off with a limit at or below a value that was fixed
    beforehand may be accepted at once: whatever the stopping, a wrong one is ever accepted with
    probability at most delta.
    """
    rows = []
    for item in menu:
        called, ill = labels.scores >= item.cut, labels.labels == 1
        loss = np.where(ill & ~called, costs.cost_fn, np.where(called & ~ill, costs.cost_fp, 0.0))
        gain = 1 - loss / costs.largest
        distinct, place = np.unique(gain, return_inverse=True)
        counts = np.cumsum(place[:, None] == np.arange(distinct.size), axis=0)
        lower = largest_refuted(counts, distinct, delta * item.weight, TARGET_BETS)
        rows.append(costs.largest * np.minimum.accumulate(1 - lower))
    return np.array(rows)

"""The choice among cut-offs, and exact limits, from all labels at once.

A cut-off of the menu was fixed before any label was seen, so all labelled patients certify it. All
limits hold together, so any of the cut-offs may be chosen: the one that decides most nearly as the
rule does that is fitted again with the labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.adapt.menu import Item
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Labels
from steadycut.core.bounds.anytime import TARGET_BETS, largest_refuted
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs


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

"""The choice among the cut-offs of a menu, and exact limits, from all labels at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.adapt.menu import Item
from steadycut.core.adapt.pool import Pool
from steadycut.core.bounds.anytime import TARGET_BETS, largest_refuted
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# A limit may be 1 % higher if the cut-off lies half a percent of the patients nearer.
RANK_COUNTS = 2.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Labels:
    """Oriented scores of labelled patients, and their labels, in the order in which they came."""

    scores: FloatArray
    labels: IntArray

    def counts_at(self, cut: float) -> Confusion:
        """Return the decisions of a cut-off against the labels."""
        called, ill = self.scores >= cut, self.labels == 1
        return Confusion(
            tp=int(np.sum(called & ill)),
            fn=int(np.sum(~called & ill)),
            fp=int(np.sum(called & ~ill)),
            tn=int(np.sum(~called & ~ill)),
        )


def likely_rank(pool: Pool, prior: FloatArray, labels: Labels, costs: Costs) -> float:
    """Return the mean rank of the cut-offs of the pool, given the labels.

    The weight of a cut-off is its prior times exp(-k errors), as in
    `steadycut.core.rules.stable`, where k is the log odds of a right decision.
    """
    ill = np.sort(labels.scores[labels.labels == 1])
    well = np.sort(labels.scores[labels.labels == 0])
    missed = np.searchsorted(ill, pool.cuts, side="left")
    alarmed = well.size - np.searchsorted(well, pool.cuts, side="left")
    m, stake = labels.labels.size, costs.cost_fn * ill.size + costs.cost_fp * well.size
    errors = m * (costs.cost_fn * missed + costs.cost_fp * alarmed) / stake
    fewest = errors.min()
    odds = np.log((m - fewest + 1) / (fewest + 1))
    weights = prior * np.exp(-odds * (errors - fewest))
    return float(weights @ pool.ranks / weights.sum())


def limits(menu: Sequence[Item], labels: Labels, costs: Costs, delta: float) -> FloatArray:
    """Return an upper limit of the risk of every cut-off; all hold together at 1 - delta."""
    return np.array(
        [exact_limit(labels.counts_at(one.cut), costs, delta * one.weight) for one in menu]
    )


def exact_limit(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return Buehler's limit of the risk, which at equal costs is that of Clopper and Pearson."""
    if costs.equal:
        return costs.largest * upper_limit(counts.fn + counts.fp, counts.n_patients, delta)
    return buehler_limit(counts, costs, delta)


def choose(
    pool: Pool,
    menu: Sequence[Item],
    prior: FloatArray,
    labels: Labels,
    costs: Costs,
    found: FloatArray,
) -> int:
    """Return which cut-off of a menu the labels choose; ``found`` are its limits.

    It has a low limit, and lies near the rank that prior and labels make likely. The limits alone
    prefer cut-offs of large weight; the rank alone does not mind a poor limit.
    """
    likely = likely_rank(pool, prior, labels, costs)
    away = np.array([abs(pool.rank_of(one.cut) - likely) for one in menu])
    return int(np.argmin(found / found.min() + RANK_COUNTS * away))


def limits_at_every_look(
    menu: Sequence[Item], labels: Labels, costs: Costs, delta: float
) -> FloatArray:
    """Return upper limits after each label, shape (cut-offs, labels); all hold at all times.

    The labels come in the order given. A cut-off with a limit at or below a value that was fixed
    beforehand may be accepted at once: whatever the stopping, a wrong one is ever accepted with
    probability at most delta.
    """
    rows = []
    for one in menu:
        called, ill = labels.scores >= one.cut, labels.labels == 1
        loss = np.where(ill & ~called, costs.cost_fn, np.where(called & ~ill, costs.cost_fp, 0.0))
        gain = 1 - loss / costs.largest
        distinct, place = np.unique(gain, return_inverse=True)
        counts = np.cumsum(place[:, None] == np.arange(distinct.size), axis=0)
        lower = largest_refuted(counts, distinct, delta * one.weight, TARGET_BETS)
        rows.append(costs.largest * np.minimum.accumulate(1 - lower))
    return np.array(rows)

"""The choice among cut-offs, and exact limits, from all labels at once.

A cut-off of the menu was fixed before any label was seen, so all m labelled patients certify it.
The score of a labelled patient can be a cut-off too: the other m - 1 patients know nothing of it,
and certify it (a compression bound with one patient). The m scores share a part of the error
probability equally. All limits then hold together, so any of the cut-offs may be chosen. With few
labels that part is better spent on the menu.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steadycut.core.adapt.menu import Item
from steadycut.core.adapt.pool import Pool
from steadycut.core.bounds.anytime import TARGET_BETS, largest_refuted
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# A limit may be 1.5 % higher if the cut-off lies one percent of the patients nearer.
RANK_COUNTS = 1.5
# From so many labels on, their scores are cut-offs too, with this part of the error probability.
LEAST_OWN, OWN_PART = 40, 0.3
OWN = "score of a labelled patient"
# Labels count as they are up to this number, and more than that beyond it.
PLAIN_LABELS = 20


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Labels:
    """Oriented scores of labelled patients, and their labels, in the order in which they came."""

    scores: FloatArray
    labels: IntArray

    def without(self, place: int) -> "Labels":
        """Return all but one of the patients."""
        return Labels(scores=np.delete(self.scores, place), labels=np.delete(self.labels, place))

    def counts_at(self, cut: float) -> Confusion:
        """Return the decisions of a cut-off against the labels."""
        return Confusion.of_calls(self.labels, self.scores >= cut)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """A cut-off with the counts of the patients who certify it, and the limit of its mean cost.

    ``own`` is the place of the labelled patient whose score it is; None for a cut-off of the menu.
    """

    item: Item
    counts: Confusion
    limit: float
    own: int | None = None


def likely_rank(pool: Pool, prior: FloatArray, labels: Labels, costs: Costs) -> float:
    """Return the median rank of the cut-offs of the pool, given the labels.

    The weight of a cut-off is its prior times exp(-w k errors), as in
    `steadycut.core.rules.stable`, where k is the log odds of a right decision. Errors count in
    parts of the more expensive one, so that no patient counts as more than one. Beyond 20 labels w
    grows with the square root of their number; without it, `erm` on 100 labels does better.
    """
    ill = np.sort(labels.scores[labels.labels == 1])
    well = np.sort(labels.scores[labels.labels == 0])
    missed = np.searchsorted(ill, pool.cuts, side="left")
    alarmed = well.size - np.searchsorted(well, pool.cuts, side="left")
    miss, alarm = costs.cost_fn / costs.largest, costs.cost_fp / costs.largest
    errors, all_wrong = miss * missed + alarm * alarmed, miss * ill.size + alarm * well.size
    fewest, many = errors.min(), max(labels.labels.size / PLAIN_LABELS, 1.0)
    odds = np.log((all_wrong - fewest + 1) / (fewest + 1)) * np.sqrt(many)
    below = np.cumsum(prior * np.exp(-odds * (errors - fewest)))
    return float(pool.ranks[np.searchsorted(below, below[-1] / 2)])


def limited(
    pool: Pool, menu: Sequence[Item], labels: Labels, costs: Costs, delta: float, likely: float
) -> list[Limited]:
    """Return the cut-offs with their limits, which hold together at 1 - delta.

    Of the labelled patients' scores only the one nearest to the ``likely`` rank is returned, if
    there are enough labels; the others share its error probability.
    """
    m = labels.labels.size
    share = 1 - OWN_PART if m >= LEAST_OWN else 1.0
    items: list[tuple[Item, int | None]]
    items = [(replace(one, weight=share * one.weight), None) for one in menu]
    if m >= LEAST_OWN:
        away = [abs(pool.rank_of(float(score)) - likely) for score in labels.scores]
        place = int(np.argmin(away))
        items.append((Item(name=OWN, cut=float(labels.scores[place]), weight=OWN_PART / m), place))
    limits = []
    for item, own in items:
        counts = (labels if own is None else labels.without(own)).counts_at(item.cut)
        limit = exact_limit(counts, costs, delta * item.weight)
        limits.append(Limited(item=item, counts=counts, limit=limit, own=own))
    return limits


def exact_limit(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return Buehler's limit of the risk, which at equal costs is that of Clopper and Pearson."""
    if costs.equal:
        return costs.largest * upper_limit(counts.fn + counts.fp, counts.n_patients, delta)
    return buehler_limit(counts, costs, delta)


def choose(pool: Pool, cuts: Sequence[float], limits: FloatArray, likely: float) -> int:
    """Return which of the cut-offs to take: one with a low limit that lies near the likely rank.

    The limits alone prefer cut-offs of large weight; the rank alone does not mind a poor limit.
    """
    away = np.array([abs(pool.rank_of(cut) - likely) for cut in cuts])
    return int(np.argmin(limits / limits.min() + RANK_COUNTS * away))


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

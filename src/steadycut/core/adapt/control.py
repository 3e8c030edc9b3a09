"""Changes of a cut-off under a plan: attempts that spend one error probability together.

Attempt v may use δ_v = 6 δ / (π v)². These sum to δ over all v, so all certificates that are ever
issued hold together with probability 1 - δ. A failed attempt has spent its part too.

A cut-off is accepted as soon as labels show two things: its risk is at most a target u, and it
exceeds the risk of the original cut-off, on the same patients, by at most a margin. Each claim has
half of δ_v. Cut-off j of the menu has the share p_j of both. The comparison is with the original,
not with the last version: many small steps downwards would otherwise add up.

Both claims are tested by betting (see `steadycut.core.bounds.anytime`): on 1 - loss, and on
(1 - difference of the losses) / 2, with losses in parts of the larger cost. Patients are counted in
eight cells, by label and by both decisions. The evidence depends on these counts alone, so it can
be computed again from a file. One may look after every label and stop at any time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadycut.core.adapt.menu import Item
from steadycut.core.adapt.refit import Labels
from steadycut.core.bounds.anytime import TARGET_BETS, largest_refuted
from steadycut.core.checks import BoolArray, FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

N_CELLS = 8


def attempt_delta(delta: float, attempt: int) -> float:
    """Return the error probability of one attempt; those of all attempts sum to ``delta``.

    Examples
    --------
    >>> [round(attempt_delta(0.1, attempt), 4) for attempt in (1, 2, 3)]
    [0.0608, 0.0152, 0.0068]
    """
    return 6 * delta / (math.pi * attempt) ** 2


def cells_of(labels: Labels, cuts: FloatArray, original: float) -> IntArray:
    """Return how many patients were in each cell after each label, shape (cut-offs, labels, 8).

    Cell 4 ill + 2 new + old counts the patients of one label and of two decisions, where 1 is ill
    or called.
    """
    called, before = labels.scores >= cuts[:, None], labels.scores >= original
    cell = 4 * labels.labels + 2 * called + before
    return np.cumsum(cell[..., None] == np.arange(N_CELLS), axis=1)


def confusion_of(cells: Sequence[int]) -> Confusion:
    """Return the decisions of the new cut-off against the labels."""
    pairs = [cells[i] + cells[i + 1] for i in range(0, N_CELLS, 2)]
    return Confusion(tn=int(pairs[0]), fp=int(pairs[1]), fn=int(pairs[2]), tp=int(pairs[3]))


@dataclass(frozen=True, eq=False, kw_only=True)
class Claims:
    """What labels must show of a cut-off: a risk, and a difference from the original cut-off."""

    costs: Costs
    target: float
    margin: float

    @cached_property
    def risk_gains(self) -> FloatArray:
        """What a patient of each cell adds to 1 - loss."""
        return 1 - self._losses(1)

    @cached_property
    def difference_gains(self) -> FloatArray:
        """What a patient of each cell adds to (1 - difference of the losses) / 2."""
        return (1 - self._losses(1) + self._losses(0)) / 2

    def _losses(self, decision: int) -> FloatArray:
        """Return the loss of each cell by the new decision (1) or the old one (0), up to 1."""
        cell = np.arange(N_CELLS)
        ill, called = cell >= N_CELLS // 2, (cell >> decision) % 2 == 1
        missed, alarmed = self.costs.cost_fn * (ill & ~called), self.costs.cost_fp * (~ill & called)
        return (missed + alarmed) / self.costs.largest

    def shown(
        self,
        cells: IntArray,
        delta: float | FloatArray,
        *,
        same: bool | BoolArray,
        slack: float = 0.0,
    ) -> BoolArray:
        """Return after which labels both claims are shown, each with error probability delta.

        ``same`` says that the cut-off is the original one, whose difference is 0. A replay on
        another machine needs a little ``slack``.
        """
        wanted = -np.log(delta) - slack
        largest = self.costs.largest
        risk = _evidence(cells, self.risk_gains, 1 - self.target / largest) >= wanted
        mean = (1 - self.margin / largest) / 2
        return risk & (same | (_evidence(cells, self.difference_gains, mean) >= wanted))

    def limits(self, cells: IntArray, delta: float, *, same: bool) -> tuple[FloatArray, FloatArray]:
        """Return upper limits of the risk, and of the difference, for each row of counts."""
        largest = self.costs.largest
        risk = largest * (1 - _refuted(cells, self.risk_gains, delta))
        if same:
            return risk, np.zeros_like(risk)
        return risk, largest * (1 - 2 * _refuted(cells, self.difference_gains, delta))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Attempt:
    """An attempt to accept a cut-off of a menu.

    ``labels`` were used: up to the first look at which a cut-off was accepted, or all. ``chosen``
    is the accepted cut-off; None if there is none. ``cells`` has a row for each cut-off.
    """

    labels: int
    chosen: int | None
    cells: IntArray


def try_menu(
    menu: Sequence[Item], labels: Labels, original: float, claims: Claims, delta: float
) -> Attempt:
    """Take labels one at a time until a cut-off of the menu is accepted.

    Among those accepted at once the one with the smallest limit of the risk is taken.

    Parameters
    ----------
    menu
        Cut-offs with weights that sum to at most 1, fixed before any label was seen.
    labels
        Consecutive patients after the trigger, in the order in which they came.
    original
        The original cut-off.
    claims
        What must be shown.
    delta
        The error probability of this attempt, see `attempt_delta`.
    """
    cuts, weights = np.array([[item.cut, item.weight] for item in menu]).T
    every = cells_of(labels, cuts, original)
    shares, same = delta * weights[:, None] / 2, cuts[:, None] == original
    claimed = claims.shown(every, shares, same=same)
    looks = np.flatnonzero(claimed.any(axis=0))
    stop = int(looks[0]) if looks.size else labels.labels.size - 1
    cells, chosen = every[:, stop], None
    if looks.size:
        good = np.flatnonzero(claimed[:, stop])
        limits = [claims.limits(cells[[j]], shares[j, 0], same=True)[0][0] for j in good]
        chosen = int(good[np.argmin(limits)])
    return Attempt(labels=stop + 1, chosen=chosen, cells=cells)


def within(menu: Sequence[Item], low: float, high: float) -> list[Item]:
    """Return the cut-offs in a range, with weights that sum to as much as before.

    Examples
    --------
    >>> menu = [Item(name="a", cut=1.0, weight=0.5), Item(name="b", cut=9.0, weight=0.5)]
    >>> within(menu, 0.0, 2.0)
    [Item(name='a', cut=1.0, weight=1.0)]
    """
    kept = [item for item in menu if low <= item.cut <= high]
    scale = sum(item.weight for item in menu) / sum(item.weight for item in kept) if kept else 1.0
    return [Item(name=item.name, cut=item.cut, weight=item.weight * scale) for item in kept]


def _evidence(cells: IntArray, gains: FloatArray, mean: float) -> FloatArray:
    """Return the logarithm of the evidence against "the mean gain is at most ``mean``"."""
    won = np.log1p(TARGET_BETS * (gains[:, None] / mean - 1))
    logs = cells @ won
    largest = logs.max(axis=-1)
    evidence: FloatArray = largest + np.log(np.exp(logs - largest[..., None]).mean(axis=-1))
    return evidence


def _refuted(cells: IntArray, gains: FloatArray, delta: float) -> FloatArray:
    """Return the largest mean gain that is refuted, for each row of counts."""
    distinct, place = np.unique(gains, return_inverse=True)
    counts = cells @ (place[:, None] == np.arange(distinct.size)).astype(np.int64)
    return largest_refuted(counts, distinct, delta, TARGET_BETS)

"""The rule of the paper's figure 1, which adds an instability map to the risk curve.

The map is the bootstrap standard deviation of the risk at t times the curvature of the curve there.
It is not the penalty G_boot of Algorithm 1, which does not depend on t and cannot move a cut along
one curve. On real hospitals this rule generalises worse than the plain minimiser
(docs/theory/paper.md), so it is none of the rules of the package:
``fit(patients, rule=Pointwise())`` uses it.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from steadycut.core.checks import (
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_count,
    check_fraction,
    check_positive,
)
from steadycut.core.cuts.grid import Cuts, EvenCuts
from steadycut.core.cuts.risk_curve import TIE, Curve, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.ties import middle_of_widest_flat

CAPS = ("range", "score")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tried:
    """All thresholds in ascending order, and the cut to which each of them belongs.

    Several thresholds of an even grid with no patient between them are one cut.
    """

    thresholds: FloatArray
    cut_of: IntArray


def tried_thresholds(cuts: Cuts) -> Tried:
    """Return every threshold of the grid; on the exact cuts, one midpoint per cut."""
    if isinstance(cuts, EvenCuts):
        sizes = cuts.last_in_gap - cuts.first_in_gap + 1
        return Tried(thresholds=cuts.thresholds, cut_of=np.repeat(np.arange(sizes.size), sizes))
    every = np.arange(cuts.cells.size // 2 + 1)
    return Tried(thresholds=cuts.on_scale(cuts.place(every, every)), cut_of=every)


@dataclass(frozen=True, slots=True)
class Pointwise:
    """The smallest J(t) = R(t) + λ G(t), at the smallest risk or to its right.

    G(t) is the standard deviation of the risk at t times the curvature, as a moving average over
    ``window`` thresholds. λ is such that the ``quantile`` of G over the thresholds is ``factor``
    times the range of the risk. The cut may move to the right by at most ``cap``.

    Parameters
    ----------
    quantile, factor, window, cap
        The values of the paper.
    cap_in
        Unit of ``cap``; the paper gives none. ``"range"`` is the distance between the lowest and
        the highest threshold, so that the unit of the scores does not matter. ``"score"`` is the
        score itself.
    tried
        The thresholds; `on_cuts` sets them. Without them, neighbouring cuts are one step apart.

    Notes
    -----
    The paper leaves some details open. They are decided here as follows. The standard deviation and
    the mean of the bootstrap curves are taken in closed form, which is the limit of many
    replicates; the mean curve is then the empirical one. The curvature is the absolute second
    difference along the thresholds, divided by its largest value; the two ends take the value of
    their neighbour. At the ends, the moving average is over the thresholds that exist. The "raw"
    map whose quantile sets λ is the smoothed map before it is scaled for display. If more than that
    share of it is 0, only its positive values count. On the exact cuts one step is one cut,
    whatever the scores. The rule decides which patients are called. Within the gap between two
    patients the threshold is placed as for any other rule.
    """

    __name__: ClassVar[str] = "pointwise"
    quantile: float = 0.58
    factor: float = 1.15
    window: int = 5
    cap: float = 0.90
    cap_in: str = "range"
    tried: Tried | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_fraction("quantile", self.quantile)
        check_positive("factor", self.factor)
        check_count("window", self.window)
        check_positive("cap", self.cap)
        check_choice("cap_in", self.cap_in, CAPS)

    def on_cuts(self, cuts: Cuts) -> "Pointwise":
        """Return the same rule along the thresholds of ``cuts``."""
        return replace(self, tried=tried_thresholds(cuts))

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        steps = np.arange(curve.misses.shape[1])
        tried = self.tried or Tried(thresholds=steps.astype(np.float64), cut_of=steps)
        curve = along_thresholds(curve, tried)
        objective = self.objective(curve, costs)
        objective[~self.within_reach(curve, costs, tried.thresholds)] = np.inf
        return middle_of_widest_flat(objective, curve.ranks, TIE * costs.largest)

    def objective(self, curve: Curve, costs: Costs) -> FloatArray:
        """Return J at every threshold, shape (rows, thresholds)."""
        risk = risk_at_cuts(curve, costs)
        instability = instability_map(curve, costs, self.window)
        return risk + self.weight(instability, risk)[:, None] * instability

    def weight(self, instability: FloatArray, risk: FloatArray) -> FloatArray:
        """Return λ of each row; 0 if there is no instability at all."""
        level = np.quantile(instability, self.quantile, axis=1)
        for row in np.flatnonzero((level == 0) & instability.any(axis=1)):
            positive = instability[row][instability[row] > 0]
            level[row] = np.quantile(positive, self.quantile)
        wanted = self.factor * np.ptp(risk, axis=1)
        return np.divide(wanted, level, out=np.zeros_like(level), where=level > 0)

    def within_reach(self, curve: Curve, costs: Costs, thresholds: FloatArray) -> BoolArray:
        """Return which thresholds lie at the smallest risk, or at most the cap to its right."""
        start = smallest_risk_at(curve, costs)
        farthest = self.cap * (np.ptp(thresholds) if self.cap_in == "range" else 1.0)
        moved = thresholds - thresholds[start][:, None]
        return (np.arange(thresholds.size) >= start[:, None]) & (moved <= farthest)


def along_thresholds(curve: Curve, tried: Tried) -> Curve:
    """Return the curve with one entry per threshold instead of one per cut."""
    return Curve(misses=curve.misses[:, tried.cut_of], alarms=curve.alarms[:, tried.cut_of])


def smallest_risk_at(curve: Curve, costs: Costs) -> IntArray:
    """Return the middle threshold of the cut that ``erm`` chooses, for each row."""
    ranks = curve.ranks
    chosen = middle_of_widest_flat(risk_at_cuts(curve, costs), ranks, TIE * costs.largest)[:, None]
    first = np.count_nonzero(ranks < chosen, axis=1)
    return (first + np.count_nonzero(ranks <= chosen, axis=1) - 1) // 2


def instability_map(curve: Curve, costs: Costs, window: int = 5) -> FloatArray:
    """Return G(t) of figure 1 before it is scaled for display, shape (rows, thresholds)."""
    return moving_average(risk_deviation(curve, costs) * curvature(curve, costs), window)


def risk_deviation(curve: Curve, costs: Costs) -> FloatArray:
    """Return the bootstrap standard deviation of the risk at every cut, in closed form.

    It is the square root of the variance of a patient's loss over n. At a target prevalence it is
    computed class by class, at the worse end of the range.
    """
    if costs.target is not None:
        return _class_wise_deviation(curve, costs)
    n = curve.n_patients
    square = (costs.cost_fn**2 * curve.misses + costs.cost_fp**2 * curve.alarms) / n
    return np.sqrt(np.maximum(square - risk_at_cuts(curve, costs) ** 2, 0) / n)


def _class_wise_deviation(curve: Curve, costs: Costs) -> FloatArray:
    n_positive, n_negative = np.maximum(curve.n_positive, 1), np.maximum(curve.n_negative, 1)
    miss, alarm = curve.misses / n_positive, curve.alarms / n_negative
    weights = np.array(costs.class_weights)
    risks = weights[:, 0, None, None] * miss + weights[:, 1, None, None] * alarm
    worse = weights[risks.argmax(axis=0)]
    variance = worse[..., 0] ** 2 * miss * (1 - miss) / n_positive
    variance += worse[..., 1] ** 2 * alarm * (1 - alarm) / n_negative
    return np.sqrt(variance)


def curvature(curve: Curve, costs: Costs) -> FloatArray:
    """Return the absolute second difference of the risk, divided by the largest in its row."""
    risk = risk_at_cuts(curve, costs)
    bend = np.zeros_like(risk)
    if risk.shape[1] > 2:  # noqa: PLR2004
        bend[:, 1:-1] = np.abs(risk[:, 2:] - 2 * risk[:, 1:-1] + risk[:, :-2])
        bend[:, 0], bend[:, -1] = bend[:, 1], bend[:, -2]
    # Rounding must not give curvature to a straight stretch.
    bend[bend <= TIE * costs.largest] = 0
    largest = bend.max(axis=1, keepdims=True)
    return np.divide(bend, largest, out=np.zeros_like(bend), where=largest > 0)


def moving_average(values: FloatArray, window: int) -> FloatArray:
    """Return the mean over ``window`` neighbours of each entry, or over those that exist.

    Examples
    --------
    >>> import numpy as np
    >>> moving_average(np.array([[0.0, 3.0, 0.0, 6.0]]), 3)
    array([[1.5, 1. , 3. , 3. ]])
    """
    size = values.shape[1]
    total, count = np.zeros_like(values), np.zeros(size)
    for step in range(-((window - 1) // 2), window // 2 + 1):
        here = slice(max(-step, 0), max(size - max(step, 0), 0))
        there = slice(max(step, 0), max(size + min(step, 0), 0))
        total[:, here] += values[:, there]
        count[here] += 1
    return total / count

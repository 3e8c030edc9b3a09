"""How much may change at the next hospital before a limit is broken, without its patients.

This uses the exact identity and not Shift(t). At prevalence q, miss rate m and alarm rate a the
risk is cost_fn q m + cost_fp (1 - q) a. A higher prevalence raises it if cost_fn m > cost_fp a, and
lowers it otherwise. No rate exceeds 1. For each kind of change the answer can therefore be "none".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from steadycut.core.bounds.binomial import dkw_limit, upper_limit
from steadycut.core.checks import FloatArray, check_fraction, check_positive, read_only
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

FRONTIER_POINTS = 101


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRates:
    """How often a rule errs in each class: ``miss`` (F₁⁻) and ``alarm`` (1 - F₀⁻)."""

    miss: float
    alarm: float

    def risk(self, prevalence: Any, costs: Costs) -> Any:  # noqa: ANN401 (a number or an array)
        """Return the risk at one prevalence, or at several."""
        missed = costs.cost_fn * prevalence * self.miss
        return missed + costs.cost_fp * (1 - prevalence) * self.alarm

    def slope(self, costs: Costs) -> float:
        """Return how fast the risk increases with the prevalence; it can be negative."""
        return costs.cost_fn * self.miss - costs.cost_fp * self.alarm


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Frontier:
    """For each prevalence, how much each class may deteriorate before the limit is reached.

    NaN if the prevalence alone breaks the limit. If no deterioration of a class can break it, the
    value is the largest possible one: 1 - F₁⁻, or F₀⁻.
    """

    prevalence: FloatArray
    shape_positive: FloatArray
    shape_negative: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tipping:
    """How much may change, one thing at a time, before the risk reaches ``limit``.

    ``miss_rate`` is the share of positive patients who are missed, ``alarm_rate`` that of negative
    patients who are called.

    ``prevalence`` is the prevalence at which it does, all else equal. ``shape_positive`` is the
    increase of the miss rate, and ``shape_negative`` the increase of the alarm rate, at which it
    does. None means that no change of that kind is enough. If the limit is ``exceeded`` without any
    change, these are the present prevalence and increases of 0.
    """

    miss_rate: float
    alarm_rate: float
    limit: float
    risk: float
    present: float
    slope: float
    prevalence: float | None
    shape_positive: float | None
    shape_negative: float | None
    frontier: Frontier

    @property
    def exceeded(self) -> bool:
        """Whether the risk is already above the limit."""
        return self.risk > self.limit

    @property
    def prevalence_change(self) -> float | None:
        """The signed change of the prevalence at which the limit is reached."""
        return None if self.prevalence is None else self.prevalence - self.present


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TippingPoint:
    """The tipping point from the observed rates, and from upper limits of them.

    ``estimate`` is None if a class has no patients. ``upper`` uses upper limits of both rates that
    hold together with probability 1 - delta. Both start from the same prevalence.
    """

    limit: float
    delta: float
    prevalence: float
    estimate: Tipping | None
    upper: Tipping


def tipping_point(
    counts: Confusion,
    costs: Costs,
    limit: float,
    delta: float = 0.1,
    *,
    honesty: str = "split",
    n_candidates: int = 1,
) -> TippingPoint:
    """Return how much must change at the next hospital before the risk exceeds a limit.

    Parameters
    ----------
    counts
        The certifying patients at the frozen threshold.
    costs
        The costs of the two errors.
    limit
        The risk that must not be exceeded; usually the certified value.
    delta
        The upper limits of miss rate and alarm rate fail with at most this probability, half each.
    honesty, n_candidates
        With ``"uniform"`` the same patients chose the cut-off among ``n_candidates`` scores. The
        limits must then hold at all cuts of all these scores (DKW) instead of at one
        (Clopper-Pearson).

    Returns
    -------
    TippingPoint

    Examples
    --------
    40 diseased of whom 4 are missed, 60 healthy of whom 12 are alarmed: the risk is 0.16. A higher
    prevalence lowers it (0.1 < 0.2), so only a smaller prevalence could break the limit.

    >>> point = tipping_point(Confusion(tp=36, fn=4, fp=12, tn=48), Costs(), limit=0.18)
    >>> round(point.estimate.prevalence, 6), round(point.estimate.shape_positive, 6)
    (0.2, 0.05)
    >>> tipping_point(Confusion(tp=36, fn=4, fp=12, tn=48), Costs(), 0.21).estimate.prevalence
    """
    check_positive("limit", limit)
    share = check_fraction("delta", delta) / 2
    if honesty == "uniform":
        share /= n_candidates
    bound = dkw_limit if honesty == "uniform" else upper_limit
    upper = ErrorRates(
        miss=bound(counts.fn, counts.n_positive, share),
        alarm=bound(counts.fp, counts.n_negative, share),
    )
    miss, alarm = counts.miss_rate, counts.alarm_rate
    known = None if miss is None or alarm is None else ErrorRates(miss=miss, alarm=alarm)
    present = counts.prevalence
    return TippingPoint(
        limit=limit,
        delta=delta,
        prevalence=present,
        estimate=None if known is None else tipping_of(known, present, costs, limit),
        upper=tipping_of(upper, present, costs, limit),
    )


def tipping_of(rates: ErrorRates, prevalence: float, costs: Costs, limit: float) -> Tipping:
    """Return how much may change, for given error rates."""
    risk, slope = float(rates.risk(prevalence, costs)), rates.slope(costs)
    room = max(limit - risk, 0.0)
    return Tipping(
        miss_rate=rates.miss,
        alarm_rate=rates.alarm,
        limit=limit,
        risk=risk,
        present=prevalence,
        slope=slope,
        prevalence=_tipping_prevalence(prevalence, slope, room),
        shape_positive=_tipping_gap(room, costs.cost_fn * prevalence, 1 - rates.miss),
        shape_negative=_tipping_gap(room, costs.cost_fp * (1 - prevalence), 1 - rates.alarm),
        frontier=frontier_of(rates, costs, limit),
    )


def frontier_of(rates: ErrorRates, costs: Costs, limit: float) -> Frontier:
    """Return how much the class shapes may change at each prevalence."""
    prevalence = np.linspace(0, 1, FRONTIER_POINTS)
    room = limit - rates.risk(prevalence, costs)
    return Frontier(
        prevalence=read_only(prevalence),
        shape_positive=read_only(_gaps(room, costs.cost_fn * prevalence, 1 - rates.miss)),
        shape_negative=read_only(_gaps(room, costs.cost_fp * (1 - prevalence), 1 - rates.alarm)),
    )


def _tipping_prevalence(prevalence: float, slope: float, room: float) -> float | None:
    if room == 0:
        return prevalence
    if slope == 0:
        return None
    reached = prevalence + room / slope
    return reached if 0 <= reached <= 1 else None


def _tipping_gap(room: float, weight: float, cap: float) -> float | None:
    """Return the increase of a rate that uses up the room; None if no increase is enough."""
    if room == 0:
        return 0.0
    return room / weight if weight * cap >= room else None


def _gaps(room: FloatArray, weight: FloatArray, cap: float) -> FloatArray:
    uses_up = weight * cap > np.maximum(room, 0.0)
    gaps = np.divide(room, weight, out=np.full_like(room, cap), where=uses_up)
    return np.where(room >= 0, gaps, np.nan)

"""The change of risk between two hospitals at the cut-off, R_Q - R_P, split into parts.

The intervals of the parts include the sampling error of both hospitals. Distances say how far apart
the hospitals are at all cut-offs together, not only at the frozen one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from steadycut.core.bounds.binomial import rate_interval, two_sided
from steadycut.core.checks import FloatArray, Interval
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

RATES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A change of risk as a prevalence part, a shape part of class 1 and a shape part of class 0.

    A shape part is None if one of the hospitals has no patient of that class. The rate of that
    class is then taken from the other hospital, so that the known parts still add up.
    """

    prevalence: float
    shape_positive: float | None
    shape_negative: float | None

    @property
    def total(self) -> float:
        """The sum of the known parts."""
        return self.prevalence + (self.shape_positive or 0.0) + (self.shape_negative or 0.0)


class Rates(NamedTuple):
    """Prevalence, miss rate and alarm rate at one hospital."""

    prevalence: float
    miss: float
    alarm: float


# The prevalence part and the two shape parts, and how they are found.
Values = tuple[float, float, float]
Order = Callable[[Rates, Rates, Costs], Values]


def signed_values(p: Rates, q: Rates, costs: Costs) -> Values:
    """Return the prevalence part and the two shape parts, in the paper's order of insertion.

    The prevalence part takes the error rates of Q, the shape parts take the prevalence of P. The
    three parts add up to R_Q - R_P.
    """
    return _values(p, q, costs, curves=q, weight=p.prevalence)


def reversed_values(p: Rates, q: Rates, costs: Costs) -> Values:
    """Return the same with the error rates of P and the prevalence of Q."""
    return _values(p, q, costs, curves=p, weight=q.prevalence)


def shapley_values(p: Rates, q: Rates, costs: Costs) -> Values:
    """Return the mean of both orders: the Shapley value of prevalence and the two shapes."""
    both = zip(signed_values(p, q, costs), reversed_values(p, q, costs), strict=True)
    prevalence, positive, negative = ((one + other) / 2 for one, other in both)
    return prevalence, positive, negative


def signed_shift(
    internal: Confusion, external: Confusion, costs: Costs, order: Order = signed_values
) -> Parts:
    """Split R_Q - R_P, by default in the paper's order."""
    p, q = _rates(internal, external), _rates(external, internal)
    prevalence, positive, negative = order(p, q, costs)
    return Parts(
        prevalence=prevalence,
        shape_positive=positive if internal.n_positive and external.n_positive else None,
        shape_negative=negative if internal.n_negative and external.n_negative else None,
    )


def absolute_shift(internal: Confusion, external: Confusion, costs: Costs) -> Parts:
    """Return the paper's Shift(t), which is at least R_Q - R_P.

    (cost_fn + cost_fp) |Δπ| + cost_fn π_P |ΔF₁⁻(t)| + cost_fp (1 - π_P) |ΔF₀⁻(t)|.
    """
    signed = signed_shift(internal, external, costs)
    gap = abs(external.prevalence - internal.prevalence)
    return Parts(
        prevalence=(costs.cost_fn + costs.cost_fp) * gap,
        shape_positive=None if signed.shape_positive is None else abs(signed.shape_positive),
        shape_negative=None if signed.shape_negative is None else abs(signed.shape_negative),
    )


def _values(p: Rates, q: Rates, costs: Costs, *, curves: Rates, weight: float) -> Values:
    slope = costs.cost_fn * curves.miss - costs.cost_fp * curves.alarm
    positive = costs.cost_fn * weight * (q.miss - p.miss)
    negative = costs.cost_fp * (1 - weight) * (q.alarm - p.alarm)
    return (q.prevalence - p.prevalence) * slope, positive, negative


def _rates(counts: Confusion, fallback: Confusion) -> Rates:
    # A class that is empty at one hospital takes the other's rate. Its shape part is unknown and
    # counts as 0, and the parts still add up to R_Q - R_P.
    return Rates(
        prevalence=counts.prevalence,
        miss=_first_known(counts.miss_rate, fallback.miss_rate),
        alarm=_first_known(counts.alarm_rate, fallback.alarm_rate),
    )


def _first_known(*values: float | None) -> float:
    return next((value for value in values if value is not None), 0.0)


def shift_intervals(
    internal: Confusion, external: Confusion, costs: Costs, delta: float, n_choices: int = 0
) -> dict[str, dict[str, Interval]]:
    """Return an interval for each part, in the paper's order and for the Shapley mean.

    Notes
    -----
    Prevalence, miss rate and alarm rate of each hospital are binomial, each given the previous
    ones. Each of these six rates gets its Clopper-Pearson interval at delta / 6, so that all of
    them hold together with probability 1 - delta. A part is linear in each rate. Its extremes over
    the six intervals therefore lie at their ends, and all parts hold at once. A class without
    patients leaves its rate open. If the patients of P chose the cut-off themselves, among
    ``n_choices`` scores, their miss and alarm rates get intervals that hold at all cuts
    (`rate_interval`).

    Examples
    --------
    >>> p = Confusion(tp=40, fn=10, fp=10, tn=40)
    >>> q = Confusion(tp=30, fn=20, fp=10, tn=40)
    >>> low, high = shift_intervals(p, q, Costs(), 0.1)["signed"]["total"]
    >>> low < 0.1 < high
    True
    """
    share = delta / RATES
    prevalence, *rates = _rate_counts(internal)
    p = [two_sided(*prevalence, share), *(rate_interval(*r, share, n_choices) for r in rates)]
    q = [two_sided(*pair, share) for pair in _rate_counts(external)]
    corners = [_orders(Rates(*ends[:3]), Rates(*ends[3:]), costs) for ends in product(*p, *q)]
    return {
        order: {
            part: (
                min(corner[order][part] for corner in corners),
                max(corner[order][part] for corner in corners),
            )
            for part in ("prevalence", "shape_positive", "shape_negative", "total")
        }
        for order in ("signed", "shapley")
    }


def _rate_counts(counts: Confusion) -> tuple[tuple[int, int], ...]:
    return (
        (counts.n_positive, counts.n_patients),
        (counts.fn, counts.n_positive),
        (counts.fp, counts.n_negative),
    )


def _orders(p: Rates, q: Rates, costs: Costs) -> dict[str, dict[str, float]]:
    """Return all parts in the paper's order, and the mean of both orders."""
    one, two = _with_total(*signed_values(p, q, costs)), _with_total(*reversed_values(p, q, costs))
    return {"signed": one, "shapley": {part: (one[part] + two[part]) / 2 for part in one}}


def _with_total(prevalence: float, positive: float, negative: float) -> dict[str, float]:
    return {
        "prevalence": prevalence,
        "shape_positive": positive,
        "shape_negative": negative,
        "total": prevalence + positive + negative,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """The global distances between P and Q, and the paper's limit on Shift(t) made of them.

    ``total_variation`` is that of the labels, which is |π_Q - π_P|. A Kolmogorov distance is None
    if one of the hospitals has no patient of that class; it then counts as none in the ``limit``,
    as its part of Shift(t) does.
    """

    total_variation: float
    kolmogorov_positive: float | None
    kolmogorov_negative: float | None
    limit: float


def global_distances(
    internal: Confusion,
    external: Confusion,
    costs: Costs,
    kolmogorov_positive: float | None,
    kolmogorov_negative: float | None,
) -> Distances:
    """Return the distances, and the limit on Shift(t) of the paper's remark.

    Shift(t) ≤ (cost_fn + cost_fp) TV + cost_fn π_P d_K(F₁) + cost_fp (1 - π_P) d_K(F₀), at every t.
    """
    gap, share = abs(external.prevalence - internal.prevalence), internal.prevalence
    limit = (costs.cost_fn + costs.cost_fp) * gap
    limit += costs.cost_fn * share * (kolmogorov_positive or 0.0)
    limit += costs.cost_fp * (1 - share) * (kolmogorov_negative or 0.0)
    return Distances(
        total_variation=gap,
        kolmogorov_positive=kolmogorov_positive,
        kolmogorov_negative=kolmogorov_negative,
        limit=limit,
    )


def kolmogorov(quantiles: FloatArray, n_patients: int, scores: FloatArray) -> float | None:
    """Return the Kolmogorov distance between two samples, one of which is known by quantiles.

    Parameters
    ----------
    quantiles
        For k = 0 to K, the smallest score of the first sample that at least k of K do not exceed.
    n_patients
        Size of the first sample. If it is at most K, the quantiles hold every score of it, and the
        distance is exact. Otherwise it is an upper limit, less than 1 / K above the distance.
    scores
        The second sample.

    Returns
    -------
    float or None
        None if a sample is empty.

    Examples
    --------
    >>> kolmogorov(np.array([1.0, 1.0, 3.0]), 2, np.array([2.0, 4.0, 5.0, 6.0]))
    0.75
    """
    if not quantiles.size or not scores.size or not n_patients:
        return None
    steps = np.arange(quantiles.size)
    ranks = np.maximum(-(-steps * n_patients // (quantiles.size - 1)), 1)
    places = np.concatenate([quantiles, scores])
    before = np.searchsorted(quantiles, places, side="left")
    # So many of the first sample lie below each place, at least and at most.
    fewest = np.concatenate([[0], ranks])[before] / n_patients
    most = (np.concatenate([ranks, [n_patients + 1]])[before] - 1) / n_patients
    here = np.searchsorted(np.sort(scores), places, side="left") / scores.size
    return float(np.max([here - fewest, most - here]))

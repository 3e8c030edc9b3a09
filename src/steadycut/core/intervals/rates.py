"""Characteristics of a cut-off with intervals: sensitivity, predictive values, kappa and others.

Intervals for functions of several rates are made of the exact limits of each rate. The
Clopper-Pearson limits of k out of n are quantiles of Beta(k, n - k + 1) for the lower limit,
and of Beta(k + 1, n - k) for the upper limit. Melding (Fay, Proschan and Brittain 2015) puts
independent variables with these distributions into the function, instead of one quantile of each.
For a function that increases in every rate, the lower limit is a quantile of its value at the lower
variables, and the upper limit one at the upper variables. For a single rate this is the
Clopper-Pearson interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from steadycut.core import rates as of
from steadycut.core.bounds.binomial import rate_interval, two_sided
from steadycut.core.checks import FloatArray, IntArray, Interval
from steadycut.core.confusion import Confusion
from steadycut.core.rates import Characteristic
from steadycut.core.records import Costs

# A prime number of points. With this generator the error of a 2.5 % tail is at most 0.2 % for a sum
# of two normal variables and 0.5 % for three, and a third of that on average.
N_POINTS, GENERATOR = 2039, 1487


def spread_points(dimensions: int) -> FloatArray:
    """Return points that fill the unit cube evenly, shape (dimensions, N_POINTS).

    They are a Korobov lattice: the multiples of (1, g, g², ...) / N modulo 1, moved inwards by half
    a step. No random numbers are used, so the same counts give the same interval.

    Examples
    --------
    >>> spread_points(2)[:, :3].round(3)
    array([[0.   , 0.001, 0.001],
           [0.   , 0.73 , 0.459]])
    """
    steps = [pow(GENERATOR, place, N_POINTS) for place in range(dimensions)]
    return (np.multiply.outer(steps, np.arange(N_POINTS)) % N_POINTS + 0.5) / N_POINTS


def low_rate(count: ArrayLike, others: ArrayLike, level: FloatArray) -> FloatArray:
    """Return quantiles of Beta(count, others + 1); 0 where the count is 0."""
    rate = betaincinv(np.maximum(count, 0.5), np.add(others, 1), level)
    return np.where(np.asarray(count) > 0, rate, 0.0)


def high_rate(count: ArrayLike, others: ArrayLike, level: FloatArray) -> FloatArray:
    """Return quantiles of Beta(count + 1, others); 1 where there are no others."""
    rate = betaincinv(np.add(count, 1), np.maximum(others, 0.5), level)
    return np.where(np.asarray(others) > 0, rate, 1.0)


def tails(low: FloatArray, high: FloatArray, delta: float) -> Interval:
    """Return the delta / 2 quantile of ``low`` and the 1 - delta / 2 quantile of ``high``."""
    below = np.quantile(low, delta / 2, method="inverted_cdf")
    return float(below), float(np.quantile(high, 1 - delta / 2, method="inverted_cdf"))


# Kappa has one maximum along the prevalence. This many points are enough to find it.
N_PREVALENCES = 101
EXACT, MELDED, AT_ALL_CUTS = "clopper-pearson", "melded", "at all cuts"

# Sensitivity, specificity and prevalence.
DIMENSIONS = 3

Table = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
Whole = tuple[int, int, int, int]
# Positions in (tp, fn, fp, tn) of the counts for and of the counts against.
Share = tuple[tuple[int, ...], tuple[int, ...]]
TP, FN, FP, TN = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The observed value of a characteristic, and its interval.

    ``value`` is None if no patient is informative about it; it may be infinite. ``method`` is the
    name of the interval.
    """

    value: float | None
    interval: Interval | None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A characteristic of the four counts, and how its interval is made.

    If the characteristic is a share of patients, ``share`` says which counts are for it and which
    are against it. All others increase with sensitivity and specificity (``rises``), or decrease
    with both. ``rises_with_prevalence``: it increases with the prevalence, too.
    """

    of_counts: Characteristic
    share: Share | None = None
    rises: bool = True
    rises_with_prevalence: bool = False

    def of_rates(
        self, sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike
    ) -> FloatArray:
        """Return the characteristic of a population with these rates."""
        ill, well = np.asarray(prevalence), 1 - np.asarray(prevalence)
        sens, spec = np.asarray(sensitivity), np.asarray(specificity)
        return self.of_counts(ill * sens, ill * (1 - sens), well * (1 - spec), well * spec)


def quantities(costs: Costs) -> dict[str, Quantity]:
    """Return every characteristic, at the target prevalence where it depends on it.

    The net benefit is taken at the threshold probability that the costs imply, which is cost_fp /
    (cost_fn + cost_fp).
    """
    probability = costs.cost_fp / (costs.cost_fn + costs.cost_fp)
    rates = {
        "sensitivity": Quantity(of_counts=of.sensitivity, share=((TP,), (FN,))),
        "specificity": Quantity(of_counts=of.specificity, share=((TN,), (FP,))),
    }
    mixed = {
        "ppv": Quantity(of_counts=of.ppv, share=((TP,), (FP,))),
        "npv": Quantity(of_counts=of.npv, share=((TN,), (FN,))),
        "accuracy": Quantity(of_counts=of.accuracy, share=((TP, TN), (FN, FP))),
        "kappa": Quantity(of_counts=kappa_of_two_classes),
        "net_benefit": Quantity(of_counts=of.net_benefit(probability), rises_with_prevalence=True),
    }
    ratios = {"plr": Quantity(of_counts=of.plr), "nlr": Quantity(of_counts=of.nlr, rises=False)}
    ends = costs.target
    if ends is not None:
        mixed = {name: at_prevalence(quantity, ends) for name, quantity in mixed.items()}
    return {**rates, **ratios, **mixed}


def kappa_of_two_classes(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return kappa; NaN if a class is missing."""
    both = np.multiply(np.add(tp, fn), np.add(fp, tn)) > 0
    return np.where(both, of.kappa(tp, fn, fp, tn), np.nan)


def at_prevalence(quantity: Quantity, ends: Sequence[float]) -> Quantity:
    """Return the characteristic at another prevalence; of a range, the smaller of both ends."""

    def of_counts(*table: ArrayLike) -> FloatArray:
        rates = of.sensitivity(*table), of.specificity(*table)
        return np.minimum(*(quantity.of_rates(*rates, end) for end in (ends[0], ends[-1])))

    return replace(quantity, of_counts=of_counts, share=None, rises_with_prevalence=False)


@lru_cache
def at_fixed_cut(
    counts: Confusion, costs: Costs, delta: float, n_choices: int = 0
) -> Mapping[str, Estimate]:
    """Return every characteristic with an interval for this cut.

    Parameters
    ----------
    counts
        The counts of patients of one population at the cut.
    costs
        They imply the threshold probability of the net benefit. ``target`` is the prevalence for
        predictive values, accuracy, kappa and net benefit.
    delta
        Each single interval misses the true value with at most this probability.
    n_choices
        The number of scores among which the same patients chose the cut; 0 if others chose it.

    Notes
    -----
    If other patients chose the cut, shares have Clopper-Pearson intervals. They are exact given the
    class sizes or the number of calls. Likelihood ratios, kappa, net benefit and all values at a
    target prevalence are melded from the limits of sensitivity, specificity and prevalence.

    If the same patients chose the cut, sensitivity and specificity have bands that hold at all cuts
    at once, and the prevalence has its exact interval. Functions of several of these share delta
    among them, and their limits are the extremes over the box.

    Examples
    --------
    >>> found = at_fixed_cut(Confusion(tp=8, fn=2, fp=4, tn=16), Costs(), 0.05)
    >>> [round(end, 4) for end in found["sensitivity"].interval]
    [0.4439, 0.9748]
    >>> found["plr"].value
    4.0
    """
    table, wanted = (counts.tp, counts.fn, counts.fp, counts.tn), quantities(costs)
    intervals_of = box_intervals if n_choices else sampling_intervals
    intervals, estimates = intervals_of(wanted, table, delta, n_choices), {}
    for name, quantity in wanted.items():
        method = AT_ALL_CUTS if n_choices else EXACT if quantity.share else MELDED
        estimates[name] = estimate(float(quantity.of_counts(*table)), intervals[name], method)
    return estimates


def estimate(value: float, interval: Interval, method: str) -> Estimate:
    """Return the value and its interval. An interval always contains the observed value."""
    if np.isnan(value):
        return Estimate(value=None, interval=None, method=method)
    low, high = min(interval[0], value), max(interval[1], value)
    return Estimate(value=value, interval=(low, high), method=method)


def sampling_intervals(
    wanted: Mapping[str, Quantity], table: Whole, delta: float, n_choices: int = 0
) -> dict[str, Interval]:
    """Return intervals from patients who did not choose the cut."""
    del n_choices
    others = {name: quantity for name, quantity in wanted.items() if not quantity.share}
    intervals = melded_intervals(others, table, spread_points(DIMENSIONS), delta)
    for name, quantity in wanted.items():
        if quantity.share:
            good, bad = (int(count) for count in for_and_against(quantity.share, table))
            intervals[name] = two_sided(good, good + bad, delta)
    return intervals


def melded_intervals(
    wanted: Mapping[str, Quantity], table: Table, points: FloatArray, delta: float
) -> dict[str, Interval]:
    """Return melded intervals. The counts may be arrays with one entry per point.

    ``points`` are the levels at which sensitivity, specificity and prevalence, or a share, are
    drawn, shape (3, n). A characteristic that increases with the prevalence takes the variables of
    the exact limits of the prevalence. Kappa does neither, and takes the one between them.
    """
    tp, fn, fp, tn = table
    ill, well = np.add(tp, fn), np.add(fp, tn)
    between = betaincinv(ill + 0.5, well + 0.5, points[2])
    low, high = (
        (draw(tp, fn, points[0]), draw(tn, fp, points[1]), draw(ill, well, points[2]))
        for draw in (low_rate, high_rate)
    )
    intervals = {}
    for name, item in wanted.items():
        if name == "sensitivity":
            below, above = low[0], high[0]
        elif item.share:
            good, bad = for_and_against(item.share, table)
            below, above = low_rate(good, bad, points[0]), high_rate(good, bad, points[0])
        else:
            below, above = (
                item.of_rates(sens, spec, prevalence if item.rises_with_prevalence else between)
                for sens, spec, prevalence in (low, high)
            )
        intervals[name] = tails(below, above, delta) if item.rises else tails(above, below, delta)
    return intervals


def for_and_against(share: Share, table: Table) -> tuple[IntArray, IntArray]:
    """Return how many patients count for a share, and how many against it."""
    counts = [np.asarray(count) for count in table]
    good, bad = (np.sum([counts[place] for place in places], axis=0) for places in share)
    return good, bad


def box_intervals(
    wanted: Mapping[str, Quantity], table: Whole, delta: float, n_choices: int
) -> dict[str, Interval]:
    """Return intervals that hold at all cuts at once, for patients who chose one of them."""
    tp, fn, fp, tn = table
    ill, well = tp + fn, fp + tn
    alone = {
        "sensitivity": rate_interval(tp, ill, delta, n_choices),
        "specificity": rate_interval(tn, well, delta, n_choices),
    }
    share = delta / DIMENSIONS
    sensitivity = rate_interval(tp, ill, share, n_choices)
    specificity = rate_interval(tn, well, share, n_choices)
    prevalences = np.linspace(*two_sided(ill, ill + well, share), N_PREVALENCES)
    corners = list(zip(sensitivity, specificity, strict=True))
    values = {
        name: [quantity.of_rates(*corner, prevalences) for corner in corners]
        for name, quantity in wanted.items()
        if name not in alone
    }
    return alone | {name: (float(np.nanmin(v)), float(np.nanmax(v))) for name, v in values.items()}

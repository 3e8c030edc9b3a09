"""What a cut-off does to patients: every characteristic, with an interval at the fixed cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from steadycut.core import rates as of
from steadycut.core.bounds.binomial import rate_interval, two_sided
from steadycut.core.checks import FloatArray, IntArray, Interval
from steadycut.core.confusion import Confusion
from steadycut.core.intervals.melding import high_rate, low_rate, spread_points, tails
from steadycut.core.rates import Characteristic
from steadycut.core.records import Costs

# Kappa has one maximum along the prevalence; so many points find it.
N_PREVALENCES = 101
EXACT, MELDED, AT_ALL_CUTS = "clopper-pearson", "melded", "at all cuts"

# Sensitivity, specificity and prevalence.
DIMENSIONS = 3

Table = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
Whole = tuple[int, int, int, int]
# Places in (tp, fn, fp, tn) of those for and of those against.
Share = tuple[tuple[int, ...], tuple[int, ...]]
TP, FN, FP, TN = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A characteristic as it was seen, and between which values it lies.

    ``value`` is None where nobody tells it; it may be infinite. ``method`` names the interval.
    """

    value: float | None
    interval: Interval | None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A characteristic of the four counts, and what its interval is made of.

    ``share`` says which counts are for and which against, where it is a share of patients. All
    others rise with sensitivity and specificity, or fall with both.
    """

    of_counts: Characteristic
    share: Share | None = None
    rises: bool = True

    def of_rates(
        self, sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike
    ) -> FloatArray:
        """Return the characteristic of a population with these rates."""
        ill, well = np.asarray(prevalence), 1 - np.asarray(prevalence)
        sens, spec = np.asarray(sensitivity), np.asarray(specificity)
        return self.of_counts(ill * sens, ill * (1 - sens), well * (1 - spec), well * spec)


def quantities(costs: Costs) -> dict[str, Quantity]:
    """Return every characteristic; those that depend on the prevalence at the target, if any.

    The net benefit is taken at the threshold probability that the costs imply,
    cost_fp / (cost_fn + cost_fp).
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
        "net_benefit": Quantity(of_counts=of.net_benefit(probability)),
    }
    ratios = {
        "plr": Quantity(of_counts=of.plr),
        "nlr": Quantity(of_counts=of.nlr, rises=False),
    }
    ends = costs.target
    if ends is not None:
        mixed = {name: at_prevalence(one, ends) for name, one in mixed.items()}
    return {**rates, **ratios, **mixed}


def kappa_of_two_classes(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return kappa; NaN where a class is missing: chance is then all that there is."""
    both = np.multiply(np.add(tp, fn), np.add(fp, tn)) > 0
    return np.where(both, of.kappa(tp, fn, fp, tn), np.nan)


def at_prevalence(quantity: Quantity, ends: Sequence[float]) -> Quantity:
    """Return the characteristic at another prevalence; of a range, at the end where it is less."""

    def of_counts(*table: ArrayLike) -> FloatArray:
        rates = of.sensitivity(*table), of.specificity(*table)
        return np.minimum(*(quantity.of_rates(*rates, end) for end in (ends[0], ends[-1])))

    return replace(quantity, of_counts=of_counts, share=None)


def at_fixed_cut(
    counts: Confusion, costs: Costs, delta: float, n_choices: int = 0
) -> dict[str, Estimate]:
    """Return every characteristic with an interval for this very cut.

    Parameters
    ----------
    counts
        What the cut does to patients of one population.
    costs
        They imply the threshold probability of the net benefit; ``target`` is the prevalence at
        which predictive values, accuracy, kappa and net benefit are wanted.
    delta
        Each interval on its own misses the true value with at most this probability.
    n_choices
        Among how many scores the same patients chose the cut; 0 if they did not choose it.

    Notes
    -----
    Patients who did not choose: shares are Clopper-Pearson intervals, exact given the class counts
    or the number of calls. Likelihood ratios, kappa, net benefit and whatever is taken at a target
    prevalence are melded from the limits of sensitivity, specificity and prevalence.

    Patients who chose the cut themselves: sensitivity and specificity have bands that hold at all
    cuts at once, the prevalence its exact interval; what is made of several of them gets delta
    shared out, and its extremes over the box.

    Examples
    --------
    >>> found = at_fixed_cut(Confusion(tp=8, fn=2, fp=4, tn=16), Costs(), 0.05)
    >>> [round(end, 4) for end in found["sensitivity"].interval]
    [0.4439, 0.9748]
    >>> found["plr"].value
    4.0
    """
    table = (counts.tp, counts.fn, counts.fp, counts.tn)
    intervals_of = box_intervals if n_choices else sampling_intervals
    wanted = quantities(costs)
    intervals = intervals_of(wanted, table, delta, n_choices)
    found = {}
    for name, quantity in wanted.items():
        method = AT_ALL_CUTS if n_choices else EXACT if quantity.share else MELDED
        found[name] = estimate(float(quantity.of_counts(*table)), intervals[name], method)
    return found


def estimate(value: float, interval: Interval, method: str) -> Estimate:
    """Return what is known; an interval always holds what was seen."""
    if np.isnan(value):
        return Estimate(value=None, interval=None, method=method)
    low, high = min(interval[0], value), max(interval[1], value)
    return Estimate(value=value, interval=(low, high), method=method)


def sampling_intervals(
    wanted: Mapping[str, Quantity], table: Whole, delta: float, n_choices: int = 0
) -> dict[str, Interval]:
    """Return intervals from patients who did not choose the cut."""
    del n_choices
    others = {name: one for name, one in wanted.items() if not one.share}
    found = melded_intervals(others, table, spread_points(DIMENSIONS), delta)
    for name, one in wanted.items():
        if one.share:
            good, bad = (int(count) for count in for_and_against(one.share, table))
            found[name] = two_sided(good, good + bad, delta)
    return found


def melded_intervals(
    wanted: Mapping[str, Quantity], table: Table, points: FloatArray, delta: float
) -> dict[str, Interval]:
    """Return melded intervals; the counts may be arrays, with one entry a point.

    ``points`` are the levels at which sensitivity, specificity and prevalence, or a share, are
    drawn, shape (3, n).
    """
    tp, fn, fp, tn = table
    prevalence = betaincinv(np.add(tp, fn) + 0.5, np.add(fp, tn) + 0.5, points[2])
    low, high = (
        (draw(tp, fn, points[0]), draw(tn, fp, points[1]), prevalence)
        for draw in (low_rate, high_rate)
    )
    found = {}
    for name, one in wanted.items():
        if one.share:
            good, bad = for_and_against(one.share, table)
            below, above = low_rate(good, bad, points[0]), high_rate(good, bad, points[0])
        else:
            below, above = one.of_rates(*low), one.of_rates(*high)
        found[name] = tails(below, above, delta) if one.rises else tails(above, below, delta)
    return found


def for_and_against(share: Share, table: Table) -> tuple[IntArray, IntArray]:
    """Return how many patients make up a share, and how many do not."""
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
    found = {
        name: [one.of_rates(*corner, prevalences) for corner in corners]
        for name, one in wanted.items()
        if name not in alone
    }
    return alone | {name: (float(np.nanmin(v)), float(np.nanmax(v))) for name, v in found.items()}

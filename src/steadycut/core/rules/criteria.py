"""Every criterion by which a cut can be chosen, as a function of the counts at each cut.

A criterion is a name, a function of the counts, and whether its largest or its smallest value is
best. `CRITERIA` holds those without a parameter, `FAMILIES` those with one.

A new criterion is one entry of `LISTED` or `FAMILIES`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core import rates as of
from steadycut.core.checks import FloatArray, check_fraction, check_positive
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.risk_curve import Curve
from steadycut.core.rates import Characteristic
from steadycut.core.records import Costs


class Counts(NamedTuple):
    """The four counts at every cut, each of shape (..., m + 1)."""

    tp: FloatArray
    fn: FloatArray
    fp: FloatArray
    tn: FloatArray


Measure = Callable[[Counts, Costs], FloatArray]
Check = Callable[[str, float], float]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A quantity to make as large as the cuts allow, or as small if ``sign`` is -1.

    ``meaning`` says what is made best. ``partner`` is the name of the criterion that breaks ties.
    ``check`` checks the value of a limit. If ``limit`` is true, ``name:X`` and ``name-near:X`` are
    rules too.
    """

    name: str
    measure: Measure
    meaning: str
    sign: float = 1.0
    partner: str | None = None
    check: Check = check_fraction
    limit: bool = False

    def merit(self, ends: tuple[Counts, ...], costs: Costs) -> FloatArray:
        """Return how good every cut is, at the worse end of the prevalences. Larger is better.

        A cut where the criterion is not defined is worse than all others.
        """
        values = [self.sign * self.measure(counts, costs) for counts in ends]
        worse = reduce(np.minimum, values)
        return np.where(np.isnan(worse), -np.inf, worse)

    def value_at(self, table: Confusion, costs: Costs) -> float | None:
        """Return the value at one cut, at the worse end of the prevalences; None if undefined."""
        counts = Counts(*(np.array(float(n)) for n in (table.tp, table.fn, table.fp, table.tn)))
        value = self.sign * float(self.merit(at_ends(counts, costs), costs))
        return value if np.isfinite(value) else None


def counts_along(curve: Curve, costs: Costs) -> tuple[Counts, ...]:
    """Return the counts at every cut; with a target, at each end of its range."""
    # As floats, because the product of four whole counts can overflow.
    misses, alarms = curve.misses.astype(float), curve.alarms.astype(float)
    counts = Counts(curve.n_positive - misses, misses, alarms, curve.n_negative - alarms)
    return at_ends(counts, costs)


def at_ends(counts: Counts, costs: Costs) -> tuple[Counts, ...]:
    """Return counts weighted to each end of the target range, or as they are without one.

    Weighted counts keep the number of patients and the rates within each class.
    """
    if costs.target is None:
        return (counts,)
    tp, fn, fp, tn = counts
    n, positive, negative = of.total(*counts), np.maximum(tp + fn, 1), np.maximum(fp + tn, 1)
    ends = []
    for prevalence in sorted(set(costs.target)):
        sick, healthy = prevalence * n / positive, (1 - prevalence) * n / negative
        ends.append(Counts(tp * sick, fn * sick, fp * healthy, tn * healthy))
    return tuple(ends)


def of_counts(function: Characteristic) -> Measure:
    """Return a measure that uses the counts alone."""
    return lambda counts, _: function(*counts)


def of_rates(combine: Callable[[FloatArray, FloatArray], FloatArray]) -> Measure:
    """Return a measure made of sensitivity and specificity."""
    return lambda counts, _: combine(of.sensitivity(*counts), of.specificity(*counts))


def of_predictive_values(combine: Callable[[FloatArray, FloatArray], FloatArray]) -> Measure:
    """Return a measure made of the two predictive values."""
    return lambda counts, _: combine(of.ppv(*counts), of.npv(*counts))


def distance_to_corner(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the distance of two rates to (1, 1)."""
    return np.hypot(1 - one, 1 - other)


def gap(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the distance between two rates."""
    return np.abs(one - other)


def mean_cost(counts: Counts, costs: Costs) -> FloatArray:
    """Return the mean cost per patient."""
    total = costs.cost_fn * counts.fn + costs.cost_fp * counts.fp
    return of.ratio(total, of.total(*counts))


def larger_error_cost(counts: Counts, costs: Costs) -> FloatArray:
    """Return the cost of all misses or of all alarms, whichever is larger."""
    return np.maximum(costs.cost_fn * counts.fn, costs.cost_fp * counts.fp)


def cost_weighted_kappa(counts: Counts, costs: Costs) -> FloatArray:
    """Return Kraemer's weighted kappa, with misses and alarms weighted by their costs."""
    return of.weighted_kappa(costs.cost_fn / (costs.cost_fn + costs.cost_fp))(*counts)


def half_filled_odds_ratio(counts: Counts, _costs: Costs) -> FloatArray:
    """Return the odds ratio with every count of 0 replaced by 1/2."""
    return of.odds_ratio(*(np.where(count == 0, 0.5, count) for count in counts))


def yates_chi_squared(counts: Counts, _costs: Costs) -> FloatArray:
    """Return the chi-squared statistic with Yates' correction, at most |TP TN - FN FP|."""
    tp, fn, fp, tn = counts
    n = of.total(*counts)
    apart = np.abs(tp * tn - fn * fp)
    margins = (tp + fp) * (fn + tn) * (tp + fn) * (fp + tn)
    return of.ratio(n * np.maximum(apart - n / 2, 0) ** 2, margins)


def excess_calls(counts: Counts, _costs: Costs) -> FloatArray:
    """Return the distance between the share of called and the share of diseased patients."""
    return gap(of.call_rate(*counts), of.prevalence(*counts))


def f_beta(beta: float) -> Characteristic:
    """Return the F measure in which sensitivity counts ``beta`` times as much as the PPV."""

    def of_table(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, _tn: ArrayLike) -> FloatArray:
        hits = np.multiply(1 + beta**2, tp)
        return of.ratio(hits, hits + np.multiply(beta**2, fn) + np.asarray(fp))

    return of_table


SE_SP = "sensitivity and specificity"
PV = "PPV and NPV"
IN_WORDS = {"ppv": "PPV", "npv": "NPV"}


def counted(name: str, function: Characteristic, meaning: str, **more: Any) -> Criterion:  # noqa: ANN401
    """Return a criterion that uses the counts alone."""
    return Criterion(name, of_counts(function), meaning, **more)


def limited(
    name: str,
    function: Characteristic,
    meaning: str,
    partner: str,
    **more: Any,  # noqa: ANN401
) -> Criterion:
    """Return one that can be limited, too, and whose ``partner`` is then made best."""
    then = f"{meaning}, then {IN_WORDS.get(partner, partner)}"
    return counted(name, function, then, partner=partner, limit=True, **more)


# Criteria without a largest value: a limit on them may be any number above 0.
OPEN: dict[str, Any] = {"check": check_positive}
LOW: dict[str, Any] = {"sign": -1.0}

LISTED = (
    Criterion(
        "erm", mean_cost, "smallest average cost (cost_fn FN + cost_fp FP) / n", **OPEN, **LOW
    ),
    counted("youden", of.youden, "largest J = sensitivity + specificity - 1"),
    counted("accuracy", of.accuracy, "largest (TP + TN) / n, whatever errors cost"),
    limited("sensitivity", of.sensitivity, "largest TP / (TP + FN)", "specificity"),
    limited("specificity", of.specificity, "largest TN / (FP + TN)", "sensitivity"),
    Criterion("se-sp-product", of_rates(np.multiply), "largest sensitivity times specificity"),
    Criterion("se-sp-equal", of_rates(gap), f"{SE_SP} as near to each other as can be", **LOW),
    Criterion("se-sp-least", of_rates(np.minimum), f"largest smaller one of {SE_SP}"),
    Criterion(
        "roc01",
        of_rates(distance_to_corner),
        "smallest distance to the corner (0, 1) of the ROC curve",
        **OPEN,
        **LOW,
    ),
    limited("ppv", of.ppv, "largest TP / (TP + FP)", "npv"),
    limited("npv", of.npv, "largest TN / (FN + TN)", "ppv"),
    Criterion("ppv-npv-sum", of_predictive_values(np.add), "largest PPV + NPV", **OPEN),
    Criterion("ppv-npv-product", of_predictive_values(np.multiply), "largest PPV times NPV"),
    Criterion(
        "ppv-npv-equal", of_predictive_values(gap), f"{PV} as near to each other as can be", **LOW
    ),
    Criterion("ppv-npv-least", of_predictive_values(np.minimum), f"largest smaller one of {PV}"),
    Criterion(
        "proc01",
        of_predictive_values(distance_to_corner),
        "smallest distance of PPV and NPV to (1, 1)",
        **OPEN,
        **LOW,
    ),
    limited("plr", of.plr, "largest sensitivity / (1 - specificity)", "sensitivity", **OPEN),
    limited(
        "nlr", of.nlr, "smallest (1 - sensitivity) / specificity", "specificity", **OPEN, **LOW
    ),
    counted(
        "odds-ratio", of.odds_ratio, "largest TP TN / (FP FN) where both errors are made", **OPEN
    ),
    Criterion(
        "odds-ratio-half",
        half_filled_odds_ratio,
        "largest TP TN / (FP FN) with every count of 0 as 1/2",
        **OPEN,
    ),
    counted("risk-ratio", of.risk_ratio, "largest PPV / (1 - NPV)", **OPEN),
    counted("kappa", of.kappa, "largest Cohen's kappa of decision and disease"),
    Criterion(
        "weighted-kappa",
        cost_weighted_kappa,
        "largest kappa with misses and alarms weighed by their costs",
    ),
    counted("f1", of.f1, "largest 2 TP / (2 TP + FP + FN)"),
    counted("jaccard", of.jaccard, "largest TP / (TP + FP + FN)"),
    counted("mcc", of.mcc, "largest Matthews correlation (phi)"),
    counted(
        "chi-squared", of.chi_squared, "largest chi-squared statistic: the smallest p-value", **OPEN
    ),
    Criterion(
        "chi-squared-yates",
        yates_chi_squared,
        "largest chi-squared statistic with Yates' correction",
        **OPEN,
    ),
    Criterion(
        "minimax",
        larger_error_cost,
        "smallest larger one of cost_fn FN and cost_fp FP, then specificity",
        partner="specificity",
        **OPEN,
        **LOW,
    ),
    limited("call-rate", of.call_rate, "smallest share of patients called", "sensitivity", **LOW),
    Criterion("prevalence-match", excess_calls, "as many called as are diseased", **LOW),
)
CRITERIA = {one.name: one for one in LISTED}


@dataclass(frozen=True, slots=True)
class Family:
    """Criteria that differ in one number."""

    parameter: str
    make: Callable[[float], Characteristic]
    check: Check
    meaning: str

    def member(self, name: str, value: float) -> Criterion:
        """Return the criterion ``name:value``."""
        number = self.check(f"the {self.parameter} of the rule {name}", value)
        return Criterion(f"{name}:{number:g}", of_counts(self.make(number)), self.meaning)


FAMILIES: dict[str, Family] = {
    "net-benefit": Family(
        "threshold probability",
        of.net_benefit,
        check_fraction,
        "largest net benefit (TP - FP X / (1 - X)) / n at the threshold probability X",
    ),
    "f-beta": Family(
        "beta",
        f_beta,
        check_positive,
        "largest F measure in which sensitivity counts X times as much as the PPV",
    ),
}

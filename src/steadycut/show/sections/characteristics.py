"""The characteristics of a cut-off, row by row, with both kinds of intervals."""

from collections.abc import Callable

from steadycut.documents.parts import CostsPart, IntervalPart, OperatingPointPart
from steadycut.documents.study import CutIntervals
from steadycut.show.numbers import UNKNOWN, cut, percent, risk

Write = Callable[[float | None], str]

# The two kinds of intervals are called so wherever they are shown.
FIXED = "if this cut-off is used"
RECHOSEN = "if the whole study were repeated, cut-off included"
NAMES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "plr": "LR+",
    "nlr": "LR-",
    "accuracy": "accuracy",
    "kappa": "kappa",
    "net_benefit": "net benefit",
    "auc": "AUC",
}
METHODS = {
    "clopper-pearson": "exact",
    "melded": "melded from exact limits",
    "at all cuts": "holds at every cut-off at once",
    "score": "score interval",
    "order statistics": "exact",
    "bootstrap": "bootstrap",
}
NO_CUT = "no cut-off in it"


def characteristic_names(point: OperatingPointPart, costs: CostsPart) -> dict[str, str]:
    """Return the name of every characteristic that is known of a point."""
    share = costs.cost_fp / (costs.cost_fn + costs.cost_fp)
    named = {**NAMES, "net_benefit": f"net benefit at {percent(share)}"}
    return {key: named[key] for key in NAMES if key in point.fixed_cut.characteristics}


def seen(point: OperatingPointPart, key: str) -> str:
    """Write what was seen; a ratio to nothing is infinite."""
    one = point.fixed_cut.characteristics[key]
    return "infinite" if one.value is None and one.known else risk(one.value)


def fixed_interval(point: OperatingPointPart, key: str) -> str:
    """Write the interval of this very cut-off."""
    return interval_text(point.fixed_cut.characteristics[key])


def fixed_method(point: OperatingPointPart, key: str) -> str:
    """Say how the interval of this very cut-off is made."""
    return METHODS[point.fixed_cut.characteristics[key].method]


def rechosen_interval(point: OperatingPointPart, key: str) -> str:
    """Write the interval of a study that is repeated as a whole."""
    if point.rechosen_cut is None:
        return UNKNOWN
    return NO_CUT if key == "auc" else interval_text(point.rechosen_cut.characteristics[key])


def interval_text(interval: IntervalPart, write: Write = risk) -> str:
    """Write an interval that may lack an end.

    Examples
    --------
    >>> interval_text(IntervalPart(low=0.5, high=0.75, known=True, method="score"))
    '0.500 to 0.750'
    >>> interval_text(IntervalPart(low=2.0, high=None, known=True, method="score"))
    '2.00 or more'
    """
    low, high = interval.low, interval.high
    if not interval.known:
        return UNKNOWN
    if low is None:
        return "any value" if high is None else f"{write(high)} or less"
    return f"{write(low)} or more" if high is None else f"{write(low)} to {write(high)}"


def prevalence_note(point: OperatingPointPart) -> str:
    """Say at which prevalence the characteristics that depend on it are taken, if not as found."""
    if point.target_prevalence is None:
        return ""
    low, high = (percent(end) for end in point.target_prevalence)
    where = low if low == high else f"{low} or {high}, wherever they are less"
    return f"PPV, NPV, accuracy, kappa and net benefit are those at prevalence {where}"


def cut_intervals(found: CutIntervals) -> tuple[str, str]:
    """Say where the cut-off lies with all patients of the population, and in a repeated study."""
    population, again = found.population, found.repeated_study
    return (
        f"{interval_text(population, cut)} ({METHODS[population.method]})",
        f"{interval_text(again, cut)} ({METHODS[again.method]})",
    )

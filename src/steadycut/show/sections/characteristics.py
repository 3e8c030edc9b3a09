"""The characteristics of a cut-off, row by row, with both kinds of intervals."""

from collections.abc import Callable, Mapping
from typing import Any

from steadycut.show.numbers import UNKNOWN, cut, percent, risk

Content = Mapping[str, Any]
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


def characteristic_names(point: Content, costs: Content) -> dict[str, str]:
    """Return the name of every characteristic that is known of a point."""
    share = costs["cost_fp"] / (costs["cost_fn"] + costs["cost_fp"])
    named = {**NAMES, "net_benefit": f"net benefit at {percent(share)}"}
    return {key: named[key] for key in NAMES if key in point["fixed_cut"]["characteristics"]}


def seen(point: Content, key: str) -> str:
    """Write what was seen; a ratio to nothing is infinite."""
    one = point["fixed_cut"]["characteristics"][key]
    return "infinite" if one["value"] is None and one["known"] else risk(one["value"])


def fixed_interval(point: Content, key: str) -> str:
    """Write the interval of this very cut-off."""
    return interval_text(point["fixed_cut"]["characteristics"][key])


def fixed_method(point: Content, key: str) -> str:
    """Say how the interval of this very cut-off is made."""
    return METHODS[point["fixed_cut"]["characteristics"][key]["method"]]


def rechosen_interval(point: Content, key: str) -> str:
    """Write the interval of a study that is repeated as a whole."""
    found = point["rechosen_cut"]["characteristics"]
    return NO_CUT if key == "auc" else interval_text(found[key])


def interval_text(interval: Content, write: Write = risk) -> str:
    """Write an interval that may lack an end.

    Examples
    --------
    >>> interval_text({"low": 0.5, "high": 0.75, "known": True})
    '0.500 to 0.750'
    >>> interval_text({"low": 2.0, "high": None, "known": True})
    '2.00 or more'
    """
    low, high = interval["low"], interval["high"]
    if not interval["known"]:
        return UNKNOWN
    if low is None:
        return "any value" if high is None else f"{write(high)} or less"
    return f"{write(low)} or more" if high is None else f"{write(low)} to {write(high)}"


def prevalence_note(point: Content) -> str:
    """Say at which prevalence the characteristics that depend on it are taken, if not as found."""
    if point["target_prevalence"] is None:
        return ""
    low, high = (percent(end) for end in point["target_prevalence"])
    where = low if low == high else f"{low} or {high}, wherever they are less"
    return f"PPV, NPV, accuracy, kappa and net benefit are those at prevalence {where}"


def cut_intervals(content: Content) -> tuple[str, str]:
    """Say where the cut-off lies with all patients of the population, and in a repeated study."""
    found = content["threshold_interval"]
    population, again = found["population"], found["repeated_study"]
    return (
        f"{interval_text(population, cut)} ({METHODS[population['method']]})",
        f"{interval_text(again, cut)} ({METHODS[again['method']]})",
    )

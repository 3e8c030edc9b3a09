"""A rule in use: what was seen up to each patient."""

from typing import Any

import numpy as np

from steadycut.core.checks import check_choice
from steadycut.errors import BadPatients
from steadycut.show.figures.data.content import array, monitor_dict, risk_unit

WATCHES = ("risk", "calls")
MOST_POINTS = 300


def monitor_data(monitor: Any, watch: str | None = None) -> dict[str, Any]:
    """Return the confidence sequence of a monitor, at no more than `MOST_POINTS` patients.

    ``watch`` is ``"risk"`` or ``"calls"``, the share of patients called; default the risk, if
    labels are known. ``allowed`` is what the rule promises: up to the certified risk, or within
    the limits of the share that was called where the rule was made.
    """
    content = monitor_dict(monitor)
    watch = watch or ("risk" if content["labelled"] else "calls")
    check_choice("watch", watch, WATCHES)
    part = content["risk" if watch == "risk" else "call_rate"]
    if part is None:
        msg = "without labels the risk is not watched; watch the calls, or monitor with labels."
        raise BadPatients(msg)
    calls = [part["internal_lower"], part["internal_upper"]] if watch == "calls" else None
    trace, alarm = part["trace"], part["first_alarm"]
    kept = kept_places(len(trace["observed"]), alarm)
    return {
        "patients": array(kept + 1),
        **{name: array(np.array(trace[name])[kept]) for name in ("observed", "lower", "upper")},
        "allowed": array(calls or [0, part["certified"]]),
        "first_alarm": alarm,
        "watch": watch,
        "confidence": 1 - content["delta"],
        "unit": "share of patients called" if watch == "calls" else risk_unit(content["costs"]),
    }


def kept_places(n: int, alarm: int | None) -> Any:
    """Return places in a long trace, evenly spaced, with both ends and the alarm.

    Examples
    --------
    >>> kept_places(4, None), kept_places(10**6, 12345)[3:5].tolist()
    (array([0, 1, 2, 3]), [10033, 12344])
    """
    places = np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.int64)
    return np.unique(places if alarm is None else [*places, alarm - 1])

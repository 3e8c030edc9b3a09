"""A rule in use: the confidence sequence as patients arrive."""

from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import IntArray, check_choice
from steadycut.documents.monitor import MonitorDocument, RiskWatchPart
from steadycut.documents.reading import Source
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASHED, draw_band, note_below, risk_unit
from steadycut.show.words.numbers import percent

WATCHES = ("risk", "calls")
MOST_POINTS = 300


class MonitorDisplay(Display):
    """What was observed up to each patient, with limits that hold at all times, and the alarm.

    ``watch`` is ``"risk"`` or ``"calls"``, the share of patients called; default the risk, if
    labels are known. The rule promises a risk up to the certified one, and a share within the
    limits of the share that was called where the rule was made.
    """

    height: ClassVar = 4.1
    captions: ClassVar = {
        "monitor watch": "What was seen up to each patient, with limits that hold at all times. "
        "The limits after the first few patients may lie outside the figure."
    }

    def __init__(self, monitor: MonitorDocument, watch: str | None = None) -> None:
        self.watch = watch or ("risk" if monitor.labelled else "calls")
        check_choice("watch", self.watch, WATCHES)
        part = monitor.risk if self.watch == "risk" else monitor.call_rate
        if part is None:
            msg = "without labels the risk is not watched; watch the calls, or monitor with labels."
            raise BadPatients(msg)
        self.part, missed = part, monitor.delta
        if isinstance(part, RiskWatchPart):
            self.allowed, self.unit = [part.certified], risk_unit(monitor.costs)
        else:
            self.allowed = [part.internal_lower, part.internal_upper]
            self.unit = "share of patients called"
            # The limits where the rule was made use the other half.
            missed = monitor.delta / 2
        self.confidence = 1 - missed
        self.kept = kept_places(len(part.trace.observed), part.first_alarm)

    @classmethod
    def from_monitor(cls, monitor: Source[MonitorDocument], watch: str | None = None) -> Self:
        """Take the trace from a monitor, or from the content of ``monitor.json``."""
        return cls(document_of(MonitorDocument, monitor), watch)

    def draw(self, ax: Any) -> Any:
        """Draw the trace."""
        trace, patients, alarm = self.part.trace, self.kept + 1, self.part.first_alarm
        traces = (trace.observed, trace.lower, trace.upper)
        observed, lower, upper = (array(values)[self.kept] for values in traces)
        draw_band(ax, patients, lower, upper, f"{percent(self.confidence)} limits, at all times")
        for values in (lower, upper):
            ax.plot(patients, values, color=BLUE, linewidth=0.7)
        look: Any = {"color": BLUE, "linewidth": 1.8, "label": "observed so far"}
        drawn = ax.plot(patients, observed, **look)
        risk = self.watch == "risk"
        words = "certified risk" if risk else "limits where the rule was made"
        for i, value in enumerate(self.allowed):
            look = {"color": BLACK, "linestyle": DASHED, "linewidth": 1.2}
            ax.axhline(value, label=words if i == 0 else None, **look)
        ax.set_xlabel("patients so far")
        watched = "the risk" if risk else "the share called"
        if alarm is None:
            note_below(ax, f"no alarm of {watched}")
        else:
            ax.axvline(alarm, color=VERMILLION, linewidth=1.6, label="alarm")
            note_below(ax, f"alarm of {watched} after patient {alarm}")
        # The first few patients say little, and their limits are very wide.
        later = observed[observed.size // 4 :].max()
        highest = 1.4 * max(later, *self.allowed, upper[-1])
        ax.set_ylim(0, min(highest, 1.05 * upper.max()))
        ax.set_xlim(0, patients[-1] + 1)
        ax.set_ylabel(self.unit)
        return drawn


def kept_places(n: int, alarm: int | None) -> IntArray:
    """Return places in a long trace, evenly spaced, with both ends and the alarm.

    Examples
    --------
    >>> kept_places(4, None), kept_places(10**6, 12345)[3:5].tolist()
    (array([0, 1, 2, 3]), [10033, 12344])
    """
    places = np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.int64)
    return np.unique(places if alarm is None else [*places, alarm - 1])

"""A rule in use: the confidence sequence as patients arrive."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, check_choice
from steadycut.documents.monitor import MonitorDocument, RiskWatchPart
from steadycut.documents.reading import Source
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASHED, draw_band, note_below, risk_unit

WATCHES = ("risk", "calls")
MOST_POINTS = 300


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class MonitorDisplay(Display):
    """What was observed up to each patient, with limits that hold at all times, and the alarm.

    Parameters
    ----------
    patients
        How many patients had arrived, shape (n_points,), ascending.
    observed, lower, upper
        The mean of these patients and its limits, shape (n_points,).
    allowed
        The two values between which the rule promises the mean to be, shape (2,).
    first_alarm
        After how many patients the mean was shown to be outside, None if it was not.
    watch
        ``"risk"`` or ``"calls"``.
    confidence
        The probability with which all limits hold together.
    unit
        Name of the axis.
    """

    patients: FloatArray
    observed: FloatArray
    lower: FloatArray
    upper: FloatArray
    allowed: FloatArray
    first_alarm: int | None
    watch: str = "risk"
    confidence: float = 0.9
    unit: str = "risk"

    height: ClassVar = 4.1
    captions: ClassVar = {
        "monitor watch": "What was seen up to each patient, with limits that hold at all times. "
        "The limits after the first few patients may lie outside the figure.",
    }

    @classmethod
    def from_monitor(cls, monitor: Source[MonitorDocument], watch: str | None = None) -> Self:
        """Take the trace from a monitor, or from the content of ``monitor.json``.

        ``watch`` is ``"risk"`` or ``"calls"``, the share of patients called; default the risk, if
        labels are known. The rule promises a risk up to the certified one, and a share within the
        limits of the share that was called where the rule was made.
        """
        document = document_of(MonitorDocument, monitor)
        watch = watch or ("risk" if document.labelled else "calls")
        check_choice("watch", watch, WATCHES)
        part = document.risk if watch == "risk" else document.call_rate
        if part is None:
            msg = "without labels the risk is not watched; watch the calls, or monitor with labels."
            raise BadPatients(msg)
        if isinstance(part, RiskWatchPart):
            allowed, unit = [0, part.certified], risk_unit(document.costs)
            missed = document.delta
        else:
            allowed, unit = [part.internal_lower, part.internal_upper], "share of patients called"
            # The limits where the rule was made use the other half.
            missed = document.delta / 2
        kept = kept_places(len(part.trace.observed), part.first_alarm)
        return cls(
            patients=array(kept + 1),
            observed=array(np.array(part.trace.observed)[kept]),
            lower=array(np.array(part.trace.lower)[kept]),
            upper=array(np.array(part.trace.upper)[kept]),
            allowed=array(allowed),
            first_alarm=part.first_alarm,
            watch=watch,
            confidence=1 - missed,
            unit=unit,
        )

    def draw(self, ax: Any) -> Any:
        """Draw the trace."""
        label = f"{100 * self.confidence:g} % limits, at all times"
        draw_band(ax, self.patients, self.lower, self.upper, label)
        for values in (self.lower, self.upper):
            ax.plot(self.patients, values, color=BLUE, linewidth=0.7)
        look: Any = {"color": BLUE, "linewidth": 1.8, "label": "observed so far"}
        drawn = ax.plot(self.patients, self.observed, **look)
        risk = self.watch == "risk"
        words = "certified risk" if risk else "limits where the rule was made"
        for i, value in enumerate(self.allowed[1:] if risk else self.allowed):
            look = {"color": BLACK, "linestyle": DASHED, "linewidth": 1.2}
            ax.axhline(value, label=words if i == 0 else None, **look)
        ax.set_xlabel("patients so far")
        watched = "the risk" if risk else "the share called"
        if self.first_alarm is None:
            note_below(ax, f"no alarm of {watched}")
        else:
            ax.axvline(self.first_alarm, color=VERMILLION, linewidth=1.6, label="alarm")
            note_below(ax, f"alarm of {watched} after patient {self.first_alarm}")
        # The first few patients say little, and their limits are very wide.
        later = self.observed[self.observed.size // 4 :].max()
        highest = 1.4 * max(later, self.allowed.max(), self.upper[-1])
        ax.set_ylim(0, min(highest, 1.05 * self.upper.max()))
        ax.set_xlim(0, self.patients[-1] + 1)
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

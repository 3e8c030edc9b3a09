"""A certificate, term by term, as a waterfall."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import audit_certificate_data, certificate_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    DASHED,
    ORANGE,
    SKY,
    axes_or_new,
    legend_above,
    name_rows,
    tidy,
)
from steadycut.show.numbers import signed, significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study

# What a bar is: its name in the legend, colour and pattern.
LOOKS = {
    "observed": ("observed", BLUE, ""),
    "added": ("added", ORANGE, "//"),
    "bound": ("upper bound", SKY, "\\\\"),
}
HALF_BAR = 0.36


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CertificateDisplay(Display):
    """Waterfall: what was observed, what is added to it, and the bounds that come of it.

    Parameters
    ----------
    names, kinds
        Names of the bars from the top down, and what each is: ``"observed"``, ``"added"`` or
        ``"bound"``.
    starts, widths
        Where each bar begins, and how far it reaches, shape (n_bars,).
    errors
        Standard error of each bar, NaN where it has none, shape (n_bars,).
    trivial_risk
        The risk of calling nobody, or everybody, among the same patients.
    unit
        Name of the axis.
    """

    names: list[str]
    kinds: list[str]
    starts: FloatArray
    widths: FloatArray
    errors: FloatArray
    trivial_risk: float
    unit: str = "risk"

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "CertificateDisplay":
        """Take the certificate out of a study or of the content of ``study.json``."""
        return cls(**certificate_data(study))

    @classmethod
    def from_audit(cls, audit: Any) -> "CertificateDisplay":
        """Take all bounds out of an audit or of the content of ``audit.json``."""
        return cls(**audit_certificate_data(audit))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the bars on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 1.35 + 0.27 * len(self.names))
        places, ends = np.arange(len(self.names)), self.starts + self.widths
        for kind, (label, colour, hatch) in LOOKS.items():
            of_kind = np.array([one == kind for one in self.kinds])
            look = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": label}
            bars = {"left": self.starts[of_kind], "height": 2 * HALF_BAR}
            ax.barh(places[of_kind], self.widths[of_kind], **bars, **look)
        for i in np.flatnonzero(self._leads_on()):
            ax.vlines(ends[i], i - HALF_BAR, i + 1 + HALF_BAR, color=BLACK, linewidth=0.7)
        ax.errorbar(
            ends, places, xerr=self.errors, fmt="none", ecolor=BLACK, capsize=3, linewidth=1.2
        )
        trivial = {"color": BLACK, "linestyle": DASHED, "linewidth": 1.2}
        ax.axvline(self.trivial_risk, **trivial, label="call nobody, or everybody")
        for place, kind, width in zip(places, self.kinds, self.widths.tolist(), strict=True):
            where = {"xycoords": ("axes fraction", "data"), "va": "center"}
            added = kind == "added"
            weight = "normal" if added else "bold"
            text = signed(width) if added else significant(width)
            ax.annotate(text, (1.02, place), weight=weight, **where)
        name_rows(ax, self.names)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        tidy(ax)
        legend_above(ax)
        return ax

    def _leads_on(self) -> list[bool]:
        """Return which bars the next one goes on from, or sums up."""
        pairs = zip(self.kinds[:-1], self.kinds[1:], strict=True)
        return [after == "added" or (one, after) == ("added", "bound") for one, after in pairs]

"""A certificate, term by term, as stacked bars."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.displays.data import audit_certificate_data, certificate_data
from steadycut.displays.elements import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    axes_or_new,
    legend_above,
    tidy,
)
from steadycut.displays.numbers import significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study import Study

# A colour and a pattern for each part, in the order of the parts.
LOOKS = ((BLUE, ""), (SKY, "//"), (ORANGE, ".."), (GREEN, "\\\\"), (PURPLE, "xx"))
HALF_BAR = 0.31


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CertificateDisplay:
    """Stacked bars: what was observed, what is added to it, and what no score at all would give.

    Parameters
    ----------
    rows, parts
        Names of the bars from the top down, and of their parts from the left.
    widths
        Shape (n_rows, n_parts), none negative.
    errors
        Standard error of each row, NaN where it has none, shape (n_rows,).
    trivial_risk
        For each row the risk of calling nobody, or everybody, among the same patients.
    unit
        Name of the axis.
    """

    rows: list[str]
    parts: list[str]
    widths: FloatArray
    errors: FloatArray
    trivial_risk: FloatArray
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
        ax = axes_or_new(ax, 5.2, 1.35 + 0.25 * len(self.parts) + 0.5 * len(self.rows))
        places = np.arange(len(self.rows))
        starts = np.cumsum(self.widths, axis=1) - self.widths
        handles = []
        for i, part in enumerate(self.parts):
            colour, hatch = LOOKS[i % len(LOOKS)]
            bars = {"left": starts[:, i], "height": 2 * HALF_BAR, "color": colour, "hatch": hatch}
            handles.append(
                ax.barh(places, self.widths[:, i], edgecolor="white", label=part, **bars)
            )
        totals = self.widths.sum(axis=1)
        ax.errorbar(
            totals, places, xerr=self.errors, fmt="none", ecolor=BLACK, capsize=3, linewidth=1.2
        )
        trivial = ax.vlines(
            self.trivial_risk,
            places - 1.3 * HALF_BAR,
            places + 1.3 * HALF_BAR,
            color=BLACK,
            linewidth=2.2,
            label="call nobody, or everybody",
        )
        for place, total in zip(places, totals, strict=True):
            where = {"xycoords": ("axes fraction", "data"), "va": "center", "weight": "bold"}
            ax.annotate(significant(float(total)), (1.02, place), **where)
        ax.set_yticks(places, self.rows)
        ax.set_ylim(len(self.rows) - 0.5, -0.5)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        tidy(ax)
        legend_above(ax, [*handles, trivial])
        return ax

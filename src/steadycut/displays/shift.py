"""From the risk at the first hospital to the risk at this one, part by part."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.displays.data import shift_data
from steadycut.displays.elements import BLACK, BLUE, GREEN, GREY, VERMILLION, axes_or_new, tidy
from steadycut.displays.numbers import signed, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("first\nhospital", "prevalence", "scores of\npositives", "scores of\nnegatives", "here")
HALF_BAR = 0.34


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftDisplay:
    """Waterfall of R_Q - R_P: prevalence, scores of the positives, scores of the negatives.

    Parameters
    ----------
    risk_internal, risk_external
        R_P and R_Q, the risks at the first hospital and here.
    parts
        The three signed parts, shape (3,); NaN where a part is not known.
    unit
        Name of the axis.
    """

    risk_internal: float
    risk_external: float
    parts: FloatArray
    unit: str = "risk"

    @classmethod
    def from_audit(cls, audit: Any, split: str = "signed") -> "ShiftDisplay":
        """Take the parts out of an audit or of the content of ``audit.json``.

        ``split`` is ``"signed"`` (the paper's order of insertion) or ``"shapley"``.
        """
        return cls(**shift_data(audit, split))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the waterfall on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 3.5)
        known = np.nan_to_num(self.parts)
        ends = self.risk_internal + np.cumsum(known)
        levels = np.array([self.risk_internal, *ends, self.risk_external])
        bottoms = np.array([0, *(ends - known), 0])
        heights = np.array([self.risk_internal, *known, self.risk_external])
        looks = [_look(part) for part in self.parts]
        for i, (colour, hatch) in enumerate([(BLUE, ""), *looks, (BLUE, "")]):
            bar = {"bottom": bottoms[i], "color": colour, "hatch": hatch, "edgecolor": "white"}
            ax.bar(i, heights[i], width=2 * HALF_BAR, **bar)
        for i, level in enumerate(levels[:-1]):
            ax.plot([i - HALF_BAR, i + 1 + HALF_BAR], [level] * 2, color=BLACK, linewidth=0.7)
        texts = [significant(self.risk_internal), *map(_part_text, self.parts)]
        tops = np.maximum(bottoms, bottoms + heights)
        for i, text in enumerate([*texts, significant(self.risk_external)]):
            ax.annotate(
                text, (i, tops[i]), (0, 3), textcoords="offset points", ha="center", va="bottom"
            )
        ax.set_xticks(range(len(COLUMNS)), COLUMNS)
        ax.set_ylim(0, 1.15 * (tops.max() or 1))
        ax.set_ylabel(self.unit)
        tidy(ax)
        return ax


def _look(part: float) -> tuple[str, str]:
    if np.isnan(part):
        return GREY, ""
    return (VERMILLION, "//") if part > 0 else (GREEN, "\\\\")


def _part_text(part: float) -> str:
    return "not known" if np.isnan(part) else signed(float(part))

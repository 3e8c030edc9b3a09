"""From the risk at the first hospital to the risk at this one, part by part."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray, check_choice
from steadycut.core.class_names import DEFAULT, ClassNames
from steadycut.core.rounding import significant
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.reading import Source
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, GREEN, GREY, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import note_below, risk_unit
from steadycut.show.words.numbers import signed

HALF_BAR = 0.34
SPLITS = ("signed", "shapley")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class ShiftDisplay(Display):
    """Waterfall of R_Q - R_P: prevalence, scores of the ill, scores of the healthy.

    Parameters
    ----------
    risk_internal, risk_external
        R_P and R_Q, the risks at the first hospital and here.
    parts
        The three signed parts, shape (3,); NaN where a part is not known.
    intervals, total_interval
        The interval of each part, shape (3, 2), and of R_Q - R_P, shape (2,). They all hold at once
        with probability ``confidence``.
    unit
        Name of the axis.
    classes
        What patients of either class are called.
    """

    risk_internal: float
    risk_external: float
    parts: FloatArray
    intervals: FloatArray
    total_interval: FloatArray
    confidence: float
    unit: str = "risk"
    classes: ClassNames = DEFAULT

    captions: ClassVar = {
        "audit shift": "From the risk at the first hospital to the risk here, part by part.",
    }

    @classmethod
    def from_audit(cls, audit: Source[CutOffAudit], split: str = "signed") -> Self:
        """Take the parts from an audit, or from the content of ``audit.json``.

        ``split`` is ``"signed"``, the paper's order of insertion, or ``"shapley"``, the mean of
        both orders.
        """
        check_choice("split", split, SPLITS)
        document = document_of(CutOffAudit, audit)
        if not isinstance(document, LabelledCutOffAudit):
            msg = "an audit without labels has no shift to show; audit patients with labels."
            raise BadPatients(msg)
        shift, intervals = document.shift, document.shift.intervals
        parts, ranges = shift.signed, intervals.signed
        if split == "shapley":
            parts, ranges = shift.shapley, intervals.shapley
        return cls(
            risk_internal=document.risk_internal,
            risk_external=document.risk_external,
            parts=array([parts.prevalence, parts.shape_positive, parts.shape_negative]),
            intervals=array([ranges.prevalence, ranges.shape_positive, ranges.shape_negative]),
            total_interval=array(ranges.total),
            confidence=1 - document.delta,
            unit=risk_unit(document.costs),
            classes=document.names,
        )

    def draw(self, ax: Any) -> Any:
        """Draw the waterfall."""
        known = np.nan_to_num(self.parts)
        ends = self.risk_internal + np.cumsum(known)
        levels = np.array([self.risk_internal, *ends, self.risk_external])
        bottoms = np.array([0, *(ends - known), 0])
        heights = np.array([self.risk_internal, *known, self.risk_external])
        looks = [_look(part) for part in self.parts]
        drawn: list[Any] = []
        for i, (colour, hatch) in enumerate([(BLUE, ""), *looks, (BLUE, "")]):
            bar = {"bottom": bottoms[i], "color": colour, "hatch": hatch, "edgecolor": "white"}
            drawn += ax.bar(i, heights[i], width=2 * HALF_BAR, **bar)
        for i, level in enumerate(levels[:-1]):
            ax.plot([i - HALF_BAR, i + 1 + HALF_BAR], [level] * 2, color=BLACK, linewidth=0.7)
        tops = np.maximum(bottoms, bottoms + heights)
        reach = bottoms[1:4, None] + self.intervals
        middles, halves = reach.mean(axis=1), np.diff(reach, axis=1)[:, 0] / 2
        limits = {"fmt": "none", "ecolor": BLACK, "capsize": 3, "elinewidth": 1.2}
        ax.errorbar([1, 2, 3], middles, halves, **limits)
        tops[1:4] = np.maximum(tops[1:4], reach[:, 1])
        texts = [significant(self.risk_internal), *map(_part_text, self.parts)]
        for i, text in enumerate([*texts, significant(self.risk_external)]):
            where = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
            ax.annotate(text, (i, tops[i]), (0, 3), **where)
        kinds = [f"scores of\n{one}" for one in (self.classes.ill, self.classes.healthy)]
        ax.set_xticks(range(levels.size), ["first\nhospital", "prevalence", *kinds, "here"])
        lowest = min(reach.min(), 0)
        ax.set_ylim(1.1 * lowest, 1.15 * (tops.max() or 1))
        ax.set_ylabel(self.unit)
        note_below(ax, self.total_text)
        return drawn

    @property
    def total_text(self) -> str:
        """The whole change with its interval, in words."""
        change = signed(self.risk_external - self.risk_internal)
        low, high = map(signed, self.total_interval.tolist())
        return (
            f"change of risk {change}, between {low} and {high}; all intervals hold together "
            f"at {100 * self.confidence:g} % confidence"
        )


def _look(part: float) -> tuple[str, str]:
    if np.isnan(part):
        return GREY, ""
    return (VERMILLION, "//") if part > 0 else (GREEN, "\\\\")


def _part_text(part: float) -> str:
    return "not known" if np.isnan(part) else signed(float(part))

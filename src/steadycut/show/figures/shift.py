"""From the risk at the first hospital to the risk at this one, part by part."""

from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import check_choice
from steadycut.core.rounding import significant
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.reading import Source
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, GREEN, GREY, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import note_below, risk_unit
from steadycut.show.words.numbers import percent, signed

HALF_BAR = 0.34
SPLITS = ("signed", "shapley")


class ShiftDisplay(Display):
    """Waterfall of R_Q - R_P: prevalence, scores of the ill, scores of the healthy.

    ``parts`` are the three signed parts, NaN where a part is not known. ``intervals`` are those of
    the parts, shape (3, 2), and ``total_interval`` is that of R_Q - R_P. They all hold at once.
    """

    captions: ClassVar = {
        "audit shift": "From the risk at the first hospital to the risk here, part by part."
    }

    def __init__(self, audit: LabelledCutOffAudit, split: str = "signed") -> None:
        check_choice("split", split, SPLITS)
        shift, ranges = audit.shift.signed, audit.shift.intervals.signed
        if split == "shapley":
            shift, ranges = audit.shift.shapley, audit.shift.intervals.shapley
        self.audit, self.total_interval = audit, ranges.total
        self.parts, self.intervals = (
            array([parts.prevalence, parts.shape_positive, parts.shape_negative])
            for parts in (shift, ranges)
        )

    @classmethod
    def from_audit(cls, audit: Source[CutOffAudit], split: str = "signed") -> Self:
        """Take the shift from an audit with labels, or from the content of ``audit.json``.

        ``split`` is ``"signed"``, the paper's order of insertion, or ``"shapley"``, the mean of
        both orders.
        """
        document = document_of(CutOffAudit, audit)
        if not isinstance(document, LabelledCutOffAudit):
            msg = "an audit without labels has no shift to show; audit patients with labels."
            raise BadPatients(msg)
        return cls(document, split)

    def draw(self, ax: Any) -> Any:
        """Draw the waterfall."""
        first, here = self.audit.risk_internal, self.audit.risk_external
        known = np.nan_to_num(self.parts)
        ends = first + np.cumsum(known)
        levels = np.array([first, *ends, here])
        bottoms = np.array([0, *(ends - known), 0])
        heights = np.array([first, *known, here])
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
        texts = [significant(first), *map(_part_text, self.parts), significant(here)]
        for i, text in enumerate(texts):
            where = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
            ax.annotate(text, (i, tops[i]), (0, 3), **where)
        names = self.audit.names
        kinds = [f"scores of\n{name}" for name in (names.ill, names.healthy)]
        ax.set_xticks(range(levels.size), ["first\nhospital", "prevalence", *kinds, "here"])
        lowest = min(reach.min(), 0)
        ax.set_ylim(1.1 * lowest, 1.15 * (tops.max() or 1))
        ax.set_ylabel(risk_unit(self.audit.costs))
        note_below(ax, self.total_text)
        return drawn

    @property
    def total_text(self) -> str:
        """The whole change with its interval, in words."""
        change = signed(self.audit.risk_external - self.audit.risk_internal)
        low, high = map(signed, self.total_interval)
        return (
            f"change of risk {change}, between {low} and {high}; all intervals hold together "
            f"at {percent(1 - self.audit.delta)} confidence"
        )


def _look(part: float) -> tuple[str, str]:
    if np.isnan(part):
        return GREY, ""
    return (VERMILLION, "//") if part > 0 else (GREEN, "\\\\")


def _part_text(part: float) -> str:
    return "not known" if np.isnan(part) else signed(float(part))

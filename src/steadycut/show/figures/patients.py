"""Every patient by class along the score, with the cut-off and the errors that it makes."""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.parts import Floats
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY, VERMILLION
from steadycut.show.figures.display import CutOffDisplay
from steadycut.show.figures.elements import mark_cut_off, name_score_axis

# The room for marks, and the sizes that are tried, in points; where none fits, bars are drawn.
ROOM = (265, 125)
SIZES = (7.5, 6.0, 5.0, 4.0, 3.2)
BARS = 40
# Above and below the marks there is room for a count, as a share of their height.
HEADROOM = 0.17


class Group(NamedTuple):
    """Patients with one decision: in which bin they are, how it is drawn, and what it is called."""

    bins: IntArray
    up: int
    called: bool
    marker: str
    word: str


class PatientsDisplay(CutOffDisplay):
    """The patients by class along the score: one mark each, or bars where there are many.

    Ill patients stand above the middle, healthy ones below it. Errors have another colour and
    another shape. ``groups`` holds the bins of found, missed, false alarms and rightly not called.
    At another hospital, patients of the first one lie behind, as many in each class.
    """

    width: ClassVar = 4.6
    height: ClassVar = 2.9
    captions: ClassVar = {
        "study headline": "The patients used to check: ill above the line, healthy below. Crosses "
        "are missed, triangles are false alarms.",
        "audit headline": "The patients here: ill above the line, healthy below. Crosses are "
        "missed, triangles are false alarms. Grey: as many patients of the first hospital.",
    }

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        point, known = getattr(document, "operating_point", None), document.scores
        unknown = document.survival is not None and document.survival.unknown
        if point is None or known.positive is None or known.negative is None or unknown:
            raise BadPatients("the class of some patients is not known, so no picture shows them.")
        n = point.tp + point.fn, point.fp + point.tn
        self.scores = [patients_of(known.positive, n[0]), patients_of(known.negative, n[1])]
        self.called = (point.tp, point.fp)
        first = getattr(document, "scores_internal", None)
        both = (first.positive, first.negative) if first else (None, None)
        self.before = [patients_of(values, 1000) for values in both if values]
        ends = np.concatenate([*self.scores, *self.before])
        self.low, self.high = float(ends.min()), float(ends.max())
        coarse = getattr(document, "small_cells", None) is not None
        self.mark_size = next(filter(self._fits, () if coarse else SIZES), None)
        self.n_bins = int(ROOM[0] / self.mark_size) if self.mark_size else BARS
        self.groups = self._groups(self.n_bins)

    def _fits(self, size: float) -> bool:
        groups = self._groups(int(ROOM[0] / size))
        return size * sum(tallest(groups, up) for up in (1, -1)) <= ROOM[1]

    def _groups(self, n_bins: int) -> list[Group]:
        looks = ("o", "found"), ("X", "missed"), ("^", "false alarms"), ("o", "rightly not called")
        parts = [(up, called) for up in (1, -1) for called in (True, False)]
        return [
            Group(self._bins(up, called=called, n_bins=n_bins), up, called, *look)
            for (up, called), look in zip(parts, looks, strict=True)
        ]

    def _bins(self, up: int, *, called: bool, n_bins: int) -> IntArray:
        """Return the bin of each patient of a class with one decision; 0 begins at the cut-off."""
        scores, n_called = self.scores[up < 0], self.called[up < 0]
        rising = self.document.direction == "ge"
        upper = scores.size - n_called if rising else n_called
        own = scores[upper:] if called == rising else scores[:upper]
        places = np.floor((own - self.origin) / self.bin_width(n_bins)).astype(np.int64)
        return np.maximum(places, 0) if called == rising else np.minimum(places, -1)

    @property
    def origin(self) -> float:
        """The cut-off; one that calls everybody or nobody lies on either end of the axis."""
        cut = self.document.threshold
        return float(np.clip(cut, self.low, self.high)) if math.isinf(cut) else cut

    def bin_width(self, n_bins: int) -> float:
        """Return the width of a bin."""
        return (self.high - self.low or 1.0) / n_bins

    def draw(self, ax: Any) -> Any:
        """Draw the marks or bars, and write how many there are on either side."""
        width = self.bin_width(self.n_bins)
        heights = [max(tallest(self.groups, up), 1.0) for up in (1, -1)]
        for scores, up, own in zip(self.before, (1, -1), self.scores, strict=False):
            places, counts = np.unique(np.floor((scores - self.origin) / width), return_counts=True)
            bars = counts * own.size / scores.size
            heights[up < 0] = max(heights[up < 0], float(bars.max(initial=0)))
            look = {"color": GREY, "alpha": 0.3, "label": "first hospital" if up > 0 else None}
            ax.bar(self._middle(places), up * bars, width=width, linewidth=0, **look)
        drawn = [mark for group in self.groups for mark in self._draw_group(ax, group)]
        mark_cut_off(ax, self.document.threshold)
        ax.axhline(0, color=GREY, linewidth=0.8)
        reach = sum(heights)
        ends = self.low - width, self.high + width
        ax.set_xlim(*ends)
        ax.set_ylim(-heights[1] - HEADROOM * reach, heights[0] + HEADROOM * reach)
        for group in self.groups:
            right = group.called == (self.document.direction == "ge")
            look = {"ha": "right" if right else "left", "va": "top" if group.up > 0 else "bottom"}
            look |= {"textcoords": "offset points", "weight": "bold"}
            y = heights[0] + HEADROOM * reach if group.up > 0 else -heights[1] - HEADROOM * reach
            text = f"{group.bins.size} {group.word}"
            ax.annotate(text, (ends[right], y), (-4 if right else 4, -3 * group.up), **look)
        names = self.document.names
        ax.set_yticks([heights[0] / 2, -heights[1] / 2], [names.ill, names.healthy])
        name_score_axis(ax, self.document.score, "")
        return drawn

    def _middle(self, places: Any) -> FloatArray:
        return np.asarray(self.origin + (places + 0.5) * self.bin_width(self.n_bins))

    def _draw_group(self, ax: Any, group: Group) -> Any:
        colour = BLUE if group.marker == "o" else VERMILLION
        places, counts = np.unique(group.bins, return_counts=True)
        x = self._middle(places)
        if self.mark_size is None:
            look = {"color": colour, "edgecolor": "white", "hatch": "" if colour == BLUE else "//"}
            return ax.bar(x, group.up * counts, width=self.bin_width(self.n_bins), **look)
        heights = [np.arange(count) + 0.5 for count in counts]
        y = group.up * np.concatenate([np.empty(0), *heights])
        dots: Any = {"color": colour, "markersize": 0.8 * self.mark_size, "markeredgewidth": 0}
        return ax.plot(np.repeat(x, counts), y, group.marker, **dots)


def patients_of(quantiles: Floats, n: int) -> FloatArray:
    """Return n scores with these quantiles, ascending; up to 100 patients are found again exactly.

    Examples
    --------
    >>> patients_of([1.0] * 51 + [3.0] * 50, 2)
    array([1., 3.])
    """
    if not (quantiles and n):
        return np.empty(0)
    return np.asarray(quantiles)[np.arange(1, n + 1) * (len(quantiles) - 1) // n]


def tallest(groups: list[Group], up: int) -> int:
    """Return how many patients the fullest bin of a class has."""
    bins = [np.unique(group.bins, return_counts=True)[1] for group in groups if group.up == up]
    return int(max(counts.max(initial=0) for counts in bins))

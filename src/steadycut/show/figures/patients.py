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
# Scores outside of these quantiles are drawn at the ends of the axis.
OUTLYING = 0.01, 0.99
# The fullest bar of a rare class is so long, as a share of that of the other class.
RARE = 0.4
# A bar of the first hospital may be so much longer than those here; more of it is cut off.
MOST_BEHIND = 1.5
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
        "study headline": "The patients used to check: {names.ill} above the line, {names.healthy} "
        "below. Crosses are missed, triangles are false alarms. Bars of a rare class are drawn "
        "longer.",
        "audit headline": "The patients here: {names.ill} above the line, {names.healthy} below. "
        "Crosses are missed, triangles are false alarms. Bars of a rare class are drawn longer. "
        "Grey: as many patients of the first hospital.",
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
        self.before = [patients_of(values, 1000) for values in both if values is not None]
        self.low, self.high = self._ends(np.concatenate([*self.scores, *self.before]))
        coarse = getattr(document, "small_cells", None) is not None
        self.mark_size = next(filter(self._fits, () if coarse else SIZES), None)
        self.n_bins = int(ROOM[0] / self.mark_size) if self.mark_size else BARS
        self.groups = self._groups(self.n_bins)

    def _ends(self, scores: FloatArray) -> tuple[float, float]:
        """Return the ends of the axis: nearly all scores and the cut-off lie between them."""
        cut, ends = self.document.threshold, np.quantile(scores, OUTLYING).tolist()
        inside = [*ends, cut] if math.isfinite(cut) else ends
        return min(inside), max(inside)

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
        places = self._places(own, n_bins)
        return np.maximum(places, 0) if called == rising else np.minimum(places, -1)

    def _places(self, scores: FloatArray, n_bins: int) -> IntArray:
        """Return the bin of each score; one beyond an end of the axis is in the last bin there."""
        inside = np.clip(scores, self.low, self.high)
        return np.floor((inside - self.origin) / self.bin_width(n_bins)).astype(np.int64)

    @property
    def origin(self) -> float:
        """The cut-off; one that calls everybody or nobody lies on either end of the axis."""
        cut = self.document.threshold
        return float(np.clip(cut, self.low, self.high)) if math.isinf(cut) else cut

    def bin_width(self, n_bins: int) -> float:
        """Return the width of a bin."""
        return (self.high - self.low or 1.0) / n_bins

    @property
    def scale(self) -> tuple[float, float]:
        """How much longer the bars of ill and of healthy patients are drawn: of a rare class."""
        own = [max(tallest(self.groups, up), 1) for up in (1, -1)]
        factors = [max(1.0, RARE * max(own) / count) for count in own]
        return (factors[0], factors[1]) if self.mark_size is None else (1.0, 1.0)

    def draw(self, ax: Any) -> Any:
        """Draw the marks or bars, and write how many there are on either side."""
        heights = self._draw_before(ax)
        drawn = [mark for group in self.groups for mark in self._draw_group(ax, group)]
        mark_cut_off(ax, self.document.threshold)
        ax.axhline(0, color=GREY, linewidth=0.8)
        width, room = self.bin_width(self.n_bins), HEADROOM * sum(heights)
        sides, edges = (
            (self.low - width, self.high + width),
            (heights[0] + room, -heights[1] - room),
        )
        ax.set_xlim(*sides)
        ax.set_ylim(edges[1], edges[0])
        for group in self.groups:
            right, below = group.called == (self.document.direction == "ge"), group.up < 0
            look = {"ha": "right" if right else "left", "va": "bottom" if below else "top"}
            look |= {"textcoords": "offset points", "weight": "bold"}
            box = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1}
            place, moved = (sides[right], edges[below]), (-4 if right else 4, -3 * group.up)
            ax.annotate(f"{group.bins.size} {group.word}", place, moved, bbox=box, **look)
        names = self.document.names
        ax.set_yticks([heights[0] / 2, -heights[1] / 2], [names.ill, names.healthy])
        name_score_axis(ax, self.document.score, "")
        return drawn

    def _draw_before(self, ax: Any) -> list[float]:
        """Draw the patients of the first hospital, and return the height of each class."""
        fullest = [max(tallest(self.groups, up), 1) for up in (1, -1)]
        heights = [own * factor for own, factor in zip(fullest, self.scale, strict=True)]
        for i, scores in enumerate(self.before):
            if not scores.size:
                continue
            places, counts = np.unique(self._places(scores, self.n_bins), return_counts=True)
            bars = counts * self.scores[i].size / scores.size * self.scale[i]
            heights[i] = max(heights[i], min(float(bars.max()), MOST_BEHIND * heights[i]))
            where = getattr(self.document, "first_site", None) or "first hospital"
            look = {"color": GREY, "alpha": 0.3, "label": None if i else where}
            look |= {"width": self.bin_width(self.n_bins), "linewidth": 0}
            ax.bar(self._middle(places), (-1 if i else 1) * bars, **look)
        return heights

    def _middle(self, places: Any) -> FloatArray:
        return np.asarray(self.origin + (places + 0.5) * self.bin_width(self.n_bins))

    def _draw_group(self, ax: Any, group: Group) -> Any:
        colour = BLUE if group.marker == "o" else VERMILLION
        places, counts = np.unique(group.bins, return_counts=True)
        x = self._middle(places)
        if self.mark_size is None:
            look = {"color": colour, "edgecolor": "white", "hatch": "" if colour == BLUE else "//"}
            bars = group.up * self.scale[group.up < 0] * counts
            return ax.bar(x, bars, width=self.bin_width(self.n_bins), **look)
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

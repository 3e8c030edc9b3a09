"""Scores by class at one or two hospitals, as the share that a cut-off calls."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import scores_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    DASH_DOT,
    DASHED,
    DOTTED,
    ORANGE,
    axes_or_new,
    legend_above,
    mark_cut_off,
    name_score_axis,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study

COLOURS = {"positive": BLUE, "negative": ORANGE, "all": BLACK}
# Each class at each hospital has a pattern of its own.
STYLES = {
    ("positive", "internal"): DASHED,
    ("negative", "internal"): DOTTED,
    ("positive", "external"): "-",
    ("negative", "external"): DASH_DOT,
    ("all", "external"): "-",
}
WORDS = {"positive": "positives", "negative": "negatives", "all": "all patients"}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoresDisplay(Display):
    """Distribution of the scores of each class: the share that is called if the cut-off is there.

    At the cut-off the curve of the positives is the sensitivity and that of the negatives the
    share of false alarms; what lies between two hospitals there is the shift of that class.

    Parameters
    ----------
    curves
        Class (``"positive"``, ``"negative"``, ``"all"``), hospital (``"internal"``,
        ``"external"``), scores and shares of each curve.
    threshold, direction
        The chosen cut-off, and which side of it is called.
    score
        Name of the axis.
    """

    curves: list[tuple[str, str, FloatArray, FloatArray]]
    threshold: float
    direction: str = "ge"
    score: str = "score"

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "ScoresDisplay":
        """Take the scores of the certifying patients out of a study or of ``study.json``."""
        return cls(**scores_data(study))

    @classmethod
    def from_audit(cls, audit: Any) -> "ScoresDisplay":
        """Take the scores at both hospitals out of an audit or of ``audit.json``."""
        return cls(**scores_data(audit))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the curves on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 4.1)
        two = len({place for _, place, _, _ in self.curves}) > 1
        mark_cut_off(ax, self.threshold)
        for name, place, scores, shares in self.curves:
            where = {"internal": ", first hospital", "external": ", here"}[place] if two else ""
            style = STYLES[name, place] if two else STYLES[name, "external"]
            look = {"color": COLOURS[name], "linestyle": style, "linewidth": 1.8}
            ax.plot(*self._steps(scores, shares), label=WORDS[name] + where, **look)
        ax.set_ylim(0, 1.02)
        name_score_axis(ax, self.score)
        ax.set_ylabel("share of the class that is called")
        tidy(ax)
        legend_above(ax)
        return ax

    def _steps(self, scores: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the stairs: those at a score are called by a cut-off there."""
        if self.direction == "ge":
            return np.repeat(scores, 2), np.append(np.repeat(shares, 2)[1:], 0)
        return np.repeat(scores, 2), np.append(0, np.repeat(shares, 2)[:-1])

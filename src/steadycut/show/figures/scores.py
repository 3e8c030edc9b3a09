"""Scores by class at one or two hospitals, as the share that a cut-off calls."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, ORANGE
from steadycut.show.figures.display import CutOffDisplay, array
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, mark_cut_off, name_score_axis

COLOURS = {"positive": BLUE, "negative": ORANGE, "all": BLACK}
# Each class at each hospital has its own pattern.
STYLES = {
    ("positive", "internal"): DASHED,
    ("negative", "internal"): DOTTED,
    ("positive", "external"): "-",
    ("negative", "external"): DASH_DOT,
    ("all", "external"): "-",
}


class ScoresDisplay(CutOffDisplay):
    """The share of each class that would be called, by cut-off.

    At the chosen cut-off the curve of the ill patients is the sensitivity, and that of the healthy
    ones is the share of false alarms. The distance there between the curves of two hospitals is the
    shift of that class.

    ``curves`` has class, hospital, scores and shares of each curve. The class is ``"positive"``,
    ``"negative"``, or ``"all"`` without labels. The hospital is ``"internal"`` (the patients used
    to check) or ``"external"``.
    """

    height: ClassVar = 4.1
    rank: ClassVar = 1
    captions: ClassVar = {
        "study score": "The share of each class that would be called, by cut-off; where "
        "the frozen one stands, these are sensitivity and the share of false alarms.",
        "audit score": "The share of each class that would be called, by cut-off, here "
        "and at the first hospital; what lies between the two at the frozen cut-off is the shift.",
    }

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        places = {"internal": document.scores}
        if isinstance(document, CutOffAudit):
            places = {"internal": document.scores_internal, "external": document.scores}
        self.curves = [
            (name, place, *called_shares(values, document.direction))
            for place, classes in places.items()
            for name, values in classes
            if values
        ]

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        two = len({place for _, place, _, _ in self.curves}) > 1
        mark_cut_off(ax, self.document.threshold)
        words = {
            "positive": self.document.names.ill_patients,
            "negative": self.document.names.healthy_patients,
            "all": "all patients",
        }
        drawn = []
        for name, place, scores, shares in self.curves:
            where = {"internal": ", first hospital", "external": ", here"}[place] if two else ""
            style = STYLES[name, place] if two else STYLES[name, "external"]
            look = {"color": COLOURS[name], "linestyle": style, "linewidth": 1.8}
            drawn += ax.plot(*self._steps(scores, shares), label=words[name] + where, **look)
        ax.set_ylim(0, 1.02)
        name_score_axis(ax, self.document.score)
        ax.set_ylabel("share of the class that is called")
        return drawn

    def _steps(self, scores: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the steps; a cut-off at a score calls patients with that score."""
        if self.document.direction == "ge":
            return np.repeat(scores, 2), np.append(np.repeat(shares, 2)[1:], 0)
        return np.repeat(scores, 2), np.append(0, np.repeat(shares, 2)[:-1])


def called_shares(quantiles: Sequence[float], direction: str) -> tuple[FloatArray, FloatArray]:
    """Return the distinct quantiles, and the share that is called with the cut-off at each.

    Examples
    --------
    >>> scores, shares = called_shares([1.0, 1.0, 1.0, 2.0, 5.0], "ge")
    >>> scores.tolist(), shares.tolist()
    ([1.0, 2.0, 5.0], [1.0, 0.5, 0.25])
    """
    values = np.array(quantiles)
    steps = max(values.size - 1, 1)
    scores = np.unique(values)
    if direction == "le":
        return array(scores), array((np.searchsorted(values, scores, side="right") - 1) / steps)
    # At least k - 1 of 100 lie below the k-th quantile if it is above the one before.
    below = np.maximum(np.searchsorted(values, scores, side="left") - 1, 0)
    return array(scores), array(1 - below / steps)

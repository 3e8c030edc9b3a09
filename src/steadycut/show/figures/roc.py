"""The ROC curve with the cut-off marked, here and at the first hospital."""

from typing import Any, ClassVar

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.parts import CountsPart, ScoresPart
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY, VERMILLION
from steadycut.show.figures.display import CutOffDisplay
from steadycut.show.figures.elements import DASHED, DOTTED
from steadycut.show.figures.patients import patients_of


class RocDisplay(CutOffDisplay):
    """Sensitivity against the share of false alarms at every cut-off; the chosen one is marked.

    The curves are made of the quantiles of the scores by class; of more than 100 patients of a
    class they are within 1 %. ``curves`` has the name, and both shares, of each.
    """

    width: ClassVar = 4.2
    height: ClassVar = 3.9
    captions: ClassVar = {
        "study score": "The ROC curve of the patients used to check, with the cut-off marked.",
        "audit score": "The ROC curve here and at the first hospital, with the cut-off marked.",
    }

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        point, before = getattr(document, "operating_point", None), None
        if point is None or point.sensitivity is None or point.specificity is None:
            raise BadPatients("a ROC curve needs labels, and patients of both classes.")
        self.point = 1 - point.specificity, point.sensitivity
        named = [("here", document.scores, point)]
        if isinstance(document, LabelledCutOffAudit):
            before = document.operating_point_internal
            named.append(("first hospital", document.scores_internal, before))
        self.curves = [(name, *self._curve(scores, counts)) for name, scores, counts in named]

    def _curve(self, scores: ScoresPart, point: CountsPart) -> tuple[FloatArray, FloatArray]:
        """Return the shares of the healthy and of the ill who are called, from nobody on."""
        sizes = point.fp + point.tn, point.tp + point.fn
        sign = 1 if self.document.direction == "ge" else -1
        classes = scores.negative or [], scores.positive or []
        both = [np.sort(sign * patients_of(*own)) for own in zip(classes, sizes, strict=True)]
        cuts = np.append(np.inf, np.unique(np.concatenate(both))[::-1])
        healthy, ill = (1 - own.searchsorted(cuts) / max(own.size, 1) for own in both)
        return healthy, ill

    def draw(self, ax: Any) -> Any:
        """Draw the curves, the line of chance and the mark."""
        drawn: list[Any] = []
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=DOTTED)
        for (name, x, y), look in zip(self.curves, ((BLUE, "-"), (GREY, DASHED)), strict=False):
            drawn += ax.plot(x, y, color=look[0], linestyle=look[1], linewidth=1.8, label=name)
        x, y = self.point
        ax.plot([x], [y], "D", color=VERMILLION, markersize=7, label="chosen cut-off")
        ax.set_xlabel("false alarms (1 - specificity)")
        ax.set_ylabel("sensitivity")
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        return drawn

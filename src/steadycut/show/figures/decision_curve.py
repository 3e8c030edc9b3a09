"""Net benefit of the cut-off by threshold probability."""

from typing import Any, ClassVar

import numpy as np

from steadycut.documents.audit import CutOffAudit
from steadycut.documents.parts import ExplorerPart
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, GREEN, VERMILLION
from steadycut.show.figures.display import CutOffDisplay
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, draw_band

# Threshold probabilities of the curve.
PROBABILITIES = np.arange(1, 100) / 100


class DecisionCurveDisplay(CutOffDisplay):
    """Decision curve of the frozen cut-off, with calling everybody and nobody.

    ``net_benefit`` and its ``standard_error`` are those of the frozen cut-off at each of the
    ``PROBABILITIES``, in true positives per patient, at the ``prevalence``. ``best`` is the largest
    net benefit of any cut-off, known only in hindsight, and ``everybody`` that of calling all
    patients.
    """

    height: ClassVar = 4.1
    captions: ClassVar = dict.fromkeys(
        ("study operating-point", "audit operating-point"),
        "Net benefit of the frozen cut-off, by the probability of disease above which one would "
        "want a call: useful where it is above calling everybody and calling nobody.",
    )
    rank: ClassVar = 1

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        part = getattr(document, "explorer", None)
        if not isinstance(part, ExplorerPart):
            msg = "net benefit needs labelled patients of both classes; here are none of one."
            raise BadPatients(msg)
        prevalence, weights = part.prevalence, PROBABILITIES / (1 - PROBABILITIES)
        hits = 1 - np.array(part.missed) / part.n_positive
        alarms = np.array(part.alarms) / part.n_negative
        benefit = prevalence * hits[:, None] - (1 - prevalence) * alarms[:, None] * weights
        hit, alarm = hits[part.frozen], alarms[part.frozen]
        gained = prevalence**2 * hit * (1 - hit) / part.n_positive
        lost = ((1 - prevalence) * weights) ** 2 * alarm * (1 - alarm) / part.n_negative
        self.net_benefit, self.standard_error = benefit[part.frozen], np.sqrt(gained + lost)
        self.best, self.prevalence = benefit.max(axis=0), prevalence
        self.everybody = prevalence - (1 - prevalence) * weights

    @property
    def probability(self) -> float:
        """The threshold probability that the costs of the study imply."""
        costs = self.document.costs
        return costs.cost_fp / (costs.cost_fn + costs.cost_fp)

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        lowest = -0.25 * self.prevalence
        error = self.standard_error
        low, high = (np.maximum(self.net_benefit + move, 2 * lowest) for move in (-error, error))
        draw_band(ax, PROBABILITIES, low, high, "\N{PLUS-MINUS SIGN} 1 standard error")
        lines = (
            ("the frozen cut-off", self.net_benefit, BLUE, "-"),
            ("best cut-off, in hindsight", self.best, GREEN, DASH_DOT),
            ("call everybody", self.everybody, BLACK, DASHED),
            ("call nobody", np.zeros(self.best.size), BLACK, DOTTED),
        )
        drawn = []
        for label, values, colour, style in lines:
            seen = values >= 2 * lowest
            look = {"color": colour, "linestyle": style, "label": label}
            drawn += ax.plot(PROBABILITIES[seen], values[seen], **look)
        ax.axvline(self.probability, color=VERMILLION, linewidth=1.2, label="costs of the study")
        ax.set_xlim(0, 1)
        ax.set_ylim(lowest, 1.1 * self.prevalence)
        ax.set_xlabel("threshold probability")
        ax.set_ylabel("net benefit per patient")
        return drawn[0]

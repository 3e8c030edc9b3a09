"""Net benefit of the cut-off by threshold probability."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.parts import CostsPart, ExplorerPart
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, GREEN, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, draw_band

# Threshold probabilities of the curve.
PROBABILITIES = np.arange(1, 100) / 100


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class DecisionCurveDisplay(Display):
    """Decision curve of the frozen cut-off, with calling everybody and nobody.

    Parameters
    ----------
    probabilities
        Threshold probabilities, cost_fp / (cost_fn + cost_fp), shape (n_points,).
    net_benefit, standard_error
        Of the frozen cut-off at each probability, in true positives per patient. The standard error
        is that at the given prevalence.
    best
        The largest net benefit of any cut-off, known only in hindsight.
    everybody
        Net benefit of calling everybody; that of calling nobody is 0.
    probability
        The threshold probability that the costs of the study imply.
    prevalence
        Share of ill patients, which is the largest possible net benefit.
    """

    probabilities: FloatArray
    net_benefit: FloatArray
    standard_error: FloatArray
    best: FloatArray
    everybody: FloatArray
    probability: float
    prevalence: float

    height: ClassVar = 4.1
    captions: ClassVar = dict.fromkeys(
        ("study operating-point", "audit operating-point"),
        "Net benefit of the frozen cut-off, by the probability of disease above which one would "
        "want a call: useful where it is above calling everybody and calling nobody.",
    )
    rank: ClassVar = 1

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Count the patients used to check of a study, or of the content of ``study.json``."""
        document = document_of(StudyDocument, study)
        return cls._of(document.explorer, document.costs)

    @classmethod
    def from_audit(cls, audit: Source[CutOffAudit]) -> Self:
        """Count the patients of an audit, or of the content of ``audit.json``."""
        document = document_of(CutOffAudit, audit)
        part = document.explorer if isinstance(document, LabelledCutOffAudit) else None
        return cls._of(part, document.costs)

    @classmethod
    def _of(cls, part: ExplorerPart | None, costs: CostsPart) -> Self:
        if part is None:
            msg = "net benefit needs labelled patients of both classes; here are none of one."
            raise BadPatients(msg)
        prevalence, weights = part.prevalence, PROBABILITIES / (1 - PROBABILITIES)
        hits = 1 - np.array(part.missed) / part.n_positive
        alarms = np.array(part.alarms) / part.n_negative
        benefit = prevalence * hits[:, None] - (1 - prevalence) * alarms[:, None] * weights
        hit, alarm = hits[part.frozen], alarms[part.frozen]
        gained = prevalence**2 * hit * (1 - hit) / part.n_positive
        lost = ((1 - prevalence) * weights) ** 2 * alarm * (1 - alarm) / part.n_negative
        return cls(
            probabilities=array(PROBABILITIES),
            net_benefit=array(benefit[part.frozen]),
            standard_error=array(np.sqrt(gained + lost)),
            best=array(benefit.max(axis=0)),
            everybody=array(prevalence - (1 - prevalence) * weights),
            probability=costs.cost_fp / (costs.cost_fn + costs.cost_fp),
            prevalence=prevalence,
        )

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        lowest = -0.25 * self.prevalence
        error = self.standard_error
        low, high = (np.maximum(self.net_benefit + one, 2 * lowest) for one in (-error, error))
        draw_band(ax, self.probabilities, low, high, "\N{PLUS-MINUS SIGN} 1 standard error")
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
            drawn += ax.plot(self.probabilities[seen], values[seen], **look)
        ax.axvline(self.probability, color=VERMILLION, linewidth=1.2, label="costs of the study")
        ax.set_xlim(0, 1)
        ax.set_ylim(lowest, 1.1 * self.prevalence)
        ax.set_xlabel("threshold probability")
        ax.set_ylabel("net benefit per patient")
        return drawn[0]

"""Risk of the choosing patients along the cut-off."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import (
    DASHED,
    draw_band,
    mark_cut_off,
    name_score_axis,
    risk_unit,
)

MARKERS = ("s", "^", "D", "v")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class RiskCurveDisplay(Display):
    """Risk at every cut-off among the patients used to choose, plus and minus one standard error.

    Parameters
    ----------
    thresholds, risk, standard_error
        The curve, shape (n_points,), by ascending threshold.
    threshold, risk_at_threshold
        The chosen cut-off and its risk.
    trivial_risk
        Risk of calling nobody, or everybody, whichever is smaller.
    rivals
        What other rules choose on the same patients: name, cut-off, risk.
    direction
        ``"ge"``: patients at or above the cut-off are called; ``"le"``: at or below.
    score, unit
        Names of the two axes.

    Examples
    --------
    >>> import steadycut
    >>> scores, labels = [0.1, 0.3, 0.2, 0.8, 0.7, 0.9], [0, 0, 0, 1, 1, 1]
    >>> cohort = steadycut.PatientScores(scores=scores, labels=labels)
    >>> study = steadycut.fit(cohort, honesty="uniform", rule="erm", grid="exact")
    >>> ax = RiskCurveDisplay.from_study(study).plot().ax_
    >>> ax.get_xlabel()
    'cut-off on score'
    """

    thresholds: FloatArray
    risk: FloatArray
    standard_error: FloatArray
    threshold: float
    risk_at_threshold: float
    trivial_risk: float
    rivals: list[tuple[str, float, float]] = field(default_factory=list)
    direction: str = "ge"
    score: str = "score"
    unit: str = "risk"

    captions: ClassVar = {
        "study choice": "Risk of the patients used to choose, at every cut-off, with one standard "
        "error to either side.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the curve from a study, or from the content of ``study.json``.

        The trivial risk is that among the same patients, or at the target prevalence if there is
        one.
        """
        document = document_of(StudyDocument, study)
        curve, costs, patients = document.curve, document.costs, document.patients
        trivial = costs.trivial_risk(patients.select_positive / patients.select)
        if document.target_prevalence is not None:
            trivial = document.certificate.trivial_risk
        return cls(
            thresholds=array(curve.thresholds),
            risk=array(curve.risk),
            standard_error=array(curve.standard_error),
            threshold=document.threshold,
            risk_at_threshold=document.risk,
            trivial_risk=trivial,
            rivals=[(one.rule, one.threshold, one.risk) for one in document.rivals],
            direction=document.direction,
            score=document.score,
            unit=risk_unit(costs),
        )

    def draw(self, ax: Any) -> Any:
        """Draw the curve."""
        # A patient at the cut-off is called, so the risk steps just beyond a score.
        step = "pre" if self.direction == "ge" else "post"
        low, high = self.risk - self.standard_error, self.risk + self.standard_error
        words = "\N{PLUS-MINUS SIGN} 1 bootstrap standard error"
        draw_band(ax, self.thresholds, np.maximum(low, 0), high, words, step)
        look = {"color": BLUE, "drawstyle": f"steps-{step}", "label": "risk"}
        drawn = ax.plot(self.thresholds, self.risk, **look)
        trivial = {"color": BLACK, "linestyle": DASHED, "linewidth": 1}
        ax.axhline(self.trivial_risk, label="call nobody, or everybody", **trivial)
        mark_cut_off(ax, self.threshold)
        ax.plot([self.threshold], [self.risk_at_threshold], "o", color=VERMILLION, zorder=4)
        for (name, threshold, risk), marker in zip(self.rivals, MARKERS, strict=False):
            place = {"color": BLACK, "markerfacecolor": "white", "linestyle": "", "zorder": 3}
            ax.plot([threshold], [risk], marker, label=f"{name} would choose", **place)
        ax.set_ylim(bottom=0)
        name_score_axis(ax, self.score)
        ax.set_ylabel(self.unit)
        return drawn

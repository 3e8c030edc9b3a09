"""Risk of the choosing patients along the cut-off."""

from typing import Any, ClassVar

import numpy as np

from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, VERMILLION
from steadycut.show.figures.display import StudyDisplay, array
from steadycut.show.figures.elements import (
    DASHED,
    draw_band,
    mark_cut_off,
    name_score_axis,
    risk_unit,
)

MARKERS = ("s", "^", "D", "v")


class RiskCurveDisplay(StudyDisplay):
    """Risk at every cut-off among the patients used to choose, plus and minus one standard error.

    ``trivial_risk`` is that of calling nobody, or everybody, among the same patients, or at the
    target prevalence if there is one.

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

    captions: ClassVar = {
        "study choice": "Risk of the patients used to choose, at every cut-off, with one standard "
        "error to either side."
    }

    def __init__(self, study: StudyDocument) -> None:
        super().__init__(study)
        patients = study.patients
        self.trivial_risk = study.costs.trivial_risk(patients.select_positive / patients.select)
        if study.target_prevalence is not None:
            self.trivial_risk = study.certificate.trivial_risk

    def draw(self, ax: Any) -> Any:
        """Draw the curve."""
        study, curve = self.study, self.study.curve
        risk, error = array(curve.risk), array(curve.standard_error)
        # A patient at the cut-off is called, so the risk steps just beyond a score.
        step = "pre" if study.direction == "ge" else "post"
        words = "\N{PLUS-MINUS SIGN} 1 bootstrap standard error"
        draw_band(ax, curve.thresholds, np.maximum(risk - error, 0), risk + error, words, step)
        look = {"color": BLUE, "drawstyle": f"steps-{step}", "label": "risk"}
        drawn = ax.plot(curve.thresholds, risk, **look)
        trivial = {"color": BLACK, "linestyle": DASHED, "linewidth": 1}
        ax.axhline(self.trivial_risk, label="call nobody, or everybody", **trivial)
        mark_cut_off(ax, study.threshold)
        ax.plot([study.threshold], [study.risk], "o", color=VERMILLION, zorder=4)
        for rival, marker in zip(study.rivals, MARKERS, strict=False):
            place = {"color": BLACK, "markerfacecolor": "white", "linestyle": "", "zorder": 3}
            words = f"{rival.rule} would choose"
            ax.plot([rival.threshold], [rival.risk], marker, label=words, **place)
        ax.set_ylim(bottom=0)
        name_score_axis(ax, study.score)
        ax.set_ylabel(risk_unit(study.costs))
        return drawn

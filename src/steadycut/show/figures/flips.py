"""How often a resampled study would decide differently, by the score of a patient."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.diagnose import flip_probability
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, GREY
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DOTTED, mark_cut_off, name_score_axis, note_below
from steadycut.study.explorer import GREY_ZONE


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class FlipsDisplay(Display):
    """Flip probability as a function of the score, and the grey zone; no patient is shown.

    Parameters
    ----------
    scores, flips
        The function, shape (n_points,), by ascending score; it jumps at these scores.
    grey, grey_at_least
        The scores between which at least this share of the resampled studies decides differently.
    n_grey, n_patients
        Patients in the grey zone, None if they were not counted, and all patients.
    threshold, direction
        The chosen cut-off, and which side of it is called.
    score
        Name of the axis.
    """

    scores: FloatArray
    flips: FloatArray
    grey: FloatArray
    grey_at_least: float
    n_grey: int | None
    n_patients: int
    threshold: float
    direction: str = "ge"
    score: str = "score"

    captions: ClassVar = dict.fromkeys(
        ("study stability", "audit calls"),
        "How often a resampled study would decide otherwise about a patient, by the score; the "
        "grey zone is shaded.",
    )

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the draws from a study, and count the patients used to check.

        Without patients of both classes who certify, nobody is counted.
        """
        document = document_of(StudyDocument, study)
        part, n_grey = document.explorer, None
        if part is not None:
            n_grey = part.grey_positive[part.frozen] + part.grey_negative[part.frozen]
        return cls._of(document, n_grey, document.patients.certify)

    @classmethod
    def from_audit(cls, audit: Source[CutOffAudit]) -> Self:
        """Take the draws from an audit, and count its patients."""
        document = document_of(CutOffAudit, audit)
        return cls._of(document, document.grey_zone.patients, document.n_patients)

    @classmethod
    def _of(
        cls, document: StudyDocument | CutOffAudit, n_grey: int | None, n_patients: int
    ) -> Self:
        sign = 1.0 if document.direction == "ge" else -1.0
        threshold, draws = sign * document.threshold, sign * np.array(document.bootstrap_thresholds)
        inside = np.unique([*draws, threshold])
        margin = 0.15 * (inside[-1] - inside[0]) or 0.01 * abs(threshold) or 0.5
        scores = np.array([inside[0] - margin, *inside, inside[-1] + margin])
        flips = flip_probability(scores, threshold, draws)
        order = slice(None) if sign > 0 else slice(None, None, -1)
        return cls(
            scores=array((sign * scores)[order]),
            flips=array(flips[order]),
            grey=array(np.sort(sign * grey_ends(scores, flips, threshold))),
            grey_at_least=GREY_ZONE,
            n_grey=n_grey,
            n_patients=n_patients,
            threshold=document.threshold,
            direction=document.direction,
            score=document.score,
        )

    def draw(self, ax: Any) -> Any:
        """Draw the function."""
        step = "post" if self.direction == "ge" else "pre"
        ax.axvspan(*self.grey, color=GREY, alpha=0.25, linewidth=0, label="grey zone")
        ax.fill_between(self.scores, self.flips, step=step, color=BLUE, alpha=0.2, linewidth=0)
        style = f"steps-{step}"
        words = "decided otherwise"
        drawn = ax.plot(self.scores, self.flips, color=BLUE, drawstyle=style, label=words)
        edge = f"{100 * self.grey_at_least:g} %"
        ax.axhline(self.grey_at_least, color=BLACK, linestyle=DOTTED, linewidth=1.2, label=edge)
        mark_cut_off(ax, self.threshold)
        ax.set_ylim(0, max(1.1 * self.flips.max(), 2 * self.grey_at_least))
        name_score_axis(ax, self.score, "a patient's")
        ax.set_ylabel("share of resampled studies")
        if self.n_grey is not None:
            note_below(ax, f"{self.n_grey} of {self.n_patients} patients are in the grey zone")
        return drawn


def grey_ends(scores: FloatArray, flips: FloatArray, threshold: float) -> FloatArray:
    """Return the scores between which at least `GREY_ZONE` of resampled studies decide differently.

    Each value of ``flips`` holds from its score up to the next score. Both ends are the threshold
    if there is no such score.

    Examples
    --------
    >>> grey_ends(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.2, 0.1, 0.0]), 2.0)
    array([1., 3.])
    """
    # Rounded, because 1 - 0.9 is a little less than 0.1.
    grey = np.flatnonzero(flips.round(9) >= GREY_ZONE)
    return np.array([scores[grey[0]], scores[grey[-1] + 1]] if grey.size else [threshold] * 2)

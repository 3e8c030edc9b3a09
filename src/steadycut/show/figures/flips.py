"""How often a resampled study would decide differently, by the score of a patient."""

from typing import Any, ClassVar

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.diagnose import flip_probability
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, GREY
from steadycut.show.figures.display import CutOffDisplay, finite_cuts
from steadycut.show.figures.elements import DOTTED, mark_cut_off, name_score_axis, note_below
from steadycut.show.words.numbers import percent
from steadycut.study.explorer import GREY_ZONE


class FlipsDisplay(CutOffDisplay):
    """Flip probability as a function of the score, and the grey zone; no patient is shown.

    The function jumps at the ``scores``. Between the two scores of ``grey`` many resampled studies
    decide otherwise.
    """

    captions: ClassVar = dict.fromkeys(
        ("study stability", "audit calls"),
        "How often a resampled study would decide otherwise about a patient, by the score; the "
        "grey zone is shaded.",
    )

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        sign = 1.0 if document.direction == "ge" else -1.0
        threshold, draws = sign * document.threshold, sign * np.array(document.bootstrap_thresholds)
        inside = finite_cuts(np.unique([*draws, threshold]))
        margin = 0.15 * (inside[-1] - inside[0]) or 0.01 * abs(inside[0]) or 0.5
        scores = np.array([inside[0] - margin, *inside, inside[-1] + margin])
        flips = flip_probability(scores, threshold, draws)
        order = slice(None) if sign > 0 else slice(None, None, -1)
        self.scores, self.flips = (sign * scores)[order], flips[order]
        self.grey = np.sort(sign * grey_ends(scores, flips, threshold))

    @property
    def counted(self) -> tuple[int, int] | None:
        """How many patients are in the grey zone, and all; None if they were not counted."""
        document = self.document
        if isinstance(document, CutOffAudit):
            return document.grey_zone.patients, document.n_patients
        part = document.explorer
        if part is None:
            return None
        grey = part.grey_positive[part.frozen] + part.grey_negative[part.frozen]
        return grey, document.patients.certify

    def draw(self, ax: Any) -> Any:
        """Draw the function."""
        step = "post" if self.document.direction == "ge" else "pre"
        ax.axvspan(*self.grey, color=GREY, alpha=0.25, linewidth=0, label="grey zone")
        ax.fill_between(self.scores, self.flips, step=step, color=BLUE, alpha=0.2, linewidth=0)
        style = f"steps-{step}"
        words = "decided otherwise"
        drawn = ax.plot(self.scores, self.flips, color=BLUE, drawstyle=style, label=words)
        edge = percent(GREY_ZONE)
        ax.axhline(GREY_ZONE, color=BLACK, linestyle=DOTTED, linewidth=1.2, label=edge)
        mark_cut_off(ax, self.document.threshold)
        ax.set_ylim(0, max(1.1 * self.flips.max(), 2 * GREY_ZONE))
        name_score_axis(ax, self.document.score, "a patient's")
        ax.set_ylabel("share of resampled studies")
        if self.counted is not None:
            note_below(ax, "{} of {} patients are in the grey zone".format(*self.counted))
        return drawn


def grey_ends(scores: FloatArray, flips: FloatArray, threshold: float) -> FloatArray:
    """Return the scores between which at least `GREY_ZONE` of resampled studies decide differently.

    Each value of ``flips`` holds from its score up to the next score. Both ends are the threshold
    if there is no such score, or the nearest score.

    Examples
    --------
    >>> grey_ends(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.2, 0.1, 0.0]), 2.0)
    array([1., 3.])
    """
    # Rounded, because 1 - 0.9 is a little less than 0.1.
    grey = np.flatnonzero(flips.round(9) >= GREY_ZONE)
    ends = scores[[grey[0], min(grey[-1] + 1, scores.size - 1)]] if grey.size else [threshold] * 2
    return np.clip(ends, scores[0], scores[-1])

"""How much risk an error of the cut-off can cost, by the size of the error."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, ORANGE, PURPLE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, risk_unit, shorten


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class ModulusDisplay(Display):
    """The risk modulus of the choosing patients, its two upper bands, and the radius.

    Parameters
    ----------
    widths, empirical, multiscale, dkw
        The modulus and its bands by the width of the window, shape (n_widths,); a band that does
        not hold is NaN.
    radius, modulus, penalty
        The bootstrap radius, the modulus there, and the penalty, which is the band there.
    largest_cost
        The largest cost of a decision; the axis ends there.
    score, unit
        Names of the two axes.
    """

    widths: FloatArray
    empirical: FloatArray
    multiscale: FloatArray
    dkw: FloatArray
    radius: float
    modulus: float
    penalty: float
    largest_cost: float
    score: str = "score"
    unit: str = "risk"

    captions: ClassVar = {
        "study stability": "The most risk in any stretch of scores, by its length, with upper "
        "bands; the penalty is the band at the radius.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the modulus from a study, or from the content of ``study.json``.

        The multiscale band is NaN at a target prevalence, where it does not hold.
        """
        document = document_of(StudyDocument, study)
        curve, stability, costs = document.modulus_curve, document.stability, document.costs
        return cls(
            widths=array(curve.widths),
            empirical=array(curve.empirical),
            multiscale=array(curve.multiscale or [None] * len(curve.widths)),
            dkw=array(curve.dkw),
            radius=stability.radius,
            modulus=stability.modulus,
            penalty=stability.penalty,
            largest_cost=max(costs.cost_fn, costs.cost_fp),
            score=document.score,
            unit=risk_unit(costs),
        )

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        top = 1.05 * min(float(self.dkw.max()), self.largest_cost)
        lines = (
            ("dkw band", self.dkw, PURPLE, DASH_DOT),
            ("multiscale band", self.multiscale, ORANGE, DASHED),
            ("modulus", self.empirical, BLUE, "-"),
        )
        drawn = []
        for label, values, colour, style in lines:
            if not np.isnan(values).all():
                # A window does not hold the score at its end, so the steps are just beyond a width.
                look = {"color": colour, "linestyle": style, "drawstyle": "steps-pre"}
                words = f"{label}, above the axis" if values.min() > top else label
                drawn += ax.plot(self.widths, values, label=words, **look)
        ax.axvline(self.radius, color=BLACK, linestyle=DOTTED, label="bootstrap radius")
        ends = ([self.radius] * 2, [self.modulus, self.penalty])
        ax.plot(*ends, "o", color=VERMILLION, label="there, and the penalty")
        ax.set_ylim(0, top)
        ax.set_xlim(left=0)
        ax.set_xlabel(f"error of the cut-off, in units of {shorten(self.score)}", parse_math=False)
        ax.set_ylabel(self.unit)
        return drawn

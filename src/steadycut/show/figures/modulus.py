"""How much risk an error of the cut-off can cost, by the size of the error."""

from typing import Any, ClassVar

from steadycut.show.figures.colours import BLACK, BLUE, ORANGE, PURPLE, VERMILLION
from steadycut.show.figures.display import StudyDisplay
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, risk_unit, shorten


class ModulusDisplay(StudyDisplay):
    """The risk modulus of the choosing patients, its two upper bands, and the radius."""

    captions: ClassVar = {
        "study stability": "The most risk in any stretch of scores, by its length, with upper "
        "bands; the penalty is the band at the radius."
    }

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        curve, stability, costs = self.study.modulus_curve, self.study.stability, self.study.costs
        # The axis ends at the largest cost of a decision.
        top = 1.05 * min(max(curve.dkw), max(costs.cost_fn, costs.cost_fp))
        lines = (
            ("dkw band", curve.dkw, PURPLE, DASH_DOT),
            ("multiscale band", curve.multiscale, ORANGE, DASHED),
            ("modulus", curve.empirical, BLUE, "-"),
        )
        drawn = []
        for label, values, colour, style in lines:
            # At a target prevalence the multiscale band does not hold.
            if values is not None:
                # A window does not hold the score at its end, so the steps are just beyond a width.
                look = {"color": colour, "linestyle": style, "drawstyle": "steps-pre"}
                words = f"{label}, above the axis" if min(values) > top else label
                drawn += ax.plot(curve.widths, values, label=words, **look)
        ax.axvline(stability.radius, color=BLACK, linestyle=DOTTED, label="bootstrap radius")
        ends = ([stability.radius] * 2, [stability.modulus, stability.penalty])
        ax.plot(*ends, "o", color=VERMILLION, label="there, and the penalty")
        ax.set_ylim(0, top)
        ax.set_xlim(left=0)
        score = shorten(self.study.score)
        ax.set_xlabel(f"error of the cut-off, in units of {score}", parse_math=False)
        ax.set_ylabel(risk_unit(costs))
        return drawn

"""Cut-off and risk as one error gets more expensive than the other."""

from typing import Any, ClassVar

from steadycut.core.rounding import significant, who_is_called
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, VERMILLION
from steadycut.show.figures.display import StudyDisplay
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, note_below

# The cut-off is written at every fourth point.
WRITTEN = 4
# Numbers have a white background, so that no line runs through them.
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}


class CostsDisplay(StudyDisplay):
    """Risk of the patients used to check at other ratios of the costs, with the same sum."""

    height: ClassVar = 4.2
    captions: ClassVar = {
        "study tipping-point": "What the rule would have chosen at other costs, and the risk of "
        "that, beside the risk of the frozen cut-off there."
    }

    def __init__(self, study: StudyDocument) -> None:
        super().__init__(study)
        if study.cost_curve is None:
            msg = "an ensemble has no cut-offs at other costs to show; fit it at those costs."
            raise BadPatients(msg)
        self.curve = study.cost_curve

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        curve, costs = self.curve, self.study.costs
        lines = (
            ("cut-off chosen at these costs", curve.risk, BLUE, "-"),
            ("the frozen cut-off", curve.frozen_risk, VERMILLION, DASH_DOT),
            ("call nobody, or everybody", curve.trivial_risk, BLACK, DASHED),
        )
        drawn = [
            ax.plot(curve.ratio, values, color=colour, linestyle=style, label=label)[0]
            for label, values, colour, style in lines
        ]
        own = costs.cost_fn / costs.cost_fp
        ax.axvline(own, color=BLACK, linestyle=DOTTED, label="costs of the study")
        ratios, risks = curve.ratio[::WRITTEN], curve.risk[::WRITTEN]
        ax.plot(ratios, risks, "o", color=BLUE)
        for ratio, risk, cut in zip(ratios, risks, curve.threshold[::WRITTEN], strict=True):
            where = {"textcoords": "offset points", "ha": "center", "va": "top", "bbox": PAPER}
            text = who_is_called(cut, self.study.direction) or significant(cut)
            ax.annotate(text, (ratio, risk), (0, -7), **where)
        ax.set_xscale("log")
        ax.set_xticks(ratios, [f"{ratio:.2g}" for ratio in ratios])
        ax.minorticks_off()
        ax.margins(x=0.08)
        ax.set_ylim(-0.12 * max(curve.trivial_risk), None)
        ax.set_xlabel("cost of a miss / cost of a false alarm")
        note_below(ax, "numbers at the points: the cut-off that is chosen there")
        total = costs.cost_fn + costs.cost_fp
        ax.set_ylabel(f"average cost per patient (costs sum to {total:g})")
        return drawn[0]

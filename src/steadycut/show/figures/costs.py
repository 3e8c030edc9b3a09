"""Cut-off and risk as one error gets more expensive than the other."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from steadycut.core.checks import FloatArray
from steadycut.core.rounding import significant
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASH_DOT, DASHED, DOTTED, note_below

# The cut-off is written at every fourth point.
WRITTEN = 4
# Numbers have a white background, so that no line runs through them.
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class CostsDisplay(Display):
    """Risk of the patients used to check at other ratios of the costs, with the same sum.

    Parameters
    ----------
    ratios
        Cost of a miss over cost of a false alarm, shape (n_ratios,), ascending.
    thresholds, risk
        The cut-off that the rule chooses at each ratio, and its risk.
    frozen_risk, trivial_risk
        The risk of the frozen cut-off, and of calling nobody, or everybody.
    ratio, threshold
        The ratio of the study and its cut-off.
    total_cost
        The sum of both costs.
    """

    ratios: FloatArray
    thresholds: FloatArray
    risk: FloatArray
    frozen_risk: FloatArray
    trivial_risk: FloatArray
    ratio: float
    threshold: float
    total_cost: float = 2.0

    height: ClassVar = 4.2
    captions: ClassVar = {
        "study tipping-point": "What the rule would have chosen at other costs, and the risk of "
        "that, beside the risk of the frozen cut-off there.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the curves from a study, or from the content of ``study.json``."""
        document = document_of(StudyDocument, study)
        curve, costs = document.cost_curve, document.costs
        if curve is None:
            msg = "an ensemble has no cut-offs at other costs to show; fit it at those costs."
            raise BadPatients(msg)
        return cls(
            ratios=array(curve.ratio),
            thresholds=array(curve.threshold),
            risk=array(curve.risk),
            frozen_risk=array(curve.frozen_risk),
            trivial_risk=array(curve.trivial_risk),
            ratio=costs.cost_fn / costs.cost_fp,
            threshold=document.threshold,
            total_cost=costs.cost_fn + costs.cost_fp,
        )

    def draw(self, ax: Any) -> Any:
        """Draw the curves."""
        lines = (
            ("cut-off chosen at these costs", self.risk, BLUE, "-"),
            ("the frozen cut-off", self.frozen_risk, VERMILLION, DASH_DOT),
            ("call nobody, or everybody", self.trivial_risk, BLACK, DASHED),
        )
        drawn = [
            ax.plot(self.ratios, values, color=colour, linestyle=style, label=label)[0]
            for label, values, colour, style in lines
        ]
        ax.axvline(self.ratio, color=BLACK, linestyle=DOTTED, label="costs of the study")
        ax.plot(self.ratios[::WRITTEN], self.risk[::WRITTEN], "o", color=BLUE)
        for i in range(0, self.ratios.size, WRITTEN):
            where = {"textcoords": "offset points", "ha": "center", "va": "top", "bbox": PAPER}
            place = (self.ratios[i], self.risk[i])
            ax.annotate(significant(float(self.thresholds[i])), place, (0, -7), **where)
        ax.set_xscale("log")
        ax.set_xticks(self.ratios[::WRITTEN], [f"{one:.2g}" for one in self.ratios[::WRITTEN]])
        ax.minorticks_off()
        ax.margins(x=0.08)
        ax.set_ylim(-0.12 * self.trivial_risk.max(), None)
        ax.set_xlabel("cost of a miss / cost of a false alarm")
        note_below(ax, "numbers at the points: the cut-off that is chosen there")
        ax.set_ylabel(f"average cost per patient (costs sum to {self.total_cost:g})")
        return drawn[0]

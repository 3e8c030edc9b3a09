"""What becomes of cut-off and risk as one error gets dearer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import costs_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    DASH_DOT,
    DASHED,
    DOTTED,
    VERMILLION,
    axes_or_new,
    legend_above,
    note_below,
    tidy,
)
from steadycut.show.numbers import significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study

# Every so many points the cut-off is written.
WRITTEN = 4
# Numbers lie on a patch of paper, so that no line runs through them.
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CostsDisplay(Display):
    """Risk of the certifying patients at other ratios of the costs, whose sum stays.

    Parameters
    ----------
    ratios
        Cost of a miss over cost of a false alarm, shape (n_ratios,), ascending.
    thresholds, risk
        What the rule chooses at each, and the risk of that.
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

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "CostsDisplay":
        """Take the curve out of a study or of the content of ``study.json``."""
        return cls(**costs_data(study))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the curves on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 4.2)
        lines = (
            ("cut-off chosen at these costs", self.risk, BLUE, "-"),
            ("the frozen cut-off", self.frozen_risk, VERMILLION, DASH_DOT),
            ("call nobody, or everybody", self.trivial_risk, BLACK, DASHED),
        )
        for label, values, colour, style in lines:
            ax.plot(self.ratios, values, color=colour, linestyle=style, label=label)
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
        tidy(ax)
        legend_above(ax)
        return ax

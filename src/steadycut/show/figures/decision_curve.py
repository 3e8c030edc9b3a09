"""Net benefit of the cut-off by threshold probability."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import decision_curve_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    DASH_DOT,
    DASHED,
    DOTTED,
    GREEN,
    SKY,
    VERMILLION,
    axes_or_new,
    legend_above,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DecisionCurveDisplay(Display):
    """Decision curve of the frozen cut-off, with calling everybody and nobody.

    Parameters
    ----------
    probabilities
        Threshold probabilities, cost_fp / (cost_fn + cost_fp), shape (n_points,).
    net_benefit, standard_error
        Of the frozen cut-off at each, in true positives per patient.
    best
        The largest of any cut-off, which only hindsight knows.
    everybody
        Of calling everybody; calling nobody has 0.
    probability
        The one that the costs of the study say.
    prevalence
        Share of positive patients: the largest net benefit there is.
    """

    probabilities: FloatArray
    net_benefit: FloatArray
    standard_error: FloatArray
    best: FloatArray
    everybody: FloatArray
    probability: float
    prevalence: float

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "DecisionCurveDisplay":
        """Count the certifying patients of a study, or of the content of ``study.json``."""
        return cls(**decision_curve_data(study))

    @classmethod
    def from_audit(cls, audit: Any) -> "DecisionCurveDisplay":
        """Count the patients of an audit, or of the content of ``audit.json``."""
        return cls(**decision_curve_data(audit))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the curves on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 4.1)
        lowest = -0.25 * self.prevalence
        error = self.standard_error
        band = [np.maximum(self.net_benefit + one, 2 * lowest) for one in (-error, error)]
        look = {"color": SKY, "alpha": 0.35, "linewidth": 0}
        ax.fill_between(self.probabilities, *band, label="\N{PLUS-MINUS SIGN} 1 error", **look)
        lines = (
            ("the frozen cut-off", self.net_benefit, BLUE, "-"),
            ("best cut-off, in hindsight", self.best, GREEN, DASH_DOT),
            ("call everybody", self.everybody, BLACK, DASHED),
            ("call nobody", np.zeros(self.best.size), BLACK, DOTTED),
        )
        for label, values, colour, style in lines:
            seen = values >= 2 * lowest
            look = {"color": colour, "linestyle": style, "label": label}
            ax.plot(self.probabilities[seen], values[seen], **look)
        ax.axvline(self.probability, color=VERMILLION, linewidth=1.2, label="costs of the study")
        ax.set_xlim(0, 1)
        ax.set_ylim(lowest, 1.1 * self.prevalence)
        ax.set_xlabel("threshold probability")
        ax.set_ylabel("net benefit per patient")
        tidy(ax)
        legend_above(ax)
        return ax

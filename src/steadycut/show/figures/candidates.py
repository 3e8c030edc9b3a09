"""The scores and aggregators that were tried, one row each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import candidates_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLUE,
    GREY,
    ORANGE,
    VERMILLION,
    axes_or_new,
    legend_above,
    name_rows,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CandidatesDisplay(Display):
    """Every candidate: smallest risk, risk at its cut-off, and J, risk plus instability penalty.

    Parameters
    ----------
    names
        Score and aggregators of each candidate, from the top down.
    smallest_risk, risk, objective
        Of each candidate among the choosing patients, shape (n_candidates,).
    chosen
        Which of them was chosen.
    n_left_out
        How many more there are.
    unit
        Name of the axis.
    """

    names: list[str]
    smallest_risk: FloatArray
    risk: FloatArray
    objective: FloatArray
    chosen: int | None = None
    n_left_out: int = 0
    unit: str = "risk"

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "CandidatesDisplay":
        """Take the candidates out of a study or of the content of ``study.json``."""
        return cls(**candidates_data(study))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the rows on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 1.5 + 0.3 * len(self.names))
        places = np.arange(len(self.names))
        if self.chosen is not None:
            band = {"color": VERMILLION, "alpha": 0.15, "linewidth": 0, "label": "chosen"}
            ax.axhspan(self.chosen - 0.5, self.chosen + 0.5, **band)
        ax.hlines(places, self.smallest_risk, self.objective, color=GREY, linewidth=1)
        marks = (
            ("smallest risk", self.smallest_risk, "|", BLUE),
            ("risk at its cut-off", self.risk, "o", BLUE),
            ("smallest risk + penalty (J)", self.objective, "D", ORANGE),
        )
        for label, values, marker, colour in marks:
            look = {"color": colour, "markersize": 10 if marker == "|" else 6, "linestyle": ""}
            ax.plot(values, places, marker, markeredgewidth=1.6, label=label, **look)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        name_rows(ax, self.names, self.n_left_out)
        tidy(ax)
        legend_above(ax)
        return ax

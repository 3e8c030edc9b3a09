"""Where the cut-off falls when the patients are resampled."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import threshold_draws_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    GREY,
    axes_or_new,
    legend_above,
    mark_cut_off,
    name_score_axis,
    note_below,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThresholdDrawsDisplay(Display):
    """Histogram of the bootstrap cut-offs, with the chosen one and its radius.

    Parameters
    ----------
    draws
        Bootstrap cut-offs, shape (n_bootstrap,).
    counts, edges
        How many of them lie in each bin, and the edges of the bins.
    threshold, radius
        The chosen cut-off, and how far from it the radius reaches to either side.
    note
        What is wrong with their distribution: several modes, or a flat one.
    score
        Name of the axis.
    """

    draws: FloatArray
    counts: FloatArray
    edges: FloatArray
    threshold: float
    radius: float
    note: str = ""
    score: str = "score"

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "ThresholdDrawsDisplay":
        """Take the bootstrap cut-offs out of a study or of the content of ``study.json``."""
        return cls(**threshold_draws_data(study))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the histogram on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 3.9)
        ends = (self.threshold - self.radius, self.threshold + self.radius)
        ax.axvspan(*ends, color=GREY, alpha=0.25, linewidth=0, label="within the radius")
        for end in ends:
            ax.axvline(end, color=BLACK, linestyle=":", linewidth=1)
        ax.bar(
            self.edges[:-1],
            self.counts,
            width=np.diff(self.edges),
            align="edge",
            color=BLUE,
            edgecolor="white",
            linewidth=0.6,
            label="bootstrap cut-offs",
        )
        mark_cut_off(ax, self.threshold)
        name_score_axis(ax, self.score)
        note_below(ax, self.note)
        ax.set_ylabel(f"replicates (of {self.draws.size})")
        ax.yaxis.get_major_locator().set_params(integer=True)
        tidy(ax)
        legend_above(ax)
        return ax

"""The cut-off that each site would have chosen alone."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import sites_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLUE,
    GREY,
    axes_or_new,
    legend_above,
    mark_cut_off,
    name_rows,
    name_score_axis,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SitesDisplay(Display):
    """One row a site, the largest first: its own cut-off beside the common one.

    Parameters
    ----------
    names
        Sites with the number of their choosing patients, from the top down.
    thresholds
        The cut-off of each, NaN where a site lacks a class, shape (n_sites,).
    threshold, radius
        The common cut-off, and how far from it the radius reaches to either side.
    n_left_out
        How many smaller sites there are.
    score
        Name of the axis.
    """

    names: list[str]
    thresholds: FloatArray
    threshold: float
    radius: float
    n_left_out: int = 0
    score: str = "score"

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "SitesDisplay":
        """Take the sites out of a study of several, or of the content of ``study.json``."""
        return cls(**sites_data(study))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the rows on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 1.4 + 0.3 * len(self.names))
        places = np.arange(len(self.names))
        ends = (self.threshold - self.radius, self.threshold + self.radius)
        ax.axvspan(*ends, color=GREY, alpha=0.25, linewidth=0, label="within the radius")
        mark_cut_off(ax, self.threshold)
        ax.hlines(places, self.threshold, self.thresholds, color=BLUE, linewidth=1)
        ax.plot(self.thresholds, places, "o", color=BLUE, label="the site alone")
        for place in places[np.isnan(self.thresholds)]:
            where = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
            ax.annotate("lacks a class", (self.threshold, place), (6, 0), **where)
        name_score_axis(ax, self.score)
        name_rows(ax, self.names, self.n_left_out)
        tidy(ax)
        legend_above(ax)
        return ax

"""The cut-off that each site would have chosen alone."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.reading import Source, document_of
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY
from steadycut.show.figures.display import Display, array
from steadycut.show.figures.elements import MOST_ROWS, mark_cut_off, name_rows, name_score_axis


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SitesDisplay(Display):
    """One row per site, the largest first: its own cut-off beside the common one.

    Parameters
    ----------
    names
        Sites with the number of their choosing patients, from the top down.
    thresholds
        The cut-off of each site, NaN where the site lacks a class, shape (n_sites,).
    threshold, radius
        The common cut-off, and its radius on either side.
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

    height: ClassVar = 1.4
    row_height: ClassVar = 0.3

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the sites from a study of several sites, or from the content of ``study.json``."""
        document = document_of(StudyDocument, study)
        if document.sites is None:
            msg = "a study of one site has no cut-offs by site to show; name a site column."
            raise BadPatients(msg)
        rows = sorted(document.sites.rows, key=lambda row: -row.select)
        return cls(
            names=[f"{row.site} ({row.select})" for row in rows[:MOST_ROWS]],
            thresholds=array([row.threshold for row in rows[:MOST_ROWS]]),
            threshold=document.threshold,
            radius=document.stability.radius,
            n_left_out=len(rows[MOST_ROWS:]),
            score=document.score,
        )

    def draw(self, ax: Any) -> None:
        """Draw the rows."""
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

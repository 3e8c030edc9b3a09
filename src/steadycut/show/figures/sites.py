"""A forest plot of hospitals: the cost at each, and the limits for the next one."""

from typing import Any, ClassVar

import numpy as np

from steadycut.documents.study import NextSitePart, SiteRowPart, StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY, VERMILLION
from steadycut.show.figures.display import StudyDisplay, array
from steadycut.show.figures.elements import MOST_ROWS, name_rows, risk_unit
from steadycut.show.words.numbers import rate, whole_percent


class SitesDisplay(StudyDisplay):
    """One row per hospital, the largest first, then one row per limit for the next hospital.

    ``limits`` are those of the average cost at the next hospital, by name. Of very many hospitals,
    only the largest ones and the one that makes the limit are kept.
    """

    height: ClassVar = 1.6
    row_height: ClassVar = 0.3
    captions: ClassVar = {
        "study next-site": "Each hospital: average cost with its interval, at a cut-off that its "
        "own patients did not choose. Below: upper limits of the cost at the next hospital, each "
        "with its probability. It can be higher."
    }

    def __init__(self, study: StudyDocument) -> None:
        super().__init__(study)
        known = study.next_site
        if known is None:
            raise BadPatients("a study of one site has no sites to compare; name a site column.")
        everyone = sorted(known.rows, key=lambda row: -row.counts.confusion.n_patients)
        self.rows, self.limits = everyone[:MOST_ROWS], limits_of(known)
        if all(row.site != known.worst.site for row in self.rows):
            self.rows[-1] = next(row for row in everyone if row.site == known.worst.site)
        self.n_left_out = len(everyone) - len(self.rows)
        names = [f"{row.site} ({row.counts.confusion.n_patients})" for row in self.rows]
        self.names = [*names, *self.limits]

    def draw(self, ax: Any) -> Any:
        """Draw the marks of every row."""
        rows, places = self.rows, np.arange(len(self.rows))
        low, high = zip(*(row.interval for row in rows), strict=True)
        ax.hlines(places, low, high, color=BLUE, linewidth=1.4)
        costs, trivial = array([row.cost for row in rows]), [row.trivial_cost for row in rows]
        drawn = ax.plot(costs, places, "s", color=BLUE, markersize=5, label="hospital")
        everybody = "call everybody or nobody"
        ax.plot(trivial, places, "|", color=GREY, markersize=11, label=everybody)
        below, limits = len(rows) + np.arange(len(self.limits)), list(self.limits.values())
        ax.hlines(below, 0, limits, color=VERMILLION, linewidth=1.4)
        ax.plot(limits, below, "<", color=VERMILLION, label="next hospital, at most")
        ax.axhline(len(rows) - 0.5, color=GREY, linewidth=0.6)
        look = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": "small"}
        for place, row in enumerate(rows):
            ax.annotate(rates_of(row), (1.01, place), annotation_clip=False, **look)
        ax.set_xlim(left=0)
        ax.set_xlabel(risk_unit(self.study.costs))
        name_rows(ax, self.names, self.n_left_out)
        return drawn


def limits_of(known: NextSitePart) -> dict[str, float]:
    """Return the limits for the next hospital, with their names."""
    worst = f"next, worst hospital, {whole_percent(known.worst.promise)}"
    limits = {worst: known.worst.limit}
    if known.normal is not None and known.normal.limit is not None:
        limits[f"next, normal, {whole_percent(known.normal.level)}"] = known.normal.limit
    return limits


def rates_of(row: SiteRowPart) -> str:
    """Write sensitivity and specificity at a hospital."""
    counts = row.counts.confusion
    return f"sens {rate(counts.sensitivity)}, spec {rate(counts.specificity)}"

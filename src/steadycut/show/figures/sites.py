"""A forest plot of hospitals: the cost at each, and the limits for the next one."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.reading import Source
from steadycut.documents.study import NextSitePart, SiteRowPart, StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import MOST_ROWS, name_rows, risk_unit
from steadycut.show.words.numbers import rate, whole_percent


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class SitesDisplay(Display):
    """One row per hospital, the largest first, then one row per limit for the next hospital.

    Parameters
    ----------
    names
        Hospitals with their number of patients, then the limits, from the top down.
    costs, low, high
        The average cost at each hospital with its interval, shape (n_sites,).
    trivial
        What calling everybody or nobody costs there, whichever is less, shape (n_sites,).
    notes
        Sensitivity and specificity at each hospital.
    limits
        The limits for the next hospital, shape (n_limits,).
    n_left_out
        How many other hospitals there are.
    unit
        Name of the axis.
    """

    names: list[str]
    costs: FloatArray
    low: FloatArray
    high: FloatArray
    trivial: FloatArray
    notes: list[str]
    limits: FloatArray
    n_left_out: int = 0
    unit: str = "average cost per patient"

    height: ClassVar = 1.6
    row_height: ClassVar = 0.3
    captions: ClassVar = {
        "study next-site": "Each hospital: average cost with its interval, at a cut-off that its "
        "own patients did not choose. Below: upper limits of the cost at the next hospital, each "
        "with its probability. It can be higher.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the hospitals from a study of several, or from the content of ``study.json``."""
        document = document_of(StudyDocument, study)
        found = document.next_site
        if found is None:
            msg = "a study of one site has no sites to compare; name a site column."
            raise BadPatients(msg)
        everyone = sorted(found.rows, key=lambda row: -row.counts.confusion.n_patients)
        rows, limits = everyone[:MOST_ROWS], limits_of(found)
        # The hospital that makes the limit is always shown.
        if all(row.site != found.worst.site for row in rows):
            rows[-1] = next(row for row in everyone if row.site == found.worst.site)
        return cls(
            names=[f"{row.site} ({row.counts.confusion.n_patients})" for row in rows]
            + list(limits),
            costs=array([row.cost for row in rows]),
            low=array([row.interval[0] for row in rows]),
            high=array([row.interval[1] for row in rows]),
            trivial=array([row.trivial_cost for row in rows]),
            notes=[rates_of(row) for row in rows],
            limits=array(list(limits.values())),
            n_left_out=len(everyone) - len(rows),
            unit=risk_unit(document.costs),
        )

    def draw(self, ax: Any) -> Any:
        """Draw the rows."""
        places = np.arange(self.costs.size)
        ax.hlines(places, self.low, self.high, color=BLUE, linewidth=1.4)
        drawn = ax.plot(self.costs, places, "s", color=BLUE, markersize=5, label="hospital")
        everybody = "call everybody or nobody"
        ax.plot(self.trivial, places, "|", color=GREY, markersize=11, label=everybody)
        below = self.costs.size + np.arange(self.limits.size)
        ax.hlines(below, 0, self.limits, color=VERMILLION, linewidth=1.4)
        ax.plot(self.limits, below, "<", color=VERMILLION, label="next hospital, at most")
        ax.axhline(self.costs.size - 0.5, color=GREY, linewidth=0.6)
        look = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": "small"}
        for place, note in zip(places, self.notes, strict=True):
            ax.annotate(note, (1.01, place), annotation_clip=False, **look)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        name_rows(ax, self.names, self.n_left_out)
        return drawn


def limits_of(found: NextSitePart) -> dict[str, float]:
    """Return the limits for the next hospital, with their names."""
    worst = f"next, worst hospital, {whole_percent(found.worst.promise)}"
    limits = {worst: found.worst.limit}
    if found.normal is not None and found.normal.limit is not None:
        limits[f"next, normal, {whole_percent(found.normal.level)}"] = found.normal.limit
    return limits


def rates_of(row: SiteRowPart) -> str:
    """Write sensitivity and specificity."""
    counts = row.counts.confusion
    rates = [None if one is None else 1 - one for one in (counts.miss_rate, counts.alarm_rate)]
    return "sens {}, spec {}".format(*map(rate, rates))

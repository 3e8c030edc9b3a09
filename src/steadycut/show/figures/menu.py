"""The cut-offs that an adaptation chose from: how many patients each calls, or what it costs."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.reading import Source
from steadycut.show.figures.colours import BLUE, GREY, ORANGE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import name_rows, risk_unit
from steadycut.show.words.numbers import cut


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class MenuDisplay(Display):
    """One row for each cut-off, the chosen one shaded.

    Parameters
    ----------
    names
        Name and value of each cut-off, from the top down.
    values
        The observed cost of each, or without labels the share of patients that it calls.
    limits
        Upper limits of the cost; NaN without labels.
    chosen
        The row of the cut-off to use.
    unit
        Name of the axis.
    """

    names: list[str]
    values: FloatArray
    limits: FloatArray
    chosen: int
    unit: str

    height: ClassVar = 1.2
    row_height: ClassVar = 0.24

    @classmethod
    def from_adaptation(cls, adaptation: Source[AdaptationDocument]) -> Self:
        """Take the cut-offs from an adaptation, or from the content of ``adapt.json``."""
        document = document_of(AdaptationDocument, adaptation)
        rows, labelled = document.candidates, document.labels is not None
        return cls(
            names=[f"{one.name}: {cut(one.threshold)}" for one in rows],
            values=array([one.risk if labelled else one.call_rate for one in rows]),
            limits=array([one.limit for one in rows]),
            chosen=next(place for place, one in enumerate(rows) if one.chosen),
            unit=risk_unit(document.costs) if labelled else "share of patients called",
        )

    def draw(self, ax: Any) -> Any:
        """Draw the rows."""
        places = np.arange(self.values.size)
        band = {"color": VERMILLION, "alpha": 0.15, "linewidth": 0, "label": "to use"}
        ax.axhspan(self.chosen - 0.5, self.chosen + 0.5, **band)
        labelled = not np.isnan(self.limits).all()
        if labelled:
            ax.hlines(places, self.values, self.limits, color=GREY, linewidth=1)
            ax.plot(self.limits, places, "<", color=ORANGE, label="at most")
        drawn = ax.plot(self.values, places, "o", color=BLUE, label="seen" if labelled else None)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        name_rows(ax, self.names)
        return drawn

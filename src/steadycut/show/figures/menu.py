"""The cut-offs that an adaptation chose from: how many patients each calls, or what it costs."""

from typing import Any, ClassVar, Self

from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.reading import Source
from steadycut.show.figures.colours import BLUE, GREY, ORANGE, VERMILLION
from steadycut.show.figures.display import Display, document_of
from steadycut.show.figures.elements import name_rows, risk_unit
from steadycut.show.words.numbers import cut


class MenuDisplay(Display):
    """One row for each cut-off, the chosen one shaded: its cost, or whom it calls."""

    height: ClassVar = 1.2
    row_height: ClassVar = 0.24

    def __init__(self, adaptation: AdaptationDocument) -> None:
        self.found = adaptation
        self.names = [f"{row.name}: {cut(row.threshold)}" for row in adaptation.candidates]

    @classmethod
    def from_adaptation(cls, adaptation: Source[AdaptationDocument]) -> Self:
        """Take the cut-offs from an adaptation, or from the content of ``adapt.json``."""
        return cls(document_of(AdaptationDocument, adaptation))

    def draw(self, ax: Any) -> Any:
        """Draw the rows."""
        rows, labelled = self.found.candidates, self.found.labels is not None
        places, values = range(len(rows)), [row.risk if labelled else row.call_rate for row in rows]
        band = {"color": VERMILLION, "alpha": 0.15, "linewidth": 0, "label": "to use"}
        chosen = next(place for place in places if rows[place].chosen)
        ax.axhspan(chosen - 0.5, chosen + 0.5, **band)
        if labelled:
            limits = [row.limit for row in rows]
            ax.hlines(places, values, limits, color=GREY, linewidth=1)
            ax.plot(limits, places, "<", color=ORANGE, label="at most")
        drawn = ax.plot(values, places, "o", color=BLUE, label="seen" if labelled else None)
        ax.set_xlim(left=0)
        ax.set_xlabel(risk_unit(self.found.costs) if labelled else "share of patients called")
        name_rows(ax, self.names)
        return drawn

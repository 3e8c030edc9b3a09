"""The scores and aggregators that were tried, one row each."""

from typing import Any, ClassVar

from steadycut.documents.study import CandidatePart, StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY, ORANGE, VERMILLION
from steadycut.show.figures.display import StudyDisplay
from steadycut.show.figures.elements import MOST_ROWS, name_rows, risk_unit
from steadycut.show.words.sentences import chain_in_short


class CandidatesDisplay(StudyDisplay):
    """Every candidate: smallest risk, risk at its cut-off, and J, risk plus instability penalty.

    The ``rows`` are sorted by their smallest risk. Of very many, only the first ones and the chosen
    one are kept.
    """

    height: ClassVar = 1.5
    row_height: ClassVar = 0.3
    captions: ClassVar = {
        "study candidates": "Every candidate: smallest risk, risk at its cut-off, and objective."
    }

    def __init__(self, study: StudyDocument) -> None:
        super().__init__(study)
        if len(study.candidates) == 1:
            raise BadPatients(
                "a study of one candidate has none to compare; name several scores or aggregators."
            )
        ranked = enumerate(sorted(study.candidates, key=lambda row: row.smallest_risk))
        self.rows = [row for place, row in ranked if place < MOST_ROWS - 1 or row.chosen]
        several = len({row.score for row in study.candidates}) > 1
        self.names = [_name(row, with_score=several) for row in self.rows]

    def draw(self, ax: Any) -> Any:
        """Draw the marks of every candidate."""
        rows, places = self.rows, range(len(self.rows))
        for place in [place for place in places if rows[place].chosen][:1]:
            band = {"color": VERMILLION, "alpha": 0.15, "linewidth": 0, "label": "chosen"}
            ax.axhspan(place - 0.5, place + 0.5, **band)
        smallest, objective = [row.smallest_risk for row in rows], [row.objective for row in rows]
        ax.hlines(places, smallest, objective, color=GREY, linewidth=1)
        marks = (
            ("smallest risk", smallest, "|", BLUE),
            ("risk at its cut-off", [row.risk for row in rows], "o", BLUE),
            ("smallest risk + penalty (J)", objective, "D", ORANGE),
        )
        drawn = []
        for label, values, marker, colour in marks:
            look = {"color": colour, "markersize": 10 if marker == "|" else 6, "linestyle": ""}
            drawn += ax.plot(values, places, marker, markeredgewidth=1.6, label=label, **look)
        ax.set_xlim(left=0)
        ax.set_xlabel(risk_unit(self.study.costs))
        name_rows(ax, self.names, len(self.study.candidates) - len(rows))
        return drawn


def _name(row: CandidatePart, *, with_score: bool) -> str:
    chain = chain_in_short(row.aggregation)
    return f"{row.score}: {chain}" if with_score else chain

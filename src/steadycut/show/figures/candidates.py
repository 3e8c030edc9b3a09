"""The scores and aggregators that were tried, one row each."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.reading import Source
from steadycut.documents.study import CandidatePart, StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, GREY, ORANGE, VERMILLION
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import MOST_ROWS, name_rows, risk_unit


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class CandidatesDisplay(Display):
    """Every candidate: smallest risk, risk at its cut-off, and J, risk plus instability penalty.

    Parameters
    ----------
    names
        Score and aggregators of each candidate, from the top down.
    smallest_risk, risk, objective
        Smallest risk, risk at the cut-off, and J of each candidate, among the patients used to
        choose, shape (n_candidates,).
    chosen
        Place of the chosen candidate.
    n_left_out
        How many more candidates there are.
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

    height: ClassVar = 1.5
    row_height: ClassVar = 0.3
    captions: ClassVar = {
        "study candidates": "Every candidate: smallest risk, risk at its cut-off, and objective.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the candidates from a study, or from the content of ``study.json``.

        They are sorted by their smallest risk. Of very many, only the first ones and the chosen one
        are kept.
        """
        document = document_of(StudyDocument, study)
        rows = sorted(document.candidates, key=lambda row: row.smallest_risk)
        if len(rows) == 1:
            msg = (
                "a study of one candidate has none to compare; name several scores or aggregators."
            )
            raise BadPatients(msg)
        several = len({row.score for row in rows}) > 1
        shown = [row for i, row in enumerate(rows) if i < MOST_ROWS - 1 or row.chosen]
        return cls(
            names=[_name(row, with_score=several) for row in shown],
            smallest_risk=array([row.smallest_risk for row in shown]),
            risk=array([row.risk for row in shown]),
            objective=array([row.objective for row in shown]),
            chosen=next((i for i, row in enumerate(shown) if row.chosen), None),
            n_left_out=len(rows) - len(shown),
            unit=risk_unit(document.costs),
        )

    def draw(self, ax: Any) -> Any:
        """Draw the rows."""
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
        drawn = []
        for label, values, marker, colour in marks:
            look = {"color": colour, "markersize": 10 if marker == "|" else 6, "linestyle": ""}
            drawn += ax.plot(values, places, marker, markeredgewidth=1.6, label=label, **look)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        name_rows(ax, self.names, self.n_left_out)
        return drawn


def _name(row: CandidatePart, *, with_score: bool) -> str:
    """Return how a score is aggregated, as in ``tumour: slide max, patient mean``."""
    chain = ", ".join(f"{step.level} {step.how}" for step in row.aggregation)
    return f"{row.score}: {chain}" if with_score else chain

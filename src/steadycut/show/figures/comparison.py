"""Rules compared: their risk at the first hospital, where they chose, and at the other one."""

from typing import Any, ClassVar, Self

import numpy as np

from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.reading import Source
from steadycut.show.figures.colours import BLACK, BLUE, GREEN, ORANGE
from steadycut.show.figures.display import Display, document_of
from steadycut.show.figures.elements import DASHED, MOST_ROWS, name_rows, risk_unit

OFFSET = 0.14


class ComparisonDisplay(Display):
    """One row per rule: risk at the first hospital and at the other, with standard errors.

    A mark shows the smallest risk of any cut-off there, which is known only in hindsight.
    """

    height: ClassVar = 1.5
    row_height: ClassVar = 0.36
    captions: ClassVar = {
        "comparison comparison": "Risk of every rule at the first hospital and at the second, "
        "with standard errors."
    }

    def __init__(self, comparison: ComparisonDocument) -> None:
        self.comparison, self.rows = comparison, comparison.rows[:MOST_ROWS]
        self.names = [row.name for row in self.rows]

    @classmethod
    def from_comparison(cls, comparison: Source[ComparisonDocument]) -> Self:
        """Take the rows from a comparison, or from the content of ``compare.json``."""
        return cls(document_of(ComparisonDocument, comparison))

    def draw(self, ax: Any) -> Any:
        """Draw the marks of every rule."""
        rows, places = self.rows, np.arange(len(self.rows))
        look = {"color": GREEN, "markersize": 11, "markeredgewidth": 2}
        best = [row.best_external for row in rows]
        ax.plot(best, places + OFFSET, "|", label="best there, in hindsight", **look)
        first = [(row.risk_validation, row.risk_validation_se) for row in rows]
        other = [(row.risk_external, row.risk_external_se) for row in rows]
        drawn = []
        for label, risks, marker, colour, offset in (
            ("first hospital", first, "o", BLUE, -OFFSET),
            ("other hospital", other, "s", ORANGE, OFFSET),
        ):
            values, errors = zip(*risks, strict=True)
            look = {"fmt": marker, "color": colour, "ecolor": BLACK, "elinewidth": 1, "capsize": 2}
            made = ax.errorbar(values, places + offset, xerr=errors, label=label, **look)
            drawn.append(made[0])
        trivial, words = self.comparison.trivial_external, "call nobody, or everybody, there"
        ax.axvline(trivial, color=BLACK, linestyle=DASHED, linewidth=1, label=words)
        ax.set_xlim(left=0)
        unit = risk_unit(self.comparison.costs)
        ax.set_xlabel(f"{unit}, \N{PLUS-MINUS SIGN} 1 standard error")
        name_rows(ax, self.names)
        return drawn

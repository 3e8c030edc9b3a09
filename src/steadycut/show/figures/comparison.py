"""Rules compared: their risk at the first hospital, where they chose, and at the other one."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.reading import Source
from steadycut.show.figures.colours import BLACK, BLUE, GREEN, ORANGE
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASHED, MOST_ROWS, name_rows, risk_unit

OFFSET = 0.14


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class ComparisonDisplay(Display):
    """One row per rule: risk at the first hospital and at the other, with standard errors.

    Parameters
    ----------
    names
        The rules, from the top down.
    risk_validation, risk_validation_se
        Risk of the patients used to check at the first hospital, shape (n_rules,).
    risk_external, risk_external_se
        Risk at the other hospital, shape (n_rules,).
    best_external
        The smallest risk of any cut-off there, known only in hindsight, shape (n_rules,).
    trivial_external
        Risk at the other hospital of calling nobody, or everybody.
    unit
        Name of the axis.
    """

    names: list[str]
    risk_validation: FloatArray
    risk_validation_se: FloatArray
    risk_external: FloatArray
    risk_external_se: FloatArray
    best_external: FloatArray
    trivial_external: float
    unit: str = "risk"

    height: ClassVar = 1.5
    row_height: ClassVar = 0.36
    captions: ClassVar = {
        "comparison comparison": "Risk of every rule at the first hospital and at the second, "
        "with standard errors.",
    }

    @classmethod
    def from_comparison(cls, comparison: Source[ComparisonDocument]) -> Self:
        """Take the rows from a comparison, or from the content of ``compare.json``."""
        document = document_of(ComparisonDocument, comparison)
        rows = document.rows[:MOST_ROWS]
        return cls(
            names=[row.name for row in rows],
            risk_validation=array([row.risk_validation for row in rows]),
            risk_validation_se=array([row.risk_validation_se for row in rows]),
            risk_external=array([row.risk_external for row in rows]),
            risk_external_se=array([row.risk_external_se for row in rows]),
            best_external=array([row.best_external for row in rows]),
            trivial_external=document.trivial_external,
            unit=risk_unit(document.costs),
        )

    def draw(self, ax: Any) -> Any:
        """Draw the rows."""
        places = np.arange(len(self.names))
        look = {"color": GREEN, "markersize": 11, "markeredgewidth": 2}
        ax.plot(self.best_external, places + OFFSET, "|", label="best there, in hindsight", **look)
        rows = (
            ("first hospital", self.risk_validation, self.risk_validation_se, "o", BLUE, -OFFSET),
            ("other hospital", self.risk_external, self.risk_external_se, "s", ORANGE, OFFSET),
        )
        drawn = []
        for label, values, errors, marker, colour, offset in rows:
            look = {"fmt": marker, "color": colour, "ecolor": BLACK, "elinewidth": 1, "capsize": 2}
            made = ax.errorbar(values, places + offset, xerr=errors, label=label, **look)
            drawn.append(made[0])
        words = "call nobody, or everybody, there"
        ax.axvline(self.trivial_external, color=BLACK, linestyle=DASHED, linewidth=1, label=words)
        ax.set_xlim(left=0)
        ax.set_xlabel(f"{self.unit}, \N{PLUS-MINUS SIGN} 1 standard error")
        name_rows(ax, self.names)
        return drawn

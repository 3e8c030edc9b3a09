"""The decisions about the patients of a table, and what ``steadycut apply --json`` says of them."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import FiniteFloat

from steadycut.core.frames import Columns, Framed
from steadycut.documents.parts import CutOff, CutOffs, Part


class AppliedDocument(Part):
    """What the decisions about the patients of a table come to; a kind of rule fills its fields.

    ``thresholds`` are the boundaries of strata, or the cut-offs by ``covariate``; ``pooled`` counts
    the patients of groups without a cut-off of their own, whom the pooled cut-off decides.
    """

    threshold: CutOff | None = None
    thresholds: CutOffs | dict[str, CutOff] | None = None
    covariate: str | None = None
    n_patients: int
    pooled: int | None = None
    strata: dict[str, int] | None = None
    called: int | None = None
    call_rate: FiniteFloat | None = None
    flip_rate: FiniteFloat


class Decisions(dict[str, Any], Framed):
    """The decisions about the patients of a table: arrays by the name of their column."""

    # A dictionary would compare whole arrays by their truth, and has no hash.
    __eq__, __ne__ = Framed.__eq__, object.__ne__
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return how many there are; no patient is shown."""
        return f"Decisions about {len(self.get('score', ()))} patients: {', '.join(self)}"

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"decisions": lambda: {name: one for name, one in self.items() if one is not None}}

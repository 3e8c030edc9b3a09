"""The content of ``strata-study.json``: risk strata and how far to trust them."""

from typing import Final, Literal

from pydantic import Field, FiniteFloat

from steadycut.documents.parts import CertificatePart, DataPart, Part, Step
from steadycut.documents.strata import BoundaryPart, StrataOptionsPart, StrataRoles, StrataStability

SCHEMA: Final = "steadycut.strata-study/1"


class StrataStudyDocument(Part):
    """Everything in ``strata-study.json``."""

    schema_: Literal["steadycut.strata-study/1"] = Field(default=SCHEMA, alias="schema")
    strata: list[str]
    grades: list[str]
    thresholds: list[FiniteFloat]
    operating_values: list[FiniteFloat | None]
    direction: Literal["ge", "le"]
    rule: str
    score: str
    aggregation: list[Step]
    costs: list[list[FiniteFloat]]
    risk: FiniteFloat
    certificate: CertificatePart
    boundaries: list[BoundaryPart]
    counts: list[list[int]]
    stability: StrataStability
    patients: StrataRoles
    options: StrataOptionsPart
    data: DataPart | None = None

"""The content of ``covariate-study.json``: cut-offs by covariate and what they are worth."""

from typing import Final, Literal

from pydantic import Field, FiniteFloat

from steadycut.documents.covariate import CutPart, DifferencePart, EnoughPart
from steadycut.documents.parts import (
    CertificatePart,
    CostsPart,
    CountsPart,
    DataPart,
    Part,
    Range,
    RoleCounts,
    Step,
)

SCHEMA: Final = "steadycut.covariate-study/1"


class PooledCut(Part):
    """The cut-off of all patients together."""

    threshold: FiniteFloat
    rank: FiniteFloat
    certificate: CertificatePart


class CovariateStudyDocument(Part):
    """Everything in ``covariate-study.json``."""

    schema_: Literal["steadycut.covariate-study/1"] = Field(default=SCHEMA, alias="schema")
    kind: Literal["groups", "smooth"]
    covariate: str
    covariate_range: Range | None
    cuts: list[CutPart]
    pooled: PooledCut
    direction: Literal["ge", "le"]
    aggregation: list[Step]
    costs: CostsPart
    score_range: Range
    certificate: CertificatePart
    difference: DifferencePart
    test: EnoughPart
    score: str
    rule: str
    seed: int
    flip_rate: FiniteFloat
    operating_point: CountsPart
    patients: RoleCounts
    warnings: list[str]
    data: DataPart | None = None

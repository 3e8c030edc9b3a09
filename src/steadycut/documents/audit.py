"""The content of ``audit.json``: what a frozen cut-off does to patients of another hospital."""

from typing import Final, Literal

from pydantic import Field, FiniteFloat

from steadycut.documents.parts import (
    CertificatePart,
    CostsPart,
    DataPart,
    EnsembleShares,
    ExplorerPart,
    Floats,
    OperatingPointPart,
    Part,
    Range,
    ScoresPart,
    Step,
)
from steadycut.documents.rule import RuleDocument

SCHEMA: Final = "steadycut.audit/1"
Verdict = Literal["holds", "does not hold", "cannot tell"]


class PrevalencePart(Part):
    """The prevalence here under label shift; None where it is not identifiable."""

    value: FiniteFloat | None
    interval: Range | None
    interval_level: FiniteFloat
    approximate_interval: Range | None
    identifiable: bool


class ShapeTestPart(Part):
    """Whether the scores here can be a mixture of the two classes of the first hospital."""

    statistic: FiniteFloat | None
    p_value: FiniteFloat | None
    n_bootstrap: int


class RiskRangePart(Part):
    """The risk here if the class shapes did not move, and what that assumes."""

    low: FiniteFloat | None
    high: FiniteFloat | None
    estimate: FiniteFloat | None
    level: FiniteFloat | None
    assumes: str


class RescalingPart(Part):
    """The affine change of scale that comes nearest to explaining the scores here."""

    compatible: bool | None
    needed: bool | None
    factor: FiniteFloat | None
    offset: FiniteFloat | None
    prevalence: FiniteFloat | None
    p_value: FiniteFloat | None
    text: str


class MatchedCutPart(Part):
    """The cut-off that calls the same share here as before, and what that assumes."""

    threshold: FiniteFloat | None
    call_rate: FiniteFloat | None
    assumes: str


class GreyZonePart(Part):
    """How many patients have a decision that often changes between resampled studies."""

    patients: int
    share: FiniteFloat
    at_least: FiniteFloat


class ShiftParts(Part):
    """A change of risk, part by part; a part is None where a hospital lacks that class."""

    prevalence: FiniteFloat
    shape_positive: FiniteFloat | None
    shape_negative: FiniteFloat | None
    total: FiniteFloat


class ShiftRanges(Part):
    """The interval of each part of the change."""

    prevalence: Range
    shape_positive: Range
    shape_negative: Range
    total: Range


class ShiftIntervals(Part):
    """Intervals of all parts of the change, for both ways of splitting it."""

    signed: ShiftRanges
    shapley: ShiftRanges


class ShiftPart(ShiftParts):
    """The paper's Shift(t), and the exact signed parts of the change."""

    signed: ShiftParts
    shapley: ShiftParts
    intervals: ShiftIntervals


class WithoutLabels(Part):
    """What the scores here say without labels, and what cannot be known."""

    prevalence_estimate: PrevalencePart
    shape_test: ShapeTestPart
    call_rate: FiniteFloat
    call_rate_internal: FiniteFloat
    call_rate_expected: FiniteFloat | None
    risk_range: RiskRangePart
    rescaling: RescalingPart
    quantile_matched: MatchedCutPart
    statements: list[str]


class AuditDocument(WithoutLabels):
    """Everything in ``audit.json`` of patients without labels."""

    schema_: Literal["steadycut.audit/1"] = Field(default=SCHEMA, alias="schema")
    threshold: FiniteFloat
    operating_value: FiniteFloat | None
    direction: Literal["ge", "le"]
    rule: str
    score: str
    aggregation: list[Step]
    ensemble: EnsembleShares | None
    costs: CostsPart
    delta: FiniteFloat
    certificate: CertificatePart
    n_patients: int
    labelled: bool = False
    scores: ScoresPart
    scores_internal: ScoresPart
    bootstrap_thresholds: Floats
    flip_rate: FiniteFloat
    grey_zone: GreyZonePart
    warnings: list[str]
    forced: list[str]
    small_cells: int | None = None
    verdict: Verdict
    verdict_text: str
    data: DataPart | None = None
    frozen_rule: RuleDocument | None = None


class LabelledAudit(AuditDocument):
    """Everything in ``audit.json`` of patients with labels."""

    labelled: bool = True
    risk_external: FiniteFloat
    risk_external_se: FiniteFloat
    risk_internal: FiniteFloat
    bound_external: FiniteFloat
    bound: str
    vacuous: bool
    operating_point: OperatingPointPart
    operating_point_internal: OperatingPointPart
    shift: ShiftPart
    base: FiniteFloat
    base_valid: FiniteFloat
    augmented: FiniteFloat
    explorer: ExplorerPart | None

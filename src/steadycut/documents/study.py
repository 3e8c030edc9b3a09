"""The content of ``study.json``: a cut-off, why it was chosen and how far it can be trusted."""

from typing import Final, Literal

from pydantic import Field, FiniteFloat

from steadycut.documents.parts import (
    CertificatePart,
    ClustersPart,
    CostsPart,
    DataPart,
    EnsembleShares,
    ExplorerPart,
    Floats,
    FloatsOrNone,
    IntervalPart,
    OperatingPointPart,
    Part,
    Range,
    RoleCounts,
    RuleOptions,
    ScoresPart,
    StabilityPart,
    Step,
)
from steadycut.documents.rule import RuleDocument

SCHEMA: Final = "steadycut.study/1"


class CriterionPart(Part):
    """The value of one criterion that the rule made best, in both roles."""

    name: str
    select: FiniteFloat | None
    certify: FiniteFloat | None


class CutIntervalPart(IntervalPart):
    """An interval of the cut-off itself, and what it is about."""

    meaning: str


class CutIntervals(Part):
    """Where the cut-off would lie with all patients, and in a repeated study."""

    confidence: FiniteFloat
    population: CutIntervalPart
    repeated_study: CutIntervalPart


class FrontierPart(Part):
    """For each prevalence, how far either class may deteriorate; None where that is not known."""

    prevalence: Floats
    shape_positive: FloatsOrNone
    shape_negative: FloatsOrNone


class TippingSide(Part):
    """How much may change until the limit is reached; None where no change reaches it."""

    miss_rate: FiniteFloat
    alarm_rate: FiniteFloat
    risk: FiniteFloat
    exceeded: bool
    slope: FiniteFloat
    prevalence: FiniteFloat | None
    prevalence_change: FiniteFloat | None
    shape_positive: FiniteFloat | None
    shape_negative: FiniteFloat | None
    frontier: FrontierPart


class TippingPart(Part):
    """The tipping point from the observed rates, and from upper limits on them."""

    limit: FiniteFloat
    delta: FiniteFloat
    prevalence: FiniteFloat
    estimate: TippingSide | None
    upper: TippingSide


class CandidatePart(Part):
    """One score and aggregator that was tried."""

    score: str
    aggregation: list[Step]
    threshold: FiniteFloat
    risk: FiniteFloat
    smallest_risk: FiniteFloat
    radius: FiniteFloat
    modulus: FiniteFloat
    penalty: FiniteFloat
    objective: FiniteFloat
    chosen: bool


class SitePart(Part):
    """What one internal site would have chosen alone, and its own certificate."""

    site: str
    select: int
    certify: int
    threshold: FiniteFloat | None
    quantile: FiniteFloat | None
    certificate: CertificatePart | None


class SitesPart(Part):
    """All internal sites, and how far apart their own cut-offs lie."""

    rows: list[SitePart]
    threshold_range: Range | None
    quantile_range: Range | None


class CurvePart(Part):
    """The risk of the choosing patients along the cut-off, with its standard error."""

    thresholds: Floats
    risk: Floats
    standard_error: Floats


class RivalPart(Part):
    """What another rule chooses on the same patients."""

    rule: str
    threshold: FiniteFloat
    risk: FiniteFloat


class ModulusCurvePart(Part):
    """The modulus and its two bands by the width of the window."""

    widths: Floats
    empirical: Floats
    multiscale: Floats | None
    dkw: Floats


class CostCurvePart(Part):
    """Cut-off and risk as one error gets more expensive than the other."""

    ratio: Floats
    threshold: Floats
    risk: Floats
    frozen_risk: Floats
    trivial_risk: Floats


class OptionsPart(RuleOptions):
    """All options that the numbers depend on."""

    seed: int


class StudyDocument(Part):
    """Everything in ``study.json``.

    ``instances``, ``data`` and ``frozen_rule`` are known where the study was made from a table.
    """

    schema_: Literal["steadycut.study/1"] = Field(default=SCHEMA, alias="schema")
    threshold: FiniteFloat
    operating_value: FiniteFloat | None
    direction: Literal["ge", "le"]
    rule: str
    score: str
    aggregation: list[Step]
    ensemble: EnsembleShares | None
    costs: CostsPart
    target_prevalence: Range | None
    risk: FiniteFloat
    criterion: list[CriterionPart]
    certificate: CertificatePart
    threshold_interval: CutIntervals
    operating_point: OperatingPointPart
    stability: StabilityPart
    tipping_point: TippingPart
    candidates: list[CandidatePart]
    sites: SitesPart | None
    curve: CurvePart
    rivals: list[RivalPart]
    modulus_curve: ModulusCurvePart
    cost_curve: CostCurvePart | None
    scores: ScoresPart
    explorer: ExplorerPart | None
    bootstrap_thresholds: Floats
    patients: RoleCounts
    options: OptionsPart
    instances: ClustersPart | None = None
    data: DataPart | None = None
    frozen_rule: RuleDocument | None = None

"""The content of ``audit.json``: what a frozen file decides about patients of another hospital.

The audit of every kind of frozen file is an `AuditDocument`. It has more parts where they make
sense: with labels it is a `LabelledAudit`, for one cut-off with the scores of the first hospital a
`CutOffAudit`, and with both a `LabelledCutOffAudit`.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import FiniteFloat

from steadycut.core.cost_change import CostChange
from steadycut.core.shift.parts import Distances
from steadycut.core.strata.certify import ErrorRate
from steadycut.core.verdict import Answer, Decision, Question
from steadycut.documents import parts
from steadycut.documents.kinds import AnyFrozen
from steadycut.documents.next_step import GroupName, NextStep
from steadycut.documents.rule import RuleDocument
from steadycut.documents.strata import BetweenPart, RatePart

# Why patients say nothing about a rule.
Reason = Literal["unit", "one class", "one score", "own patients", "no score"]


class VerdictPart(parts.Part):
    """The decision of an audit, and the three answers behind it.

    ``reason`` says why patients are not judged. ``change`` is the mean cost here less that before,
    at the prevalence here, with limits.
    """

    decision: Decision
    reason: Reason | None = None
    useful: Answer
    as_before: Answer
    within_certificate: Answer
    change: parts.Record[CostChange] | None = None


class RateChange(parts.Part):
    """How many patients are decided wrongly, here and before.

    ``moved`` is 1 if the rate is shown to be higher here, -1 if it is shown to be lower.
    """

    here: parts.Record[ErrorRate]
    before: parts.Record[ErrorRate]
    moved: int = 0


class QuestionPart(parts.Part):
    """One question of the verdict, with its answer and the numbers that it is about.

    ``patients_needed`` is how many labelled patients in all would answer an open question, at the
    observed rates and in four audits of five; None if it is answered, or stays open with many more.
    ``cost`` is the mean cost here, ``cost_without_score`` that of one decision for everybody.
    ``rates`` are the miss rate and the alarm rate at each boundary; where costs cannot be compared,
    ``incomparable`` says why.
    """

    question: Question
    answer: Answer
    patients_needed: int | None = None
    cost: FiniteFloat | None = None
    cost_without_score: FiniteFloat | None = None
    rates: list[RateChange] | None = None
    incomparable: Literal["unknown fate", "small cells", "no counts"] | None = None


class GroupPart(GroupName):
    """One site or subgroup, judged on its own.

    ``rates`` are the miss rate and the alarm rate at each boundary. Their limits, and that of the
    cost, hold for all groups together.
    """

    n_patients: int
    counts: list[parts.Counts]
    auc: FiniteFloat | None
    cost: FiniteFloat
    cost_limit: FiniteFloat
    rates: list[RatePart]
    verdict: VerdictPart


class PrevalencePart(parts.Part):
    """The prevalence here under label shift; None where it is not identifiable."""

    value: FiniteFloat | None
    interval: parts.Range | None
    interval_level: FiniteFloat
    approximate_interval: parts.Range | None
    identifiable: bool


class ShapeTestPart(parts.Part):
    """Whether the scores here can be a mixture of the two classes of the first hospital."""

    statistic: FiniteFloat | None
    p_value: FiniteFloat | None
    n_bootstrap: int


class RiskRangePart(parts.Part):
    """The risk here if the class shapes did not move."""

    low: FiniteFloat | None
    high: FiniteFloat | None
    estimate: FiniteFloat | None
    level: FiniteFloat | None


class RescalingPart(parts.Part):
    """The affine change of scale that comes nearest to explaining the scores here."""

    compatible: bool | None
    needed: bool | None
    factor: FiniteFloat | None
    offset: FiniteFloat | None
    prevalence: FiniteFloat | None
    p_value: FiniteFloat | None


class MatchedCutPart(parts.Part):
    """The cut-off that calls the same share here as before."""

    threshold: parts.CutOff | None
    call_rate: FiniteFloat | None


class GreyZonePart(parts.Part):
    """How many patients have a decision that often changes between resampled studies."""

    patients: int
    share: FiniteFloat
    at_least: FiniteFloat


class ShiftParts(parts.Part):
    """A change of risk, part by part; a part is None where a hospital lacks that class."""

    prevalence: FiniteFloat
    shape_positive: FiniteFloat | None
    shape_negative: FiniteFloat | None
    total: FiniteFloat


class ShiftRanges(parts.Part):
    """The interval of each part of the change."""

    prevalence: parts.Range
    shape_positive: parts.Range
    shape_negative: parts.Range
    total: parts.Range


class ShiftIntervals(parts.Part):
    """Intervals of all parts of the change, for both ways of splitting it."""

    signed: ShiftRanges
    shapley: ShiftRanges


class GammaPart(parts.Part):
    """The paper's allowance for chance, term by term."""

    positive: FiniteFloat
    negative: FiniteFloat
    prevalence: FiniteFloat
    total: FiniteFloat


class ShiftPart(ShiftParts):
    """The paper's Shift(t), and the exact signed parts of the change.

    ``distances`` is known for cut-offs; older files do not have it.
    """

    signed: ShiftParts
    shapley: ShiftParts
    intervals: ShiftIntervals
    distances: parts.Record[Distances] | None = None


class WithoutLabels(parts.Part):
    """What the scores here say without labels."""

    prevalence_estimate: PrevalencePart
    shape_test: ShapeTestPart
    call_rate: FiniteFloat
    call_rate_internal: FiniteFloat
    call_rate_expected: FiniteFloat | None
    risk_range: RiskRangePart
    rescaling: RescalingPart
    quantile_matched: MatchedCutPart


class CallsPart(parts.Part):
    """Exact limits of the share of patients who are called here; they need no labels.

    Both hold together with confidence ``level``. ``capacity`` is the largest share that the rule
    was asked to call, and ``within_capacity`` says whether the share here is at most this.
    """

    low: FiniteFloat
    high: FiniteFloat
    level: FiniteFloat
    capacity: FiniteFloat | None = None
    within_capacity: Answer | None = None


class BoundaryAudit(parts.Part):
    """The errors between two neighbouring actions, here and before.

    The limits of all boundaries hold together, each at ``delta``.
    """

    below: str
    above: str
    miss: RatePart
    alarm: RatePart
    miss_internal: RatePart | None
    alarm_internal: RatePart | None
    delta: FiniteFloat


class AuditDocument(parts.NamedClasses, parts.NewPatientsPart, parts.DecisionsPart):
    """Everything in ``audit.json`` of any frozen file and patients without labels.

    ``shares_internal`` are the shares by action where the file was made. ``between`` is known of
    strata of two limits. ``sites`` are the hospitals here, and ``first_site`` is that of the rule,
    where the table names them. ``margin`` is the share of the cost without a score that the rule
    may cost more than before.
    """

    schema_: Literal["steadycut.audit/1"] = parts.schema("steadycut.audit/1")
    score: str
    aggregation: list[parts.Step]
    call_rate: FiniteFloat
    flip_rate: FiniteFloat
    grey_zone: GreyZonePart
    small_cells: int | None = None
    survival: parts.SurvivalPart | None = None
    sequential: bool = False
    sites: list[str] | None = None
    first_site: str | None = None
    margin: FiniteFloat
    verdict: VerdictPart
    questions: list[QuestionPart]
    next_step: NextStep
    calls: CallsPart | None = None
    call_rate_internal: FiniteFloat | None
    shares_internal: parts.Floats | None
    between: BetweenPart | None = None
    unscored: parts.UnscoredPart | None = None
    frozen_rule: AnyFrozen | None = None


class LabelledAudit(AuditDocument):
    """Everything in ``audit.json`` of any frozen file and patients with labels.

    ``worst_group`` has the worst decision, ``failing`` are all to adapt or not to use, the worst
    first.
    ``certified_rates`` says of each rate that was certified whether it is still reached here.
    ``counts`` are the patients by grade and action, ``lower_external`` is a lower limit of the risk
    here. ``sides`` has both rates of strata of two limits, also those that were not shown before.

    For two grades and two actions there are operating points and the parts of the change.
    ``base`` and ``augmented`` are then the paper's, with its ``gamma`` and its penalty ``g_boot``.
    With the rule's own certificate and penalty they are ``base_exact`` and ``augmented_exact``.
    """

    labelled: bool = True

    groups: list[GroupPart]
    worst_group: GroupName | None
    failing: list[GroupName] | None = None
    risk_external: FiniteFloat
    risk_external_se: FiniteFloat
    risk_internal: FiniteFloat
    bound_external: FiniteFloat
    bound: str
    vacuous: bool
    certified_rates: list[parts.CertifiedRatePart] | None = None
    lower_external: FiniteFloat
    counts: list[parts.Counts]
    counts_internal: list[parts.Counts] | None
    boundaries: list[BoundaryAudit]
    sides: list[parts.CertifiedRatePart] | None = None
    operating_point: parts.OperatingPointPart | None = None
    operating_point_internal: parts.OperatingPointPart | None = None
    shift: ShiftPart | None = None
    base: FiniteFloat | None = None
    base_valid: FiniteFloat | None = None
    augmented: FiniteFloat | None = None
    gamma: GammaPart | None = None
    g_boot: FiniteFloat | None = None
    base_exact: FiniteFloat | None = None
    augmented_exact: FiniteFloat | None = None
    auc_internal: FiniteFloat | None = None
    explorer: parts.ExplorerPart | None = None


class CutOffAudit(WithoutLabels, AuditDocument):
    """What the audit of one cut-off says besides, if the file keeps the scores that chose it."""

    threshold: parts.CutOff
    operating_value: FiniteFloat | None
    rule: str
    ensemble: parts.EnsembleShares | None
    costs: parts.CostsPart
    call_rate_internal: FiniteFloat
    scores: parts.ScoresPart
    scores_internal: parts.ScoresPart
    bootstrap_thresholds: parts.CutOffs
    frozen_rule: RuleDocument | None = None


class LabelledCutOffAudit(CutOffAudit, LabelledAudit):
    """The same of patients with labels: all parts of the change of risk are known."""

    operating_point: parts.OperatingPointPart
    operating_point_internal: parts.OperatingPointPart
    shift: ShiftPart
    base: FiniteFloat
    base_valid: FiniteFloat
    augmented: FiniteFloat
    gamma: GammaPart


def model_of(content: Mapping[str, object]) -> type[AuditDocument]:
    """Return which of these documents the content of a file is."""
    labelled, cut_off = content.get("labelled") is True, "threshold" in content
    if cut_off:
        return LabelledCutOffAudit if labelled else CutOffAudit
    return LabelledAudit if labelled else AuditDocument

"""The content of ``study.json``: a cut-off, why it was chosen and how far it can be trusted."""

from typing import Literal

from pydantic import Field, FiniteFloat

from steadycut.core.aggregate.clusters import Clusters
from steadycut.core.bootstrap.draws import Disagreement
from steadycut.core.break_even import BreakEven
from steadycut.core.next_site import NormalLimit, Share, WorstSite
from steadycut.core.verdict import Answer, Overall
from steadycut.documents import parts
from steadycut.documents.rule import RuleDocument


class CriterionPart(parts.Part):
    """The value of one criterion that the rule made best, in both roles."""

    name: str
    select: FiniteFloat | None
    certify: FiniteFloat | None


class CutIntervalPart(parts.IntervalPart):
    """An interval of the cut-off itself, and what it is about."""

    meaning: str


class CutIntervals(parts.Part):
    """Where the cut-off would lie with all patients, and in a repeated study."""

    confidence: FiniteFloat
    population: CutIntervalPart
    repeated_study: CutIntervalPart


class FrontierPart(parts.Part):
    """For each prevalence, how far either class may deteriorate; None where that is not known."""

    prevalence: parts.Floats
    shape_positive: parts.FloatsOrNone
    shape_negative: parts.FloatsOrNone


class TippingSide(parts.Part):
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


class TippingPart(parts.Part):
    """The tipping point from the observed rates, and from upper limits on them."""

    limit: FiniteFloat
    delta: FiniteFloat
    prevalence: FiniteFloat
    estimate: TippingSide | None
    upper: TippingSide


class CandidatePart(parts.Part):
    """One score and aggregator that was tried."""

    score: str
    aggregation: list[parts.Step]
    threshold: parts.CutOff
    risk: FiniteFloat
    smallest_risk: FiniteFloat
    radius: FiniteFloat
    modulus: FiniteFloat
    penalty: FiniteFloat
    objective: FiniteFloat
    chosen: bool


class SiteRowPart(parts.Part):
    """One hospital: what a cut-off does there that its own patients did not choose.

    ``threshold`` is the cut-off of the other hospitals; None where they chose another score.
    ``cost`` is None where the prevalence was told and the hospital lacks ill or healthy patients.
    ``interval`` contains the mean cost with the confidence of the study. ``limit``, ``miss_limit``
    and ``alarm_limit`` are upper limits, each too low with probability ``delta``.
    """

    site: str
    threshold: parts.CutOff | None
    quantile: FiniteFloat | None
    counts: parts.CountsPart
    cost: FiniteFloat | None
    interval: parts.Range
    trivial_cost: FiniteFloat
    limit: FiniteFloat
    miss_limit: FiniteFloat
    alarm_limit: FiniteFloat
    useful: bool


class SharesPart(parts.Part):
    """Where the cut-off is useful, and where it costs at most ``cost_there``, if that was asked."""

    useful: parts.Record[Share]
    cost: parts.Record[Share] | None = None


class NextSitePart(parts.Part):
    """What several hospitals say about one that nobody has seen.

    ``split`` says that other hospitals chose the cut-off; otherwise every hospital was left out in
    turn. ``threshold_range`` is that of all cut-offs, the published one included, and ``between``
    the share of these patients with a score between them. ``prevalence`` is that at which the cost
    is taken; None for that of each hospital. ``sites_needed`` reach the ``level``.
    """

    n_sites: int
    split: bool
    delta: FiniteFloat
    level: FiniteFloat
    prevalence: parts.Range | None
    cost_there: FiniteFloat | None = None
    worst: parts.Record[WorstSite]
    share: SharesPart
    normal: parts.Record[NormalLimit] | None
    threshold_range: parts.CutOffRange | None
    between: FiniteFloat | None
    sites_needed: int | None
    rows: list[SiteRowPart]


class StudyRatePart(parts.CertifiedRatePart):
    """A certified rate, and what it takes to show it.

    ``patients_needed`` of the class show it at the observed rate in four studies of five. If that
    rate is too low, ``rate_needed`` is what as many patients as now show in four studies of five.
    """

    patients_needed: int | None = None
    rate_needed: FiniteFloat | None = None


class CertifiedCostPart(parts.Part):
    """Whether the average cost is at most a value that was fixed before the study."""

    asked: FiniteFloat
    observed: FiniteFloat
    delta: FiniteFloat
    answer: Answer


class StudyVerdictPart(parts.Part):
    """Whether the cut-off is useful, whether it is as good as asked, and the worse of both.

    ``as_asked`` is known where rates or a cost were asked for. For strata of two limits it alone is
    ``overall``, because nobody needs to state costs there. ``patients_needed`` in all would show
    that it is useful, at the observed rates and in four studies of five; None if that is known
    already, or if many more do not show it.
    """

    overall: Overall
    useful: Answer
    as_asked: Answer | None = None
    patients_needed: int | None = None


class AnyStudy(parts.Part):
    """What the document of every study says; older files have no ``verdict``.

    ``data`` is known where the study was made from a table.
    """

    schema_: str = Field(alias="schema")
    direction: Literal["ge", "le"]
    rule: str
    score: str
    aggregation: list[parts.Step]
    certificate: parts.CertificatePart
    data: parts.DataPart | None = None
    verdict: StudyVerdictPart | None = None


class CurvePart(parts.Part):
    """The risk of the choosing patients along the cut-off, with its standard error."""

    thresholds: parts.Floats
    risk: parts.Floats
    standard_error: parts.Floats


class RivalPart(parts.Part):
    """What another rule chooses on the same patients."""

    rule: str
    threshold: parts.CutOff
    risk: FiniteFloat


class ModulusCurvePart(parts.Part):
    """The modulus and its two bands by the width of the window."""

    widths: parts.Floats
    empirical: parts.Floats
    multiscale: parts.Floats | None
    dkw: parts.Floats


class CostCurvePart(parts.Part):
    """Cut-off and risk as one error gets more expensive than the other."""

    ratio: parts.Floats
    threshold: parts.CutOffs
    risk: parts.Floats
    frozen_risk: parts.Floats
    trivial_risk: parts.Floats


class HeldOutPart(parts.Part):
    """What the frozen cut-off does to patients who neither chose nor certified it.

    ``certificate`` is a bound of its own on the same risk, from these patients alone.
    """

    certificate: parts.CertificatePart
    operating_point: parts.OperatingPointPart


class StudyCounts(parts.RoleCounts):
    """How many patients there are in each role and class, and at how many sites, if known."""

    sites: int | None = None


class OptionsPart(parts.RuleOptions):
    """All options that the numbers depend on; the last three where somebody gave them."""

    seed: int
    sites_certify: list[str] | None = None
    prevalence_there: parts.Range | None = None
    cost_there: FiniteFloat | None = None


class StudyDocument(parts.NamedClasses, AnyStudy):
    """Everything in ``study.json``.

    ``instances`` and ``frozen_rule`` are known where the study was made from a table,
    ``certified_rates`` and ``test`` where somebody asked for them, ``survival`` with a horizon.
    Older files have no ``break_even`` and no ``disagreement``: about which share of patients two
    studies of this size would disagree.
    """

    schema_: Literal["steadycut.study/1"] = parts.schema("steadycut.study/1")
    threshold: parts.CutOff
    operating_value: FiniteFloat | None
    ensemble: parts.EnsembleShares | None
    costs: parts.CostsPart
    target_prevalence: parts.Range | None
    risk: FiniteFloat
    criterion: list[CriterionPart]
    threshold_interval: CutIntervals
    operating_point: parts.OperatingPointPart
    stability: parts.StabilityPart
    tipping_point: TippingPart
    candidates: list[CandidatePart]
    next_site: NextSitePart | None
    curve: CurvePart
    rivals: list[RivalPart]
    modulus_curve: ModulusCurvePart
    cost_curve: CostCurvePart | None
    scores: parts.ScoresPart
    explorer: parts.ExplorerPart | None
    bootstrap_thresholds: parts.CutOffs
    patients: StudyCounts
    options: OptionsPart
    instances: parts.Record[Clusters] | None = None
    frozen_rule: RuleDocument | None = None
    certified_rates: list[StudyRatePart] | None = None
    certified_cost: CertifiedCostPart | None = None
    cross_fitted: parts.CountsPart | None = None
    break_even: parts.Record[BreakEven] | None = None
    test: HeldOutPart | None = None
    survival: parts.SurvivalPart | None = None
    unscored: parts.UnscoredPart | None = None
    disagreement: parts.Record[Disagreement] | None = None

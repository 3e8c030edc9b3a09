"""The content of ``monitor.json``: what the patients who have arrived say about a frozen rule."""

from typing import Final, Literal

from pydantic import Field, FiniteFloat

from steadycut.documents import parts
from steadycut.documents.next_step import NextStep

DECISION_SCHEMA: Final = "steadycut.decision-monitor/1"


class TracePart(parts.Part):
    """What was seen up to each patient, with limits that hold at all times."""

    observed: parts.Floats
    lower: parts.Floats
    upper: parts.Floats
    martingale: parts.Floats | None = None
    martingale_too_many: parts.Floats | None = None
    martingale_too_few: parts.Floats | None = None


class WatchPart(parts.Part):
    """The latest state of a watch."""

    observed: FiniteFloat
    lower: FiniteFloat
    upper: FiniteFloat
    alarm_at: FiniteFloat
    first_alarm: int | None
    trace: TracePart


class RiskWatchPart(WatchPart):
    """The watch on the risk."""

    certified: FiniteFloat
    can_alarm: bool
    martingale: FiniteFloat
    false_alarm_if_certificate_true: FiniteFloat
    false_alarm_overall: FiniteFloat


class CallWatchPart(WatchPart):
    """The watch on the share of patients called."""

    internal: FiniteFloat
    internal_lower: FiniteFloat
    internal_upper: FiniteFloat
    martingale_too_many: FiniteFloat
    martingale_too_few: FiniteFloat
    false_alarm: FiniteFloat


class MonitorBase(parts.NewPatientsPart):
    """What the watch on every kind of frozen file says.

    The certified value is for patients of ``target_prevalence``, if there is one. ``rule_sha256``
    is the hash of the rule; older files do not have it.
    """

    direction: Literal["ge", "le"]
    certificate: parts.CertificatePart
    n_patients: int
    labelled: bool
    delta: FiniteFloat
    alarm: bool
    first_alarm: int | None
    risk: RiskWatchPart | None
    call_rate: CallWatchPart | None
    next_step: NextStep
    target_prevalence: parts.Range | None = None
    rule_sha256: str | None = None


class MonitorDocument(MonitorBase):
    """Everything in ``monitor.json`` of a cut-off."""

    schema_: Literal["steadycut.monitor/1"] = Field(default="steadycut.monitor/1", alias="schema")
    threshold: FiniteFloat
    costs: parts.CostsPart
    target_prevalence: parts.Range | None
    call_rate: CallWatchPart


class DecisionMonitor(MonitorBase):
    """Everything in ``monitor.json`` of any other frozen file, with the schema of that file.

    ``cost_matrix`` has a row for each grade and a column for each action. ``shares`` are the
    shares of the patients by action. ``call_rate`` watches any action but the lowest; it is None
    if the file does not say how often that was taken before.
    """

    schema_: Literal["steadycut.decision-monitor/1"] = Field(
        default=DECISION_SCHEMA, alias="schema"
    )
    frozen_schema: str
    attributes: list[str]
    grades: list[str]
    actions: list[str]
    cost_matrix: list[parts.Floats]
    shares: parts.Floats

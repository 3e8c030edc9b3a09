"""The content of ``monitor.json``: what the patients who have arrived say about a frozen rule."""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.documents import parts
from steadycut.documents.next_step import NextStep


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


class MonitorDocument(parts.NewPatientsPart, parts.DecisionsPart):
    """Everything in ``monitor.json`` of any frozen file.

    ``call_rate`` watches any action but the lowest; it is None if the file does not say how often
    that was taken before. The certified value is for patients of ``target_prevalence``, if there is
    one. ``threshold`` is known where there is one cut-off.
    """

    schema_: Literal["steadycut.monitor/1"] = parts.schema("steadycut.monitor/1")
    alarm: bool
    first_alarm: int | None
    risk: RiskWatchPart | None
    call_rate: CallWatchPart | None
    next_step: NextStep
    threshold: parts.CutOff | None = None
    rule_sha256: str | None = None

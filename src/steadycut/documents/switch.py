"""switch.json: the same patients scored by an old and a new version of the software."""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.core.verdict import Answer
from steadycut.documents.next_step import NextStep
from steadycut.documents.parts import Count, CutOff, NewPatientsPart, Part, schema


class ChangesPart(Part):
    """How many decisions change; ``low`` and ``high`` limit the share ``changed``."""

    n_patients: Count
    called_before: Count
    called_after: Count
    newly: Count
    no_longer: Count
    changed: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat


class MatchedPart(Part):
    """The cut-off of the new scores that calls as many as the old one.

    ``n_map`` patients gave it, and ``changes`` are those of the others.
    """

    threshold: CutOff
    n_map: Count
    changes: ChangesPart


class SwitchDocument(NewPatientsPart):
    """What a new version does to the decisions of a frozen file.

    ``same_decisions`` says whether at most ``margin`` of the decisions change, and
    ``call_rate_changed`` whether more or fewer patients are called, beyond chance. ``quantiles``
    maps old scores to new ones: pairs of the same quantile. Every limit holds with confidence
    1 - delta. ``threshold`` and ``matched`` are known for one cut-off.
    """

    schema_: Literal["steadycut.switch/1"] = schema("steadycut.switch/1")
    direction: Literal["ge", "le"]
    delta: FiniteFloat
    margin: FiniteFloat
    seed: int
    only_old: Count
    only_new: Count
    changes: ChangesPart
    same_decisions: Answer
    p_value: FiniteFloat
    call_rate_changed: bool
    quantiles: list[tuple[FiniteFloat, FiniteFloat]]
    next_step: NextStep
    rule_sha256: str
    threshold: CutOff | None = None
    matched: MatchedPart | None = None

"""The content of ``adapt.json``: a cut-off for the next hospital, beside the frozen one."""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.documents import parts
from steadycut.documents.next_step import NextStep, Otherwise

Decision = Literal["certified", "refuted", "undecided"]


class CandidateCutPart(parts.Part):
    """A cut-off that was fixed before any label was seen.

    ``call_rate`` is the share of the unlabelled patients, or of all patients if all have labels.
    ``weight`` is the share of the error probability. With labels, ``limit`` is the upper limit of
    the mean cost; all limits hold together.
    """

    name: str
    threshold: parts.CutOff
    call_rate: FiniteFloat
    weight: FiniteFloat
    chosen: bool
    missed: int | None = None
    alarms: int | None = None
    risk: FiniteFloat | None = None
    limit: FiniteFloat | None = None


class WrongOddsPart(parts.Part):
    """The cut-off if the odds of disease are the stated ones times ``factor``."""

    factor: FiniteFloat
    prevalence: FiniteFloat
    threshold: parts.CutOff
    call_rate: FiniteFloat


class LabelsPart(parts.CountsPart):
    """What the labels say of the chosen cut-off: the counts of the patients who certify.

    ``divided`` says which of them made the menu, where all patients had labels.
    """

    n_patients: int
    n_choosing: int
    delta: FiniteFloat
    sequential: bool
    target: FiniteFloat | None
    decision: Decision
    stopped_after: int | None = None
    given: int | None = None
    divided: Literal["at random", "the first"] | None = None


class PathPart(parts.Part):
    """The smallest upper limit of a cut-off after each label, and that cut-off."""

    limit: parts.Floats
    threshold: parts.CutOffs


class ChangePart(parts.Part):
    """An attempt under a change-control plan: the version to keep, and what the labels showed.

    ``plan`` is the SHA-256 of the plan. ``delta`` is the error probability of this attempt,
    ``delta_all`` that of all attempts together. ``limit`` and ``difference`` are upper limits of
    the risk of the accepted cut-off, and of how far it exceeds that of the original.
    """

    plan: str
    version: str
    attempt: int
    outcome: Literal["accepted", "failed", "open"]
    otherwise: Otherwise
    labels: int
    most_labels: int
    delta: FiniteFloat
    delta_all: FiniteFloat
    target: FiniteFloat
    margin: FiniteFloat
    limit: FiniteFloat | None
    difference: FiniteFloat | None
    original_threshold: parts.CutOff


class AdaptationDocument(parts.NamedClasses, parts.NewPatientsPart):
    """Everything in ``adapt.json``."""

    schema_: Literal["steadycut.adaptation/1"] = parts.schema("steadycut.adaptation/1")
    threshold: parts.CutOff
    call_rate: FiniteFloat
    frozen_threshold: parts.CutOff
    frozen_call_rate: FiniteFloat
    direction: Literal["ge", "le"]
    costs: parts.CostsPart
    n_patients: int
    prevalence: parts.Range | None
    prevalence_before: FiniteFloat
    pull: FiniteFloat | None
    wrong_odds: list[WrongOddsPart]
    candidates: list[CandidateCutPart]
    labels: LabelsPart | None
    path: PathPart | None
    certificate: parts.CertificatePart | None
    next_step: NextStep
    parent_sha256: str
    rule_sha256: str
    menu_sha256: str
    change: ChangePart | None = None

"""The content of ``change_plan.json`` and its versions.

Each file carries a SHA-256 over its own content. A version names the plan and the version before
it by their hashes, so the files of a plan are a chain.
"""

from os import PathLike
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal, Self, TypeVar

from pydantic import Field, FiniteFloat, model_validator

from steadycut.documents import canonical_json, parts
from steadycut.documents.known_patients import Remembered
from steadycut.documents.reading import read_document, schema_of
from steadycut.errors import BadRuleFile

PLAN_SCHEMA: Final = "steadycut.change-plan/1"
PLAN_FILE, VERSION_FILES, RULE_FILES = "change_plan.json", "version_*.json", "rule_*.json"
ALARM: Final = "monitor alarm"
Text = Annotated[str, Field(min_length=1)]
Otherwise = Literal["original", "call-everybody", "stop"]
Outcome = Literal["accepted", "failed", "open"]


class SealedPlan(parts.SealedPart):
    """A sealed file, and what it is called in its folder."""

    file_name: ClassVar[str]
    sha256: parts.Hash | None = None


class OriginalPart(parts.Part):
    """The rule that the plan is about, and with which every version is compared."""

    rule: parts.Hash
    threshold: parts.CutOff
    direction: Literal["ge", "le"]
    costs: parts.CostsPart


class ModificationsPart(parts.Part):
    """Description of modifications: only the cut-off may change, from ``low`` to ``high``.

    The menu of cut-offs is made as ``steadycut adapt`` makes it without a stated prevalence.
    """

    changes: Literal["cut-off"] = "cut-off"
    low: FiniteFloat
    high: FiniteFloat
    menu: Literal["patients without labels after the trigger"] = (
        "patients without labels after the trigger"
    )


class ProtocolPart(parts.Part):
    """Modification protocol: what triggers a change, which patients count, what is accepted.

    ``delta`` is the error probability of all versions together. ``target`` is the largest risk,
    ``margin`` by how much it may exceed that of the original rule.
    """

    triggers: list[Text] = Field(min_length=1)
    patients: Literal["consecutive after the trigger, no exclusions"] = (
        "consecutive after the trigger, no exclusions"
    )
    order: Text
    most_labels: int = Field(ge=1, le=parts.LARGEST_COUNT)
    delta: FiniteFloat = Field(gt=0, lt=1)
    delta_of_attempt: Literal["6 delta / (pi attempt)^2"] = "6 delta / (pi attempt)^2"
    target: FiniteFloat = Field(gt=0)
    margin: FiniteFloat = Field(ge=0)


class ImpactPart(parts.Part):
    """Impact assessment; ``otherwise`` is what is done from a trigger until one is accepted."""

    benefits: str
    risks: str
    otherwise: Otherwise


class ChangePlan(SealedPlan):
    """Everything in ``change_plan.json``, in the three parts of the regulator's guidance."""

    file_name = PLAN_FILE
    schema_: Literal["steadycut.change-plan/1"] = parts.schema("steadycut.change-plan/1")
    original: OriginalPart
    description_of_modifications: ModificationsPart
    modification_protocol: ProtocolPart
    impact_assessment: ImpactPart

    @model_validator(mode="after")
    def _sound(self) -> Self:
        may, protocol = self.description_of_modifications, self.modification_protocol
        inside = may.low <= self.original.threshold <= may.high
        parts.must(inside, "the range must hold the original cut-off")
        largest = self.original.costs.as_costs().largest
        below = max(protocol.target, protocol.margin) < largest
        parts.must(below, f"target and margin must lie below the larger cost ({largest:g})")
        return self


class TriedPart(parts.Part):
    """A cut-off of the menu, the patients who count, and what they show.

    Cell 4 ill + 2 new + old of ``cells`` counts patients by label and by the decisions of this
    cut-off and of the original. ``limit`` is the upper limit of the risk, ``difference`` that of
    the risk above the original.
    """

    name: str
    threshold: parts.CutOff
    weight: FiniteFloat = Field(gt=0, le=1)
    cells: list[parts.Count] = Field(min_length=8, max_length=8)
    limit: FiniteFloat
    difference: FiniteFloat


class ChangeVersion(SealedPlan):
    """Everything in a ``version_NNN.json``: one look at one attempt, also a failed one.

    ``parent`` is the hash of the version before; None for the first. ``monitor`` is the hash of the
    file with the alarm. ``rule_before`` is the rule that was to be changed, ``rule`` the accepted
    one. ``labels`` patients were used; ``data_sha256`` is a hash of them.
    """

    file_name = VERSION_FILES
    schema_: Literal["steadycut.change-version/1"] = parts.schema("steadycut.change-version/1")
    plan: parts.Hash
    parent: parts.Hash | None = None
    number: int = Field(ge=1)
    attempt: int = Field(ge=1)
    delta: FiniteFloat
    trigger: Text
    monitor: parts.Hash | None = None
    rule_before: parts.Hash
    pool: parts.Count
    labels: int = Field(ge=1, le=parts.LARGEST_COUNT)
    data_sha256: parts.Hash
    remembered: Remembered | None = None
    tried: list[TriedPart] = Field(min_length=1)
    outcome: Outcome
    chosen: int | None = Field(default=None, ge=0)
    rule: parts.Hash | None = None
    in_force: str


SEALED: Final = {schema_of(kind): kind for kind in (ChangePlan, ChangeVersion)}
Sealed = TypeVar("Sealed", bound=SealedPlan)


def read_sealed(kind: type[Sealed], path: str | PathLike[str]) -> Sealed:
    """Read a plan or a version; refuse one that was changed since it was written."""
    return sealed_of(kind, canonical_json.read_frozen(path), str(path))


def sealed_of(kind: type[Sealed], written: bytes, name: str) -> Sealed:
    """Return the document in the bytes of a file; errors call the file ``name``."""
    content = canonical_json.json_object(written)
    if SEALED.get(str(content.get("schema"))) is not kind:
        raise BadRuleFile(
            f"{name} is not a {kind.file_name} of steadycut, or is damaged. Give the original file."
        )
    found = read_document(kind, content, name)
    if found.sealed().to_bytes() != written:
        raise BadRuleFile(f"{name} was changed after it was written; use the original file.")
    return found


def version_paths(folder: Path) -> list[Path]:
    """Return the versions in a folder, in the order of their numbers."""
    return sorted(folder.glob(VERSION_FILES))

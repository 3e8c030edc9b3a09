"""What all frozen files share: how they are written, read and refused, and their common parts.

A kind of frozen file is a document (what stands in the file) and a `FrozenFile` (what one does
with it). A document may grow: a new field has a default and is written only where it was given, so
that a file of an older version keeps its bytes, its hash and its meaning.
"""

from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from steadycut._version import __version__
from steadycut.core.records import Recipe
from steadycut.documents.canonical_json import (
    check_size,
    content_hash,
    frozen_bytes,
    made_by,
    parse_frozen,
    read_frozen,
    shown,
)
from steadycut.errors import BadRuleFile
from steadycut.io.files import write_atomically


class Part(BaseModel):
    """A part of a document: nothing in it changes, and nothing unknown is overlooked."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(Part):
    """One step of the aggregation chain."""

    level: str
    how: str


class Columns(Part):
    """The columns of the table that the rule was made from."""

    patient: str
    score: str
    label: str | None
    positive: str | None
    site: str | None
    levels: list[str]


class CostsPart(Part):
    """What a missed patient and a false alarm cost."""

    cost_fn: FiniteFloat = Field(gt=0)
    cost_fp: FiniteFloat = Field(gt=0)


class CertificatePart(Part):
    """The bound on the risk, and what it is made of."""

    risk: FiniteFloat
    bound: str
    generalization: FiniteFloat
    n_patients: int = Field(gt=0)
    delta: FiniteFloat = Field(gt=0, lt=1)
    value: FiniteFloat
    vacuous: bool
    trivial_risk: FiniteFloat
    honesty: Literal["split", "uniform"]
    n_candidates: int = Field(gt=0)

    @property
    def n_choices(self) -> int:
        """Among how many scores the certifying patients chose the cut-off; 0 if others did."""
        return self.n_candidates if self.honesty == "uniform" else 0


class InstancesPart(Part):
    """How many instances the patients of the development site had."""

    smallest: int
    median: FiniteFloat
    largest: int


class FrozenDocument(Part):
    """What every frozen file says: how patient scores are made of a table.

    ``units_per_patient`` counts units of the innermost level, where there are levels.
    """

    aggregation: list[Step] = Field(min_length=1)
    columns: Columns
    units_per_patient: InstancesPart | None = None


Document = TypeVar("Document", bound=FrozenDocument)


class FrozenFile(Generic[Document]):
    """A document with its canonical bytes; a kind of file names its schema, model and file."""

    _schema: ClassVar[str]
    _model: ClassVar[type[FrozenDocument]]
    _file: ClassVar[str]

    def __init__(self, document: Document) -> None:
        self.document = document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file; refuse one that was changed since it was written."""
        return cls.from_bytes(read_frozen(path), str(path))

    @classmethod
    def from_bytes(cls, written: bytes, name: str | None = None) -> Self:
        """Read the content of a file; refusals call it ``name``."""
        name = cls._file if name is None else name
        content = parse_frozen(written, name, cls._schema)
        rule = cls._from_content(content, name)
        if rule.to_bytes() != written:
            msg = f"{name} was changed after it was written; use the original file."
            raise BadRuleFile(msg)
        return rule

    @classmethod
    def _from_content(cls, content: dict[str, Any], name: str = "the rule") -> Self:
        model: Any = cls._model
        try:
            return cls(model.model_validate(content))
        except ValidationError as error:
            raise BadRuleFile(_refusal(error, content, name, cls._schema)) from None

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the same rule gives the same bytes."""
        written = frozen_bytes(self.to_dict())
        check_size(written, self._file)
        return written

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file, its hash included."""
        content = self.document.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {**content, "sha256": content_hash(content)}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rule; the file appears whole or not at all."""
        write_atomically(Path(path), self.to_bytes())

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of the file."""
        schema = cls._model.model_json_schema(by_alias=True)
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = cls._schema
        schema["properties"]["sha256"] = {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256 of the canonical JSON of everything else",
        }
        schema["required"] = [*schema["required"], "sha256"]
        return schema

    @property
    def recipe(self) -> Recipe:
        """How the patient scores are made of a table."""
        return self._recipe(self.document.columns.score, self.document.aggregation)

    def _recipe(self, score: str, steps: list[Step]) -> Recipe:
        columns = self.document.columns
        return Recipe(
            patient=columns.patient,
            score=score,
            label=columns.label,
            positive=columns.positive,
            site=columns.site,
            levels=tuple((step.level, step.how) for step in steps[:-1]),
            how=steps[-1].how,
        )


def _refusal(error: ValidationError, content: dict[str, Any], name: str, schema: str) -> str:
    """Say what is wrong; a field that is not known could change decisions, so it comes first."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    where = shown(".".join(map(str, first["loc"])) or "the file")
    if first["type"] != "extra_forbidden":
        return f"{name} is not a rule of schema {schema}: {where}: {first['msg']}."
    return (
        f"{name} has the field {where}, which steadycut {__version__} does not know: a newer "
        f"steadycut made it{made_by(content)}. Upgrade steadycut to use it."
    )

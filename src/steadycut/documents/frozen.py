"""What all frozen files share: how they are written, read and refused.

A kind of frozen file is a document (what stands in the file) and a `FrozenFile` (what one does
with it). A document may grow: a new field has the default None and is written only where it was
given, so a file of an older version keeps its bytes, its hash and its meaning.
"""

from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import Field, ValidationError

from steadycut._version import __version__
from steadycut.core.records import Recipe, sign_of
from steadycut.documents.canonical_json import (
    check_size,
    content_hash,
    frozen_bytes,
    made_by,
    parse_frozen,
    read_frozen,
    shown,
)
from steadycut.documents.parts import Columns, InstancesPart, Part, Step
from steadycut.errors import BadRuleFile
from steadycut.io.files import write_atomically


class FrozenDocument(Part):
    """What every frozen file says: how patient scores are made of a table.

    ``units_per_patient`` counts units of the innermost level, where there are levels. ``sha256`` is
    the hash of everything else; a document without it is not frozen yet.
    """

    direction: Literal["ge", "le"]
    aggregation: list[Step] = Field(min_length=1)
    columns: Columns
    units_per_patient: InstancesPart | None = None
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")

    def sealed(self) -> Self:
        """Return the document with the hash of its content."""
        return self.model_copy(update={"sha256": content_hash(self.to_plain())})


Document = TypeVar("Document", bound=FrozenDocument)


class FrozenFile(Generic[Document]):
    """A document with its canonical bytes; a kind of file names its schema, model and file."""

    _schema: ClassVar[str]
    _model: ClassVar[type[FrozenDocument]]
    _file: ClassVar[str]

    def __init__(self, document: Document) -> None:
        self.document = document if document.sha256 else document.sealed()
        self._bytes = frozen_bytes(self.document.to_plain())

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
        model: Any = cls._model
        try:
            rule = cls(model.model_validate(content))
        except ValidationError as error:
            raise BadRuleFile(_refusal(error, content, name, cls._schema)) from None
        if rule.to_bytes() != written:
            msg = f"{name} was changed after it was written; use the original file."
            raise BadRuleFile(msg)
        return rule

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the same rule gives the same bytes."""
        check_size(self._bytes, self._file)
        return self._bytes

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file, its hash included."""
        return self.document.to_plain()

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
    def direction(self) -> str:
        """``"ge"``: high scores are called; ``"le"``: low ones are."""
        return self.document.direction

    @property
    def sign(self) -> float:
        """-1 where low scores are called: scores times the sign are such that high ones are."""
        return sign_of(self.document.direction)

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

"""Read a document back: the content of a JSON file that steadycut wrote, checked field by field."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from pydantic import ValidationError

from steadycut.documents import audit
from steadycut.documents.canonical_json import json_object
from steadycut.documents.parts import Part
from steadycut.errors import BadOption
from steadycut.io.files import read_small

Document = TypeVar("Document", bound=Part)
Document_co = TypeVar("Document_co", bound=Part, covariant=True)
# What pydantic says of records of core, in its words for parts: without names of Python.
SAID_OF_RECORDS = {
    "dataclass_type": "Input should be a valid dictionary or object to extract fields from"
}


class Described(Protocol[Document_co]):
    """An object with a document, such as `steadycut.Study`."""

    def describe(self) -> Document_co:
        """Return the document."""


# A document, the object that it describes, or the plain content of its file.
Source: TypeAlias = Document | Described[Document] | Mapping[str, object]


def described(source: object) -> object:
    """Return the document of an object; a document, or the content of a file, as it is."""
    describe = getattr(source, "describe", None)
    return source if describe is None else describe()


def read_document(kind: type[Document], content: object, name: str = "the file") -> Document:
    """Return the content of a file as a document of a kind; say what is wrong with it otherwise.

    Parameters
    ----------
    kind
        The document that is expected, such as `steadycut.documents.study.StudyDocument`.
    content
        What the file holds.
    name
        What an error calls it.
    """
    schema = schema_of(kind)
    found = content.get("schema") if isinstance(content, Mapping) else None
    if found != schema:
        raise BadOption(f"{name} does not have the schema {schema}; its schema is {found!r}.")
    # An audit has more parts in some cases.
    of_audit = issubclass(kind, audit.AuditDocument)
    model: Any = audit.model_of(cast("Any", content)) if of_audit else kind
    try:
        read: Document = model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        why = SAID_OF_RECORDS.get(first["type"], first["msg"])
        msg = f"{name} is not complete, or was changed: {where}: {why}. Make it again."
        raise BadOption(msg) from None
    if not isinstance(read, kind):
        msg = f"{name} is of a rule that has no such parts: one with a single cut-off has them."
        raise BadOption(msg)
    return read


def read_json(path: Path, name: str) -> dict[str, object]:
    """Return the object in a JSON file; errors call the file ``name``."""
    try:
        return json_object(read_small(path))
    except OSError as error:
        msg = f"cannot read {name} {path}: {error.strerror or error}. Check the path."
        raise BadOption(msg) from None
    except ValueError:
        return {}


def schema_of(kind: type[Part]) -> str:
    """Return the schema that documents of a kind name."""
    return str(kind.model_fields["schema_"].default)

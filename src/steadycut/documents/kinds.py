"""Frozen files of every kind, as `steadycut._kinds` lists them: read, and part of documents."""

from importlib import import_module
from os import PathLike
from typing import Annotated, Any

from pydantic import BeforeValidator, SerializeAsAny

from steadycut import _kinds
from steadycut.documents.canonical_json import json_object, read_frozen
from steadycut.documents.frozen import FrozenDocument, FrozenFile


def class_of(place: str) -> Any:  # noqa: ANN401
    """Return the class that an entry of `_kinds` names as ``module:class``."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"steadycut.documents.{module}"), name)


def by_schema(schema: object) -> type[FrozenFile[Any]] | None:
    """Return the class of the frozen files with a schema; None if no kind has it."""
    return next((class_of(kind.rule) for kind in _kinds.KINDS if kind.schema == schema), None)


def load_frozen(path: str | PathLike[str]) -> FrozenFile[Any]:
    """Read a frozen file of any kind; refuse one that was changed since it was written."""
    written = read_frozen(path)
    return kind_of(written).from_bytes(written, str(path))


def kind_of(written: bytes) -> type[FrozenFile[Any]]:
    """Return the kind of a frozen file; that of a cut-off says what is wrong with other files."""
    return by_schema(json_object(written).get("schema")) or class_of(_kinds.KINDS[0].rule)


def _as_document(content: Any) -> Any:  # noqa: ANN401
    """Return the plain content of a frozen file as the document of its kind."""
    kind = by_schema(content.get("schema")) if isinstance(content, dict) else None
    return content if kind is None else kind.document_of(content)


# The document of a frozen file of any kind, as a part of another document.
AnyFrozen = Annotated[SerializeAsAny[FrozenDocument], BeforeValidator(_as_document)]

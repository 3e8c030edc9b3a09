"""Read a document back: the content of a JSON file that steadycut wrote, checked field by field."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from steadycut.documents.audit import AuditDocument, LabelledAudit
from steadycut.documents.parts import Part
from steadycut.errors import BadOption
from steadycut.io.files import read_small

Document = TypeVar("Document", bound=Part)


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
        msg = f"{name} does not have the schema {schema}; its schema is {found!r}."
        raise BadOption(msg)
    model: Any = _model_of(kind, content)
    try:
        read: Document = model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        msg = f"{name} is not complete, or was changed: {where}: {first['msg']}."
        raise BadOption(msg) from None
    return read


def read_json(path: Path, name: str) -> dict[str, Any]:
    """Return the object in a JSON file; errors call the file ``name``."""
    try:
        content = json.loads(read_small(path))
    except OSError as error:
        msg = f"cannot read {name} {path}: {error.strerror or error}. Check the path."
        raise BadOption(msg) from None
    except (ValueError, RecursionError):
        content = None
    return content if isinstance(content, dict) else {}


def schema_of(kind: type[Part]) -> str:
    """Return the schema that documents of a kind name."""
    return str(kind.model_fields["schema_"].default)


def _model_of(kind: type[Part], content: Any) -> type[Part]:  # noqa: ANN401
    """Return the document that the content fills: an audit with labels has more fields."""
    labelled = kind is AuditDocument and content.get("labelled") is True
    return LabelledAudit if labelled else kind

"""Every kind of frozen file, by its schema: the one place where a new kind is entered."""

from os import PathLike
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, SerializeAsAny

from steadycut.documents import covariate, rule, strata
from steadycut.documents.canonical_json import json_object, read_frozen
from steadycut.documents.frozen import FrozenDocument, FrozenFile

SCHEMAS: Final[dict[str, type[FrozenFile[Any]]]] = {
    rule.SCHEMA: rule.FrozenRule,
    strata.SCHEMA: strata.StrataRule,
    covariate.SCHEMA: covariate.CovariateRule,
}


def load_frozen(path: str | PathLike[str]) -> FrozenFile[Any]:
    """Read a frozen file of any kind; refuse one that was changed since it was written."""
    written = read_frozen(path)
    return kind_of(written).from_bytes(written, str(path))


def kind_of(written: bytes) -> type[FrozenFile[Any]]:
    """Return the kind of a frozen file; that of a cut-off says what is wrong with other files."""
    return SCHEMAS.get(str(json_object(written).get("schema")), rule.FrozenRule)


def file_names() -> str:
    """Return what the files of all kinds are called, as a list in words.

    Examples
    --------
    >>> file_names()
    'rule.json, strata.json or covariate.json'
    """
    *first, last = (kind.file_name for kind in SCHEMAS.values())
    return f"{', '.join(first)} or {last}"


def file_name_of(document: FrozenDocument) -> str:
    """Return what a file with this document is called."""
    return SCHEMAS[document.to_plain()["schema"]].file_name


def _as_document(content: Any) -> Any:  # noqa: ANN401
    """Return the plain content of a frozen file as the document of its kind."""
    schema = content.get("schema") if isinstance(content, dict) else None
    kind = SCHEMAS.get(str(schema))
    return content if kind is None else kind.document_of(content)


# The document of a frozen file of any kind, as a part of another document.
AnyFrozen = Annotated[SerializeAsAny[FrozenDocument], BeforeValidator(_as_document)]

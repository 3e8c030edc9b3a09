"""Frozen files: JSON in one canonical way, with a SHA-256 over its own content.

A single changed byte is noticed. Every kind of frozen file names its schema.
"""

import hashlib
import json
from os import PathLike
from pathlib import Path
from typing import Any

from steadycut.errors import BadRuleFile


def read_frozen(path: str | PathLike[str]) -> bytes:
    """Return the bytes of a frozen file."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        msg = f"cannot read the rule file {path}: {error.strerror or error}."
        raise BadRuleFile(msg) from None


def frozen_bytes(content: dict[str, Any]) -> bytes:
    """Return the file's bytes: the same content gives the same bytes."""
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def parse_frozen(written: bytes, name: str, schema: str) -> dict[str, Any]:
    """Return the content of a frozen file without its hash; refuse another schema and changes."""
    try:
        content = json.loads(written, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        msg = f"{name} is not a rule file: it is not valid JSON. Give the rule.json of a study."
        raise BadRuleFile(msg) from None
    if not isinstance(content, dict) or content.get("schema") != schema:
        found = content.get("schema") if isinstance(content, dict) else None
        msg = f"{name} is not a rule file of schema {schema}; its schema is {found!r}."
        raise BadRuleFile(msg)
    if not _is_hash_of(content.pop("sha256", None), content):
        msg = f"{name} was changed after it was written: its content does not match its sha256."
        raise BadRuleFile(msg)
    return content


def content_hash(content: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical content, the hash itself left out."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(
        rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _is_hash_of(found: object, content: dict[str, Any]) -> bool:
    try:
        return found == content_hash(content)
    except (ValueError, RecursionError):
        # What can be read but is never written, such as 1e999 or half of a surrogate pair.
        return False


def _refuse_constant(text: str) -> float:
    msg = f"{text} is not a number"
    raise ValueError(msg)

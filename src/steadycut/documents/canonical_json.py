"""Frozen files: JSON in one canonical way, with a SHA-256 over its own content.

A single changed byte is noticed. Every kind of frozen file names its schema.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from steadycut._kinds import file_name_of
from steadycut._version import __version__
from steadycut.errors import BadRuleFile, refusing
from steadycut.io.files import read_or_refuse

# No frozen file is nearly as large, in bytes; a larger one is not read into memory.
LARGEST = 64_000_000
LONGEST = 80
VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,39}")


def read_frozen(path: str | PathLike[str]) -> bytes:
    """Return the bytes of a frozen file."""
    written = read_or_refuse(Path(path), "the rule file", BadRuleFile)
    check_size(written, str(path))
    return written


def check_size(written: bytes, name: str) -> None:
    """Refuse what is too large for a frozen file, before anything is made of it."""
    if len(written) > LARGEST:
        msg = f"{name} is not a rule file: it has more than {LARGEST // 10**6} MB, and none has."
        raise BadRuleFile(msg)


def frozen_bytes(content: Mapping[str, object]) -> bytes:
    """Return the file's bytes: the same content gives the same bytes."""
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def json_text(content: Mapping[str, object]) -> str:
    """Return the text of a JSON file that is not frozen: the keys stay in their order."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def json_object(written: bytes | str) -> dict[str, object]:
    """Return the object in the text of a JSON file; an empty one if there is none."""
    try:
        content = json.loads(written)
    except (ValueError, RecursionError):
        content = None
    return content if isinstance(content, dict) else {}


def parse_frozen(written: bytes, name: str, schema: str) -> dict[str, object]:
    """Return the content of a frozen file; refuse another schema, and a file that was changed."""
    check_size(written, name)
    msg = f"{name} is not a rule file: it is not valid JSON. Give the rule.json of a study."
    with refusing(BadRuleFile, msg, ValueError, RecursionError):
        content = json.loads(written.decode(), parse_constant=_refuse_constant)
    found = content.get("schema") if isinstance(content, dict) else None
    if found != schema:
        raise BadRuleFile(_other_schema(name, found, schema, content))
    if not _is_hash_of(content.get("sha256"), content):
        msg = f"{name} was changed after it was written: its content does not match its sha256."
        raise BadRuleFile(msg)
    return content


def _other_schema(name: str, found: object, schema: str, content: object) -> str:
    """Say that a file is of another kind, or of a later version of this kind."""
    kind, _, version = schema.partition("/")
    later = re.fullmatch(re.escape(kind) + "/([1-9][0-9]{0,5})", str(found))
    if later and int(later[1]) > int(version):
        unknown = f"{name} has the schema {found}, which steadycut {__version__} cannot read"
        return f"{unknown}: {newer_version(content)}"
    advice = f"Give the {file_name_of(schema)} of a study."
    if isinstance(content, dict) and _is_hash_of(content.get("sha256"), content):
        # A sound frozen file of another kind: no other file carries a hash of itself.
        advice = f"{advice} `steadycut apply` takes {shown(str(found))} as well."
    refused = f"{name} is not a rule file of schema {schema}; its schema is {shown(repr(found))}."
    return f"{refused} {advice}"


def newer_version(content: Any) -> str:  # noqa: ANN401
    """Say that a newer version made a file, and which one if the file names it."""
    try:
        version = str(content["provenance"]["versions"]["steadycut"])
    except (KeyError, TypeError, IndexError):
        version = ""
    which = f" ({version})" if VERSION.fullmatch(version) else ""
    return f"a newer steadycut made it{which}. Upgrade steadycut to use it."


def shown(text: str) -> str:
    """Return a text out of a file as it may stand in a refusal: on one line, and not long."""
    line = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def content_hash(content: Mapping[str, object]) -> str:
    """Return the SHA-256 of the canonical content, the hash itself left out."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(
        rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _is_hash_of(found: object, content: Mapping[str, object]) -> bool:
    try:
        return found == content_hash(content)
    except (ValueError, RecursionError):
        # What can be read but is never written, such as 1e999 or half of a surrogate pair.
        return False


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")

"""Whether results in a folder belong to another study, so that they must not be overwritten."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadycut._kinds import KINDS
from steadycut.documents.canonical_json import content_hash, json_object
from steadycut.errors import BadOption, argument
from steadycut.io.files import read_small
from steadycut.io.parquet import first_row
from steadycut.rule_reader import rule_of_decisions

RULE_COLUMN = "rule_sha256"
# The audit of a frozen file, as it is called in a folder.
AUDIT = "audit.json"


def refuse_other_study(folder: Path, files: Mapping[str, bytes]) -> None:
    """Refuse to replace results of another study; the same study may be written again.

    An audit and the rules in one folder must belong together too.
    """
    for name, content in files.items():
        path = folder / name
        if name.endswith(".json") and path.is_file() and _differ(path, content):
            _refuse(path, "another study")
        if name.endswith(".html") and is_foreign(path):
            _refuse(path, "another study, or something else")
    names = (AUDIT, *(kind.file_name for kind in KINDS))
    after = {name: _study_after(folder / name, files.get(name)) for name in names}
    rules = {study: name for name, study in after.items() if name != AUDIT and study}
    if after[AUDIT] and rules and after[AUDIT] not in rules:
        there = next(name for name in (AUDIT, *rules.values()) if name not in files)
        raise BadOption(
            f"{folder / there} holds results of another study, and would stand beside these. "
            f"Choose another {argument('out')}. With {argument('overwrite', value=True)} it stays "
            "as it is."
        )


def is_foreign(page: Path) -> bool:
    """Whether a page that is not empty was not made by steadycut."""
    return page.is_file() and page.stat().st_size > 0 and b"steadycut" not in read_small(page)


def _study_after(path: Path, content: bytes | None) -> str | None:
    """Return the study of a file in the folder, as it will be."""
    if content is None:
        content = read_small(path) if path.is_file() else b""
    return study_of(json_object(content))


def refuse_other_rule(out: Path, rule_sha256: str) -> None:
    """Refuse to replace a file that is not one of decisions of the same rule."""
    if out.is_file() and out.stat().st_size and _rule_of_decisions(out) != rule_sha256:
        _refuse(out, "another rule, or something else")


def _refuse(path: Path, whose: str) -> None:
    raise BadOption(
        f"{path} holds results of {whose}. Choose another {argument('out')}, or replace it with "
        f"{argument('overwrite', value=True)}."
    )


def _differ(path: Path, content: bytes) -> bool:
    old, new = json_object(read_small(path)), json_object(content)
    if old.get("schema") != new.get("schema"):
        return True
    whose = study_of(old), study_of(new)
    return None not in whose and whose[0] != whose[1]


def study_of(content: Mapping[str, Any]) -> str | None:
    """Return what tells a study from others: the hash of its rule, whatever made it.

    Another version of a package gives the file another hash, but the rule is still the same. The
    attempts under a change-control plan belong together.
    """
    if content.get("change"):
        return str(content["change"]["plan"])
    frozen = content.get("frozen_rule") or content
    if "sha256" not in frozen:
        return content.get(RULE_COLUMN)
    rest = {name: value for name, value in frozen.items() if name != "sha256"}
    made = rest.get("provenance")
    if isinstance(made, dict):
        rest["provenance"] = {name: one for name, one in made.items() if name != "versions"}
    return content_hash(rest)


def _rule_of_decisions(path: Path) -> str | None:
    """Return the hash of the rule in the first row of a file of decisions, if it has one."""
    try:
        if path.suffix.lower() == ".parquet":
            return (first_row(path) or {}).get(RULE_COLUMN)
        return rule_of_decisions(path)
    except (OSError, ValueError, csv.Error):
        return None

"""``steadycut audit``: a frozen rule at another hospital."""

import json
from typing import Any

from steadycut.cli.options import ReportOptions, TableOptions
from steadycut.cli.output import check_folder, note_warnings, show, to_json, write_folder
from steadycut.cli.rule_options import ExternalOptions, RuleOptions
from steadycut.cli.tables import (
    candidates_at,
    label_warnings,
    note_dropped,
    read_levels,
    record,
    row_counts,
)
from steadycut.core.checks import check_count, check_fraction
from steadycut.documents.known_patients import check_fits
from steadycut.documents.rule import FrozenRule
from steadycut.ingest import PatientTable
from steadycut.show import render_audit
from steadycut.show.terminal import audit_text
from steadycut.show.terminal_label_free import label_free_text
from steadycut.study.audit import Audit, audit
from steadycut.study.operating_point import CONFIDENCE


def audit_command(
    rule: RuleOptions, there: ExternalOptions, table: TableOptions, output: ReportOptions
) -> None:
    """Judge a frozen rule at another hospital.

    Says how often the rule errs there, and where a change of risk comes from. Writes audit.json and
    audit.html.
    """
    out, small_cells = output.out, output.small_cells
    check_folder(out)
    check_fraction("confidence", output.confidence)
    if small_cells is not None:
        check_count("small_cells", small_cells, at_least=2)
    key = rule.key()
    frozen = FrozenRule.load(rule.rule)
    check_fits(frozen.expected.remembered, key)
    sites, reading = there.names(), table.reading(out)
    request = frozen.request(label=there.label, site=there.site, sites=sites, missing=table.missing)
    found, lacking = read_levels(request, reading, force=rule.force)
    several = dict(enumerate(candidates_at(found, sites)))
    audited = audit(frozen, several, force=rule.force, key=key, small_cells=small_cells)
    content = audit_content(audited, found, output.confidence)
    record(content, lacking)
    content["warnings"] += label_warnings(frozen, several[0])
    write_folder(out, audit_files(content))
    reading.remove_checkpoint()
    note_dropped(found)
    note_warnings(content["warnings"])
    text = audit_text(content)
    if not content["labelled"]:
        text += "\n" + label_free_text(content)
    show(content, f"{text}\n\nWrote audit.json, audit.html to {out}/", as_json=output.as_json)


def audit_content(
    found: Audit, table: PatientTable, confidence: float = CONFIDENCE
) -> dict[str, Any]:
    """Return audit.json: the audit, how many rows it was made of, and the rule itself."""
    fewest = found.small_cells or 0
    return {
        **found.to_dict(confidence),
        "data": {name: n and max(n, fewest) for name, n in row_counts(table).items()},
        "frozen_rule": json.loads(found.rule.to_bytes()),
    }


def audit_files(content: dict[str, Any]) -> dict[str, bytes]:
    """Return the files that an audit leaves."""
    return {"audit.json": to_json(content), "audit.html": render_audit(content).encode()}

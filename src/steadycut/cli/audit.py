"""``steadycut audit``: a frozen rule at another hospital."""

import json
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.apply import RulePath, check_signed
from steadycut.cli.output import check_folder, note_warnings, show, to_json, write_folder
from steadycut.cli.reading import reading_of
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

LabelThere = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column of labels. [default: audit without labels]"),
]


def audit_command(
    rule: RulePath,
    tables: opt.Tables,
    out: opt.OutDirectory,
    label: LabelThere = None,
    site: opt.Site = None,
    external: opt.External = None,
    confidence: opt.Confidence = CONFIDENCE,
    missing: opt.Missing = "refuse",
    engine: opt.EngineName = "auto",
    memory: opt.Memory = None,
    resume: opt.Resume = False,
    force: opt.Force = False,
    patient_key: opt.PatientKey = None,
    small_cells: opt.SmallCells = None,
    verify: opt.Verify = None,
    as_json: opt.AsJson = False,
) -> None:
    """Judge a frozen rule at another hospital.

    Says how often the rule errs there, and where a change of risk comes from. Writes audit.json and
    audit.html.
    """
    check_folder(out)
    check_fraction("confidence", confidence)
    if small_cells is not None:
        check_count("small_cells", small_cells, at_least=2)
    check_signed(rule, verify)
    key = opt.read_key(patient_key)
    frozen = FrozenRule.load(rule)
    check_fits(frozen.expected.remembered, key)
    sites = opt.parse_sites(site, external, "--external")
    reading = reading_of(tables, engine=engine, memory=memory, resume=resume, out=out)
    request = frozen.request(label=label, site=site, sites=sites, missing=missing)
    table, lacking = read_levels(request, reading, force=force)
    several = dict(enumerate(candidates_at(table, sites)))
    content = audit_content(
        audit(frozen, several, force=force, key=key, small_cells=small_cells), table, confidence
    )
    record(content, lacking)
    content["warnings"] += label_warnings(frozen, several[0])
    write_folder(out, audit_files(content))
    reading.remove_checkpoint()
    note_dropped(table)
    note_warnings(content["warnings"])
    text = audit_text(content)
    if not content["labelled"]:
        text += "\n" + label_free_text(content)
    show(content, f"{text}\n\nWrote audit.json, audit.html to {out}/", as_json=as_json)


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

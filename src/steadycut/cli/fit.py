"""``steadycut fit``: a table of instance scores -> a frozen, certified cut-off."""

import json
import os
from pathlib import Path
from typing import Any

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, note_warnings, show, to_json, write_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.tables import (
    candidates_at,
    instances_summary,
    note_left_out,
    row_counts,
)
from steadycut.core.checks import check_fraction
from steadycut.documents.canonical_json import frozen_bytes
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption
from steadycut.ingest import PatientTable
from steadycut.io.progress import progress_on_stderr
from steadycut.show import render_study
from steadycut.show.numbers import cut, percent, risk
from steadycut.show.terminal import chain_text, study_text
from steadycut.study.fit import Study, run_study
from steadycut.study.operating_point import CONFIDENCE
from steadycut.study.options import study_options
from steadycut.study.small_cells import check_possible

# What a fit without --small-cells leaves beside rule.json.
EXACT_FILES = ("study.json", "report.html")


def fit_command(
    columns: opt.ColumnOptions,
    sites: opt.InternalSites,
    costs: opt.PrevalenceOptions,
    choice: opt.FitChoiceOptions,
    search: opt.StratifiedSearchOptions,
    certificate: opt.BoundOptions,
    remember: opt.RememberOptions,
    table: opt.TableOptions,
    output: opt.ReportOptions,
) -> None:
    """Choose, freeze and certify one patient-level cut-off.

    Writes rule.json (to take to the next hospital), study.json and report.html; with --small-cells
    rule.json alone, because the others count single patients.
    """
    out, small_cells = output.out, output.small_cells
    check_folder(out)
    check_fraction("confidence", output.confidence)
    remembered = remember.arguments()
    if small_cells is not None:
        check_possible(small_cells, choice.ensemble, certificate.bound)
        check_no_study(out)
    within, strata_columns = opt.parse_stratify(search.stratify, columns.label, sites.site)
    arguments = opt.study_arguments(costs, choice, search, certificate)
    options = study_options(**{**arguments, "stratify": within})
    request = columns.request(
        site=sites.site, sites=sites.names(), missing=table.missing, attributes=strata_columns
    )
    reading = table.reading(out)
    found = read_tables(request, reading)
    with progress_on_stderr() as progress:
        study = run_study(candidates_at(found, request.sites), options, progress)
    frozen = study.freeze(**remembered, small_cells=small_cells)
    if small_cells is not None:
        write_folder(out, {"rule.json": frozen.to_bytes()})
        reading.remove_checkpoint()
        text = coarse_rule_text(frozen.to_dict(), row_counts(found), small_cells)
        show(frozen.to_dict(), f"{text}\nWrote rule.json to {out}/", as_json=output.as_json)
        return
    content = study_content(study, found, output.confidence, frozen)
    write_folder(out, study_files(content))
    reading.remove_checkpoint()
    note_left_out(found)
    note_warnings(content["stability"]["warnings"])
    show(
        content,
        study_text(content) + f"\n\nWrote rule.json, study.json, report.html to {out}/",
        as_json=output.as_json,
    )


def check_no_study(out: Path) -> None:
    """Refuse a folder with files of another fit, which count single patients."""
    found = [name for name in EXACT_FILES if os.path.lexists(out / name)]
    if found:
        msg = (
            f"--small-cells writes rule.json alone, and {out} holds {' and '.join(found)} of "
            "another run, which count single patients. Choose an empty folder, or remove them."
        )
        raise BadOption(msg)


def coarse_rule_text(rule: dict[str, Any], rows: dict[str, Any], small_cells: int) -> str:
    """Return what a rule without small cells says: no more than the file itself."""
    sign, certificate = (">=" if rule["direction"] == "ge" else "<="), rule["certificate"]
    score, patients = rule["columns"]["score"], rule["provenance"]["patients"]
    chain = chain_text({**rule, "score": score, "patients": patients, "data": rows})
    return (
        f"Cut-off: call a patient when {chain} {sign} "
        f"{cut(rule['threshold'])}; certified risk {risk(certificate['value'])} at most "
        f"({percent(1 - certificate['delta'])} confidence)\n"
        f"  no number in it stands for fewer than {small_cells} patients; its certificate is of "
        "counts that were rounded against it"
    )


def study_content(
    study: Study,
    table: PatientTable,
    confidence: float = CONFIDENCE,
    frozen: FrozenRule | None = None,
) -> dict[str, Any]:
    """Return study.json: the study, how many rows it was made of and what these are worth."""
    fingerprint = {"sha256": study.patients.fingerprint()}
    return {
        **study.to_dict(confidence),
        "instances": instances_summary(table, study.chosen.recipe.score),
        "data": {**row_counts(table), **fingerprint},
        "frozen_rule": json.loads((frozen or study.freeze()).to_bytes()),
    }


def study_files(content: dict[str, Any]) -> dict[str, bytes]:
    """Return the files that a fit leaves."""
    return {
        "rule.json": frozen_bytes(content["frozen_rule"]),
        "study.json": to_json(content),
        "report.html": render_study(content).encode(),
    }

"""``steadycut fit``: choose, freeze and certify a cut-off from a table of instance scores."""

import os
from pathlib import Path

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, note_warnings, show, to_json, write_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.tables import instances_summary, note_left_out, row_counts
from steadycut.core.checks import check_fraction
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import DataPart
from steadycut.documents.rule import FrozenRule, RuleDocument
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadOption
from steadycut.ingest import PatientTable
from steadycut.io.progress import progress_on_stderr
from steadycut.show import render_study
from steadycut.show.numbers import cut, percent, risk
from steadycut.show.sentences import is_score_itself
from steadycut.show.terminal import chain_text, study_text
from steadycut.study.fit import Study, run_study
from steadycut.study.operating_point import CONFIDENCE
from steadycut.study.options import study_options
from steadycut.study.small_cells import check_possible

# The files that a fit without --small-cells writes beside rule.json.
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

    Writes rule.json (to take to the next hospital), study.json and report.html. With --small-cells
    it writes rule.json only, because the other files count single patients.
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
        study = run_study(list(found.patients.values()), options, progress)
    frozen = study.freeze(**remembered, small_cells=small_cells)
    if small_cells is not None:
        write_folder(out, {"rule.json": frozen.to_bytes()})
        reading.remove_checkpoint()
        text = coarse_rule_text(frozen.document, row_counts(found), small_cells)
        show(frozen.document, f"{text}\nWrote rule.json to {out}/", as_json=output.as_json)
        return
    document = study_document(study, found, frozen, output.confidence)
    write_folder(out, study_files(document, frozen))
    reading.remove_checkpoint()
    note_left_out(found)
    note_warnings(document.stability.warnings)
    show(
        document,
        study_text(document) + f"\n\nWrote rule.json, study.json, report.html to {out}/",
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


def coarse_rule_text(rule: RuleDocument, data: DataPart, small_cells: int) -> str:
    """Return the text about a rule without small cells: only what is in the file."""
    sign, certificate = (">=" if rule.direction == "ge" else "<="), rule.certificate
    one_row = is_score_itself(rule.aggregation, rule.provenance.patients.total, data)
    chain = rule.columns.score if one_row else chain_text(rule.columns.score, rule.aggregation)
    return (
        f"Cut-off: call a patient when {chain} {sign} "
        f"{cut(rule.threshold)}; certified risk {risk(certificate.value)} at most "
        f"({percent(1 - certificate.delta)} confidence)\n"
        f"  no number in it stands for fewer than {small_cells} patients; its certificate is of "
        "counts that were rounded against it"
    )


def study_document(
    study: Study, table: PatientTable, frozen: FrozenRule, confidence: float = CONFIDENCE
) -> StudyDocument:
    """Return study.json: the study, how many rows it was made from, and how similar they are."""
    return study.describe(confidence).model_copy(
        update={
            "instances": instances_summary(table, study.chosen.recipe.score),
            "data": row_counts(table, sha256=study.patients.fingerprint()),
            "frozen_rule": frozen.document,
        }
    )


def study_files(
    document: StudyDocument, frozen: FrozenRule, comparison: ComparisonDocument | None = None
) -> dict[str, bytes]:
    """Return the files that a fit writes."""
    return {
        "rule.json": frozen.to_bytes(),
        "study.json": to_json(document),
        "report.html": render_study(document, comparison).encode(),
    }

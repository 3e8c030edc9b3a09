"""``steadycut fit``: choose, freeze and certify a cut-off from a table of instance scores."""

import os
from pathlib import Path

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, refuse, show, write_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.results import finish_study
from steadycut.cli.tables import note_dropped, row_counts, with_rows
from steadycut.core.checks import check_fraction
from steadycut.documents.rule import FrozenRule
from steadycut.documents.study import StudyDocument
from steadycut.ingest import PatientTable
from steadycut.io.log import this_run
from steadycut.io.progress import progress_on_stderr
from steadycut.show.render.terminal import paragraph
from steadycut.show.sections.certificate import rates_sentence
from steadycut.show.words.sentences import coarse_rule_sentences
from steadycut.study.fit import Study, make_study
from steadycut.study.operating_point import CONFIDENCE
from steadycut.study.options import study_options
from steadycut.study.small_cells import check_possible
from steadycut.study.useful import verdict_of_rule

# What the answer means where errors are rounded up.
SMALL_CELLS = {
    "yes": "It costs less than calling everybody or nobody, although errors are rounded up.",
    "cannot tell": "Errors are rounded up, so a useful cut-off may look useless.",
}
# The files that a fit without --small-cells writes beside rule.json.
EXACT_FILES = ("study.json", "report.html")


def fit_command(
    columns: opt.FitColumns,
    sites: opt.InternalSites,
    costs: opt.PrevalenceOptions,
    choice: opt.FitChoiceOptions,
    search: opt.StratifiedSearchOptions,
    certificate: opt.FitBoundOptions,
    there: opt.NextSiteOptions,
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
        check_possible(small_cells, choice.ensemble, certificate.bound, certificate.test_size)
        check_no_study(out)
    within, strata_columns = opt.parse_stratify(search.stratify, columns.label, sites.site)
    arguments = opt.study_arguments(costs, choice, search, certificate)
    arguments |= {"stratify": within, **there.arguments(sites.site)}
    study_options(**arguments)  # Refuse wrong options before anything is read.
    request = columns.request(
        site=sites.site, sites=sites.names(), missing=table.missing, attributes=strata_columns
    )
    reading = table.reading(out)
    read = read_tables(request, reading)
    with progress_on_stderr() as progress:
        study = make_study(read.patients, progress=progress, **arguments)
    frozen = study.freeze(**remembered, small_cells=small_cells)
    if small_cells is not None:
        this_run().rule_sha256 = frozen.document.sha256
        write_folder(out, {"rule.json": frozen.to_bytes()}, overwrite=output.overwrite)
        reading.remove_checkpoint()
        verdict = verdict_of_rule(frozen)
        useful = "cannot tell" if verdict is None else verdict.useful
        note_dropped(read, small_cells=True)
        said = coarse_rule_sentences(frozen.document, row_counts(read), small_cells)
        said += (f"Useful here: {useful}. {SMALL_CELLS[useful]}",)
        if rates := frozen.document.certified_rates:
            said += (rates_sentence(rates, frozen.certificate.delta),)
        text = f"{paragraph(said)}\n\nWrote rule.json to {out}/"
        show(frozen.document, text, as_json=output.as_json)
        return
    document = study_document(study, read, frozen, output.confidence)
    finish_study(document, frozen, output, reading, read)


def check_no_study(out: Path) -> None:
    """Refuse a folder with files of another fit, which count single patients."""
    present = [name for name in EXACT_FILES if os.path.lexists(out / name)]
    if present:
        refuse(
            f"--small-cells writes rule.json alone, and {out} holds {' and '.join(present)} of "
            "another run, which count single patients. Choose an empty folder, or remove them."
        )


def study_document(
    study: Study, table: PatientTable, frozen: FrozenRule, confidence: float = CONFIDENCE
) -> StudyDocument:
    """Return study.json: the study, how many rows it was made from, and how similar they are."""
    update = {
        "instances": table.clusters.get(study.chosen.recipe.score),
        "data": row_counts(table, sha256=study.fingerprint),
        "frozen_rule": frozen.document,
    }
    return with_rows(study.describe(confidence).model_copy(update=update), table)

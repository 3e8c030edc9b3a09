"""``steadycut demo``: the whole flow on two simulated hospitals, offline."""

from pathlib import Path
from typing import Any

from steadycut.cli.audit import audit_document
from steadycut.cli.fit import study_document
from steadycut.cli.options import AsJson, OutFolder, Overwrite, Verbose
from steadycut.cli.output import check_folder, note_warnings, show, to_json, write_folder
from steadycut.cli.results import page_files
from steadycut.datasets import simulate_two_hospitals
from steadycut.datasets.two_hospitals import cohort_csv
from steadycut.ingest import PatientTable, make_request, read_patients
from steadycut.io.safe_csv import csv_bytes
from steadycut.show.pages.kinds import page_of
from steadycut.show.pages.page import Page
from steadycut.show.render.terminal import paragraph, terminal
from steadycut.study.audit import audit
from steadycut.study.compare import compare
from steadycut.study.fit import make_study

AGGREGATORS = ("mean", "max", "quantile:0.9")


def demo_command(
    out: OutFolder = Path("steadycut-demo"),
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Run everything on two simulated hospitals.

    Their patients have slides and tiles. Writes the table, the rule, and all pages.
    """
    check_folder(out)
    cohort = simulate_two_hospitals()
    at_a, at_b = (read_hospital(cohort, name) for name in ("A", "B"))
    here, there = list(at_a.patients.values()), list(at_b.patients.values())
    study = make_study(here)
    rule = study.freeze()
    external = next(patients for patients in there if patients.recipe == study.patients.recipe)
    described, compared = study_document(study, at_a, rule), compare(here, there).describe()
    audited = audit_document(audit(rule, external), at_b)
    first, second = page_of(described, compared), page_of(audited)
    write_folder(
        out,
        {
            "two_hospitals.csv": cohort_csv(cohort),
            "rule.json": rule.to_bytes(),
            **page_files(first),
            "compare.json": to_json(compared),
            "decisions.csv": csv_bytes(rule.decisions(external)),
            **page_files(second),
        },
        overwrite=overwrite,
    )
    documents = {"study": described, "comparison": compared, "audit": audited}
    note_warnings([*first.warnings, *second.warnings])
    if verbose:
        text = f"{terminal(first, verbose=True)}\n\n{terminal(second, verbose=True)}\n"
    else:
        text = paragraph([*in_short("A", first), *in_short("B", second), second.next_step])
    show(
        {name: document.to_plain() for name, document in documents.items()},
        f"{text}\nOpen {out / 'report.html'}, then {out / 'audit.html'}",
        as_json=as_json,
    )


def in_short(name: str, page: Page) -> list[str]:
    """Return the headline of a hospital, and the answer with most numbers in it."""
    first, *more = page.headline
    rows = [] if page.answer is None else [f"{name}: {value}" for name, value in page.answer.rows]
    texts = [*rows, *(mark.text for mark in page.marks)]
    return [f"Hospital {name}. {first}", *more, max(texts, key=len)]


def read_hospital(cohort: Any, name: str) -> PatientTable:
    """Return the patients of one hospital, by every aggregator."""
    request = make_request(
        patient="patient",
        score="score",
        label="tumour",
        site="hospital",
        sites=[name],
        levels=["slide:max"],
        how=list(AGGREGATORS),
    )
    return read_patients(request, cohort)

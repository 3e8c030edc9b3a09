"""``steadycut demo``: the whole flow on two simulated hospitals, offline."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from steadycut.cli.audit import audit_document, audit_files
from steadycut.cli.fit import study_document, study_files
from steadycut.cli.options import AsJson, OutFolder
from steadycut.cli.output import check_folder, show, to_json, write_folder
from steadycut.datasets import simulate_two_hospitals, write_two_hospitals
from steadycut.documents.audit import AuditDocument, LabelledAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import Part
from steadycut.documents.study import StudyDocument
from steadycut.ingest import PatientTable, make_request, read_patients
from steadycut.io.safe_csv import csv_bytes
from steadycut.show.terminal import audit_text, comparison_text, study_text, warnings_text
from steadycut.study.audit import audit
from steadycut.study.compare import compare
from steadycut.study.fit import fit

AGGREGATORS = ("mean", "max", "quantile:0.9")


class Results(Part):
    """All that the demo finds."""

    study: StudyDocument
    comparison: ComparisonDocument
    audit: LabelledAudit | AuditDocument


def demo_command(out: OutFolder = Path("steadycut-demo"), as_json: AsJson = False) -> None:
    """Run everything on two simulated hospitals.

    Their patients have slides and tiles. Writes the table, the rule, and all pages.
    """
    check_folder(out)
    cohort = simulate_two_hospitals()
    at_a, at_b = (read_hospital(cohort, name) for name in ("A", "B"))
    here, there = list(at_a.patients.values()), list(at_b.patients.values())
    study = fit(here)
    rule = study.freeze()
    external = next(one for one in there if one.recipe == study.patients.recipe)
    results = Results(
        study=study_document(study, at_a, rule),
        comparison=compare(here, there).describe(),
        audit=cast("AuditDocument", audit_document(audit(rule, external), at_b)),
    )
    write_folder(
        out,
        {
            "two_hospitals.csv": cohort_csv(),
            **study_files(results.study, rule, results.comparison),
            "compare.json": to_json(results.comparison),
            "decisions.csv": csv_bytes(rule.decisions(external)),
            **audit_files(results.audit),
        },
    )
    show(results, demo_text(results, out), as_json=as_json)


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


def cohort_csv() -> bytes:
    """Return the simulated cohort as a CSV file, for a user to run the commands on."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "two_hospitals.csv")
        write_two_hospitals(path)
        return path.read_bytes()


def demo_text(results: Results, out: Path) -> str:
    """Return all results as text."""
    warnings = warnings_text([*results.study.stability.warnings, *results.audit.warnings])
    return "\n\n".join(
        [
            (
                "Hospital A: simulated patients > slides > tiles; half of the patients choose, "
                "half certify"
            ),
            study_text(results.study),
            comparison_text(results.comparison),
            "Hospital B: the frozen rule on other patients",
            audit_text(results.audit),
            *([warnings] if warnings else []),
            (
                f"The rule to take along is {out / 'rule.json'}, the decisions at B are "
                f"{out / 'decisions.csv'}\n"
                f"Open {out / 'report.html'}, then {out / 'audit.html'}"
            ),
        ]
    )

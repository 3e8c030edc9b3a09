"""The page of a comparison: every rule at two hospitals."""

from collections.abc import Sequence

from steadycut.documents.comparison import ComparedRule, ComparisonDocument
from steadycut.show.builders import held_files, of_columns
from steadycut.show.numbers import count, percent, risk
from steadycut.show.page import Page, Status, Table
from steadycut.show.sections.comparison import comparison_section, cut_offs
from steadycut.show.sentences import costs_in_words

# Further rules are for the page.
MOST_ROWS = 6


def comparison_page(comparison: ComparisonDocument) -> Page:
    """Return the page of a comparison of rules."""
    patients = comparison.patients
    best = min(comparison.rows, key=lambda row: row.risk_external)
    return Page(
        title="A comparison of rules",
        subtitle=f"chosen on {count(patients.internal, 'internal patient')}, judged on "
        f"{count(patients.external, 'external one')}",
        status=Status(text=count(len(comparison.rows), "rule"), tone="open"),
        headline=(headline(comparison),),
        answer=answer_table(comparison.rows[:MOST_ROWS]),
        facts=(
            ("smallest risk there", f"{risk(best.risk_external)}, {best.name}"),
            ("without any score", risk(comparison.trivial_external)),
        ),
        warnings=tuple(comparison.warnings),
        sections=(comparison_section(comparison),),
        files=held_files(comparison, "compare.json"),
    )


def headline(comparison: ComparisonDocument) -> str:
    """Say what was compared, and what no rule could have done better."""
    patients = comparison.patients
    best = min(row.best_external for row in comparison.rows)
    return (
        f"Each rule chose a cut-off on {patients.internal} patients, and was tested on "
        f"{patients.external} others. Average cost per patient there, where "
        f"{costs_in_words(comparison.costs)}; calling everybody or nobody: "
        f"{risk(comparison.trivial_external)}; the best possible cut-off: {risk(best)}."
    )


def answer_table(rows: Sequence[ComparedRule]) -> Table:
    """Return one row per rule: its cut-off, and what it does at the second hospital."""
    return of_columns(
        "Every rule at the second hospital",
        [
            ("rule", [row.name for row in rows]),
            ("cut-off", cut_offs(rows)),
            ("average cost", [risk(row.risk_external) for row in rows]),
            ("sensitivity", [percent(row.sensitivity_external) for row in rows]),
            ("specificity", [percent(row.specificity_external) for row in rows]),
        ],
    )

"""The page of a comparison: every rule at two hospitals."""

from steadycut.documents.comparison import ComparisonDocument
from steadycut.show.builders import held_files
from steadycut.show.numbers import count, risk
from steadycut.show.page import Page, Status
from steadycut.show.sections.comparison import comparison_section


def comparison_page(comparison: ComparisonDocument) -> Page:
    """Return the page of a comparison of rules."""
    patients = comparison.patients
    best = min(comparison.rows, key=lambda row: row.risk_external)
    return Page(
        title="A comparison of rules",
        subtitle=f"chosen on {count(patients.internal, 'internal patient')}, judged on "
        f"{count(patients.external, 'external one')}",
        status=Status(text=count(len(comparison.rows), "rule"), tone="open"),
        headline=(),
        facts=(
            ("smallest risk there", f"{risk(best.risk_external)}, {best.name}"),
            ("without any score", risk(comparison.trivial_external)),
        ),
        warnings=tuple(comparison.warnings),
        sections=(comparison_section(comparison),),
        files=held_files(comparison, "compare.json"),
    )

"""The audit of risk strata, or of cut-offs by covariate, as short plain text for a terminal."""

from steadycut.documents.audit import DecisionAudit
from steadycut.show.columns import columns
from steadycut.show.sections.decisions import decision_page
from steadycut.show.terminal import verdict_text


def decision_text(audit: DecisionAudit) -> str:
    """Return the verdict and the tables of the page; the command says warnings itself."""
    tables = [table for section in decision_page(audit).sections for table in section.tables]
    blocks = [f"{table.caption}\n{columns([table.header, *table.rows])}" for table in tables]
    return "\n\n".join([f"Audit: {verdict_text(audit)}", *blocks])

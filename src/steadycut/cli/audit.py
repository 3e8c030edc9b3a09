"""``steadycut audit``: a frozen rule at another hospital."""

from steadycut.cli.options import ReportOptions, TableOptions
from steadycut.cli.output import check_folder
from steadycut.cli.results import finish_page
from steadycut.cli.rule_options import BAD, ExternalOptions, RuleOptions, VerdictOptions
from steadycut.cli.tables import label_warnings, read_levels, row_counts, with_warnings
from steadycut.core.checks import check_count, check_fraction
from steadycut.documents.audit import AuditDocument, DecisionAudit
from steadycut.ingest import PatientTable
from steadycut.show.pages.kinds import page_of
from steadycut.study.audit import Audit, audit
from steadycut.study.operating_point import CONFIDENCE


def audit_command(
    rule: RuleOptions,
    there: ExternalOptions,
    verdict: VerdictOptions,
    table: TableOptions,
    output: ReportOptions,
) -> None:
    """Judge a frozen rule at another hospital.

    Says whether the rule is useful there, as good as before, and within what was certified, for
    every site by itself too. Says what to do next. Writes audit.json and audit.html.
    """
    out, small_cells = output.out, output.small_cells
    check_folder(out)
    check_fraction("confidence", output.confidence)
    check_fraction("margin", verdict.margin)
    if small_cells is not None:
        check_count("small_cells", small_cells, at_least=2)
    frozen, key = rule.load()
    sites, reading = there.names(), table.reading(out)
    request = frozen.request(
        label=there.label,
        site=there.site,
        sites=sites,
        others=there.others,
        missing=table.missing,
        attributes=() if verdict.group is None else (verdict.group,),
    )
    found, lacking = read_levels(request, reading, force=rule.force)
    several = dict(enumerate(found.patients.values()))
    audited = audit(
        frozen,
        several,
        there.named_grades(several[0]),
        force=rule.force,
        key=key,
        small_cells=small_cells,
        unseen=rule.unseen,
        group=verdict.group,
        margin=verdict.margin,
        sequential=verdict.sequential,
    )
    document = audit_document(audited, found, output.confidence)
    document = with_warnings(document, lacking, label_warnings(frozen, several[0]))
    finish_page(page_of(document), "audit.html", output, reading, found)
    bad = document.verdict.overall == "bad"
    rule.end(warned=bool(document.warnings), worse=BAD if bad else 0)


def audit_document(
    found: Audit, table: PatientTable, confidence: float = CONFIDENCE
) -> AuditDocument | DecisionAudit:
    """Return audit.json: the audit, how many rows it was made from, and the rule itself."""
    data = row_counts(table, fewest=found.small_cells or 0)
    update = {"data": data, "frozen_rule": found.rule.document}
    return found.describe(confidence).model_copy(update=update)

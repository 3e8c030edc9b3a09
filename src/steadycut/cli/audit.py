"""``steadycut audit``: a frozen rule at another hospital."""

from dataclasses import replace

from steadycut.cli.options import ReportOptions, TableOptions
from steadycut.cli.output import check_folder, note
from steadycut.cli.results import finish_page
from steadycut.cli.rule_options import (
    BAD,
    ExternalOptions,
    RuleColumns,
    RuleOptions,
    VerdictOptions,
)
from steadycut.cli.tables import (
    label_warnings,
    note_dropped,
    read_external,
    row_counts,
    with_rows,
    with_warnings,
)
from steadycut.core.checks import check_count, check_fraction
from steadycut.documents.audit import AuditDocument, DecisionAudit
from steadycut.ingest import PatientTable
from steadycut.show.pages.kinds import page_of
from steadycut.study.audit import Audit, audit
from steadycut.study.operating_point import CONFIDENCE


def audit_command(
    rule: RuleOptions,
    columns: RuleColumns,
    there: ExternalOptions,
    verdict: VerdictOptions,
    table: TableOptions,
    output: ReportOptions,
) -> None:
    """Judge a frozen rule at another hospital.

    Says whether the rule is useful there, as good as before, and within what was certified, for
    every site by itself too. Says what to do next. The label and the site that the rule names are
    read if the table has them. Writes audit.json and audit.html.
    """
    out, small_cells = output.out, output.small_cells
    check_folder(out)
    check_fraction("confidence", output.confidence)
    check_fraction("margin", verdict.margin)
    if small_cells is not None:
        check_count("small_cells", small_cells, at_least=2)
    frozen, key = rule.load()
    reading = table.reading(out)
    found, lacking = read_external(
        rule,
        frozen,
        there,
        columns,
        reading,
        own_site=True,
        survival=True,
        missing=table.missing,
        attributes=() if verdict.group is None else (verdict.group,),
    )
    several = dict(enumerate(found.patients.values()))
    audited = audit(
        frozen,
        several,
        there.named_grades(frozen, several[0]),
        force=rule.force,
        key=key,
        small_cells=small_cells,
        unseen=rule.unseen,
        group=verdict.group,
        margin=verdict.margin,
        sequential=verdict.sequential,
    )
    numbered = audited if there.names_sites else with_numbered_sites(audited)
    document = audit_document(numbered, found, output.confidence)
    document = with_warnings(document, lacking, label_warnings(several[0], frozen))
    named = frozen.file_name, rule.rule
    told = None if small_cells else found
    finish_page(page_of(document), "audit.html", output, reading, told, rule=named)
    if small_cells:
        note_dropped(found, small_cells=True)
    if numbered is not audited:
        how = f"--site {frozen.recipe.site} shows the names."
        note(f"sites are numbered in the order of their names; {how}")
    bad = document.verdict.overall == "bad"
    rule.end(warned=bool(document.warnings), worse=BAD if bad else 0)


def with_numbered_sites(found: Audit) -> Audit:
    """Call sites by numbers, in the order of their names: a name may be more than a place.

    They are read because the rule names their column, so nobody asked for their names here.
    """
    part = found.labelled
    sites = sorted(one.value for one in part.groups if one.column == "site") if part else []
    if part is None or not sites:
        return found
    groups = tuple(
        replace(one, value=f"no. {sites.index(one.value) + 1}") if one.column == "site" else one
        for one in part.groups
    )
    return replace(found, labelled=replace(part, groups=groups))


def audit_document(
    found: Audit, table: PatientTable, confidence: float = CONFIDENCE
) -> AuditDocument | DecisionAudit:
    """Return audit.json: the audit, how many rows it was made from, and the rule itself.

    With small cells it does not say what looks odd about the rows, because that counts patients.
    """
    data = row_counts(table, fewest=found.small_cells or 0)
    update = {"data": data, "frozen_rule": found.rule.document}
    document = found.describe(confidence).model_copy(update=update)
    return document if found.small_cells else with_rows(document, table)

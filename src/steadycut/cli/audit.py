"""``steadycut audit``: a frozen rule at another hospital."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from steadycut.cli import tables
from steadycut.cli.options import ReportOptions, TableOptions, number, option, switch
from steadycut.cli.output import check_folder
from steadycut.cli.results import finish_page
from steadycut.cli.rule_options import BAD, ExternalOptions, RuleColumns, RuleOptions
from steadycut.cli.tables import Use
from steadycut.core.checks import check_count, check_fraction
from steadycut.core.records import PatientScores
from steadycut.core.strata.certify import ErrorRate
from steadycut.core.verdict import MARGIN, REFUSED, melded_p_value
from steadycut.documents.audit import AuditDocument
from steadycut.errors import BadPatients, Warned, argument
from steadycut.ingest import PatientTable
from steadycut.ingest.request import site_hash
from steadycut.study.audit import audit
from steadycut.study.audited import Audit
from steadycut.study.operating_point import CONFIDENCE

# So unlikely an imbalance of labels between called and other patients is not chance.
UNLIKELY = 0.001
# The same patients, by each score or aggregator that the rule needs.
Several = Mapping[Any, PatientScores]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictOptions:
    """Verdict."""

    group: str | None = option(
        "COL", "Judge each group of this patient-level column by itself, too."
    )
    margin: float = number(
        "X", "How much more it may cost than before: a share of treat-all or -none.", default=MARGIN
    )
    sequential: bool = switch(
        "--sequential", "Give limits that hold however often you look, from the first look on."
    )


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
    small_cells = output.small_cells
    check_folder(output.out)
    check_fraction("confidence", output.confidence)
    check_fraction("margin", verdict.margin)
    if small_cells is not None:
        check_count("small_cells", small_cells, at_least=2)
    use = tables.use_rule(rule, columns, table, output.out)
    frozen = use.frozen
    group = () if verdict.group is None else (verdict.group,)
    read, lacking = tables.read_external(use, there, own_site=True, survival=True, attributes=group)
    several = dict(enumerate(read.patients.values()))
    y: Any = there.named_grades(frozen, several[0])
    uneven = check_verified(use, several, read, there)
    audited = audit(
        frozen,
        several,
        y,
        force=rule.force,
        key=use.key,
        small_cells=small_cells,
        unseen=rule.unseen,
        **asdict(verdict),
    )
    document = audit_document(audited, read, output.confidence)
    warned = [*tables.label_warnings(several[0], frozen), *uneven]
    document = tables.with_warnings(document, lacking, warned)
    counted = None if small_cells else read
    finish_page(document, output, use.reading, counted, use=use)
    if small_cells:
        tables.note_dropped(read, small_cells=True)
    refused = document.verdict.decision in {*REFUSED, "not judged"}
    rule.end(warned=bool(document.warnings), worse=BAD * refused)


def check_verified(
    use: Use, several: Several, table: PatientTable, there: ExternalOptions
) -> list[str]:
    """Refuse or warn if labels are known of called patients more often than of others.

    Patients without a label were left out; their scores are read again.
    """
    frozen = use.frozen
    labelled = frozen.patients_of(several)
    if labelled.labels is None or not any(
        gap.column == labelled.recipe.label and gap.patients for gap in table.dropped.gaps
    ):
        return []
    again = replace(use, reading=replace(use.reading, resume=False, checkpoint=None))
    without = replace(there, no_label=True, label=None, positive=None, label_how=None)
    read, _ = tables.read_external(again, without, own_site=True)
    everyone = frozen.patients_of(read.patients)
    all_called = int(np.sum(frozen.decide_patients(everyone) > 0))
    called = int(np.sum(frozen.decide_patients(labelled) > 0))
    others, all_others = labelled.n_patients - called, everyone.n_patients - all_called
    how = "The miss rate cannot be known from them: label a random sample of all patients."
    if not others and all_others:
        raise BadPatients(
            f"all {called} patients with a label are called; none of the {all_others} others has "
            f"one. {how} Or leave the labels out with {argument('no_label', value=True)}."
        )
    of_called = ErrorRate(wrong=called, n_patients=all_called)
    if melded_p_value(of_called, ErrorRate(wrong=others, n_patients=all_others)) > UNLIKELY:
        return []
    text = (
        f"{called} of {all_called} called patients have a label, and {others} of {all_others} "
        f"others. Such labels are not of random patients. {how}"
    )
    return [Warned("labels", text)]


def audit_document(
    audited: Audit, table: PatientTable, confidence: float = CONFIDENCE
) -> AuditDocument:
    """Return audit.json: the audit, how many rows it was made from, and the rule itself.

    With small cells it does not say what looks odd about the rows, because that counts patients.
    """
    data = tables.row_counts(table, fewest=audited.small_cells or 0)
    update: dict[str, object] = {"data": data, "frozen_rule": audited.rule.document}
    known = audited.rule.expected.sites
    if len(known) == 1:
        first = (name for name in table.elsewhere if site_hash(name) in known)
        update["first_site"] = next(first, None)
    document = audited.describe(confidence).model_copy(update=update)
    return document if audited.small_cells else tables.with_rows(document, table)

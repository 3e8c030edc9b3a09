"""``steadycut audit``: a frozen rule at another hospital, also with labels drawn by a plan."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.cli import options as opt
from steadycut.cli import tables
from steadycut.cli.options import ReportOptions, TableOptions, number, option, switch, whole
from steadycut.cli.output import check_folder, note_warnings, refuse, show
from steadycut.cli.results import finish_page
from steadycut.cli.rule_options import BAD, ExternalOptions, RuleColumns, RuleOptions
from steadycut.cli.tables import Use
from steadycut.cli.typed import next_commands
from steadycut.core.checks import check_count, check_fraction
from steadycut.core.records import PatientScores
from steadycut.core.strata.certify import ErrorRate
from steadycut.core.verdict import MARGIN, REFUSED, melded_p_value
from steadycut.documents.audit import AuditDocument
from steadycut.documents.change_plan import LABEL_PLAN_FILE, LabelPlan
from steadycut.errors import BadPatients, Warned, argument
from steadycut.ingest import PatientTable
from steadycut.ingest.request import site_hash
from steadycut.show.words.next_step import Spelling
from steadycut.study.audit import audit
from steadycut.study.audited import Audit
from steadycut.study.labels.draw import LabelDraw, draw_labels
from steadycut.study.operating_point import CONFIDENCE

LABEL_LIST = "label_list.csv"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlanOptions:
    """Labels by a plan."""

    draw: int | None = whole(
        "N", f"Draw about N patients to label, write {LABEL_PLAN_FILE} and {LABEL_LIST}, and stop."
    )
    probabilities: str | None = option(
        "C,B|C,B,F",
        "Instead of --draw: probability of a label for patients called, (just below,) far below.",
    )
    edge: float | None = number(
        "SCORE", "Score between just below and far below. [default: from the rule]"
    )
    prevalence: str | None = option(
        "P|LOW,HIGH", "With --draw: share of ill patients that is expected here."
    )
    seed: int = whole("N", "With --draw: seed of the draw.", default=0)
    label_plan: Path | None = option(
        "FILE", f"The {LABEL_PLAN_FILE} by which these patients were labelled."
    )
    labels: Path | None = option(
        "FILE",
        f"With --label-plan: {LABEL_LIST} with its column label filled in, instead of --label.",
    )

    @property
    def draws(self) -> bool:
        """Whether a plan is to be made."""
        asked = self.draw is not None or self.probabilities is not None
        given = self.edge is not None or self.prevalence is not None or bool(self.seed)
        if given and not asked:
            refuse("--edge, --prevalence and --seed need --draw N or --probabilities.")
        if asked and (self.label_plan is not None or self.labels is not None):
            refuse("--draw makes a plan and --label-plan uses one; give one of them.")
        if self.labels is not None and self.label_plan is None:
            refuse(f"--labels needs the plan too: --label-plan {LABEL_PLAN_FILE}.")
        return asked

    def parsed_probabilities(self) -> list[float] | None:
        """Return the probabilities by stratum."""
        if self.probabilities is None:
            return None
        must_be = "--probabilities must be numbers such as 1,0.5,0.1"
        return list(opt.parse_numbers(self.probabilities, must_be))


def audit_command(
    rule: RuleOptions,
    columns: RuleColumns,
    there: ExternalOptions,
    verdict: VerdictOptions,
    labelling: LabelPlanOptions,
    table: TableOptions,
    output: ReportOptions,
) -> None:
    """Judge a frozen rule at another hospital.

    Says whether the rule is useful there, as good as before, and within what was certified, for
    every site by itself too. Says what to do next. The label and the site that the rule names are
    read if the table has them. Writes audit.json and audit.html. Where labels are scarce, --draw
    says whom to label, and --label-plan judges the rule by these labels.
    """
    small_cells = output.small_cells
    check_folder(output.out)
    check_fraction("confidence", output.confidence)
    check_fraction("margin", verdict.margin)
    if small_cells is not None:
        check_count("small_cells", small_cells, at_least=2)
    use = tables.use_rule(rule, columns, table, output.out)
    frozen = use.frozen
    drawing, path = labelling.draws, labelling.label_plan
    plan = None if path is None else rule.read_sealed(LabelPlan, path)
    without = replace(there, no_label=True, label=None, positive=None, label_how=None)
    read, lacking = tables.read_external(
        use,
        without if drawing or plan else there,
        own_site=True,
        survival=not (drawing or plan),
        attributes=() if verdict.group is None else (verdict.group,),
    )
    several = dict(enumerate(read.patients.values()))
    if drawing or plan is not None:
        tables.check_named(frozen, lacking)
    if drawing:
        note_warnings(finding.text for finding in lacking)
        write_plan(use, several, labelling, output)
        return
    y: Any = there.named_grades(frozen, several[0])
    uneven = check_verified(use, several, read, without)
    if plan is not None:
        y = labels_by_plan(use, several, labelling, there)
    audited = audit(
        frozen,
        several,
        y,
        force=rule.force,
        key=use.key,
        small_cells=small_cells,
        unseen=rule.unseen,
        label_plan=plan,
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


def write_plan(use: Use, several: Several, asked: LabelPlanOptions, output: ReportOptions) -> None:
    """Draw the patients to label; write the plan and the list of these patients."""
    rule = use.rule
    drawn = draw_labels(
        use.frozen,
        several,
        asked.draw,
        probabilities=asked.parsed_probabilities(),
        edge=asked.edge,
        prevalence=tables.parse_stated(asked.prevalence),
        seed=asked.seed,
        force=rule.force,
        key=use.key,
    )
    written = {LABEL_PLAN_FILE: drawn.plan.to_bytes()}
    # Without the strata: those who label must not see on which side of the cut-off a patient is.
    path = tables.write_list(output, LABEL_LIST, drawn.patients, files=written)
    note_warnings(drawn.warnings)
    spell = next_commands({}, output.out, use.frozen)
    show(drawn.plan, plan_in_words(drawn, path, spell), as_json=output.as_json)
    rule.end(warned=bool(drawn.warnings))


def plan_in_words(drawn: LabelDraw, path: Path, spell: Spelling) -> str:
    """Say whom to label, and what to do then."""
    mean, low, high = drawn.expected
    size = f"{mean:.0f} expected, {low:.0f} to {high:.0f} in 95 of 100 draws"
    lines = [f"Label {drawn.patients.size} patients ({size}):"]
    lines += [
        f"  {part.name}: {part.drawn} of {part.patients}, each with probability {part.chance:g}"
        for part in drawn.plan.strata
    ]
    plan = path.with_name(LABEL_PLAN_FILE)
    sign, audit = spell.call("sign", plan), spell.call("audit_plan", plan, path)
    return "\n".join(lines) + (
        f"\n{path} names these patients, so keep it inside the hospital. {plan} names "
        f"nobody.\nSign the plan before labelling: {sign}\nNext: label every one of them, whatever "
        f"the score is, in the column label. Then run {audit}\nWrote {plan} and {path}"
    )


def labels_by_plan(
    use: Use, several: Several, asked: LabelPlanOptions, there: ExternalOptions
) -> dict[str, int]:
    """Return the labels that are known, by patient, from the list or from the table."""
    frozen = use.frozen
    known = tables.names_of(frozen.patients_of(several))
    if asked.labels is not None:
        positive = there.positive or frozen.recipe.positive
        return tables.read_worklist(asked.labels, positive, known)[0]
    label = there.label_of(frozen)
    if label is None:
        refuse(f"--label-plan needs labels: --labels {LABEL_LIST}, or --label COL of the table.")
    read = use.read_again(label=label, positive=there.positive, label_how=there.label_how)
    labels, wanted = tables.labels_of(frozen.patients_of(read.patients)), set(known)
    return {name: value for name, value in labels.items() if name in wanted}


def check_verified(
    use: Use, several: Several, table: PatientTable, without: ExternalOptions
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
    read, _ = tables.read_external(again, without, own_site=True)
    everyone = frozen.patients_of(read.patients)
    all_called = int(np.sum(frozen.decide_patients(everyone) > 0))
    called = int(np.sum(frozen.decide_patients(labelled) > 0))
    others, all_others = labelled.n_patients - called, everyone.n_patients - all_called
    how = (
        "The miss rate cannot be known from them. Draw at random whom to label, and judge by such "
        "a labelling plan"
    )
    if not others and all_others:
        raise BadPatients(
            f"all {called} patients with a label are called; none of the {all_others} others has "
            f"one. {how} ({argument('draw', 'N')}, then {argument('label_plan')}). Or leave the "
            f"labels out with {argument('no_label', value=True)}."
        )
    of_called = ErrorRate(wrong=called, n_patients=all_called)
    if melded_p_value(of_called, ErrorRate(wrong=others, n_patients=all_others)) > UNLIKELY:
        return []
    text = (
        f"{called} of {all_called} called patients have a label, and {others} of {all_others} "
        f"others. Such labels are not of random patients. {how}."
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

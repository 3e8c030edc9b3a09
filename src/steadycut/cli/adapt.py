"""``steadycut adapt``: the cut-off for the next hospital."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from steadycut.adaptation.adapt import adapt, worklist
from steadycut.adaptation.before import LEAST_POOL
from steadycut.adaptation.control import Change, change
from steadycut.cli import tables
from steadycut.cli.options import OutputOptions, TableOptions, number, option, switch, whole
from steadycut.cli.output import check_folder, refuse, show
from steadycut.cli.results import finish_page, page_files
from steadycut.cli.rule_options import BAD, ExternalOptions, RuleColumns, RuleOptions
from steadycut.cli.tables import Use
from steadycut.cli.typed import next_commands
from steadycut.core.checks import IntArray
from steadycut.core.records import PatientScores
from steadycut.documents.change_plan import (
    ALARM,
    ChangePlan,
    ChangeVersion,
    read_sealed,
    version_paths,
)
from steadycut.documents.reading import read_json
from steadycut.documents.rule import FrozenRule
from steadycut.documents.same_study import refuse_other_study
from steadycut.errors import BadPatients, BadTable, MissingColumn, argument
from steadycut.ingest import PatientTable
from steadycut.io.files import read_small, refuse_reserved, write_together
from steadycut.show.pages.kinds import page_of
from steadycut.show.words.adaptation import worklist_text
from steadycut.study.home import check_cut_off_rule, check_prevalence

PURPOSES = CERTIFY, CHOOSE = "certify", "choose"
WORKLIST, WORKLIST_SCHEMA = "worklist.csv", "steadycut.worklist/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptOptions(ExternalOptions):
    """Hospital."""

    prevalence: str | None = option(
        "P|LOW,HIGH", "Share of ill patients that is expected here, or a range."
    )
    labels: Path | None = option(
        "FILE", "A worklist.csv with its column label filled in, instead of a column of labels."
    )
    worklist: int | None = whole("N", "Write whom to label next, N patients, and nothing else.")
    unscored: str | None = option(
        "call|leave", "What is done to a patient without a score here. [default: as in the rule]"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyHereOptions:
    """Certificate."""

    target: float | None = number(
        "COST",
        "Average cost per patient to certify, fixed before labels are seen. [default: that of "
        "calling everybody or nobody at --prevalence, else what the rule has certified]",
    )
    delta: float | None = number(
        "X", "Failure probability of the certificate. [default: as in the rule]"
    )
    sequential: bool = switch(
        "--sequential", "Take labels one at a time, and stop when the target is certified."
    )
    order: str | None = option("COL", "When a label came: numbers or ISO dates; for --sequential.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlOptions:
    """Change control."""

    plan: Path | None = option(
        "FILE",
        "A change_plan.json: change the cut-off only as it allows, and keep a version beside it. "
        "With --verify, its signature is checked too.",
    )
    trigger: str | None = option(
        "TEXT|FILE",
        "With --plan: which of its events happened, or the monitor.json with the alarm.",
    )


def adapt_command(
    rule: RuleOptions,
    columns: RuleColumns,
    here: AdaptOptions,
    certify: CertifyHereOptions,
    control: ControlOptions,
    table: TableOptions,
    output: OutputOptions,
) -> None:
    """Find and certify a cut-off for the next hospital (experimental).

    Needs the rule and the patients of one hospital. Give the prevalence that you expect, or labels
    of random patients, or both; patients without labels have an empty cell. If all have labels,
    some of them, drawn at random, say where the cut-offs lie, and the others certify. Writes
    rule.json (the new rule), adapt.json and adapt.html. The frozen rule stays as it is. With
    --plan, writes the next version of the change-control plan, and the new rule beside it if it is
    accepted.
    """
    check_folder(output.out)
    use = tables.use_rule(rule, columns, table, output.out)
    refuse_reserved([output.out / "rule.json"])
    frozen = check_cut_off_rule(use.frozen)
    if control.plan is not None or control.trigger is not None:
        change_by_plan(use, frozen, here, certify, control, output)
        return
    if here.unscored is not None:
        frozen = frozen.with_policy(here.unscored)
        use = replace(use, frozen=frozen)
    stated = check_prevalence(tables.parse_stated(here.prevalence))
    check_together(here, certify)
    without = replace(here, no_label=True, label=None, positive=None, label_how=None)
    read, lacking = tables.read_external(use, without, own_site=True)
    everyone = frozen.patients_of(read.patients)
    if here.worklist is not None:
        tables.check_named(frozen, lacking)
        write_worklist(use, frozen, everyone, here.worklist, stated, output)
        return
    labels, purposes, order = known_labels(use, everyone, here, certify.order)
    pool, certifying, choosing = parted(everyone, labels, purposes)
    adaptation = adapt(
        frozen,
        pool,
        prevalence=stated,
        labelled=certifying,
        choosing=None if certify.sequential else choosing,
        order=order,
        target=certify.target,
        sequential=certify.sequential,
        delta=certify.delta,
        menu=first_menu(output.out, frozen) if certify.sequential else None,
        force=rule.force,
        unscored=here.unscored,
        key=use.key,
    )
    document = tables.with_data(tables.with_warnings(adaptation.describe(), lacking, ()), read)
    made = {"rule.json": adaptation.rule.to_bytes()}
    finish_page(document, output, use.reading, read, made, frozen=adaptation.rule)
    refuted = document.labels is not None and document.labels.decision == "refuted"
    rule.end(warned=bool(document.warnings), worse=BAD if refuted else 0)


def first_menu(folder: Path, rule: FrozenRule) -> str | None:
    """Return the hash of the menu of an earlier look in this folder, one label at a time."""
    if not (folder / "adapt.json").is_file():
        return None
    first = read_json(folder / "adapt.json", "the first look")
    goes_on = first.get("path") and first.get("parent_sha256") == rule.document.sha256
    return str(first.get("menu_sha256")) if goes_on else None


def change_by_plan(
    use: Use,
    frozen: FrozenRule,
    here: AdaptOptions,
    certify: CertifyHereOptions,
    control: ControlOptions,
    output: OutputOptions,
) -> None:
    """Make the next attempt under a change-control plan; keep its version, also if it fails."""
    if control.plan is None or control.trigger is None or here.label is None:
        refuse("a change under a plan needs --plan FILE, --trigger TEXT|FILE and --label COL.")
    where = control.plan
    plan = use.rule.read_sealed(ChangePlan, where)
    check_by_plan(plan, use.rule, here, certify)
    versions = [read_sealed(ChangeVersion, path) for path in version_paths(where.parent)]
    trigger, alarm = trigger_of(control.trigger, frozen)
    order = plan.modification_protocol.order
    read, lacking = use.read(replace(use.request(), order=order))
    everyone = frozen.patients_of(read.patients)
    labels, _, _ = known_labels(use, everyone, here, order)
    pool, labelled = consecutive(everyone, labels, np.asarray(read.order))
    attempt = change(
        plan,
        versions,
        frozen,
        pool,
        labelled,
        trigger=trigger,
        monitor=alarm,
        order=arrivals(read, everyone),
        key=use.key,
    )
    document = tables.with_data(tables.with_warnings(attempt.describe(), lacking, ()), read)
    if not output.overwrite:
        # Before the version is written: what is refused spends nothing.
        refuse_other_study(output.out, page_files(page_of(document)))
    keep_version(where.parent, attempt)
    finish_page(document, output, use.reading, read, use=use)
    use.rule.end(warned=bool(document.warnings), worse=BAD if attempt.rule is None else 0)


def check_by_plan(
    plan: ChangePlan, rule: RuleOptions, here: AdaptOptions, certify: CertifyHereOptions
) -> None:
    """Refuse options that the plan settles, or does not allow."""
    protocol = plan.modification_protocol
    for name, given, planned in (
        ("--delta", certify.delta, protocol.delta),
        ("--target", certify.target, protocol.target),
        ("--order", certify.order, protocol.order),
    ):
        if given is not None and given != planned:
            refuse(f"the plan says {name} {planned}; got {given}. Leave it out.")
    refused = {
        "--prevalence": here.prevalence,
        "--labels": here.labels,
        "--worklist": here.worklist,
        "--site": here.site,
        "--external": here.external,
        "--unscored": here.unscored,
        "--force": rule.force or None,
    }
    for name, value in refused.items():
        if value is not None:
            refuse(f"the plan does not allow {name}; leave it out.")


def trigger_of(given: str, frozen: FrozenRule) -> tuple[str, str | None]:
    """Return the trigger in words and, for an alarm of monitor, the hash of its file."""
    if not given.endswith(".json"):
        if given.startswith(ALARM):
            refuse("for an alarm of monitor give its file: --trigger monitor.json.")
        return given, None
    content = read_json(Path(given), "the alarm")
    parts = [content.get("risk"), content.get("call_rate")]
    alarmed = any(isinstance(part, dict) and part.get("first_alarm") is not None for part in parts)
    if not str(content.get("schema")).startswith("steadycut.monitor/") or not alarmed:
        refuse(f"{given} is not a monitor.json with an alarm; give the one that raised it.")
    if content.get("rule_sha256") != frozen.document.sha256:
        refuse(f"{given} is about another rule than RULE; give the one that watched this rule.")
    return ALARM, hashlib.sha256(read_small(Path(given))).hexdigest()


def consecutive(
    everyone: PatientScores, labels: Mapping[str, int], places: IntArray
) -> tuple[PatientScores, PatientScores]:
    """Return the patients before the first labelled one, and the labelled ones.

    All patients from the first labelled one to the last must have labels. Those after the last one
    wait.
    """
    given = np.array([labels.get(name, -1) for name in tables.names_of(everyone)])
    if not (given >= 0).any():
        raise BadTable("no patient has a label; label consecutive patients after the trigger.")
    first, last = places[given >= 0].min(), places[given >= 0].max()
    left_out = int(np.sum((places > first) & (places < last) & (given < 0)))
    if left_out:
        raise BadPatients(
            f"{left_out} patients without a label came between labelled ones, and the plan allows "
            "no exclusions. Label them too, or fewer patients; give times where days are shared."
        )
    with_labels = replace(everyone, labels=np.maximum(given, 0))
    return replace(everyone, labels=None).take(places < first), with_labels.take(given >= 0)


def keep_version(folder: Path, attempt: Change) -> None:
    """Write the next version beside the plan, and the accepted rule; none is ever overwritten."""
    number = attempt.version.number
    path = folder / f"version_{number:03d}.json"
    try:
        path.open("xb").close()
    except FileExistsError:
        refuse(
            f"{path} is there already: another attempt has just been made. Run the command again."
        )
    files = {path: attempt.version.to_bytes()}
    if attempt.rule is not None:
        files[folder / f"rule_{number:03d}.json"] = attempt.rule.to_bytes()
    try:
        write_together(files)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def check_together(here: AdaptOptions, certify: CertifyHereOptions) -> None:
    """Refuse options that do not go together."""
    if here.label is not None and here.labels is not None:
        refuse("--label and --labels exclude each other; give one of them.")
    labels = here.label is not None or here.labels is not None
    if here.worklist is not None and labels:
        refuse("--worklist says whom to label; give it without --label and --labels.")
    if certify.sequential and here.labels is None and certify.order is None:
        refuse(
            f"{argument('sequential')} needs labels and when they came: {argument('order', 'COL')}."
        )
    if certify.order is not None and not certify.sequential:
        refuse(f"{argument('order')} is for {argument('sequential')}; give both.")


def write_worklist(
    use: Use,
    frozen: FrozenRule,
    patients: PatientScores,
    size: int,
    stated: tuple[float, float] | None,
    output: OutputOptions,
) -> None:
    """Write the patients to label next, in random order, so that the list can be cut short."""
    assert patients.patients is not None  # noqa: S101
    drawn = worklist(frozen, patients, size, prevalence=stated, force=use.rule.force, key=use.key)
    rows = np.concatenate([drawn.certify, drawn.choose])
    purposes = np.repeat([CERTIFY, CHOOSE], [drawn.certify.size, drawn.choose.size])
    path = tables.write_list(output, WORKLIST, patients.patients[rows], {"purpose": purposes})
    counts = {"certify": int(drawn.certify.size), "choose": int(drawn.choose.size)}
    again = next_commands({}, output.out, frozen).call("adapt_list", path)
    after = f"Next: fill in the column label of {path}. Then run {again}"
    text = f"{worklist_text(**counts)}\n{after}"
    show({"schema": WORKLIST_SCHEMA, **counts}, text, as_json=output.as_json)


def known_labels(
    use: Use, everyone: PatientScores, here: AdaptOptions, order: str | None
) -> tuple[dict[str, int], Mapping[str, str], Mapping[str, float] | None]:
    """Return the labels by patient, what each is for, and when it came.

    A worklist says whom to label in which order. The labels of the table are those of the rule's
    column, if nothing else is said.
    """
    if here.labels is not None:
        positive, known = here.positive or use.frozen.recipe.positive, tables.names_of(everyone)
        labels, purposes = tables.read_worklist(here.labels, positive, known, "purpose", PURPOSES)
        return labels, purposes, {name: place for place, name in enumerate(labels)}
    label = here.label_of(use.frozen)
    site = None if everyone.sites is None else here.site_of(use.frozen, own=True)
    if label in {None, site, order, *use.columns.given()}:
        return {}, {}, None
    try:
        table = use.read_again(
            order,
            label=label,
            site=site,
            sites=here.names(site),
            others=here.others,
            positive=here.positive,
            label_how=here.label_how,
        )
    except MissingColumn as error:
        if here.label is not None or error.column != label:
            raise
        return {}, {}, None
    patients = use.frozen.patients_of(table.patients)
    came = None if order is None else arrivals(table, patients)
    return tables.labels_of(patients), {}, came


def arrivals(table: PatientTable, patients: PatientScores) -> dict[str, float]:
    """Return when each patient came."""
    return dict(zip(tables.names_of(patients), np.asarray(table.order).tolist(), strict=True))


def parted(
    everyone: PatientScores, labels: Mapping[str, int], purposes: Mapping[str, str]
) -> tuple[PatientScores, PatientScores | None, PatientScores | None]:
    """Return the patients without labels, those who certify and those who only help to choose.

    Those who only help to choose are among the patients without labels too: their labels are not
    used there, and the pool would otherwise lack patients near the cut-offs. Those who will certify
    when their label comes are not, so that the menu stays the same. Where hardly anybody is without
    a label, `adapt` divides the labelled patients.
    """
    if not labels:
        return replace(everyone, labels=None), None, None
    names = tables.names_of(everyone)
    listed = np.array([purposes.get(name) == CERTIFY for name in names])
    unknown = len(set(labels) - set(names))
    if unknown:
        msg = f"{unknown} labelled patients are not in the table; give the table that has them."
        raise BadTable(msg)
    given = np.array([labels.get(name, -1) for name in names])
    choose = np.array([purposes.get(name) == CHOOSE for name in names])
    with_labels = replace(everyone, labels=np.maximum(given, 0))
    certifying, choosing = (given >= 0) & ~choose, (given >= 0) & choose
    if not purposes and np.sum(given < 0) < LEAST_POOL:
        return with_labels.take(certifying), None, None
    if not certifying.any():
        msg = f"no patient who may certify has a label; fill in some with the purpose {CERTIFY}."
        raise BadTable(msg)
    return (
        replace(everyone, labels=None).take(~certifying & ~listed),
        with_labels.take(certifying),
        with_labels.take(choosing) if choosing.any() else None,
    )

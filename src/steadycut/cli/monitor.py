"""``steadycut monitor``: a frozen rule in use, patients in the order of their arrival."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.apply import RulePath, check_signed
from steadycut.cli.output import check_folder, note, show, to_json, write_folder
from steadycut.cli.reading import reading_of
from steadycut.cli.tables import (
    label_warnings,
    note_dropped,
    read_levels,
    record,
    row_counts,
)
from steadycut.core.checks import check_fraction
from steadycut.documents.known_patients import check_fits
from steadycut.documents.rule import FrozenRule
from steadycut.ingest import PatientTable
from steadycut.show.columns import aligned
from steadycut.show.numbers import percent, risk
from steadycut.study.monitor import monitor

Order = Annotated[
    str,
    typer.Option(
        metavar="COL",
        help="When a row came in: numbers or ISO dates. A patient arrives with the first row.",
    ),
]
LabelHere = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column of labels. [default: watch the call rate only]"),
]
MonitorDelta = Annotated[
    float,
    typer.Option(
        metavar="X", parser=opt.number, help="Probability of a false alarm, over all time."
    ),
]
MonitorOut = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Where to write monitor.json.")
]


def monitor_command(
    rule: RulePath,
    tables: opt.Tables,
    order: Order,
    label: LabelHere = None,
    site: opt.Site = None,
    external: opt.External = None,
    delta: MonitorDelta = 0.1,
    missing: opt.Missing = "refuse",
    engine: opt.EngineName = "auto",
    memory: opt.Memory = None,
    resume: opt.Resume = False,
    force: opt.Force = False,
    patient_key: opt.PatientKey = None,
    verify: opt.Verify = None,
    out: MonitorOut = None,
    as_json: opt.AsJson = False,
) -> None:
    """Watch a frozen rule in use.

    Raises an alarm when the risk provably exceeds what was certified. May be run after every
    patient: the probability of a false alarm holds over all runs. The order must not depend on the
    labels, and no patient may be left out because of them.
    """
    if out is not None:
        check_folder(out)
    check_fraction("delta", delta)
    key = opt.read_key(patient_key)
    check_signed(rule, verify)
    frozen = FrozenRule.load(rule)
    check_fits(frozen.expected.remembered, key)
    sites = opt.parse_sites(site, external, "--external")
    request = frozen.request(label=label, site=site, sites=sites, missing=missing)
    reading = reading_of(tables, engine=engine, memory=memory, resume=resume, out=out)
    # No patient may be left out because of the label.
    request = replace(request, order=order, incomplete="refuse")
    table, lacking = read_levels(request, reading, force=force)
    patients = frozen.patients_of(table.patients)
    found = monitor(frozen, patients, order=table.order, delta=delta, force=force, key=key)
    content = {**found.to_dict(), "data": row_counts(table)}
    record(content, lacking)
    content["warnings"] += label_warnings(frozen, patients)
    if out is not None:
        write_folder(out, {"monitor.json": to_json(content)})
        reading.remove_checkpoint()
    say(table, content["warnings"])
    wrote = f"\n\nWrote monitor.json to {out}/" if out is not None else ""
    show(content, monitor_text(content) + wrote, as_json=as_json)


def say(table: PatientTable, warnings: Sequence[str]) -> None:
    """Say on stderr what was left out and what is unlike the rule's own patients."""
    note_dropped(table)
    for warning in warnings:
        note(f"warning: {warning}")


def monitor_text(content: dict[str, Any]) -> str:
    """Return what the patients so far say, in a few lines."""
    rows = [("patients", str(content["n_patients"]))]
    if content["risk"] is not None:
        rows += risk_rows(content["risk"], content["delta"])
    rows += call_rows(content["call_rate"], content["delta"])
    return f"Monitor: {content['verdict_text']}\n{aligned(rows)}"


def risk_rows(watched: dict[str, Any], delta: float) -> list[tuple[str, str]]:
    """Return the lines about the risk."""
    return [
        (
            "risk so far",
            (
                f"{risk(watched['observed'])}, at all times between {risk(watched['lower'])} and "
                f"{risk(watched['upper'])} ({percent(1 - delta)} confidence)"
            ),
        ),
        ("certified risk", risk(watched["certified"])),
        (
            "evidence against it",
            f"{risk(watched['martingale'])}; an alarm needs {risk(watched['alarm_at'])}",
        ),
        (
            "false alarms",
            (
                f"{percent(delta)} at most if the certificate is true, "
                f"{percent(watched['false_alarm_overall'])} with the certificate's own failure"
            ),
        ),
    ]


def call_rows(watched: dict[str, Any], delta: float) -> list[tuple[str, str]]:
    """Return the lines about the call rate."""
    alarm = watched["first_alarm"]
    verdict = "no alarm" if alarm is None else f"alarm after patient {alarm}: it has changed"
    return [
        (
            "called so far",
            (
                f"{percent(watched['observed'])}, at all times between {percent(watched['lower'])} "
                f"and {percent(watched['upper'])} ({percent(1 - delta / 2)} confidence)"
            ),
        ),
        (
            "called where it was made",
            (
                f"{percent(watched['internal'])}, between {percent(watched['internal_lower'])} and "
                f"{percent(watched['internal_upper'])}: {verdict}"
            ),
        ),
    ]

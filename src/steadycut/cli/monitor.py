"""``steadycut monitor``: a frozen rule in use, patients in the order of their arrival."""

from dataclasses import dataclass, replace
from typing import Annotated

from steadycut.cli.options import OptionalOutputOptions, TableOptions, number, option
from steadycut.cli.output import check_folder, note_warnings, show, to_json, write_folder
from steadycut.cli.rule_options import ExternalOptions, RuleOptions
from steadycut.cli.tables import (
    label_warnings,
    note_dropped,
    read_levels,
    row_counts,
    with_warnings,
)
from steadycut.core.checks import check_fraction
from steadycut.documents.monitor import (
    CallWatchPart,
    DecisionMonitor,
    MonitorDocument,
    RiskWatchPart,
)
from steadycut.show.columns import aligned
from steadycut.show.numbers import percent, risk
from steadycut.study.monitor import monitor


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorOptions:
    """Monitoring."""

    order: Annotated[
        str,
        option(
            "COL",
            "When a row came in: numbers or ISO dates. A patient arrives with the first row.",
        ),
    ]
    delta: Annotated[float, number("X", "Probability of a false alarm, over all time.")] = 0.1


def monitor_command(
    rule: RuleOptions,
    there: ExternalOptions,
    watch: MonitorOptions,
    table: TableOptions,
    output: OptionalOutputOptions,
) -> None:
    """Watch a frozen rule in use.

    Raises an alarm when the risk provably exceeds what was certified. May be run after every
    patient: the probability of a false alarm holds over all runs. The order must not depend on the
    labels, and no patient may be left out because of them. With --out, writes monitor.json.
    """
    out = output.out
    if out is not None:
        check_folder(out)
    check_fraction("delta", watch.delta)
    frozen, key = rule.load()
    request = frozen.request(
        label=there.label, site=there.site, sites=there.names(), missing=table.missing
    )
    reading = table.reading(out)
    # No patient may be left out because of the label.
    request = replace(request, order=watch.order, incomplete="refuse")
    read, lacking = read_levels(request, reading, force=rule.force)
    patients = frozen.patients_of(read.patients)
    found = monitor(
        frozen,
        patients,
        there.named_grades(patients),
        order=read.order,
        delta=watch.delta,
        force=rule.force,
        key=key,
        unseen=rule.unseen,
    )
    document = found.describe().model_copy(update={"data": row_counts(read)})
    document = with_warnings(document, lacking, label_warnings(frozen, patients))
    if out is not None:
        write_folder(out, {"monitor.json": to_json(document)})
        reading.remove_checkpoint()
    note_dropped(read)
    note_warnings(document.warnings)
    wrote = f"\n\nWrote monitor.json to {out}/" if out is not None else ""
    show(document, monitor_text(document) + wrote, as_json=output.as_json)


def monitor_text(content: MonitorDocument | DecisionMonitor) -> str:
    """Return the result so far, in a few lines."""
    rows = [("patients", str(content.n_patients))]
    called = "called"
    if isinstance(content, DecisionMonitor) and content.actions[-1] != called:
        called = f"above {content.actions[0]!r}"
    if content.risk is not None:
        rows += risk_rows(content.risk, content.delta)
    if content.call_rate is not None:
        rows += call_rows(content.call_rate, content.delta, called)
    return f"Monitor: {content.verdict_text}\n{aligned(rows)}"


def risk_rows(watched: RiskWatchPart, delta: float) -> list[tuple[str, str]]:
    """Return the lines about the risk."""
    return [
        (
            "risk so far",
            (
                f"{risk(watched.observed)}, at all times between {risk(watched.lower)} and "
                f"{risk(watched.upper)} ({percent(1 - delta)} confidence)"
            ),
        ),
        ("certified risk", risk(watched.certified)),
        (
            "evidence against it",
            f"{risk(watched.martingale)}; an alarm needs {risk(watched.alarm_at)}",
        ),
        (
            "false alarms",
            (
                f"{percent(delta)} at most if the certificate is true, "
                f"{percent(watched.false_alarm_overall)} with the certificate's own failure"
            ),
        ),
    ]


def call_rows(watched: CallWatchPart, delta: float, called: str) -> list[tuple[str, str]]:
    """Return the lines about the call rate."""
    alarm = watched.first_alarm
    verdict = "no alarm" if alarm is None else f"alarm after patient {alarm}: it has changed"
    return [
        (
            f"{called} so far",
            (
                f"{percent(watched.observed)}, at all times between {percent(watched.lower)} "
                f"and {percent(watched.upper)} ({percent(1 - delta / 2)} confidence)"
            ),
        ),
        (
            f"{called} where it was made",
            (
                f"{percent(watched.internal)}, between {percent(watched.internal_lower)} and "
                f"{percent(watched.internal_upper)}: {verdict}"
            ),
        ),
    ]

"""A frozen rule in use: ``steadycut monitor`` by arrival, ``steadycut switch`` at a new version."""

from dataclasses import dataclass, replace

from steadycut.adaptation.switch import switch
from steadycut.cli import options as opt
from steadycut.cli import tables
from steadycut.cli.options import number, option, required, whole
from steadycut.cli.output import check_folder
from steadycut.cli.reading import read_tables
from steadycut.cli.results import finish_page
from steadycut.cli.rule_options import ALARM, BAD, ExternalOptions, RuleColumns, RuleOptions
from steadycut.core.checks import check_delta, check_fraction
from steadycut.core.verdict import MARGIN
from steadycut.errors import MissingColumn, argument
from steadycut.study.monitor import monitor


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorOptions:
    """Monitoring."""

    order: str = required(
        "COL", "When a row came in: numbers or ISO dates. A patient arrives with the first row."
    )
    delta: float = number("X", "Probability of a false alarm, over all time.", default=0.1)


def monitor_command(
    rule: RuleOptions,
    columns: RuleColumns,
    there: ExternalOptions,
    watch: MonitorOptions,
    table: opt.TableOptions,
    output: opt.OptionalOutputOptions,
) -> None:
    """Watch a frozen rule in use (experimental).

    Raises an alarm when the risk provably exceeds what was certified. May be run after every
    patient: the probability of a false alarm holds over all runs. The order must not depend on the
    labels, and no patient may be left out because of them. With --out, writes monitor.json and
    monitor.html.
    """
    check_folder(output.out)
    check_delta(watch.delta)
    use = tables.use_rule(rule, columns, table, output.out)
    frozen = use.frozen
    read, lacking = tables.read_external(use, there, own_site=False, order=watch.order)
    patients = frozen.patients_of(read.patients)
    monitored = monitor(
        frozen,
        patients,
        there.named_grades(frozen, patients),
        order=read.order,
        delta=watch.delta,
        force=rule.force,
        key=use.key,
        unseen=rule.unseen,
    )
    document = tables.with_data(monitored.describe(), read, rule_sha256=frozen.document.sha256)
    warned = tables.label_warnings(next(iter(read.patients.values())), frozen)
    document = tables.with_warnings(document, lacking, warned)
    finish_page(document, output, use.reading, read, use=use)
    alarms = [part.first_alarm for part in (document.risk, document.call_rate) if part is not None]
    alarm = any(part is not None for part in alarms)
    rule.end(warned=bool(document.warnings), worse=ALARM if alarm else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchOptions:
    """New version."""

    new: str = required("TABLE", "Table with the same patients, scored by the new version.")
    new_score: str | None = option("COL", "Its column of scores. [default: as in the old table]")
    margin: float = number("X", "Which share of the decisions may change.", default=MARGIN)
    seed: int = whole("N", "Deals the patients who give the matching cut-off.", default=0)


def switch_command(
    rule: RuleOptions,
    columns: RuleColumns,
    version: SwitchOptions,
    table: opt.TableOptions,
    output: opt.OptionalOutputOptions,
) -> None:
    """See what a new scorer or scanner does to the decisions (experimental).

    TABLE has patients scored by the old version, --new the same patients scored by the new one. No
    labels are needed. Both may be one table with two columns of scores. With --out, writes
    switch.json and switch.html.
    """
    check_folder(output.out)
    # Both tables are read at once, without parts to go on from.
    use = tables.use_rule(rule, columns, table, None)
    frozen = use.frozen
    check_fraction("margin", version.margin)
    scored = replace(columns, score=version.new_score or columns.score)
    old, new = (asked.request() for asked in (use, replace(use, columns=scored)))
    before = read_tables(old, use.reading)
    try:
        after = read_tables(new, replace(use.reading, paths=(version.new,)))
    except MissingColumn as error:
        message = error.message.replace(argument("score", "COL"), argument("new_score", "COL"))
        raise MissingColumn(message, error.column) from None
    switched = switch(
        frozen,
        frozen.patients_of(before.patients),
        frozen.patients_of(after.patients),
        margin=version.margin,
        seed=version.seed,
    )
    document = tables.with_data(switched.describe(), after)
    finish_page(document, output, None, after, use=use)
    worse = switched.call_rate_changed or switched.same_decisions == "no"
    rule.end(warned=bool(document.warnings), worse=BAD if worse else 0)

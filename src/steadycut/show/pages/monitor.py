"""The page of a monitor: a frozen rule in use, patient by patient."""

from steadycut.core.rounding import at_least, at_most, of_hundred
from steadycut.documents.monitor import CallWatchPart, MonitorDocument, RiskWatchPart
from steadycut.show.pages.page import Page, Section, Status, explained, of_columns, section
from steadycut.show.words.audit import Money, capital
from steadycut.show.words.monitor import verdict_text
from steadycut.show.words.numbers import count, cut, percent, risk
from steadycut.show.words.sentences import quoted

Row = tuple[str, str, str]
AT_ALL_TIMES = (
    "The limits hold at all times: they may be looked at after every patient. The evidence is a "
    "betting martingale, which stays small if nothing has changed."
)


def monitor_page(monitor: MonitorDocument) -> Page:
    """Return the page of a frozen rule in use."""
    at = "" if monitor.threshold is None else f", cut-off {cut(monitor.threshold)}"
    labels = "with known labels" if monitor.labelled else "without labels"
    return Page(
        title=f"A frozen rule in use{at}",
        subtitle=f"{count(monitor.n_patients, 'patient')} in the order of arrival, {labels}",
        status=status(monitor),
        headline=(capital(verdict_text(monitor)),),
        facts=facts(monitor),
        sections=tuple(watches(monitor)),
    )


def status(monitor: MonitorDocument) -> Status:
    """Return the alarm in two words; only a watch that could have raised one is good without."""
    if monitor.alarm:
        return Status(text="alarm", tone="bad")
    if monitor.call_rate is not None and monitor.call_rate.first_alarm is not None:
        return Status(text="alarm: the share called has changed", tone="open")
    if monitor.risk is None:
        return Status(text="the risk is not watched", tone="open")
    if not monitor.risk.can_alarm:
        return Status(text="no alarm is possible", tone="open")
    return Status(text="no alarm", tone="good")


def called(monitor: MonitorDocument) -> str:
    """Name what the call rate counts: every decision but the lowest."""
    if monitor.actions[-1] != "called":
        return f"above {quoted(monitor.actions[0])}"
    return "called"


def facts(monitor: MonitorDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    money = Money(costs=monitor.costs, target=monitor.target_prevalence is not None)
    rows = [("certified risk", f"at most {money.limit(monitor.certificate.value)}")]
    if monitor.risk is not None:
        rows.insert(0, ("risk so far", money.cost(monitor.risk.observed)))
    if monitor.call_rate is not None:
        rows.append((f"{called(monitor)} so far", of_hundred(monitor.call_rate.observed)))
    return tuple(rows)


def watches(monitor: MonitorDocument) -> list[Section]:
    """Return the watches."""
    rows: list[Row] = [("patients", str(monitor.n_patients), "in the order of arrival")]
    if monitor.risk is not None:
        rows += risk_rows(monitor.risk, monitor.delta)
    if monitor.call_rate is not None:
        rows += call_rows(monitor.call_rate, monitor.delta, called(monitor))
    table = explained("The patients so far", rows, short=(0, 1, 2))
    made = [
        section("watch", "What the patients so far say", AT_ALL_TIMES, of=monitor, tables=(table,))
    ]
    if monitor.threshold is None:
        columns = [("decision", monitor.actions), ("share", list(map(percent, monitor.shares)))]
        table = of_columns("Shares of the patients", columns)
        made.append(section("shares", "Who got which decision", tables=(table,)))
    return made


def risk_rows(watched: RiskWatchPart, delta: float) -> list[Row]:
    """Return the rows about the risk."""
    limits = f"at all times between {at_least(watched.lower)} and {at_most(watched.upper)}"
    overall = f"with the certificate's own failure {percent(watched.false_alarm_overall)}"
    needed = f"an alarm needs {risk(watched.alarm_at)}"
    return [
        ("risk so far", risk(watched.observed), f"{limits} ({percent(1 - delta)} confidence)"),
        ("certified risk", risk(watched.certified), "where the rule was made"),
        ("evidence against it", risk(watched.martingale), needed),
        ("false alarms", percent(delta), f"at most, if the certificate is true; {overall}"),
    ]


def call_rows(watched: CallWatchPart, delta: float, called: str) -> list[Row]:
    """Return the rows about the call rate."""
    alarm = watched.first_alarm
    verdict = "no alarm" if alarm is None else f"alarm after patient {alarm}: it has changed"
    limits = f"between {percent(watched.lower)} and {percent(watched.upper)}"
    before = f"between {percent(watched.internal_lower)} and {percent(watched.internal_upper)}"
    held = f"at all times {limits} ({percent(1 - delta / 2)} confidence)"
    return [
        (f"{called} so far", percent(watched.observed), held),
        (f"{called} where it was made", percent(watched.internal), f"{before}: {verdict}"),
    ]

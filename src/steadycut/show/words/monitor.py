"""What a watch on a frozen rule says, in sentences."""

from steadycut.documents.monitor import MonitorDocument, RiskWatchPart
from steadycut.show.words.audit import NOT_SHOWN, Money, capital


def verdict_text(monitor: MonitorDocument) -> str:
    """Say whether there was an alarm, and what it means."""
    alarm = called_alarm(monitor)
    if alarm is None:
        return _risk_verdict(monitor)
    changed = f"the share of patients called has changed (alarm after patient {alarm})."
    if monitor.first_alarm is not None:
        return f"{_risk_verdict(monitor)} {capital(changed)}"
    return f"{changed} {capital(_risk_verdict(monitor))}"


def called_alarm(monitor: MonitorDocument) -> int | None:
    """Return the patient after whom the share called was shown to have changed."""
    return None if monitor.call_rate is None else monitor.call_rate.first_alarm


def _risk_verdict(monitor: MonitorDocument) -> str:
    if monitor.risk is None:
        return "without labels the risk is not watched, only the share of patients called."
    about = ""
    if monitor.target_prevalence is not None:
        about = " That value is for prevalences {:g} to {:g}.".format(*monitor.target_prevalence)
    return _risk_text(monitor, monitor.risk) + about


def _risk_text(monitor: MonitorDocument, watch: RiskWatchPart) -> str:
    money = Money(costs=monitor.costs, target=monitor.target_prevalence is not None)
    certified = money.limit(watch.certified)
    if watch.first_alarm is not None:
        return (
            f"alarm after patient {watch.first_alarm}: the risk here exceeds the certified "
            f"{certified}. If it did not, an alarm would come at {100 * monitor.delta:g} of "
            "100 hospitals at most, however long they watch."
        )
    if not watch.can_alarm:
        return (
            f"no alarm is possible: no loss can exceed the certified {certified}, which is "
            f"{NOT_SHOWN}."
        )
    of_what = "" if called_alarm(monitor) is None else " of the risk"
    return (
        f"no alarm{of_what}: {monitor.n_patients} patients do not show that the risk here exceeds "
        f"the certified {certified}."
    )

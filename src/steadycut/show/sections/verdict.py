"""The verdict of an audit: its three answers, every site and group, and the next step."""

from collections.abc import Sequence

from steadycut.core.rounding import UNKNOWN, at_most
from steadycut.documents import audit as audits
from steadycut.documents.parts import OperatingPointPart
from steadycut.documents.strata import RatePart
from steadycut.show.pages.page import Section, Status, Table, mark
from steadycut.show.words.audit import name_of, overall_text, question_text
from steadycut.show.words.numbers import count, percent, rate

STATUS = {
    "good": Status(text="good", tone="good"),
    "open": Status(text="open: not yet known", tone="open"),
    "bad": Status(text="bad", tone="bad"),
}
# A page shows at most this many groups, the worst ones first.
MOST_SHOWN = 25
RANKS = {"bad": 0, "open": 1, "good": 2}


def verdict_sentence(audit: audits.AuditDocument) -> str:
    """Return the overall verdict as a sentence; it names the site or group that is worst."""
    said = overall_text(audit)
    bad = audit.verdict.overall == "bad"
    text = f"Bad: {said}." if bad else f"{said[:1].upper()}{said[1:]}."
    if isinstance(audit, audits.LabelledAudit) and audit.worst_group is not None:
        name = name_of(audit.worst_group)
        worst = next(group for group in audit.groups if name_of(group) == name)
        text += f" Worst: {name} ({in_short(worst.verdict)})."
    if isinstance(audit, audits.LabelledCutOffAudit):
        now, before = area_of(audit.operating_point), _about(audit.auc_internal)
        text += f" AUC {now} here, {before} before."
    return text


def in_short(verdict: audits.VerdictPart) -> str:
    """Return a verdict in one or two words, with the answers that are no."""
    names = {"useful": "useful", "as_before": "as before", "within_certificate": "as certified"}
    refused = [text for name, text in names.items() if getattr(verdict, name) == "no"]
    return f"{verdict.overall}: not {', not '.join(refused)}" if refused else verdict.overall


def marks_of(audit: audits.AuditDocument) -> tuple[Status, ...]:
    """Return each answer with its mark."""
    marks = [mark(question_text(audit, question), question.answer) for question in audit.questions]
    calls = audit.calls
    if calls is not None and calls.capacity is not None and calls.within_capacity is not None:
        called = f"Within capacity: {calls.within_capacity}. Calls {called_in_words(audit)}"
        text = f"{called}; asked for: at most {percent(calls.capacity)}."
        marks.append(mark(text, calls.within_capacity))
    return tuple(marks)


def called_in_words(audit: audits.AuditDocument) -> str:
    """Write the share of patients who are called here, with its limits."""
    calls = audit.calls
    if calls is None:
        return percent(audit.call_rate)
    ends = f"{percent(calls.low)} to {percent(calls.high)}"
    return f"{percent(audit.call_rate)} ({ends}, {percent(calls.level)} confidence)"


def point_facts(
    here: OperatingPointPart, before: OperatingPointPart, auc_before: float | None
) -> tuple[tuple[str, str], ...]:
    """Return sensitivity, specificity and AUC, here and before."""
    pairs = (
        ("sensitivity", rate(here.sensitivity), rate(before.sensitivity)),
        ("specificity", rate(here.specificity), rate(before.specificity)),
        ("AUC", area_of(here), _about(auc_before)),
    )
    return tuple((name, f"{now} (before {was})") for name, now, was in pairs)


def area_of(point: OperatingPointPart) -> str:
    """Write the area under the ROC curve."""
    area = point.fixed_cut.characteristics["auc"].value
    return UNKNOWN if area is None else f"{area:.2f}"


def _about(value: float | None) -> str:
    return UNKNOWN if value is None else f"about {value:.2f}"


def _rank(group: audits.GroupPart) -> tuple[int, bool, int, float]:
    """Return a key that puts the worst group first: not useful, then most answers no."""
    verdict = group.verdict
    answers = [verdict.useful, verdict.as_before, verdict.within_certificate]
    return RANKS[verdict.overall], verdict.useful != "no", -answers.count("no"), -group.cost


def groups_section(audit: audits.LabelledAudit) -> tuple[Section, ...]:
    """Show every site and group with its own verdict, the worst ones first."""
    if not audit.groups:
        return ()
    # The one that the headline names stands first, also among equals.
    worst = None if audit.worst_group is None else name_of(audit.worst_group)
    groups = sorted(audit.groups, key=lambda group: (name_of(group) != worst, _rank(group)))
    left_out = max(len(groups) - MOST_SHOWN, 0)
    rows = tuple(_group_row(group) for group in groups[:MOST_SHOWN])
    more = f" {count(left_out, 'group')} with a better verdict are not shown." if left_out else ""
    several = len(audit.groups[0].rates) > len(("missed", "alarms"))
    boundaries = "Errors are counted at all boundaries together. " if several else ""
    table = Table(
        caption="Sites and groups, the worst first",
        header=("group", "verdict", "patients", "missed", "false alarms", "AUC", "cost, at most"),
        kinds="ttnnnnn",
        rows=rows,
        note=(
            f"{boundaries}The cost limits hold for all groups together with "
            f'{percent(1 - audit.delta)} confidence. The limit for all patients, "here, at '
            f'most", is a statement by itself, with {percent(1 - audit.delta)} confidence.{more}'
        ),
        short=(0, 1, 2, 3, 4),
    )
    text = (
        "Each group is judged by its own patients only. If all groups are as before, the chance "
        f"that any of them is called bad is at most {percent(audit.delta / 2)}."
    )
    title = "Every site and group by itself"
    return (Section(key="groups", title=title, texts=(text,), tables=(table,), opened=True),)


def _group_row(group: audits.GroupPart) -> tuple[str, ...]:
    return (
        f"{group.column} {group.value}",
        in_short(group.verdict),
        str(group.n_patients),
        _errors(group.rates[::2]),
        _errors(group.rates[1::2]),
        UNKNOWN if group.auc is None else f"{group.auc:.2f}",
        at_most(group.cost_limit),
    )


def _errors(rates: Sequence[RatePart]) -> str:
    return f"{sum(part.errors for part in rates)} of {sum(part.n_patients for part in rates)}"

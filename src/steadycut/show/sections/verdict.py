"""The decision of an audit: its answers for the analyst, and every site and group."""

from collections.abc import Sequence

from steadycut.core.rounding import UNKNOWN, at_most
from steadycut.core.verdict import DECISIONS
from steadycut.documents import audit as audits
from steadycut.documents.strata import RatePart
from steadycut.show.pages.page import Section, Status, Table, explained, mark, section
from steadycut.show.words.audit import SHORT, capital, certified_in_words, name_of, rows_of
from steadycut.show.words.numbers import count, percent

TONES = {"use": "good", "use and watch": "watch", "adapt": "amber", "do not use": "bad"}
STATUS = {name: Status(text=name, tone=TONES.get(name, "grey")) for name in DECISIONS}
# A page shows at most this many groups, the worst ones first.
MOST_SHOWN = 25


def decision_table(audit: audits.AuditDocument) -> Table | None:
    """Return the numbers behind the decision; None without labels."""
    rows = tuple(rows_of(audit))
    caption, header = "Behind the decision", ("what", "value")
    table = Table(caption=caption, header=header, kinds="tt", rows=rows, short=(0, 1))
    return table if rows else None


def marks_of(audit: audits.AuditDocument) -> tuple[Status, ...]:
    """Return the answer about each certified rate, and about the capacity, with its mark."""
    rates = (audit.certified_rates if isinstance(audit, audits.LabelledAudit) else None) or []
    marks = [mark(f"{certified_in_words(one)}.", one.answer) for one in rates]
    calls = audit.calls
    if calls is not None and calls.capacity is not None and calls.within_capacity is not None:
        called = f"Within capacity: {calls.within_capacity}. Calls {called_in_words(audit)}"
        text = f"{called}; asked for: at most {percent(calls.capacity)}."
        marks.append(mark(text, calls.within_capacity))
    return tuple(marks)


def answers_section(audit: audits.AuditDocument) -> tuple[Section, ...]:
    """Show the three answers, and how many patients would answer an open one."""
    if not audit.questions:
        return ()
    rows = [
        (capital(SHORT[part.question]), part.answer, str(part.patients_needed or "-"))
        for part in audit.questions
    ]
    text = (
        "Useful: higher net benefit than treat-all and treat-none. As good as before: non-inferior "
        f"in cost at the prevalence here, with a margin of {percent(audit.margin)} of the cost of "
        "treating all or none alike. Within what was certified: the upper confidence bound of the "
        "first hospital still holds. Each yes or no is wrong with probability at most "
        f"{percent(audit.delta)}."
    )
    header = ("question", "answer", "patients in all that would answer it")
    table = explained("Answers", rows, header=header)
    return (section("answers", "The three answers", text, tables=(table,)),)


def called_in_words(audit: audits.AuditDocument) -> str:
    """Write the share of patients who are called here, with its limits."""
    calls = audit.calls
    if calls is None:
        return percent(audit.call_rate)
    ends = f"{percent(calls.low)} to {percent(calls.high)}"
    return f"{percent(audit.call_rate)} ({ends}, {percent(calls.level)} confidence)"


def groups_section(audit: audits.LabelledAudit) -> tuple[Section, ...]:
    """Show every site and group with its own verdict, the worst ones first."""
    if not audit.groups:
        return ()
    # The one that the headline names stands first, also among equals.
    worst = None if audit.worst_group is None else name_of(audit.worst_group)
    groups = sorted(
        audit.groups, key=lambda one: (DECISIONS.index(one.verdict.decision), -one.cost)
    )
    groups.sort(key=lambda one: name_of(one) != worst)
    left_out = max(len(groups) - MOST_SHOWN, 0)
    rows = tuple(_group_row(one) for one in groups[:MOST_SHOWN])
    more = f" {count(left_out, 'group')} with a better decision are not shown." if left_out else ""
    several = len(audit.groups[0].rates) > len(("missed", "alarms"))
    boundaries = "Errors are counted at all boundaries together. " if several else ""
    table = Table(
        caption="Sites and groups, the worst first",
        header=("group", "decision", "patients", "missed", "false alarms", "AUC", "cost, at most"),
        kinds="ttnnnnn",
        rows=rows,
        note=(
            f"{boundaries}The cost limits hold for all groups together with "
            f"{percent(1 - audit.delta)} confidence. The limit for all patients, in the row "
            f'"Cost", is a statement by itself, with {percent(1 - audit.delta)} confidence.{more}'
        ),
        short=(0, 1, 2, 3, 4),
    )
    text = (
        "Each group is judged by its own patients only. If all groups are as before, the chance "
        f"that any of them is to adapt or not to use is at most {percent(audit.delta / 2)}."
    )
    title = "Every site and group by itself"
    return (Section(key="groups", title=title, texts=(text,), tables=(table,), opened=True),)


def _group_row(group: audits.GroupPart) -> tuple[str, ...]:
    return (
        f"{group.column} {group.value}",
        group.verdict.decision,
        str(group.n_patients),
        _errors(group.rates[::2]),
        _errors(group.rates[1::2]),
        UNKNOWN if group.auc is None else f"{group.auc:.2f}",
        at_most(group.cost_limit),
    )


def _errors(rates: Sequence[RatePart]) -> str:
    return f"{sum(part.errors for part in rates)} of {sum(part.n_patients for part in rates)}"

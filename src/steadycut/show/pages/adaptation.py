"""The page of an adapted cut-off: what it is, beside the frozen one, and what is known about it."""

from steadycut.core.rounding import at_most, of_hundred
from steadycut.documents.adaptation import AdaptationDocument, ChangePart
from steadycut.show.pages.page import Page, Section, Status, Table, of_columns, section
from steadycut.show.words.adaptation import assumptions, verdict_text
from steadycut.show.words.audit import capital
from steadycut.show.words.numbers import count, cut, percent, risk

TONES = {"certified": "good", "refuted": "bad", "undecided": "open"}
CHANGE_TONES = {"accepted": "good", "failed": "bad", "open": "open"}
BEFORE_LABELS = (
    "These cut-offs were fixed before any label was seen. Their limits hold together, so any of "
    "them may be used."
)
WITHOUT_LABELS = (
    "No label has judged these cut-offs, so no limit of their errors is known. They are fixed now: "
    "labels that come later certify all of them together."
)


def adaptation_page(found: AdaptationDocument) -> Page:
    """Return the page of an adapted cut-off."""
    labels = found.labels
    text, tone = "not certified", "open"
    if labels is not None:
        text, tone = labels.decision, TONES[labels.decision]
    if found.certificate is not None and found.certificate.vacuous and tone == "good":
        text, tone = "not shown to be useful", "open"
    title = f"Cut-off {cut(found.threshold)} for this hospital"
    if found.change is not None:
        text, tone = found.change.outcome, CHANGE_TONES[found.change.outcome]
        title = f"Attempt {found.change.attempt} under the change-control plan"
    first, rest = verdict_text(found)
    return Page(
        title=title,
        subtitle=subtitle(found),
        status=Status(text=text, tone=tone),
        headline=(capital(first), rest),
        facts=facts(found),
        sections=tuple(sections(found)),
    )


def subtitle(found: AdaptationDocument) -> str:
    """Say what it was made from."""
    patients, known = count(found.n_patients, "patient"), found.labels
    if known is not None and known.divided is not None:
        return f"{patients} for the menu, {known.n_patients} to certify"
    return f"{patients} without labels" + (f", {known.n_patients} with" if known else "")


def facts(found: AdaptationDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    if found.change is not None:
        return change_facts(found.change)
    rows = [
        ("frozen cut-off", found.frozen_threshold, found.frozen_call_rate),
        ("cut-off here", found.threshold, found.call_rate),
    ]
    for one in found.wrong_odds if found.labels is None else ():
        times = f"{one.factor:.1f} times" if one.factor > 1 else f"1/{1 / one.factor:.1f} of"
        rows.append((f"if the odds are {times} those stated", one.threshold, one.call_rate))
    return tuple((name, f"{cut(value)}, calls {percent(share)}") for name, value, share in rows)


def change_facts(part: ChangePart) -> tuple[tuple[str, str], ...]:
    """Return the numbers of an attempt under a change-control plan, beside what the plan asks."""
    shown = "not shown" if part.limit is None else f"at most {at_most(part.limit)}"
    above = "not shown" if part.difference is None else f"at most {at_most(part.difference)}"
    return (
        ("labels", f"{part.labels} of at most {part.most_labels}"),
        (f"cost per patient (target {risk(part.target)})", shown),
        (f"above the original (margin {risk(part.margin)})", above),
        ("error probability", f"{part.delta:.3g} of {part.delta_all:.3g} for all attempts"),
        ("version to keep", part.version),
    )


def sections(found: AdaptationDocument) -> list[Section]:
    """Return what the page explains."""
    made = [section("assumes", "What this assumes", results=assumptions(found))]
    if found.pull is not None:
        made.append(section("mixing", "How far the stated prevalence is followed", mixing(found)))
    text = WITHOUT_LABELS if found.labels is None else BEFORE_LABELS
    made.append(section("menu", "Cut-offs to choose from", text, tables=(menu(found),)))
    if found.path is not None:
        made.append(section("path", "One label at a time", of=found))
    return made


def mixing(found: AdaptationDocument) -> str:
    """Say how far the stated prevalence is followed, and why."""
    return (
        f"The log odds of disease move {percent(found.pull)} of the way that the stated prevalence "
        "asks for, and the rule is fitted again with them. A stated prevalence can be wrong, and "
        "scores can change in other ways. So the number is never followed all the way, and not at "
        "all if it is hardly another one than at the first hospital."
    )


def menu(found: AdaptationDocument) -> Table:
    """Return the table of cut-offs, with their limits where there are labels."""
    rows = found.candidates
    columns = [
        ("cut-off", [f"{cut(one.threshold)}{' *' if one.chosen else ''}" for one in rows]),
        ("what it is", [one.name for one in rows]),
        ("calls", [of_hundred(one.call_rate) for one in rows]),
    ]
    if found.labels is not None:
        columns += [
            ("missed", [str(one.missed) for one in rows]),
            ("false alarms", [str(one.alarms) for one in rows]),
            ("cost at most", [at_most(one.limit) for one in rows]),
        ]
    return of_columns("* is the one to use", columns, texts=2, short=False)

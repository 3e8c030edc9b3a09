"""The page of an adapted cut-off: what it is, beside the frozen one, and what is known about it."""

from steadycut.core.rounding import at_most, of_hundred
from steadycut.documents.adaptation import AdaptationDocument, ChangePart
from steadycut.show.pages.page import Page, Section, Status, Table, of_columns, section
from steadycut.show.words.adaptation import assumptions, verdict_text, worklist_text
from steadycut.show.words.audit import capital
from steadycut.show.words.next_step import Step
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

WORKLIST = "steadycut.worklist/1"


def worklist_page(certify: int, choose: int, step: Step) -> Page:
    """Return a page that says how many patients to label, and what to do with the list."""
    return Page(
        title="Patients to label",
        subtitle=count(certify + choose, "patient"),
        status=Status(text="to label", tone="open"),
        headline=(worklist_text(certify, choose),),
        step=step,
    )


def adaptation_page(result: AdaptationDocument) -> Page:
    """Return the page of an adapted cut-off."""
    labels = result.labels
    text, tone = "not certified", "open"
    if labels is not None:
        text, tone = labels.decision, TONES[labels.decision]
    if result.certificate is not None and result.certificate.vacuous and tone == "good":
        text, tone = "not shown to be useful", "open"
    title = f"Cut-off {cut(result.threshold)} for this hospital"
    if result.change is not None:
        text, tone = result.change.outcome, CHANGE_TONES[result.change.outcome]
        title = f"Attempt {result.change.attempt} under the change-control plan"
    first, rest = verdict_text(result)
    return Page(
        title=title,
        subtitle=subtitle(result),
        status=Status(text=text, tone=tone),
        headline=(capital(first), rest),
        facts=facts(result),
        sections=tuple(sections(result)),
    )


def subtitle(result: AdaptationDocument) -> str:
    """Say what it was made from."""
    patients, known = count(result.n_patients, "patient"), result.labels
    if known is not None and known.divided is not None:
        return f"{patients} for the menu, {known.n_patients} to certify"
    return f"{patients} without labels" + (f", {known.n_patients} with" if known else "")


def facts(result: AdaptationDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    if result.change is not None:
        return change_facts(result.change)
    rows = [
        ("frozen cut-off", result.frozen_threshold, result.frozen_call_rate),
        ("cut-off here", result.threshold, result.call_rate),
    ]
    for wrong in result.wrong_odds if result.labels is None else ():
        times = f"{wrong.factor:.1f} times" if wrong.factor > 1 else f"1/{1 / wrong.factor:.1f} of"
        rows.append((f"if the odds are {times} those stated", wrong.threshold, wrong.call_rate))
    return tuple((name, f"{cut(value)}, calls {percent(share)}") for name, value, share in rows)


def change_facts(part: ChangePart) -> tuple[tuple[str, str], ...]:
    """Return the numbers of an attempt under a change-control plan, beside what the plan asks."""
    limit = "not shown" if part.limit is None else f"at most {at_most(part.limit)}"
    above = "not shown" if part.difference is None else f"at most {at_most(part.difference)}"
    return (
        ("labels", f"{part.labels} of at most {part.most_labels}"),
        (f"cost per patient (target {risk(part.target)})", limit),
        (f"above the original (margin {risk(part.margin)})", above),
        ("error probability", f"{part.delta:.3g} of {part.delta_all:.3g} for all attempts"),
        ("version to keep", part.version),
    )


def sections(result: AdaptationDocument) -> list[Section]:
    """Return what the page explains."""
    made = [section("assumes", "What this assumes", results=assumptions(result))]
    if result.pull is not None:
        made.append(section("mixing", "How far the stated prevalence is followed", mixing(result)))
    text = WITHOUT_LABELS if result.labels is None else BEFORE_LABELS
    made.append(section("menu", "Cut-offs to choose from", text, tables=(menu(result),)))
    if result.path is not None:
        made.append(section("path", "One label at a time", of=result))
    return made


def mixing(result: AdaptationDocument) -> str:
    """Say how far the stated prevalence is followed, and why."""
    return (
        f"The log odds of disease move {percent(result.pull)} of the way that the stated "
        "prevalence asks for, and the rule is fitted again with them. A stated prevalence can be "
        "wrong, and scores can change in other ways. So the number is never followed all the way, "
        "and not at all if it is hardly another one than at the first hospital."
    )


def menu(result: AdaptationDocument) -> Table:
    """Return the table of cut-offs, with their limits where there are labels."""
    rows = result.candidates
    columns = [
        ("cut-off", [f"{cut(row.threshold)}{' *' if row.chosen else ''}" for row in rows]),
        ("what it is", [row.name for row in rows]),
        ("calls", [of_hundred(row.call_rate) for row in rows]),
    ]
    if result.labels is not None:
        columns += [
            ("missed", [str(row.missed) for row in rows]),
            ("false alarms", [str(row.alarms) for row in rows]),
            ("cost at most", [at_most(row.limit) for row in rows]),
        ]
    return of_columns("* is the one to use", columns, texts=2, short=False)

"""The page of a version switch: which decisions change."""

from steadycut.core.rounding import of_hundred_at_most
from steadycut.documents.switch import ChangesPart, MatchedPart, SwitchDocument
from steadycut.show.pages.page import (
    Page,
    Section,
    Status,
    Table,
    explained,
    mark,
    of_columns,
    section,
)
from steadycut.show.words.adaptation import switch_text
from steadycut.show.words.audit import capital
from steadycut.show.words.numbers import count, cut, percent

STATUS = {
    "yes": "same decisions",
    "no": "not the same decisions",
    "cannot tell": "open: not yet known",
}
MATCHED = "A cut-off for the new version"
SPLIT = (
    "The matching cut-off calls as many patients as the old cut-off does, among the patients who "
    "gave it. The other patients show how many decisions it changes. It has no certificate."
)
MAP = "The same quantiles of old and new scores. They are of patients, and not of ill patients."


def switch_page(switch: SwitchDocument) -> Page:
    """Return the page of a version switch."""
    answer = "no" if switch.call_rate_changed else switch.same_decisions
    changes, matched = switch.changes, switch.matched
    changed = changed_in_words(changes, switch)
    test = "yes" if switch.call_rate_changed else "not shown"
    called = f"{changes.called_before} called before, {changes.called_after} now"
    at = "" if switch.threshold is None else f", cut-off {cut(switch.threshold)}"
    facts = [("newly called", str(changes.newly)), ("no longer called", str(changes.no_longer))]
    sections = []
    if matched is not None:
        facts.append(("matching cut-off", f"{cut(matched.threshold)} of the new scores"))
        facts.append(("decisions that it changes", changed_in_words(matched.changes, switch)))
        sections.append(matched_section(matched, switch))
    return Page(
        title=f"A new version{at}",
        subtitle=f"{count(changes.n_patients, 'patient')} scored by the old and the new version",
        status=mark(STATUS[answer], answer),
        headline=(f"{capital(switch_text(switch))}.",),
        marks=(
            mark(f"Same decisions: {switch.same_decisions}. {changed}.", switch.same_decisions),
            Status(
                text=f"Share called has changed: {test}. {called} (p = {switch.p_value:.2g}).",
                tone="bad" if switch.call_rate_changed else "open",
            ),
        ),
        facts=tuple(facts),
        sections=(
            *sections,
            section("map", "From old to new scores", MAP, tables=(map_table(switch),)),
        ),
    )


def changed_in_words(changes: ChangesPart, switch: SwitchDocument) -> str:
    """Write how many decisions change, and how many at most."""
    number = changes.newly + changes.no_longer
    confidence = f"{percent(1 - switch.delta)} confidence"
    most = of_hundred_at_most(changes.high)
    return f"{number} of {changes.n_patients} change, at most {most} ({confidence})"


def matched_section(matched: MatchedPart, switch: SwitchDocument) -> Section:
    """Show the old and the matching cut-off, each with what it changes."""
    rows = [
        ("old cut-off", switch.threshold, switch.changes),
        ("matching cut-off", matched.threshold, matched.changes),
    ]
    table = explained(
        f"{count(matched.n_map, 'patient')} gave the matching cut-off",
        ((name, cut(value), changed_in_words(changes, switch)) for name, value, changes in rows),
        header=("what", "cut-off", "decisions"),
    )
    return section("matched", MATCHED, SPLIT, tables=(table,))


def map_table(switch: SwitchDocument) -> Table:
    """Return the map from old to new scores."""
    old, new = zip(*switch.quantiles, strict=True)
    columns = [("old score", list(map(cut, old))), ("new score", list(map(cut, new)))]
    return of_columns("From old to new scores", columns, texts=0, short=False)

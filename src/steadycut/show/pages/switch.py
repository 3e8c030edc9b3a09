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


def switch_page(found: SwitchDocument) -> Page:
    """Return the page of a version switch."""
    answer = "no" if found.call_rate_changed else found.same_decisions
    changes, matched = found.changes, found.matched
    changed = changed_in_words(changes, found)
    test = "yes" if found.call_rate_changed else "not shown"
    called = f"{changes.called_before} called before, {changes.called_after} now"
    at = "" if found.threshold is None else f", cut-off {cut(found.threshold)}"
    facts = [("newly called", str(changes.newly)), ("no longer called", str(changes.no_longer))]
    sections = []
    if matched is not None:
        facts.append(("matching cut-off", f"{cut(matched.threshold)} of the new scores"))
        facts.append(("decisions that it changes", changed_in_words(matched.changes, found)))
        sections.append(matched_section(matched, found))
    return Page(
        title=f"A new version{at}",
        subtitle=f"{count(changes.n_patients, 'patient')} scored by the old and the new version",
        status=mark(STATUS[answer], answer),
        headline=(f"{capital(switch_text(found))}.",),
        marks=(
            mark(f"Same decisions: {found.same_decisions}. {changed}.", found.same_decisions),
            Status(
                text=f"Share called has changed: {test}. {called} (p = {found.p_value:.2g}).",
                tone="bad" if found.call_rate_changed else "open",
            ),
        ),
        facts=tuple(facts),
        sections=(
            *sections,
            section("map", "From old to new scores", MAP, tables=(map_table(found),)),
        ),
    )


def changed_in_words(changes: ChangesPart, found: SwitchDocument) -> str:
    """Write how many decisions change, and how many at most."""
    number = changes.newly + changes.no_longer
    confidence = f"{percent(1 - found.delta)} confidence"
    most = of_hundred_at_most(changes.high)
    return f"{number} of {changes.n_patients} change, at most {most} ({confidence})"


def matched_section(matched: MatchedPart, found: SwitchDocument) -> Section:
    """Show the old and the matching cut-off, each with what it changes."""
    rows = [
        ("old cut-off", found.threshold, found.changes),
        ("matching cut-off", matched.threshold, matched.changes),
    ]
    table = explained(
        f"{count(matched.n_map, 'patient')} gave the matching cut-off",
        ((name, cut(value), changed_in_words(one, found)) for name, value, one in rows),
        header=("what", "cut-off", "decisions"),
    )
    return section("matched", MATCHED, SPLIT, tables=(table,))


def map_table(found: SwitchDocument) -> Table:
    """Return the map from old to new scores."""
    old, new = zip(*found.quantiles, strict=True)
    columns = [("old score", [cut(one) for one in old]), ("new score", [cut(one) for one in new])]
    return of_columns("From old to new scores", columns, texts=0, short=False)

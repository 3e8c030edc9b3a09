"""The page of a version switch: which decisions change."""

from steadycut.core.rounding import of_hundred_at_most
from steadycut.documents.switch import ChangesPart, SwitchDocument
from steadycut.show.pages.builders import explained, held_files, of_columns, section
from steadycut.show.pages.page import Page, Status, Table
from steadycut.show.sections.verdict import mark
from steadycut.show.words.adaptation import switch_text
from steadycut.show.words.audit import capital
from steadycut.show.words.next_step import step_of
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
    return Page(
        title=f"A new version, cut-off {cut(found.threshold)}",
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
        facts=(
            ("newly called", str(changes.newly)),
            ("no longer called", str(changes.no_longer)),
            ("matching cut-off", f"{cut(matched.threshold)} of the new scores"),
            ("decisions that it changes", changed_in_words(matched.changes, found)),
        ),
        step=step_of(found.next_step),
        warnings=tuple(found.warnings),
        sections=(
            section("matched", MATCHED, SPLIT, tables=(split_table(found),)),
            section("map", "From old to new scores", MAP, tables=(map_table(found),)),
        ),
        files=held_files(found, "switch.json"),
    )


def changed_in_words(changes: ChangesPart, found: SwitchDocument) -> str:
    """Write how many decisions change, and how many at most."""
    number = changes.newly + changes.no_longer
    confidence = f"{percent(1 - found.delta)} confidence"
    most = of_hundred_at_most(changes.high)
    return f"{number} of {changes.n_patients} change, at most {most} ({confidence})"


def split_table(found: SwitchDocument) -> Table:
    """Return the old and the matching cut-off, each with what it changes."""
    rows = [
        ("old cut-off", found.threshold, found.changes),
        ("matching cut-off", found.matched.threshold, found.matched.changes),
    ]
    return explained(
        f"{count(found.matched.n_map, 'patient')} gave the matching cut-off",
        ((name, cut(value), changed_in_words(one, found)) for name, value, one in rows),
        header=("what", "cut-off", "decisions"),
    )


def map_table(found: SwitchDocument) -> Table:
    """Return the map from old to new scores."""
    old, new = zip(*found.quantiles, strict=True)
    columns = [("old score", [cut(one) for one in old]), ("new score", [cut(one) for one in new])]
    return of_columns("From old to new scores", columns, texts=0, short=False)

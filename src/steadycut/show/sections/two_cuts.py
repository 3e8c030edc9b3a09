"""Rule out and rule in: two cut-offs, the patients between them, and what is shown of each side."""

from collections.abc import Sequence

from steadycut.core.rounding import at_least, at_most, who_is_called
from steadycut.core.strata.two_cuts import parse_two_cuts
from steadycut.core.verdict import MOST_PATIENTS, Answer, RateName, name_in_text, worst_answer
from steadycut.documents.parts import CertifiedRatePart
from steadycut.documents.strata import BetweenPart, StrataDocument, StrataStudyDocument
from steadycut.documents.study import StudyRatePart
from steadycut.show.pages.page import Column, Section, Status, mark, of_columns, section
from steadycut.show.sections.certificate import rule_value
from steadycut.show.words.audit import HOLDS, limit_in_words
from steadycut.show.words.next_step import Sentence, Step
from steadycut.show.words.numbers import asked, cut, percent
from steadycut.show.words.sentences import audit_step

# The side that each rate is about, whom it counts, and who of them is decided rightly.
SIDES = {
    "sensitivity": ("Rule-out", "ill patients", "not ruled out"),
    "npv": ("Rule-out", "patients ruled out", "healthy"),
    "specificity": ("Rule-in", "healthy patients", "not ruled in"),
    "ppv": ("Rule-in", "patients ruled in", "ill"),
}
STATUS: dict[Answer, str] = {
    "yes": "both sides shown",
    "cannot tell": "not shown to be as asked",
    "no": "not as asked",
}
# Whoever reaches the lower cut-off is not ruled out.
OTHERS = {"everybody": "nobody", "nobody": "everybody"}


def two_cuts_status(sides: Sequence[CertifiedRatePart]) -> Status:
    """Return in a few words whether both sides are as asked."""
    answer = worst_answer(part.answer for part in sides)
    return mark(STATUS[answer], answer)


def two_cuts_sentence(document: StrataStudyDocument | StrataDocument, between: BetweenPart) -> str:
    """Say where patients are ruled out and in, and how many lie between."""
    low, high = (cut(threshold) for threshold in document.thresholds)
    out, into = (f"below {low}", f"from {high}")
    if document.direction == "le":
        out, into = f"above {low}", f"at {high} or less"
    passed, reached = (who_is_called(end, document.direction) for end in document.thresholds)
    out, into = OTHERS.get(passed, out), reached or into
    start = f"Rule out {out}, rule in {into}"
    if document.thresholds[0] == document.thresholds[1]:
        return f"{start}: one cut-off meets both limits, so nobody needs further tests."
    return f"{start}; {between_in_words(between)} and need further tests."


def between_in_words(between: BetweenPart) -> str:
    """Say how many patients lie between the two cut-offs.

    Examples
    --------
    >>> between_in_words(BetweenPart.of_counts([30, 20, 50], 0.1))
    '20 of 100 patients lie between (13.7 % to 27.7 % with 90 % confidence)'
    """
    ends = f"{percent(between.low)} to {percent(between.high)}"
    share = f"{between.patients} of {between.n_patients} patients"
    return f"{share} lie between ({ends} with {percent(between.level)} confidence)"


def side_marks(sides: Sequence[CertifiedRatePart], delta: float) -> tuple[Status, ...]:
    """Return what is shown of each side, with its mark."""
    held = f"{percent(1 - delta)} confidence for both"
    return tuple(mark(f"{side_in_words(part)} ({held}).", part.answer) for part in sides)


def judged_sides(
    sides: Sequence[StudyRatePart], rule: str, delta: float
) -> tuple[Status, tuple[Status, ...], Step]:
    """Return the status, the marks and the next step of a page about two limits."""
    return two_cuts_status(sides), side_marks(sides, delta), two_cuts_step(sides, rule)


def side_in_words(part: CertifiedRatePart) -> str:
    """Say whether one side is shown to be as good as asked.

    Examples
    --------
    >>> one = CertifiedRatePart(
    ...     rate="npv", asked=0.9, right=59, n_patients=60, observed=59 / 60, lower=0.923,
    ...     upper=0.999, answer="yes"
    ... )
    >>> side_in_words(one)
    'Rule-out: NPV at least 0.90 is shown. 59 of 60 patients ruled out are healthy: at least 0.923'
    """
    side, whom, right = SIDES[part.rate]
    return (
        f"{side}: {name_in_text(part.rate)} at least {asked(part.asked)} is {HOLDS[part.answer]}. "
        f"{part.right} of {part.n_patients} {whom} are {right}: {limit_in_words(part)}"
    )


def two_cuts_step(sides: Sequence[StudyRatePart], rule: str) -> Step:
    """Say what to do now: what the first side that is not shown needs, one that is refuted first.

    A stricter limit is advised only if it is stricter than that of ``rule``, and if it allows an
    error among as many patients.
    """
    first = max(sides, key=lambda part: ("yes", "cannot tell", "no").index(part.answer))
    if first.answer == "yes":
        return audit_step("strata.json")
    return Step(verb="fit", sentence=fit_again(sides, first, rule))


def fit_again(sides: Sequence[StudyRatePart], first: StudyRatePart, rule: str) -> str | Sentence:
    """Say how to fit again, so that a side is shown."""
    whom, value, n = SIDES[first.rate][1], asked(first.asked), first.n_patients
    if first.rate_needed is not None:
        two = parse_two_cuts(rule)
        used = two.asked.get(first.rate, 0.0) if two else 0.0
        if first.rate_needed <= used or n * (1 - first.rate_needed) < 1 / 2:
            less = f"Next: ask for less than {value}, or find a better score"
            return f"{less}; a stricter limit would hardly show {value} with {n} {whom}."
        return stricter(sides, first.rate, first.rate_needed)
    if first.patients_needed is None:
        return f"Next: ask for less, or find a better score; {MOST_PATIENTS} {whom} are too few."
    if (first.observed or 0.0) <= first.asked:
        least = f"at least {first.patients_needed} {whom} (here {n})"
        return f"Next: find a better score, or ask for less than {value}; to show it takes {least}."
    many = f"about {first.patients_needed} {whom} (here {n}) show {value} in four studies of five"
    return f"Next: check more patients: {many}."


def stricter(sides: Sequence[StudyRatePart], rate: RateName, needed: float) -> Sentence:
    """Say which stricter limit to choose by."""
    name = SIDES[rate][0].lower().replace("-", "_")
    certify = ",".join(f"{part.rate}:{asked(part.asked)}" for part in sides)
    options = {name: f"{rate}:{rule_value(needed)}", "certify": certify}
    return lambda spell: f"Next: choose by a stricter limit: {spell.options(options)}."


def sides_section(
    sides: Sequence[CertifiedRatePart], between: BetweenPart | None, delta: float
) -> Section:
    """Show both sides with their limits, and how many patients lie between."""
    text = (
        f"Each lower limit is exact at {percent(1 - delta / len(sides))} confidence, so both hold "
        f"together with {percent(1 - delta)} confidence. The limits of the share between need no "
        "labels; they are a separate statement."
    )
    results = () if between is None else (f"{between_in_words(between)}.",)
    columns: list[Column] = [
        ("side", [SIDES[part.rate][0] for part in sides]),
        ("rate", [name_in_text(part.rate) for part in sides]),
        ("asked for", [asked(part.asked) for part in sides]),
        ("observed", [f"{part.right} of {part.n_patients}" for part in sides]),
        ("at least", [at_least(part.lower) for part in sides]),
        ("at most", [at_most(part.upper) for part in sides]),
        ("shown", [str(part.answer) for part in sides]),
    ]
    table = of_columns("Both sides", columns, texts=2)
    return section("sides", "Rule-out and rule-in", text, results=results, tables=(table,))

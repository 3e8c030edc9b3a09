"""The page of a study of risk strata: ordered boundaries, all chosen at once."""

import math
from itertools import pairwise

from steadycut.core.rounding import at_most, share_at_most
from steadycut.documents.strata import StrataDocument, StrataStudyDocument
from steadycut.show.pages.page import Page, Section, listed, of_columns, of_matrix, section
from steadycut.show.sections.certificate import certificate_section, judged
from steadycut.show.sections.two_cuts import judged_sides, sides_section, two_cuts_sentence
from steadycut.show.words.numbers import count, cut, numbers, percent, risk
from steadycut.show.words.sentences import (
    aggregation_in_words,
    disagree_in_words,
    quoted,
    scored_sentences,
)

CUT_DIGITS = 4
WITHOUT = "one stratum for everybody"
SIDES = {"ge": "high scores are in high strata", "le": "low scores are in high strata"}


def strata_page(study: StrataStudyDocument) -> Page:
    """Return the page of a study of risk strata."""
    certificate, sides = study.certificate, study.sides or []
    chose, certify = sum(study.patients.select), sum(study.patients.certify)
    known = certificate, study.verdict, certified_sentence(study), "strata.json", WITHOUT
    two = judged_sides(sides, study.rule, certificate.delta) if sides else None
    status, marks, step = two or judged(*known)
    return Page(
        title=f"Risk strata on {quoted(study.score)}",
        subtitle=f"{count(study.patients.total, 'patient')}: {chose} used to choose the boundaries "
        f"by the rule {study.rule}, {count(certify, 'other', 'others')} to check them",
        status=status,
        headline=(*headline(study), *scored_sentences(study.patients.total, study.data)),
        marks=marks,
        step=step,
        facts=(
            *(() if sides else (("average cost seen", risk(certificate.risk)),)),
            ("stability", disagree_in_words(study.disagreement)),
        ),
        sections=(
            *((sides_section(sides, study.between, certificate.delta),) if sides else ()),
            certificate_section(certificate, "where the risk is the average cost per patient"),
            strata_section(study),
            boundaries_section(study),
            stability_section(study),
            options_section(study),
        ),
    )


def headline(study: StrataStudyDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first ones are the strata."""
    score = aggregation_in_words(study.score, study.aggregation)
    if study.between is not None:
        return (two_cuts_sentence(study, study.between), f"The score of a patient is {score}.")
    strata = strata_in_words(study, score)
    return (strata,) if study.verdict else (strata, certified_sentence(study))


def rule_in_words(document: StrataDocument, score: str) -> str:
    """Say what a frozen file decides, with the score in words."""
    if document.between is not None:
        return f"{two_cuts_sentence(document, document.between)} The score of a patient is {score}."
    return strata_in_words(document, score)


def strata_in_words(document: StrataStudyDocument | StrataDocument, score: str) -> str:
    """Say which scores are in which stratum, with the score in words."""
    return f"The score of a patient is {score}. {'; '.join(strata_lines(document))}."


def certified_sentence(study: StrataStudyDocument) -> str:
    """Say what is certified, and what one stratum for everybody costs."""
    certificate, verdict = study.certificate, study.verdict
    limit = f"at most {at_most(certificate.value)} ({percent(1 - certificate.delta)} confidence)"
    without = f"{WITHOUT}: {risk(certificate.trivial_risk)}"
    start = f"Not shown to be better than {WITHOUT}" if certificate.vacuous else "Certified"
    if verdict is not None and verdict.useful == "no":
        start = "One stratum for everybody is better"
    return f"{start}: an average cost of {limit} per patient like these; {without}."


def strata_lines(study: StrataStudyDocument | StrataDocument) -> list[str]:
    """Return each stratum with its range of scores, such as ``low: below 0.5``."""
    first, last = (-math.inf, math.inf) if study.direction == "ge" else (math.inf, -math.inf)
    beyond, reached = ("below", "at least") if study.direction == "ge" else ("above", "at most")
    ends = pairwise([first, *study.thresholds, last])
    lines = []
    for name, (low, high) in zip(study.strata, ends, strict=True):
        parts = [f"{reached} {cut(low)}"] if low != first else []
        parts += [f"{beyond} {cut(high)}"] if high != last else []
        who = "nobody" if low == last or high == first else " and ".join(parts) or "everybody"
        lines.append(f"{name}: {who}")
    return lines


def strata_section(study: StrataStudyDocument) -> Section:
    """Show who is where, and what that costs."""
    where = (("grade", study.grades), study.strata)
    counts = of_matrix("Patients used to check by true grade and stratum", *where, study.counts)
    caption = "What each stratum costs a patient of each grade"
    costs = of_matrix(caption, *where, study.costs, short=False)
    return section("strata", "Who is in which stratum", tables=(counts, costs))


def boundaries_section(study: StrataStudyDocument) -> Section:
    """Show both error rates of every boundary with their limits."""
    rows = study.boundaries
    share = rows[0].delta
    held = percent(1 - 2 * len(rows) * share)
    text = (
        "Missed are patients whose grade belongs above a boundary and who are put below it; "
        f"false alarms the other way round. All limits hold at once with {held} confidence: each "
        f"is exact at {percent(1 - share)}. The limit on the average cost is a separate statement, "
        f"with {percent(1 - study.certificate.delta)} confidence."
    )
    columns = [
        ("boundary", [f"{row.below} | {row.above}" for row in rows]),
        ("at", [cut(row.threshold) for row in rows]),
        ("missed", [f"{row.miss.errors} of {row.miss.n_patients}" for row in rows]),
        ("share", [percent(row.miss.rate) for row in rows]),
        ("at most", [share_at_most(row.miss.limit) for row in rows]),
        ("false alarms", [f"{row.alarm.errors} of {row.alarm.n_patients}" for row in rows]),
        ("share", [percent(row.alarm.rate) for row in rows]),
        ("at most", [share_at_most(row.alarm.limit) for row in rows]),
    ]
    caption = f"Errors at the boundaries: all limits at once with {held} confidence"
    table = of_columns(caption, columns)
    return section("boundaries", "What is certified at each boundary", text, tables=(table,))


def stability_section(study: StrataStudyDocument) -> Section:
    """Show how far the boundaries move together."""
    stability = study.stability
    rows = (
        ("radius of each boundary", ", ".join(numbers(stability.radius, CUT_DIGITS))),
        ("cost at stake within the radii", risk(stability.local_modulus)),
        ("anywhere on the scale", risk(stability.modulus)),
        ("its upper band, the joint penalty", risk(stability.penalty)),
        ("strata that change", percent(stability.flip_rate)),
        ("by two or more", percent(stability.jump_rate)),
    )
    text = (
        f"In {stability.n_bootstrap} bootstrap cohorts all boundaries were chosen again, "
        "together. These figures describe; they promise nothing."
    )
    caption = f"All boundaries at once, from {stability.n_bootstrap} bootstrap cohorts"
    table = listed(caption, rows, header=("what", "value"), kinds="tn", short=True)
    return section("stability", "How steady the boundaries are", text, tables=(table,))


def options_section(study: StrataStudyDocument) -> Section:
    """Show with which options the study can be made again."""
    options = {"rule": study.rule, "direction": SIDES[study.direction], **study.options.to_plain()}
    rows = [(name.replace("_", " "), str(value)) for name, value in options.items()]
    return section("options", "How it was made", tables=(listed("Options", rows),))

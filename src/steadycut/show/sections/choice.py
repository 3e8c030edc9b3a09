"""How a cut-off was chosen: the cut-off itself, and the candidates."""

from dataclasses import replace

from steadycut.core.aggregate.clusters import Clusters
from steadycut.documents.study import CriterionPart, StudyDocument
from steadycut.show.pages.page import Section, explained, of_columns, section
from steadycut.show.sections.characteristics import cut_interval_rows
from steadycut.show.words import sentences as say
from steadycut.show.words.numbers import count, cut, exact, risk

SELECTORS = {
    "risk": "The candidate with the smallest risk is chosen.",
    "objective": "The candidate with the smallest objective, risk plus penalty, is chosen.",
    "no-bias": "The candidate with the smallest objective is chosen, its radius without the bias.",
}

ENSEMBLE = (
    "The ensemble in the last row averages the cut-offs of all others on the quantile scale; its "
    "own cut-off is a quantile."
)


def choice_section(study: StudyDocument) -> Section:
    """Say how the cut-off was chosen."""
    target = study.target_prevalence
    at = "" if target is None else f", at a prevalence of {say.prevalence_in_words(target)}"
    chosen = "of the patients used to choose; over-optimistic, as they were used to choose"
    digits = f"to the last digit {exact(study.threshold)}; it equals no observed score"
    rows = (
        ("cut-off", cut(study.threshold), digits),
        first_score_row(study.operating_value),
        *cut_interval_rows(study.threshold_interval),
        ("risk", risk(study.risk), chosen),
        *(row for criterion in study.criterion for row in criterion_rows(criterion)),
    )
    text = f"A patient's score is {say.score_in_words(study)}. The rule chose the cut-off along it."
    where = f"where {say.costs_in_words(study.costs)}{at}"
    table = explained(f"The cut-off that the rule {say.quoted(study.rule)} chose, {where}", rows)
    return section("choice", "How it was chosen", text, of=study, tables=(table,))


def first_score_row(value: float | None) -> tuple[str, str, str]:
    """Return the first score that is called, if a patient reaches the cut-off."""
    if value is None:
        return ("first score called", "no patient reaches it", "among the patients used to choose")
    who = "the outermost score of a patient used to choose who is called, as other tools print it"
    return ("first score called", cut(value), f"to the last digit {exact(value)}: {who}")


def criterion_rows(criterion: CriterionPart) -> list[tuple[str, str, str]]:
    """Return what the rule made best; the risk, which erm makes smallest, is shown anyway."""
    if criterion.name == "erm":
        return []
    name = f"criterion {criterion.name}"
    rows = [(name, risk(criterion.select), "of the patients used to choose, who made it best")]
    if criterion.certify is not None:
        name = f"{name}, to check"
        rows.append((name, risk(criterion.certify), "of the patients used to check"))
    return rows


def instances_section(instances: Clusters) -> Section:
    """Say what the rows of the patients are worth, where patients have several."""
    result = (
        f"Instances: {instances.rows} rows of {count(instances.patients, 'patient')} are "
        f"worth {risk(instances.effective)} independent ones (design effect "
        f"{risk(instances.design_effect)} at a correlation of {risk(instances.icc)} within "
        "a patient)."
    )
    return section("instances", "What the rows are worth", results=(result,))


def candidates_section(study: StudyDocument) -> Section:
    """Show every candidate and why one was chosen; a terminal shows several only."""
    rows, choice = study.candidates, SELECTORS[study.options.selector]
    columns = [
        ("candidate", [f"{row.score}: {say.chain_in_short(row.aggregation)}" for row in rows]),
        ("cut-off", [cut(row.threshold) for row in rows]),
        ("risk", [risk(row.risk) for row in rows]),
        ("smallest risk", [risk(row.smallest_risk) for row in rows]),
        ("radius", [cut(row.radius) for row in rows]),
        ("modulus", [risk(row.modulus) for row in rows]),
        ("penalty", [risk(row.penalty) for row in rows]),
        ("objective", [risk(row.objective) for row in rows]),
        ("", ["chosen" if row.chosen else "" for row in rows]),
    ]
    table = replace(
        of_columns("Candidates: scores and aggregators", columns),
        kinds="tnnnnnnnt",
        marked=next((i for i, row in enumerate(rows) if row.chosen), None),
        short=(0, 1, 2, 6, 7, 8) if len(rows) > 1 else (),
    )
    text = (
        f"{ENSEMBLE if study.ensemble else choice} All numbers are of the patients used to choose."
    )
    return section("candidates", "What it was chosen from", text, of=study, tables=(table,))

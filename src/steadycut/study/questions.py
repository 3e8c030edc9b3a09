"""The numbers behind the three answers of an audit, and what to do next, as records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steadycut.core.verdict import (
    QUESTIONS,
    REFUSED,
    Comparison,
    Question,
    Verdict,
    patients_needed,
    strict_level,
)
from steadycut.documents.audit import QuestionPart, RateChange
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.next_step import GroupName, LabelsNeeded, Local, NextStep, Why
from steadycut.study.judge import Asked, Group, LabelledPart, comparison_of


def described(rule: FrozenFile[Any], part: LabelledPart) -> list[QuestionPart]:
    """Return each question with its answer, its numbers, and how many patients would answer it."""
    compared, level = part.comparison, part.share * rule.certificate.delta
    without = compared.cost_without_score
    numbers: dict[str, object] = {"cost": compared.observed_cost}
    more = numbers | {"cost_without_score": without}, _rates(rule, compared), numbers
    return [
        QuestionPart(
            question=name,
            answer=getattr(part.verdict, name),
            patients_needed=needed(compared, part.verdict, name, level),
        ).model_copy(update=known)
        for name, known in zip(QUESTIONS, more, strict=True)
    ]


def _rates(rule: FrozenFile[Any], compared: Comparison) -> dict[str, object]:
    """Return the error rates here and before, or why they cannot be compared."""
    if compared.before is not None:
        level = rule.certificate.delta / len(compared.moved)
        moved = [test(level) for test in compared.moved]
        rows = zip(compared.rates, moved, strict=True)
        return {"rates": [RateChange(here=a, before=b, moved=c) for (a, b), c in rows]}
    if not compared.rounded and not rule.rounded:
        return {"incomparable": "no counts"}
    censored = rule.recipe.horizon is not None
    return {"incomparable": "unknown fate" if censored else "small cells"}


def needed(compared: Comparison, verdict: Verdict, name: Question, delta: float) -> int | None:
    """Return how many patients an open question needs, looked at as often as one likes.

    None also where the answer would mean nothing: within a limit that was never shown to be useful.
    """
    if getattr(verdict, name) != "cannot tell" or not compared.cost_without_score:
        return None
    if name == "within_certificate" and compared.vacuous:
        return None
    return patients_needed(replace(compared, sequential=True), name, delta)


def local(rule: FrozenFile[Any]) -> Local:
    """Return how to get a rule for one hospital; a single cut-off can be adapted, but only once."""
    adapted = getattr(rule.document, "adapted", None)
    again = adapted is not None and adapted.labelled > 0
    return "fit" if rule.reference is None or again else "adapt"


# What now ----------------------------------------------------------------------------------


def next_step(
    rule: FrozenFile[Any], part: LabelledPart, questions: Sequence[QuestionPart]
) -> NextStep:
    """Return what to do, and how much of it."""
    decision, name = part.decision, rule.file_name
    if decision == "use":
        return NextStep(verb="monitor", why="good", file_name=name)
    if decision in REFUSED:
        return _after_bad(rule, part)
    if part.censored:
        n_patients, known = part.patients.n_patients, part.patients.of_known_fate.n_patients
        return NextStep(
            verb="wait", why="unknown fate", n_patients=n_patients, n_unknown=n_patients - known
        )
    if decision in {"label more", "not judged"}:
        return _label_more(rule, part, questions)
    return NextStep(verb="monitor", why="watch", file_name=name)


def label_some(rule: FrozenFile[Any], margin: float) -> NextStep:
    """Return how many patients show that it is useful, if it does here what it did before."""
    before, step = rule.reference_counts, NextStep(verb="label", why="no labels")
    if before is None or rule.rounded:
        return step
    # The bounds for one look at many grades are slow; those for every look are not.
    asked = Asked(margin=margin, sequential=rule.costs is None)
    compared = replace(comparison_of(rule, asked, before), certified={})
    if compared.observed_cost >= compared.cost_without_score:
        return step
    size = patients_needed(compared, "useful", rule.certificate.delta)
    return step.model_copy(update={"n_patients": size})


def _after_bad(rule: FrozenFile[Any], part: LabelledPart) -> NextStep:
    verdict, failing = part.verdict, part.failing
    some = 0 < len(failing) < len(part.groups)
    groups = [name_of(one) for one in failing] or None
    why: Why = "unlike before"
    if some or (failing and verdict.decision not in REFUSED):
        why = "groups fail"
    elif verdict.useful == "yes":
        why = "still useful"
    else:
        groups = None
        why = "costs or prevalence" if verdict.as_before == "yes" else why
    return _make_local(rule, why, groups=groups, graded=rule.costs is None or None)


def _make_local(rule: FrozenFile[Any], why: Why, **more: Any) -> NextStep:  # noqa: ANN401
    """Return the step to a rule for this hospital."""
    how = local(rule)
    return NextStep(verb=how, why=why, local=how, file_name=rule.file_name, **more)


def _label_more(
    rule: FrozenFile[Any], part: LabelledPart, questions: Sequence[QuestionPart]
) -> NextStep:
    """Return how many more patients show whether it is useful, looked at as often as one likes.

    The limits of --sequential hold at all looks together. A look without them adds its own error.
    """
    patients = questions[QUESTIONS.index("useful")].patients_needed
    if patients is None:
        return _make_local(rule, "undecidable")
    compared, delta = replace(part.comparison, sequential=True), rule.certificate.delta
    many = compared.scaled_to(patients).verdict(strict_level(part.share * delta))
    more = max(patients - int(part.comparison.here.sum()), 1)
    needed = LabelsNeeded(question="useful", more=more, refutes=many.useful == "no")
    error = None if part.comparison.sequential else delta
    name = rule.file_name
    return NextStep(verb="label", why="open", file_name=name, labels=[needed], error=error)


def name_of(group: Group) -> GroupName:
    """Return the name of a site or subgroup."""
    return GroupName(column=group.column, value=group.value)

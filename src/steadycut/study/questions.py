"""The numbers behind the three answers of an audit, and what to do next, as records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steadycut.core.plan import Setting, patients_for
from steadycut.core.verdict import (
    QUESTIONS,
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

# So many times the patients of the first hospital, to see whether they are too few.
MANY = 100


def described(rule: FrozenFile[Any], part: LabelledPart) -> list[QuestionPart]:
    """Return each question with its answer, its numbers, and how many patients would answer it."""
    compared, level = part.comparison, part.share * rule.certificate.delta
    numbers: dict[Question, dict[str, object]] = {
        "useful": {"cost_without_score": compared.cost_without_score},
        "as_before": _rates(rule, compared),
        "within_certificate": {},
    }
    if part.verdict.within_certificate == "yes":
        numbers["within_certificate"]["limit"] = compared.highest_cost(level)
    alone = part.comparison.verdict(rule.certificate.delta) if part.groups else part.verdict
    return [
        QuestionPart(
            question=name,
            answer=getattr(part.verdict, name),
            patients_needed=needed(compared, part.verdict, name, level),
            wider=getattr(alone, name) != getattr(part.verdict, name) or None,
            cost=None if name == "as_before" else compared.observed_cost,
        ).model_copy(update=numbers[name])
        for name in QUESTIONS
    ]


def _rates(rule: FrozenFile[Any], compared: Comparison) -> dict[str, object]:
    """Return the error rates here and before, or why they cannot be compared."""
    if compared.before is not None:
        return {"rates": [RateChange(here=here, before=before) for here, before in compared.rates]}
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
    if part.overall == "good":
        return NextStep(verb="monitor", why="good", file_name=rule.file_name)
    if part.overall == "bad":
        return _after_bad(rule, part)
    if part.censored:
        n_patients, known = part.patients.n_patients, part.patients.of_known_fate.n_patients
        return NextStep(
            verb="wait", why="unknown fate", n_patients=n_patients, n_unknown=n_patients - known
        )
    if part.verdict.overall == "good" and part.doubtful is not None:
        return _in_group(rule, part, part.doubtful)
    if not part.comparison.cost_without_score:
        return NextStep(verb="label", why="one class")
    return _label_more(rule, part, questions)


def label_some(rule: FrozenFile[Any], margin: float) -> NextStep:
    """Return how many patients to label if the rule does here what it did before."""
    before, certificate = rule.reference_counts, rule.certificate
    step = NextStep(verb="label", why="no labels")
    if before is None or rule.rounded:
        return step
    # The bounds for one look at many grades are slow; those for every look are not.
    asked = Asked(margin=margin, sequential=rule.costs is None)
    compared = replace(comparison_of(rule, asked, before), certified={})
    # To confirm that it is not useful, or within a limit that means nothing, is not worth labels.
    idle = {
        "useful": compared.observed_cost >= compared.cost_without_score,
        "within_certificate": compared.vacuous,
    }
    names = [name for name in QUESTIONS if not idle.get(name)]
    sizes = {name: patients_needed(compared, name, certificate.delta) for name in names}
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        size = _first_audit(compared, certificate.delta)
        update = {} if size is None else {"n_patients": size, "margin": margin}
        return step.model_copy(update=update)
    answers = list(known) if len(known) < len(QUESTIONS) else None
    return step.model_copy(update={"n_patients": max(known.values()), "answers": answers})


def _first_audit(compared: Comparison, delta: float) -> int | None:
    """Return how many patients show how often it is wrong, if that is as often as before."""
    if compared.costs is None:
        return None
    before = compared.confusion
    wrong = (before.fn + before.fp) / before.n_patients
    return patients_for("clopper-pearson", wrong, compared.margin, Setting(delta=delta)).n_certify


def _after_bad(rule: FrozenFile[Any], part: LabelledPart) -> NextStep:
    verdict, failing = part.verdict, part.failing
    some = 0 < len(failing) < len(part.groups)
    groups = [name_of(one) for one in failing] or None
    why: Why = "unlike before"
    if some or (failing and (verdict.overall != "bad" or failing[0].verdict.useful == "no")):
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


def _in_group(rule: FrozenFile[Any], part: LabelledPart, group: Group) -> NextStep:
    """Return how to decide about a group in which what was observed is worse."""
    compared, groups = group.comparison, [name_of(group)]
    level = (1 - part.share) * rule.certificate.delta / len(part.groups)
    sizes = [needed(compared, group.verdict, one, level) for one in QUESTIONS]
    if compared.cost_without_score and not any(sizes):
        return _make_local(rule, "group undecidable", groups=groups)
    n_patients = int(compared.here.sum())
    return NextStep(verb="label", why="group open", groups=groups, n_patients=n_patients)


def _label_more(
    rule: FrozenFile[Any], part: LabelledPart, questions: Sequence[QuestionPart]
) -> NextStep:
    """Return how many more patients to label, to look again without a larger error.

    The limits of --sequential hold at all looks together. A look without them adds its own error.
    """
    n_patients, delta = int(part.comparison.here.sum()), rule.certificate.delta
    labels = [
        LabelsNeeded(
            question=one.question,
            more=max(one.patients_needed - n_patients, 1),
            refutes=_would_fail(part, one.question, one.patients_needed, delta),
        )
        for one in questions
        if one.answer == "cannot tell" and one.patients_needed is not None
    ]
    open_ones = [one for one in questions if one.answer == "cannot tell"]
    never = [one.question for one in open_ones if one.patients_needed is None]
    if never and not any(one.refutes for one in labels):
        return _instead(rule, part, never, labels)
    return NextStep(
        verb="label",
        why="open",
        labels=labels,
        stays_open=never or None,
        error=None if part.comparison.sequential else delta,
    )


def _would_fail(part: LabelledPart, question: Question, n_patients: int, delta: float) -> bool:
    """Whether so many patients as an open question needs would answer it with no."""
    many = replace(part.comparison, sequential=True).scaled_to(n_patients)
    return getattr(many.verdict(strict_level(part.share * delta)), question) == "no"


def _instead(
    rule: FrozenFile[Any],
    part: LabelledPart,
    never: Sequence[Question],
    labels: Sequence[LabelsNeeded],
) -> NextStep:
    """Return what to do if the verdict stays open, whatever is labelled."""
    useful = part.verdict.useful == "yes"
    few = "as_before" in never and _few_before(part, rule.certificate.delta)
    return NextStep(
        verb="monitor" if useful else local(rule),
        why="undecidable",
        file_name=rule.file_name,
        local=None if useful else local(rule),
        labels=list(labels) or None,
        stays_open=list(never),
        few_before=few or None,
    )


def _few_before(part: LabelledPart, delta: float) -> bool:
    """Whether "as good as before" would be answered if many more had been used to check before."""
    before = part.comparison.before
    if before is None:
        return False
    many = replace(part.comparison, before=MANY * before, sequential=True)
    return patients_needed(many, "as_before", part.share * delta) is not None


def name_of(group: Group) -> GroupName:
    """Return the name of a site or subgroup."""
    return GroupName(column=group.column, value=group.value)

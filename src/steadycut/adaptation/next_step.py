"""What to do next with an adapted cut-off, and how many labels that takes."""

from steadycut.adaptation.before import Situation
from steadycut.adaptation.labels import Judged
from steadycut.core.planning.power import POWER, members_needed
from steadycut.documents.adaptation import ChangePart
from steadycut.documents.next_step import NextStep
from steadycut.documents.parts import CostsPart

LEAST_MORE = 10


def next_step(there: Situation, judged: Judged | None, *, divided: bool = False) -> NextStep:
    """Return what to do now, and how many labels that takes.

    Where everybody has labels (``divided``) and more would not help, another score is needed.
    """
    if judged is None:
        share = there.stated.prevalence if there.stated else there.home.prevalence
        goal = CostsPart.of(there.costs).trivial_risk(share)
        risk = there.home.smallest_risk(share, there.costs)
        needed = _needed(there, risk, goal, there.rule.certificate.delta)
        return NextStep(verb="label", why="adapted: no labels", n_patients=needed)
    if judged.decision == "refuted":
        return NextStep(verb="fit", why="adapted: refuted")
    used, trivial = judged.used, judged.used.trivial_risk(there.costs)
    # A default target is a wish, unless somebody asked for it.
    by_default = judged.target in {None, there.target}
    if judged.limit < trivial and (judged.decision == "certified" or by_default):
        return NextStep(verb="audit", why="adapted: certified", file_name=there.rule.file_name)
    goal = trivial if by_default or judged.target is None else min(judged.target, trivial)
    needed = _needed(there, used.risk(there.costs), goal, judged.delta, used.n_patients)
    return NextStep(
        verb="fit" if divided and needed is None else "label",
        why="adapted: open",
        n_patients=needed,
        goal="useful" if goal == trivial else "target",
        looks_again=judged.path is not None or None,
    )


def _needed(there: Situation, risk: float, goal: float, delta: float, seen: int = 0) -> int | None:
    """Return how many more random labels show that the cost is below a goal; None if too many."""
    largest, weight = there.costs.largest, max(item.weight for item in there.menu)
    labels = members_needed(risk / largest, goal / largest, delta * weight, POWER)
    return labels and max(labels - seen, LEAST_MORE)


def after_change(part: ChangePart, number: int) -> NextStep:
    """Return what to do after an attempt under a change-control plan."""
    if part.outcome == "accepted":
        return NextStep(verb="monitor", why="change accepted", file_name=f"rule_{number:03d}.json")
    if part.outcome == "open":
        return NextStep(verb="label", why="change open")
    return NextStep(verb="stop", why="change failed", otherwise=part.otherwise)

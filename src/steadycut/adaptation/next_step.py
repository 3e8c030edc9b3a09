"""What to do next with an adapted cut-off, and how many labels that takes."""

from steadycut.adaptation.before import Situation
from steadycut.adaptation.labels import Judged
from steadycut.core.adapt.menu import labels_needed
from steadycut.documents.adaptation import ChangePart
from steadycut.documents.next_step import NextStep

LEAST_MORE = 10


def next_step(there: Situation, judged: Judged | None) -> NextStep:
    """Return what to do now, and how many labels that takes."""
    if judged is None:
        risk, stated = there.rule.certificate.risk, there.stated
        if stated is not None:
            risk = there.home.smallest_risk(stated.prevalence, there.costs)
        return _label(there, risk, there.target)
    if judged.decision == "refuted":
        return NextStep(verb="fit", why="adapted: refuted")
    trivial = judged.used.trivial_risk(there.costs)
    # What the first rule had certified is a wish, unless somebody asked for it.
    by_default = there.stated is None and judged.target in {None, there.target}
    if judged.limit < trivial and (judged.decision == "certified" or by_default):
        return NextStep(verb="monitor", why="adapted: certified", file_name=there.rule.file_name)
    goal = trivial if judged.target is None else min(judged.target, trivial)
    return _label(there, judged.used.risk(there.costs), goal, judged)


def _label(
    there: Situation, risk: float, target: float | None, judged: Judged | None = None
) -> NextStep:
    """Return how many random patients to label to reach a target."""
    step = NextStep(verb="label", why="adapted: no labels")
    if judged is not None:
        again = judged.path is not None or None
        step = NextStep(verb="label", why="adapted: open", looks_again=again)
    if target is None:
        return step
    largest, weight = there.costs.largest, max(item.weight for item in there.menu)
    delta = there.rule.certificate.delta if judged is None else judged.delta
    needed = labels_needed(risk / largest, target / largest, delta * weight)
    if needed is None:
        return step.model_copy(update={"out_of_reach": True})
    if judged is not None:
        needed = max(needed - judged.used.n_patients, LEAST_MORE)
    return step.model_copy(update={"n_patients": needed})


def after_change(part: ChangePart, number: int) -> NextStep:
    """Return what to do after an attempt under a change-control plan."""
    if part.outcome == "accepted":
        return NextStep(verb="monitor", why="change accepted", file_name=f"rule_{number:03d}.json")
    if part.outcome == "open":
        return NextStep(verb="label", why="change open")
    return NextStep(verb="stop", why="change failed", otherwise=part.otherwise)

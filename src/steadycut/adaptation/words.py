"""The sentences about an adapted cut-off: what it is, what it assumes, and what to do next."""

from steadycut.adaptation.before import Situation
from steadycut.adaptation.labels import Judged
from steadycut.core import rounding
from steadycut.core.adapt.plan import labels_for_menu
from steadycut.core.records import Costs
from steadycut.documents.adaptation import AdaptationDocument, ChangePart

INCREASING = (
    "The scores here are an increasing function of the scores at the first hospital, apart from "
    "the prevalence."
)
RANDOM = "The labelled patients are a random sample of the patients of this hospital."
LOOK_ONCE = (
    "If you will look again when more labels come in, take them one at a time with --sequential "
    "from the start: limits that are looked at again and again do not hold."
)
NOT_USEFUL = "That is not shown to be better than calling everybody or nobody."
OTHERWISE = {
    "original": "the original rule decides",
    "call-everybody": "everybody is called",
    "stop": "the rule decides about nobody",
}


def at_most(cost: float, costs: Costs) -> str:
    """Say what a mean cost is at most, never less than it is.

    Examples
    --------
    >>> at_most(0.2034, Costs()), at_most(0.2034, Costs(cost_fn=3))
    ('wrong in at most 21 of 100 patients', 'an average cost of at most 0.204 per patient')
    """
    if costs.cost_fn == costs.cost_fp == 1:
        return f"wrong in at most {rounding.of_hundred_at_most(cost)} patients"
    return f"an average cost of at most {rounding.at_most(cost)} per patient"


def stated(prevalence: tuple[float, float]) -> str:
    """Return a stated prevalence as a number or a range."""
    low, high = prevalence
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def verdict_text(there: Situation, cut: float, judged: Judged | None) -> str:
    """Say what the cut-off is, what it calls, and what is known about it."""
    here, before = there.call_rate(cut), there.call_rate(there.frozen)
    moved = (
        f"the frozen cut-off {there.rule.threshold:.6g} stays; it calls "
        f"{rounding.of_hundred(here)} patients here."
        if cut == there.frozen
        else f"cut-off {there.value(cut):.6g} here instead of {there.rule.threshold:.6g}: it calls "
        f"{rounding.of_hundred(here)} patients, the frozen one {rounding.of_hundred(before)}."
    )
    return f"{moved} {certified(there, judged)}"


def certified(there: Situation, judged: Judged | None) -> str:
    """Say what the labels show."""
    if judged is None:
        return "No label confirms it, so nothing is certified here."
    used, names = judged.used, there.rule.recipe.class_names
    limit = float(judged.limit)
    level = f"{1 - judged.delta:.0%}".replace("%", " %")
    seen = (
        f"It missed {used.fn} of {used.n_positive} {names.ill} and called {used.fp} of "
        f"{used.n_negative} {names.healthy} patients with labels."
    )
    shown = f"{at_most(limit, there.costs)} ({level} confidence)"
    if judged.decision == "refuted":
        return f"{seen} Its cost is shown to be above the target of {judged.target:.3g}."
    if judged.decision == "certified" or judged.target is None:
        trivial = "" if limit < used.trivial_risk(there.costs) else f" {NOT_USEFUL}"
        return f"Certified here: {shown}.{trivial} {seen}"
    return f"{seen} Shown so far: {shown}; the target of {judged.target:.3g} is not reached yet."


def assumptions(there: Situation, judged: Judged | None) -> list[str]:
    """Say what must be true for the cut-off, and for the certificate."""
    if judged is not None:
        return [RANDOM]
    found = [INCREASING]
    if there.prevalence is not None:
        found.append(
            f"The prevalence here is {stated(there.prevalence)}; it was "
            f"{there.home.prevalence:.3g} at the first hospital."
        )
    return found


def next_step(there: Situation, judged: Judged | None) -> str:
    """Say what to do now, and how many labels that takes."""
    if judged is None:
        expected = (
            there.rule.certificate.risk if there.mixed is None else there.mixed.told.smallest_risk
        )
        needed = labels_for(there, expected, there.target)
        return f"Next: label {needed} of this hospital, and run adapt again with --label COL."
    if judged.decision == "refuted":
        return (
            "Next: do not use it here. Ask why the score does worse; fit a cut-off on patients of "
            "this hospital, or use another score."
        )
    trivial = judged.used.trivial_risk(there.costs)
    if judged.limit < trivial and (judged.decision == "certified" or judged.target is None):
        return (
            "Next: use the new rule.json with steadycut apply, and watch it: steadycut monitor "
            "rule.json TABLE --order COL."
        )
    goal = trivial if judged.target is None else min(judged.target, trivial)
    needed = labels_for(there, judged.used.risk(there.costs), goal, judged)
    again = "" if judged.path is not None else f" {LOOK_ONCE}"
    return f"Next: label {needed}.{again}"


def labels_for(
    there: Situation, risk: float, target: float | None, judged: Judged | None = None
) -> str:
    """Say how many random patients to label to reach a target."""
    if target is None:
        return "30 or more random patients"
    largest = there.costs.largest
    weight = max(one.weight for one in there.menu)
    delta = there.rule.certificate.delta if judged is None else judged.delta
    needed = labels_for_menu(risk / largest, target / largest, delta * weight)
    if needed is None:
        errors = "expected" if judged is None else "seen so far"
        return f"more random patients; at the errors {errors} the target is out of reach"
    if judged is None:
        return f"about {needed} random patients"
    more = max(needed - judged.used.n_patients, 10)
    return f"about {more} more random patients"


def compared(difference: float) -> str:
    """Say what a limit of a difference means.

    Examples
    --------
    >>> compared(0.0312), compared(-0.0026)
    ('at most 0.0312 above', 'at least 0.0026 below')
    """
    return (
        f"at most {rounding.at_most(difference)} above"
        if difference >= 0
        else f"at least {rounding.at_least(-difference)} below"
    )


def change_text(part: ChangePart, found: AdaptationDocument, original: float) -> str:
    """Say how an attempt under a change-control plan ended."""
    if part.limit is None or part.difference is None:
        ended = "failed" if part.outcome == "failed" else "is open"
        spent = f" It has spent its error probability of {part.delta:.2g}." * (ended == "failed")
        return (
            f"attempt {part.attempt} {ended} after {part.labels} of at most {part.most_labels} "
            f"labels. No cut-off of the plan is shown to have an average cost of at most "
            f"{part.target:.3g}, and at most {part.margin:.3g} above the original rule.{spent} "
            f"Until one is accepted, {OTHERWISE[part.otherwise]}."
        )
    shown = at_most(part.limit, found.costs.as_costs())
    level = f"{1 - part.delta_all:.0%}".replace("%", " %")
    stays = found.threshold == original
    cut = (
        f"the original cut-off {original:.6g} stays" if stays else f"cut-off {found.threshold:.6g}"
    )
    before = "" if stays else f", the original one was {original:.6g}"
    return (
        f"attempt {part.attempt} is accepted after {part.labels} labels: {cut}{before}. Shown: "
        f"{shown}, and a cost {compared(part.difference)} that of the original rule. All versions "
        f"of the plan hold together with {level} confidence."
    )


def change_next(part: ChangePart, number: int) -> str:
    """Say what to do after an attempt under a change-control plan."""
    if part.outcome == "accepted":
        return (
            f"Next: use rule_{number:03d}.json, beside the plan, with steadycut apply, and watch "
            "it with steadycut monitor."
        )
    if part.outcome == "open":
        return (
            "Next: label the next patients in their order, and run the same command again; it is "
            "still the same attempt."
        )
    return f"Next: {OTHERWISE[part.otherwise]}. Another attempt needs a new trigger and patients."

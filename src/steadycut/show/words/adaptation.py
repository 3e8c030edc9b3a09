"""What is known about an adapted cut-off and about a new version, in sentences."""

import math

from steadycut.adaptation.chain import Link
from steadycut.core import rounding
from steadycut.core.rounding import cut_text
from steadycut.documents.adaptation import AdaptationDocument, ChangePart, LabelsPart
from steadycut.documents.change_plan import ChangePlan, ChangeVersion
from steadycut.documents.parts import CostsPart, Range
from steadycut.documents.switch import SwitchDocument
from steadycut.show.words.audit import NOT_SHOWN
from steadycut.show.words.next_step import OTHERWISE
from steadycut.show.words.numbers import percent

SAME_MULTIPLE = (
    "At every score the odds of disease here are about the same multiple of those at the first "
    "hospital."
)
RANDOM = "The labelled patients are a random sample of the patients of this hospital."
# How patients who all have labels were divided.
DIVIDED = {
    None: "",
    "at random": " {0.n_patients} of them, drawn at random, made the menu; the others certify.",
    "the first": " The first {0.n_patients} patients made the menu; the others certify.",
}
SAME_MENU = (
    " Every look must have this menu of cut-offs ({}); steadycut compares it only with the last "
    "look in the same folder."
)
NOT_CHECKED = (
    "Not checked, because no file holds a patient: that the counts are those of the labelled "
    "patients at these cut-offs, that the patients came in their order and without exclusions, "
    "and that no later version is missing. Without --key: who wrote the plan."
)
SAME_DECISIONS = {
    "yes": "the new version decides as the old one",
    "no": "the new version decides otherwise about too many patients",
    "cannot tell": "it is not yet known whether the new version decides as the old one",
}


def switch_text(result: SwitchDocument) -> str:
    """Say what a new version changes."""
    if result.call_rate_changed:
        more = "more" if result.changes.newly > result.changes.no_longer else "fewer"
        return f"the new version calls {more} patients than the old one"
    return SAME_DECISIONS[result.same_decisions]


def at_most(cost: float, costs: CostsPart) -> str:
    """Say what a mean cost is at most, never less than it is.

    Examples
    --------
    >>> at_most(0.2034, CostsPart(cost_fn=1, cost_fp=1))
    'wrong in at most 21 of 100 patients'
    >>> at_most(0.2034, CostsPart(cost_fn=3, cost_fp=1))
    'an average cost of at most 0.204 per patient'
    """
    if costs.cost_fn == costs.cost_fp == 1:
        return f"wrong in at most {rounding.of_hundred_at_most(cost)} patients"
    return f"an average cost of at most {rounding.at_most(cost)} per patient"


def stated(prevalence: Range) -> str:
    """Return a stated prevalence as a number or a range."""
    low, high = prevalence
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def calls(cut: float, share: float, direction: str) -> str:
    """Say whom a cut-off calls.

    Examples
    --------
    >>> calls(0.5, 0.2, "ge"), calls(math.inf, 0.0, "ge")
    ('cut-off 0.5 calls 20 of 100 patients', 'rule calls nobody')
    """
    called = f"cut-off {cut_text(cut)} calls {rounding.of_hundred(share)} patients"
    return called if math.isfinite(cut) else f"rule calls {rounding.who_is_called(cut, direction)}"


def verdict_text(result: AdaptationDocument) -> tuple[str, str]:
    """Say what the cut-off is and what it calls, and what is known about it."""
    if result.change is not None:
        return change_text(result.change, result)
    here = calls(result.threshold, result.call_rate, result.direction)
    frozen = calls(result.frozen_threshold, result.frozen_call_rate, result.direction)
    moved = f"the new {here} here. The frozen {frozen}."
    if result.threshold == result.frozen_threshold:
        moved = f"the frozen {here} here. It stays."
    if result.labels is None:
        return moved, "No label confirms it, so nothing is certified here."
    divided = DIVIDED[result.labels.divided].format(result)
    looks = SAME_MENU.format(result.menu_sha256[:8]) if result.labels.sequential else ""
    return moved, certified(result, result.labels) + divided + looks


def certified(result: AdaptationDocument, labels: LabelsPart) -> str:
    """Say what the labels show."""
    used, names, target = labels.confusion, result.names, labels.target
    limit = next(candidate.limit for candidate in result.candidates if candidate.chosen) or 0.0
    seen = (
        f"It missed {used.fn} of {used.n_positive} {names.ill} and called {used.fp} of "
        f"{used.n_negative} {names.healthy} patients with labels."
    )
    proven = f"{at_most(limit, result.costs)} ({percent(1 - labels.delta, 0)} confidence)"
    if labels.decision == "refuted":
        return f"{seen} Its cost is shown to be above the target of {target:.3g}."
    useful = limit < used.trivial_risk(result.costs.as_costs())
    shown = f"{proven}. That is {NOT_SHOWN.removeprefix('not ' * useful)}."
    if labels.decision == "certified" or target is None:
        return f"Certified here: {shown} {seen}"
    wish = "; it is only a wish" if result.next_step.why == "adapted: certified" else " yet"
    return f"{seen} Shown so far: {shown} The target of {target:.3g} is not reached{wish}."


def worklist_text(certify: int, choose: int) -> str:
    """Say how many patients to label, and what for."""
    return (
        f"Label {certify + choose} patients: {certify} at random, who may certify, and {choose} "
        "near the plausible cut-offs, who only help to choose."
    )


def assumptions(result: AdaptationDocument) -> tuple[str, ...]:
    """Say what must be true for the cut-off, and for the certificate."""
    if result.labels is not None:
        return (RANDOM,)
    if result.prevalence is None:
        return (SAME_MULTIPLE,)
    here, before = stated(result.prevalence), f"{result.prevalence_before:.3g}"
    return SAME_MULTIPLE, f"The prevalence here is {here}; it was {before} at the first hospital."


def compared(difference: float) -> str:
    """Say what a limit of a difference means.

    Examples
    --------
    >>> compared(0.0312), compared(-0.0026)
    ('at most 0.0312 above', 'at least 0.0026 below')
    """
    if difference < 0:
        return f"at least {rounding.at_least(-difference)} below"
    return f"at most {rounding.at_most(difference)} above"


def change_text(part: ChangePart, result: AdaptationDocument) -> tuple[str, str]:
    """Say how an attempt under a change-control plan ended."""
    if part.limit is None or part.difference is None:
        ended = "failed" if part.outcome == "failed" else "is open"
        spent = f" It has spent its error probability of {part.delta:.2g}." * (ended == "failed")
        labels = f"{part.labels} of at most {part.most_labels} labels"
        text = (
            f"No cut-off of the plan is shown to have an average cost of at most "
            f"{part.target:.3g}, and at most {part.margin:.3g} above the original rule.{spent} "
            f"Until one is accepted, {OTHERWISE[part.otherwise]}."
        )
        return f"attempt {part.attempt} {ended} after {labels}.", text
    original = cut_text(part.original_threshold)
    cut = f"cut-off {cut_text(result.threshold)}, the original one was {original}"
    if result.threshold == part.original_threshold:
        cut = f"the original cut-off {original} stays"
    text = (
        f"Shown: {at_most(part.limit, result.costs)}, and a cost {compared(part.difference)} that "
        f"of the original rule. All versions of the plan hold together with "
        f"{percent(1 - part.delta_all, 0)} confidence."
    )
    return f"attempt {part.attempt} is accepted after {part.labels} labels: {cut}.", text


def link_text(link: Link) -> str:
    """Say what holds of a file of a chain, or what does not."""
    missing = ""
    if link.version is not None and link.without_rule:
        missing = f"; rule_{link.version.number:03d}.json was not given, so it was not checked"
    if link.wrong or link.plan is None:
        return "; ".join(link.wrong) + missing
    may, protocol = link.plan.description_of_modifications, link.plan.modification_protocol
    if link.version is None:
        return (
            f"cut-off {may.low:.6g} to {may.high:.6g}, target {protocol.target:.3g}, margin "
            f"{protocol.margin:.3g}, delta {protocol.delta:.3g}, {protocol.most_labels} labels"
        )
    return _what_holds(link.plan, link.version) + missing


def _what_holds(plan: ChangePlan, link: ChangeVersion) -> str:
    done = f"attempt {link.attempt} (delta {link.delta:.3g}), {link.labels} labels: {link.outcome}"
    if link.chosen is None:
        return f"{done}; {OTHERWISE[plan.impact_assessment.otherwise]}"
    tried, protocol = link.tried[link.chosen], plan.modification_protocol
    return (
        f"{done}; cut-off {cut_text(tried.threshold)}, risk at most "
        f"{rounding.at_most(tried.limit)} (target {protocol.target:.3g}), "
        f"{compared(tried.difference)} the original (margin {protocol.margin:.3g})"
    )

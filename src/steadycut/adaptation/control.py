"""Change a cut-off under a change-control plan: what the plan does not name is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from steadycut.adaptation import chain
from steadycut.adaptation.adapt import Adaptation
from steadycut.adaptation.before import Situation, pool_of, situation_of
from steadycut.adaptation.labels import (
    Judged,
    arrival,
    check_labelled,
    check_new,
    labels_of,
    refuse_target,
    unlike_random,
)
from steadycut.adaptation.next_step import after_change
from steadycut.core.adapt import control
from steadycut.core.adapt.menu import Limited
from steadycut.core.adapt.refit import Labels
from steadycut.core.checks import (
    FloatArray,
    check_choice,
    check_count,
    check_delta,
    check_finite,
    check_positive,
    refuse,
)
from steadycut.core.records import PatientScores
from steadycut.core.rounding import cut_text
from steadycut.documents import change_plan as plans
from steadycut.documents.adaptation import AdaptationDocument, ChangePart, PathPart
from steadycut.documents.guards import texts_of
from steadycut.documents.known_patients import remember
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, argument, warn_each
from steadycut.study.home import check_cut_off_rule

OTHERWISE = ("original", "call-everybody", "stop")


def change_plan(
    rule: FrozenRule,
    *,
    low: float,
    high: float,
    most_labels: int,
    margin: float,
    order: str,
    target: float | None = None,
    delta: float | None = None,
    triggers: Sequence[str] = (plans.ALARM,),
    otherwise: str = "original",
    benefits: str = "",
    risks: str = "",
) -> plans.ChangePlan:
    """Write down beforehand when and how the cut-off of a rule may change.

    Parameters
    ----------
    rule
        The original rule, with which every later version is compared.
    low, high
        The range in which the cut-off must stay.
    most_labels
        Labels per attempt at most.
    margin
        By how much the risk of a version may exceed that of the original rule.
    order
        The column that says when a patient came.
    target
        The largest risk that a version may have. Default: what the rule has certified.
    delta
        The probability that any accepted version is worse than promised, over all time. Default:
        that of the rule.
    triggers
        What may trigger a change: ``monitor alarm``, and events in your words.
    otherwise
        What happens from a trigger until a version is accepted: ``original``, ``call-everybody`` or
        ``stop``.
    benefits, risks
        What a change may bring and may harm, in your words, for the impact assessment.

    Returns
    -------
    ChangePlan
        With ``to_bytes()``, the content of ``change_plan.json``.
    """
    check_cut_off_rule(rule)
    certificate, costs = rule.certificate, rule.costs.plain
    if target is None and certificate.vacuous:
        refuse_target("what a version must reach")
    wanted = check_positive("target", certificate.value if target is None else target)
    for name, value in (("target", wanted), ("margin", margin)):
        if not 0 <= check_finite(name, value) < costs.largest:
            refuse(name, f"lie between 0 and the larger cost ({costs.largest:g})", value)
    if not check_finite("range", low) <= rule.threshold <= check_finite("range", high):
        raise BadOption(
            f"{argument('range')} must hold the cut-off of the rule, {cut_text(rule.threshold)}; "
            f"got {low:g},{high:g}."
        )
    if not triggers or not all(trigger.strip() for trigger in triggers):
        msg = f"say what may trigger a change: {argument('trigger', plans.ALARM)}, or an event."
        raise BadOption(msg)
    return plans.ChangePlan(
        original=plans.OriginalPart.of(rule.document, rule=str(rule.document.sha256)),
        description_of_modifications=plans.ModificationsPart(low=low, high=high),
        modification_protocol=plans.ProtocolPart(
            triggers=list(triggers),
            order=order,
            most_labels=check_count("labels", most_labels),
            delta=certificate.delta if delta is None else check_delta(delta),
            target=wanted,
            margin=margin,
        ),
        impact_assessment=plans.ImpactPart.of(
            benefits=benefits,
            risks=risks,
            otherwise=check_choice("otherwise", otherwise, OTHERWISE),
        ),
    ).sealed()


@dataclass(frozen=True, eq=False, kw_only=True)
class Change:
    """What an attempt under a plan has found: ``version`` is to be kept, ``rule`` to be used.

    ``rule`` is None unless the attempt is accepted.
    """

    plan: plans.ChangePlan
    adaptation: Adaptation
    attempt: control.Attempt
    tried: tuple[plans.TriedPart, ...]
    started: plans.ChangeVersion

    @cached_property
    def rule(self) -> FrozenRule | None:
        """The new frozen rule, with the hashes of its parent and of the plan."""
        if self.attempt.chosen is None:
            return None
        made = self.adaptation.rule.document
        assert made.adapted is not None  # noqa: S101
        by_plan = {"plan": self.plan.sha256, "attempt": self.started.attempt}
        adapted = made.adapted.model_copy(update=by_plan)
        return FrozenRule(made.model_copy(update={"adapted": adapted, "sha256": None}))

    @cached_property
    def version(self) -> plans.ChangeVersion:
        """The version to keep, also of an attempt that failed."""
        rule = None if self.rule is None else self.rule.document.sha256
        done = {"rule": rule, "in_force": rule or chain.in_force(self.plan)}
        return self.started.model_copy(update=done).sealed()

    def describe(self) -> AdaptationDocument:
        """Return everything that was found, as one typed record."""
        document, version = self.adaptation.describe(), self.version
        protocol, chosen = self.plan.modification_protocol, self.attempt.chosen
        part = ChangePart.of(
            version,
            protocol,
            delta_all=protocol.delta,
            version=f"version_{version.number:03d}.json",
            limit=None if chosen is None else self.tried[chosen].limit,
            difference=None if chosen is None else self.tried[chosen].difference,
            otherwise=self.plan.impact_assessment.otherwise,
            original_threshold=self.plan.original.threshold,
        )
        taken = [
            candidate.model_copy(update={"chosen": candidate.chosen and chosen is not None})
            for candidate in document.candidates
        ]
        return document.model_copy(
            update={
                "change": part,
                "candidates": taken,
                "rule_sha256": version.rule or version.rule_before,
                "next_step": after_change(part, version.number),
            }
        )


def change(
    plan: plans.ChangePlan,
    versions: Sequence[plans.ChangeVersion],
    rule: FrozenRule,
    patients: PatientScores,
    labelled: PatientScores,
    *,
    trigger: str,
    monitor: str | None = None,
    order: Mapping[str, float] | FloatArray | None = None,
    key: bytes | None = None,
) -> Change:
    """Make the next attempt to change the cut-off, exactly as the plan allows.

    Parameters
    ----------
    plan
        The plan, of `change_plan`.
    versions
        All versions so far, in their order.
    rule
        The original rule, or the last accepted version.
    patients
        Patients without labels, who came after the trigger and before the labelled ones.
    labelled
        The next patients, all of them with labels.
    trigger
        What happened: a trigger that the plan names; more words may follow it.
    monitor
        The SHA-256 of the ``monitor.json`` with the alarm, for the trigger ``monitor alarm``.
    order
        When each labelled patient came.
    key
        The secret by which the rule remembers its patients. With it, patients of earlier attempts
        are recognised.
    """
    chain.check_chain(plan, versions)
    check_named(plan, versions, rule, labelled, trigger)
    labelled.under(rule.recipe.unscored).need_scores("a change-control plan has no policy for them")
    pool, findings = pool_of(rule, patients, force=False, key=key)
    there = within_plan(situation_of(rule, pool, None), plan)
    check_labelled(there, pool, labelled, None)
    findings += check_new(rule, labelled, pool, force=False, key=key)
    came = arrival(labelled, order, sequential=True)
    attempt = _attempt_number(versions, there, labelled, came, trigger)
    _check_not_used_before(versions, attempt, labelled, came, key)
    delta = control.attempt_delta(plan.modification_protocol.delta, attempt)
    original, claims = rule.sign * plan.original.threshold, chain.claims_of(plan)
    labels = labels_of(rule, labelled, came)
    outcome = control.try_menu(there.menu, labels, original, claims, delta)
    tried = tried_parts(there, outcome, original, claims, delta)
    used = labelled.take(np.sort(came[: outcome.labels]))
    warnings = [*texts_of(findings), *unlike_random(there, labelled)]
    warn_each(warnings, stacklevel=2)
    judged = judged_by(there, outcome, tried, labels, original, claims, delta)
    most = plan.modification_protocol.most_labels
    ended: plans.Outcome = "failed" if outcome.labels >= most else "open"
    started = plans.ChangeVersion(
        plan=str(plan.sha256),
        parent=versions[-1].sha256 if versions else None,
        number=len(versions) + 1,
        attempt=attempt,
        delta=delta,
        trigger=trigger,
        monitor=monitor,
        rule_before=str(rule.document.sha256),
        pool=pool.n_patients,
        labels=outcome.labels,
        data_sha256=used.fingerprint(),
        remembered=None if key is None else remember(used, 0, key),
        tried=list(tried),
        outcome=ended if outcome.chosen is None else "accepted",
        chosen=outcome.chosen,
        in_force="",
    )
    cut = there.frozen if outcome.chosen is None else judged.cut
    adaptation = Adaptation(
        situation=there, cut=cut, judged=judged, used=used, warnings=tuple(warnings), forced=()
    )
    return Change(plan=plan, adaptation=adaptation, attempt=outcome, tried=tried, started=started)


def check_named(
    plan: plans.ChangePlan,
    versions: Sequence[plans.ChangeVersion],
    rule: FrozenRule,
    labelled: PatientScores,
    trigger: str,
) -> None:
    """Refuse a rule, a trigger or a number of labels that the plan does not name."""
    check_cut_off_rule(rule)
    if rule.document.sha256 not in chain.allowed_rules(plan, versions):
        raise BadOption(
            "the plan is about another rule: it allows its original rule and the last accepted "
            "version only. Give one of these."
        )
    if not chain.named_trigger(plan, trigger):
        names = ", ".join(map(repr, plan.modification_protocol.triggers))
        msg = f"{argument('trigger')} must be one that the plan names ({names}); got {trigger!r}."
        raise BadOption(msg)
    most = plan.modification_protocol.most_labels
    if labelled.n_patients > most:
        raise BadOption(
            f"the plan allows at most {most} labels per attempt; got {labelled.n_patients}. "
            f"Leave out the labels after the first {most}."
        )


def within_plan(there: Situation, plan: plans.ChangePlan) -> Situation:
    """Return the situation with the cut-offs that the plan allows."""
    may = plan.description_of_modifications
    low, high = sorted([there.rule.sign * may.low, there.rule.sign * may.high])
    return replace(there, menu=control.within(there.menu, low, high))


def tried_parts(
    there: Situation, result: control.Attempt, original: float, claims: control.Claims, delta: float
) -> tuple[plans.TriedPart, ...]:
    """Return the cut-offs of the menu, with what the labels show of each."""
    made = []
    for item, cells in zip(there.menu, result.cells, strict=True):
        share = delta * item.weight / 2
        limit, difference = claims.limits(cells[None], share, same=item.cut == original)
        made.append(
            plans.TriedPart.of(
                item,
                threshold=there.value(item.cut),
                cells=cells.tolist(),
                limit=float(limit[0]),
                difference=float(difference[0]),
            )
        )
    return tuple(made)


def judged_by(
    there: Situation,
    result: control.Attempt,
    tried: Sequence[plans.TriedPart],
    labels: Labels,
    original: float,
    claims: control.Claims,
    delta: float,
) -> Judged:
    """Return what the labels say in the form of `steadycut.adaptation.labels`.

    The certificate of one version has half of the error probability of its attempt.
    """
    used = Labels(scores=labels.scores[: result.labels], labels=labels.labels[: result.labels])
    cells = control.cells_of(used, np.array([one.cut for one in there.menu]), original)
    every = np.array(
        [
            claims.limits(seen, delta * one.weight / 2, same=True)[0]
            for one, seen in zip(there.menu, cells, strict=True)
        ]
    )
    best = np.argmin(every, axis=0)
    values = [there.value(there.menu[one].cut) for one in best]
    return Judged(
        chosen=int(best[-1]) if result.chosen is None else result.chosen,
        found=tuple(
            Limited(item=item, counts=control.confusion_of(one.cells), limit=one.limit)
            for item, one in zip(there.menu, tried, strict=True)
        ),
        delta=delta / 2,
        target=claims.target,
        decision="undecided" if result.chosen is None else "certified",
        n_given=labels.labels.size,
        n_choosing=0,
        path=PathPart(limit=every.min(axis=0), threshold=values),
    )


def _attempt_number(
    versions: Sequence[plans.ChangeVersion],
    there: Situation,
    labelled: PatientScores,
    came: np.ndarray,
    trigger: str,
) -> int:
    """Return the number of the attempt: that of an open one that goes on, or the next."""
    if not versions:
        return 1
    last = versions[-1]
    menu = [(there.value(item.cut), item.weight) for item in there.menu]
    goes_on = (
        last.outcome == "open"
        and last.trigger == trigger
        and chain.same_menu(last, menu)
        and _begins_with(labelled, came, last)
    )
    if goes_on and labelled.n_patients == last.labels:
        msg = f"attempt {last.attempt} has no label more than before; label the next patients."
        raise BadPatients(msg)
    return last.attempt if goes_on else last.attempt + 1


def _begins_with(labelled: PatientScores, came: np.ndarray, version: plans.ChangeVersion) -> bool:
    """Whether the first labelled patients are those of a version."""
    if labelled.n_patients < version.labels:
        return False
    first = labelled.take(np.sort(came[: version.labels]))
    return first.fingerprint() == version.data_sha256


def _check_not_used_before(
    versions: Sequence[plans.ChangeVersion],
    attempt: int,
    labelled: PatientScores,
    came: np.ndarray,
    key: bytes | None,
) -> None:
    """Refuse labelled patients of earlier attempts, as far as they can be recognised."""
    names = [] if labelled.patients is None else labelled.patients.tolist()
    for past in versions:
        if past.attempt == attempt:
            continue
        known = 0 if key is None or past.remembered is None else past.remembered.count(names, key)
        if known or _begins_with(labelled, came, past):
            raise BadPatients(
                f"labelled patients of attempt {past.attempt} are used again; every attempt needs "
                "new patients, who came after its trigger."
            )

"""What the labels say: the chosen cut-off of the menu, and limits that hold for all of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ks_2samp

from steadycut.core.adapt.labels import (
    Labels,
    choose,
    limits,
    limits_at_every_look,
)
from steadycut.core.bounds.anytime import lower_mean
from steadycut.core.checks import FloatArray, IntArray, check_positive
from steadycut.core.confusion import Confusion
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.documents.adaptation import Decision, PathPart
from steadycut.documents.guards import REFUSE, Finding, check_deployment, pass_or_refuse
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, TooFewPatients, argument
from steadycut.study.adapt.before import Situation

# Labels this unlikely among random patients are not of random patients.
NOT_RANDOM = 1e-3


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Judged:
    """What the labels say: the chosen cut-off of the menu, limits of all, and the path to them."""

    chosen: int
    counts: tuple[Confusion, ...]
    limits: FloatArray
    delta: float
    target: float | None
    decision: Decision
    n_given: int
    n_choosing: int
    path: PathPart | None

    @property
    def used(self) -> Confusion:
        """The decisions of the chosen cut-off against the labels."""
        return self.counts[self.chosen]


def labels_of(rule: FrozenRule, patients: PatientScores, came: IntArray | None = None) -> Labels:
    """Return the oriented scores and the labels, in the order in which they came."""
    rows = slice(None) if came is None else came
    return Labels(
        scores=rule.sign * patients.scores[rows],
        labels=patients.known_labels[rows].astype(np.int64),
    )


def arrival(
    labelled: PatientScores, order: Mapping[str, float] | ArrayLike | None, *, sequential: bool
) -> IntArray:
    """Return the labelled patients in the order in which their labels came."""
    if order is not None:
        return np.argsort(by_patient("order", labelled, order), kind="stable")
    if sequential and labelled.patients is not None:
        msg = f"labels that come one at a time have an order; give it: {argument('order')}."
        raise BadOption(msg)
    return np.arange(labelled.n_patients)


def check_labelled(
    there: Situation, pool: PatientScores, labelled: PatientScores, choosing: PatientScores | None
) -> None:
    """Refuse labelled patients who made the menu, or who cannot be a random sample."""
    for name, one in (("labelled", labelled), ("choosing", choosing)):
        if one is None:
            continue
        check_patients(one)
        if not one.n_patients:
            msg = f"{argument(name)} has no patient; leave it out."
            raise TooFewPatients(msg)
        again = overlap(labelled, pool if name == "labelled" else one)
        if again:
            msg = (
                f"{again} labelled patients are also among the patients who made the menu of "
                "cut-offs, or are listed twice; the certificate would not hold. Leave them out "
                "of one of the two."
            )
            raise BadPatients(msg)
    called = labels_of(there.rule, labelled).scores >= there.frozen
    share = there.call_rate(there.frozen)
    for all_so, chance, who in (
        (called.all(), share, "called"),
        (not called.any(), 1 - share, "not called"),
    ):
        if all_so and chance**called.size < NOT_RANDOM:
            msg = (
                f"all {called.size} labelled patients were {who} by the frozen cut-off, but only "
                f"{chance:.0%} of the patients here are; a certificate needs labels of random or "
                f"consecutive patients. {argument('worklist', 30)} says whom to label."
            )
            raise BadPatients(msg)


def check_new(
    rule: FrozenRule, labelled: PatientScores, *, force: bool, key: bytes | None
) -> list[Finding]:
    """Refuse labelled patients of the first hospital; return what else is odd about them."""
    grades = labelled.known_labels.astype(np.int64)
    found = check_deployment(rule, labelled, key=key, grades=grades)
    certain = [one for one in found if one.severity == REFUSE]
    return pass_or_refuse(certain, force=force)


def overlap(one: PatientScores, other: PatientScores) -> int:
    """Return how many patients are in both; 0 where identifiers are not known."""
    if one.patients is None or other.patients is None:
        return 0
    return int(np.isin(one.patients, other.patients).sum())


def unlike_random(there: Situation, labelled: PatientScores) -> list[str]:
    """Warn if the scores of the labelled patients are unlike those of the others."""
    p_value = ks_2samp(there.rule.sign * labelled.scores, there.pool.scores).pvalue
    if p_value >= NOT_RANDOM:
        return []
    text = (
        "labelled patients: their scores are unlike those of the others here (p = "
        f"{p_value:.1g}), so they do not look like random patients. The certificate holds for "
        "patients like the labelled ones only."
    )
    return [text]


def target_of(there: Situation, given: float | None, *, sequential: bool) -> float | None:
    """Return the mean cost to certify: the one given, or one that is known without labels."""
    found = there.target if given is None else check_positive("target", given)
    if found is None and sequential:
        msg = (
            "the rule certifies nothing worth reaching, so say what to certify: "
            f"{argument('target', '0.2')}, an average cost per patient."
        )
        raise BadOption(msg)
    return found


def judge(
    there: Situation,
    labels: Labels,
    choosing: Labels | None,
    delta: float,
    target: float | None,
    *,
    sequential: bool,
) -> Judged:
    """Return the cut-off of the menu that the labels choose, with limits of all that hold."""
    given, path = labels.labels.size, None
    if sequential:
        every = limits_at_every_look(there.menu, labels, there.costs, delta)
        best = every.min(axis=0)
        reached = np.flatnonzero(best <= (-np.inf if target is None else target))
        stop = int(reached[0]) + 1 if reached.size else given
        labels = Labels(scores=labels.scores[:stop], labels=labels.labels[:stop])
        found, which = every[:, stop - 1], every.argmin(axis=0)[:stop]
        values = [there.value(there.menu[one].cut) for one in which]
        path = PathPart(limit=best[:stop], threshold=values)
    else:
        found = limits(there.menu, labels, there.costs, delta)
    # A cut-off that reaches the target goes before any that does not.
    reaching = found <= (np.inf if target is None else max(target, float(found.min())))
    allowed = np.where(reaching, found, np.inf)
    chosen = int(found.argmin()) if sequential else choice(there, labels, choosing, allowed)
    loss_low = lowest_risk(there, labels, chosen, delta)
    decision: Decision = "undecided"
    if target is not None and found[chosen] <= target:
        decision = "certified"
    elif target is not None and loss_low > target:
        decision = "refuted"
    return Judged(
        chosen=chosen,
        counts=tuple(labels.counts_at(one.cut) for one in there.menu),
        limits=found,
        delta=delta,
        target=target,
        decision=decision,
        n_given=given,
        n_choosing=0 if choosing is None else choosing.labels.size,
        path=path,
    )


def choice(there: Situation, labels: Labels, choosing: Labels | None, found: FloatArray) -> int:
    """Return which cut-off of the menu all labels choose; ``found`` are its limits."""
    every = labels
    if choosing is not None:
        every = Labels(
            scores=np.concatenate([labels.scores, choosing.scores]),
            labels=np.concatenate([labels.labels, choosing.labels]),
        )
    return choose(there.pool, there.menu, there.prior, every, there.costs, found)


def lowest_risk(there: Situation, labels: Labels, chosen: int, delta: float) -> float:
    """Return a lower limit of the risk of the chosen cut-off, at all looks."""
    one, costs = there.menu[chosen], there.costs
    counts, scale = labels.counts_at(one.cut), costs.largest
    values = [0.0, costs.cost_fn / scale, costs.cost_fp / scale]
    numbers = [counts.tp + counts.tn, counts.fn, counts.fp]
    return scale * lower_mean(values, numbers, delta * one.weight)

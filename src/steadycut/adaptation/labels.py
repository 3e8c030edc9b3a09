"""What the labels say: the chosen cut-off of the menu, and limits that hold for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ks_2samp

from steadycut.adaptation.before import Situation, study_again
from steadycut.core.adapt.labels import (
    Labels,
    Limited,
    choose,
    likely_rank,
    limited,
    limits_at_every_look,
)
from steadycut.core.bounds.anytime import lower_mean
from steadycut.core.checks import IntArray, check_positive
from steadycut.core.confusion import Confusion
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.documents.adaptation import Decision, PathPart
from steadycut.documents.guards import REFUSE, Finding, check_deployment, pass_or_refuse
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, TooFewPatients, Warned, argument

# Labels this unlikely among random patients are not of random patients.
NOT_RANDOM = 1e-3


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Judged:
    """What the labels say: the chosen cut-off, limits of all, and the path to them.

    ``found`` are the cut-offs of the menu and, with many labels, one labelled patient's score.
    ``certify`` are the places of the labelled patients who certify the chosen one.
    """

    chosen: int
    found: tuple[Limited, ...]
    certify: IntArray
    delta: float
    target: float | None
    decision: Decision
    n_given: int
    n_choosing: int
    path: PathPart | None

    @property
    def used(self) -> Confusion:
        """The decisions of the chosen cut-off against the labels that certify it."""
        return self.found[self.chosen].counts

    @property
    def n_cuts(self) -> int:
        """Among how many cut-offs the labels chose: the menu and, with many labels, all scores."""
        own = any(one.own is not None for one in self.found)
        return len(self.found) - 1 + self.n_given if own else len(self.found)

    @property
    def limit(self) -> float:
        """The upper limit of the mean cost of the chosen cut-off."""
        return self.found[self.chosen].limit

    @property
    def cut(self) -> float:
        """The chosen cut-off, oriented."""
        return self.found[self.chosen].item.cut


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
    rule: FrozenRule,
    labelled: PatientScores,
    pool: PatientScores,
    *,
    force: bool,
    key: bytes | None,
) -> list[Finding]:
    """Refuse labelled patients of the first hospital; return what else is odd about them.

    The patients of the study are noticed too if some of them are in the ``pool`` without labels.
    """
    grades = labelled.known_labels.astype(np.int64)
    found = check_deployment(rule, labelled, key=key, grades=grades)
    found += study_again(rule, labelled, pool)
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
    text = Warned.of("labelled patients")(
        "their scores are unlike those of the others here (p = "
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
    """Return the cut-off that the labels choose, with limits of all that hold."""
    given, path = labels.labels.size, None
    if sequential:
        every = limits_at_every_look(there.menu, labels, there.costs, delta)
        best = every.min(axis=0)
        reached = np.flatnonzero(best <= (-np.inf if target is None else target))
        stop = int(reached[0]) + 1 if reached.size else given
        labels = Labels(scores=labels.scores[:stop], labels=labels.labels[:stop])
        values = [there.value(there.menu[one].cut) for one in every.argmin(axis=0)[:stop]]
        path = PathPart(limit=best[:stop], threshold=values)
        found = [
            Limited(item=one, counts=labels.counts_at(one.cut), limit=float(limit))
            for one, limit in zip(there.menu, every[:, stop - 1], strict=True)
        ]
        chosen = int(every[:, stop - 1].argmin())
    else:
        likely = likely_rank(there.pool, there.prior, joined(labels, choosing), there.costs)
        found = limited(there.pool, there.menu, labels, there.costs, delta, likely)
        chosen = choice(there, found, likely, target)
    one = found[chosen]
    decision: Decision = "undecided"
    if target is not None and one.limit <= target:
        decision = "certified"
    elif target is not None and lowest_risk(there, one, delta) > target:
        decision = "refuted"
    places = np.arange(labels.labels.size)
    return Judged(
        chosen=chosen,
        found=tuple(found),
        certify=places if one.own is None else np.delete(places, one.own),
        delta=delta,
        target=target,
        decision=decision,
        n_given=given,
        n_choosing=0 if choosing is None else choosing.labels.size,
        path=path,
    )


def joined(labels: Labels, choosing: Labels | None) -> Labels:
    """Return all labels: those that certify, and those that only help to choose."""
    if choosing is None:
        return labels
    return Labels(
        scores=np.concatenate([labels.scores, choosing.scores]),
        labels=np.concatenate([labels.labels, choosing.labels]),
    )


def choice(there: Situation, found: Sequence[Limited], likely: float, target: float | None) -> int:
    """Return which cut-off to take; one that reaches the target goes before any that does not."""
    limits = np.array([one.limit for one in found])
    reaching = limits <= (np.inf if target is None else max(target, float(limits.min())))
    cuts = [one.item.cut for one in found]
    return choose(there.pool, cuts, np.where(reaching, limits, np.inf), likely)


def lowest_risk(there: Situation, one: Limited, delta: float) -> float:
    """Return a lower limit of the risk of a cut-off, at all looks."""
    counts, costs, scale = one.counts, there.costs, there.costs.largest
    values = [0.0, costs.cost_fn / scale, costs.cost_fp / scale]
    numbers = [counts.tp + counts.tn, counts.fn, counts.fp]
    return scale * lower_mean(values, numbers, delta * one.item.weight)

"""What the labels say: the chosen cut-off of the menu, and limits that hold for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ks_2samp

from steadycut.adaptation.before import LEAST_POOL, Situation, study_again
from steadycut.core.adapt.menu import Limited, limited, limits_at_every_look, nearest
from steadycut.core.adapt.refit import Labels, refitted_with
from steadycut.core.bounds.anytime import lower_mean
from steadycut.core.checks import BoolArray, IntArray, check_positive
from steadycut.core.confusion import Confusion
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.core.rounding import percent
from steadycut.documents.adaptation import Decision, PathPart
from steadycut.documents.guards import REFUSE, Finding, check_deployment, pass_or_refuse
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, TooFewPatients, Warned, argument

# One in so many labelled patients makes the menu, where nobody is without a label.
PARTS = 5
# Labels this unlikely among random patients are not of random patients.
NOT_RANDOM = 1e-3


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Judged:
    """What the labels say: the chosen cut-off, limits of all, and the path to them.

    ``found`` are the cut-offs of the menu.
    """

    chosen: int
    found: tuple[Limited, ...]
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
    def limit(self) -> float:
        """The upper limit of the mean cost of the chosen cut-off."""
        return self.found[self.chosen].limit

    @property
    def cut(self) -> float:
        """The chosen cut-off, oriented."""
        return self.found[self.chosen].item.cut


def labels_of(rule: FrozenRule, patients: PatientScores, came: IntArray | None = None) -> Labels:
    """Return the oriented scores and the labels, in the order in which they came.

    Of patients without a score, those whom the rule calls get the largest score. The others get
    NaN, which no cut-off calls.
    """
    rows = slice(None) if came is None else came
    scores = patients.oriented(rule.direction).scores[rows]
    return Labels(
        scores=np.where(np.isneginf(scores), np.nan, scores),
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


def makes_menu(
    rule: FrozenRule, everyone: PatientScores, came: IntArray, *, sequential: bool
) -> BoolArray:
    """Return which of the patients, who all have labels, make the menu; the others certify.

    One in `PARTS`, at random, or the first `LEAST_POOL` where labels come one at a time, so that
    they are the same ones at every look.
    """
    n = everyone.n_patients
    size = LEAST_POOL if sequential else max(LEAST_POOL, n // PARTS)
    dealt = np.random.default_rng(rule.document.provenance.seed).permutation(n)
    return np.isin(np.arange(n), (came if sequential else dealt)[:size])


def check_labelled(
    there: Situation, pool: PatientScores, labelled: PatientScores, choosing: PatientScores | None
) -> None:
    """Refuse labelled patients who made the menu, or who cannot be a random sample."""
    for name, patients in (("labelled", labelled), ("choosing", choosing)):
        if patients is None:
            continue
        check_patients(patients)
        if not patients.n_patients:
            raise TooFewPatients(f"{argument(name)} has no patient; leave it out.")
        again = overlap(labelled, pool if name == "labelled" else patients)
        if again:
            raise BadPatients(
                f"{again} labelled patients are also among the patients who made the menu of "
                "cut-offs, or are listed twice; the certificate would not hold. Leave them out "
                "of one of the two."
            )
    called = labels_of(there.rule, labelled.scored).scores >= there.frozen
    share = there.call_rate(there.frozen)
    for all_so, chance, who in (
        (called.all(), share, "called"),
        (not called.any(), 1 - share, "not called"),
    ):
        if all_so and chance**called.size < NOT_RANDOM:
            raise BadPatients(
                f"all {called.size} labelled patients were {who} by the frozen cut-off, but only "
                f"{percent(chance, 0)} of the patients here are; a certificate needs labels of "
                f"random or consecutive patients. {argument('worklist', 30)} says whom to label."
            )


def check_new(
    rule: FrozenRule,
    labelled: PatientScores,
    *others: PatientScores,
    force: bool,
    key: bytes | None,
) -> list[Finding]:
    """Refuse labelled patients of the first hospital; return what else is odd about them.

    The patients of the study are noticed too if some of them are among the ``others`` without
    labels.
    """
    grades = labelled.known_labels.astype(np.int64)
    findings = check_deployment(rule, labelled, key=key, grades=grades)
    findings += study_again(rule, labelled, *others)
    certain = [finding for finding in findings if finding.severity == REFUSE]
    return pass_or_refuse(certain, force=force)


def overlap(first: PatientScores, second: PatientScores) -> int:
    """Return how many patients are in both; 0 where identifiers are not known."""
    if first.patients is None or second.patients is None:
        return 0
    return int(np.isin(first.patients, second.patients).sum())


def unlike_random(there: Situation, labelled: PatientScores) -> list[str]:
    """Warn if the scores of the labelled patients are unlike those of the others."""
    p_value = ks_2samp(there.rule.sign * labelled.scored.scores, there.pool.scores).pvalue
    if p_value >= NOT_RANDOM:
        return []
    text = Warned.of("labelled patients")(
        "their scores are unlike those of the others here (p = "
        f"{p_value:.1g}), so they do not look like random patients. The certificate holds for "
        "patients like the labelled ones only."
    )
    return [text]


def refuse_target(what: str) -> NoReturn:
    """Refuse a rule whose certificate is no target; ``what`` must be said then."""
    target = f"{argument('target', '0.2')}, an average cost per patient"
    raise BadOption(f"the rule certifies nothing worth reaching, so say {what}: {target}.")


def target_of(there: Situation, given: float | None, *, sequential: bool) -> float | None:
    """Return the mean cost to certify: the one given, or one that is known without labels."""
    target = there.target if given is None else check_positive("target", given)
    if target is None and sequential:
        refuse_target("what to certify")
    return target


def judge(
    there: Situation,
    labels: Labels,
    choosing: Labels | None,
    delta: float,
    target: float | None,
    *,
    wanted: float | None = None,
    sequential: bool,
) -> Judged:
    """Return the cut-off that the labels choose, with limits of all that hold.

    Cut-offs that reach a cost ``wanted`` go before others.
    """
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
        found = limited(there.menu, labels, there.costs, delta)
        chosen = choice(there, found, refitted_at(there, joined(labels, choosing)), wanted)
    one = found[chosen]
    decision: Decision = "undecided"
    if target is not None and one.limit <= target:
        decision = "certified"
    elif target is not None:
        # A default target is only a wish: the rule is refuted where it does not pay.
        goal = max(target, one.counts.trivial_risk(there.costs)) if wanted is None else wanted
        if lowest_risk(there, one, delta) > goal:
            decision = "refuted"
    return Judged(
        chosen=chosen,
        found=tuple(found),
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


def refitted_at(there: Situation, labels: Labels) -> float:
    """Return the cut-off that both hospitals would choose, if any were allowed."""
    scored = np.isfinite(labels.scores)
    labels = Labels(scores=labels.scores[scored], labels=labels.labels[scored])
    return refitted_with(there.model, there.costs, there.shift, labels)


def choice(there: Situation, items: Sequence[Limited], cut: float, wanted: float | None) -> int:
    """Return the item nearest to a cut-off, of those that reach a cost if there are any."""
    reach = -np.inf if wanted is None else wanted
    places = [place for place, entry in enumerate(items) if entry.limit <= reach]
    places = places or list(range(len(items)))
    return places[nearest(there.pool, [items[place].item for place in places], cut)]


def lowest_risk(there: Situation, entry: Limited, delta: float) -> float:
    """Return a lower limit of the risk of a cut-off, at all looks."""
    counts, costs, scale = entry.counts, there.costs, there.costs.largest
    values = [0.0, costs.cost_fn / scale, costs.cost_fp / scale]
    numbers = [counts.tp + counts.tn, counts.fn, counts.fp]
    return scale * lower_mean(values, numbers, delta * entry.item.weight)

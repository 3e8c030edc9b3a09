"""A new software or scanner version: what it does to the decisions of a frozen rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.adapt.switch import Changes, matching_cut
from steadycut.core.checks import FloatArray, check_delta, check_fraction
from steadycut.core.records import PatientScores
from steadycut.core.verdict import MARGIN, Answer
from steadycut.documents.frozen import FrozenFile, is_table
from steadycut.documents.guards import WARN, check_deployment, check_rule
from steadycut.documents.next_step import NextStep
from steadycut.documents.shown import Shown
from steadycut.documents.switch import ChangesPart, MatchedPart, SwitchDocument
from steadycut.errors import BadOption, TooFewPatients, Warned, explains_calls, warn_each
from steadycut.study.new_patients import as_patients

# Half of the patients give the matching cut-off, and the other half test it.
LEAST_PATIENTS = 20
QUANTILES = np.linspace(0.05, 0.95, 19)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Switch(Shown):
    """What a new version changes, and what one does with it: look at it, describe it."""

    rule: FrozenFile[Any]
    changes: Changes
    matched: float | None
    n_map: int
    changes_matched: Changes | None
    quantiles: tuple[tuple[float, float], ...]
    only_old: int
    only_new: int
    delta: float
    margin: float
    seed: int
    same_scores: bool
    warnings: tuple[str, ...]

    @property
    def same_decisions(self) -> Answer:
        """Whether at most ``margin`` of the decisions change."""
        low, high = self.changes.limits(self.delta)
        return "yes" if high <= self.margin else "no" if low > self.margin else "cannot tell"

    @property
    def call_rate_changed(self) -> bool:
        """Whether more or fewer patients are called than before, beyond chance."""
        return self.changes.p_value <= self.delta

    @property
    def next_step(self) -> NextStep:
        """What to do now."""
        if self.same_scores:
            return NextStep(verb="check", why="switch: same scores")
        if self.call_rate_changed or self.same_decisions == "no":
            if self.rule.reference is None:
                return NextStep(verb="fit", why="switch: fit")
            return NextStep(verb="adapt", why="switch: changed", file_name=self.rule.file_name)
        if self.same_decisions == "yes":
            return NextStep(verb="monitor", why="switch: same", file_name=self.rule.file_name)
        return NextStep(verb="wait", why="switch: open")

    def describe(self) -> SwitchDocument:
        """Return everything that was found, as one typed record."""
        found, matched = self.changes_matched, None
        if found is not None:
            changes = changes_part(found, self.delta)
            matched = MatchedPart.of(self, threshold=self.matched, changes=changes)
        return SwitchDocument.of(
            *(self, self.rule),
            threshold=self.rule.cut_off,
            changes=changes_part(self.changes, self.delta),
            p_value=self.changes.p_value,
            matched=matched,
            rule_sha256=str(self.rule.document.sha256),
            forced=[],
            data=None,
        )


def changes_part(changes: Changes, delta: float) -> ChangesPart:
    """Return counted changes as they are written."""
    low, high = changes.limits(delta)
    return ChangesPart.of(changes, changed=changes.share, low=low, high=high)


@explains_calls
def switch(
    rule: FrozenFile[Any],
    old: PatientScores | Mapping[Any, Any] | ArrayLike | Any,  # noqa: ANN401
    new: PatientScores | Mapping[Any, Any] | ArrayLike | Any,  # noqa: ANN401
    *,
    margin: float = MARGIN,
    delta: float | None = None,
    seed: int = 0,
) -> Switch:
    """Say what a new software or scanner version does to the decisions of a frozen rule.

    No labels are needed: the same patients are scored by the old and by the new version.

    Parameters
    ----------
    rule
        The frozen rule, made with the old version.
    old, new
        The same patients, scored by both versions: `PatientScores` or tables of instances (as in
        `steadycut.audit`), matched by their identifiers; or two arrays in the same order.
    margin
        Which share of the decisions may change.
    delta
        Failure probability of each limit and of the test. Default: that of the rule.
    seed
        Deals the patients into those who give the matching cut-off and those who test it.

    Returns
    -------
    Switch

    Notes
    -----
    The limits of the share of decisions that change are exact. Whether more patients are called
    than before is tested with McNemar's exact test. The matching cut-off calls as many of half of
    the patients as the old cut-off does; what it changes is counted in the other half.

    Examples
    --------
    >>> from steadycut import fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 100)
    >>> rule = fit(PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)).freeze()
    >>> there = rng.normal(size=60)
    >>> switch(rule, there, there + 2).call_rate_changed
    True
    """
    check_rule(rule)
    check_fraction("margin", margin)
    delta = rule.certificate.delta if delta is None else check_delta(delta)
    both = (rule.patients_in(one) if is_table(one) else one for one in (old, new))
    before, after, only_old, only_new = paired(*(as_patients(rule, one) for one in both))
    for patients in (before, after):
        patients.need_scores("a change of scorer is judged by pairs of scores")
    rule.check_attributes(before)
    was, now = rule.decide_patients(before), rule.decide_patients(after)
    half = np.random.default_rng([seed, was.size]).permutation(was.size)
    give, test = half[: was.size // 2], half[was.size // 2 :]
    matched = changes_matched = None
    if rule.cut_off is not None:
        scores, others = rule.sign * before.scores, rule.sign * after.scores
        cut = matching_cut(scores[give], others[give], rule.sign * rule.cut_off)
        matched = rule.sign * cut + 0.0
        changes_matched = Changes.of(was[test], (others[test] >= cut).astype(np.int64))
    same = np.array_equal(before.scores, after.scores)
    unlike = [one.text for one in check_deployment(rule, before) if one.severity == WARN]
    result = Switch(
        rule=rule,
        changes=Changes.of(was, now),
        matched=matched,
        n_map=give.size,
        changes_matched=changes_matched,
        quantiles=quantile_pairs(before.scores[give], after.scores[give]),
        only_old=only_old,
        only_new=only_new,
        delta=delta,
        margin=margin,
        seed=seed,
        same_scores=same,
        warnings=(*unlike, *pair_warnings(only_old, only_new, same=same)),
    )
    warn_each(result.warnings, stacklevel=3)
    return result


def paired(old: PatientScores, new: PatientScores) -> tuple[PatientScores, PatientScores, int, int]:
    """Return the patients of both versions in one order, and how many only one of them has."""
    if old.patients is None or new.patients is None:
        if old.patients is not new.patients:
            raise BadOption(
                "one version has identifiers of patients and the other has none, so that they "
                "cannot be matched. Give both with identifiers, or two arrays in the same order."
            )
        if old.n_patients != new.n_patients:
            raise BadOption(
                f"without identifiers both versions must have the same patients in one order; got "
                f"{old.n_patients} and {new.n_patients}. Name the column of patients."
            )
        only_old = only_new = 0
    else:
        _, here, there = np.intersect1d(old.patients, new.patients, return_indices=True)
        only_old, only_new = old.n_patients - here.size, new.n_patients - there.size
        old, new = old.take(here), new.take(there)
    if old.n_patients < LEAST_PATIENTS:
        raise TooFewPatients(
            f"a switch needs at least {LEAST_PATIENTS} patients scored by both versions; got "
            f"{old.n_patients}."
        )
    return old, new, only_old, only_new


def quantile_pairs(old: FloatArray, new: FloatArray) -> tuple[tuple[float, float], ...]:
    """Return the map from old to new scores: the same quantiles of both."""
    pairs = zip(np.quantile(old, QUANTILES), np.quantile(new, QUANTILES), strict=True)
    return tuple((float(one), float(other)) for one, other in pairs)


def pair_warnings(only_old: int, only_new: int, *, same: bool) -> list[str]:
    """Warn of patients without a pair, and of a new column that may not have been named."""
    alone = Warned.of("pairs")(
        f"{only_old} patients have only an old score and {only_new} only a new one; they are left "
        "out. If the new version failed on them, the rule fails there too."
    )
    equal = Warned.of("same scores")(
        "both versions have the same score for every patient. If the new scores are in another "
        "column of the table, name it (--new-score on the command line)."
    )
    return [*([alone] if only_old + only_new else []), *([equal] if same else [])]

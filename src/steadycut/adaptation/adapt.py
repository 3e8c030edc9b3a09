"""A frozen rule at the next hospital: another cut-off, beside the frozen one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from steadycut.adaptation import before, labels
from steadycut.adaptation.next_step import next_step
from steadycut.adaptation.rule import adapted_rule, certificate_here
from steadycut.core.adapt.menu import grey_part, grey_zone, random_part
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Stated as Followed
from steadycut.core.checks import IntArray, check_count, check_delta
from steadycut.core.records import PatientScores
from steadycut.core.rounding import cut_text
from steadycut.documents import adaptation as documents
from steadycut.documents.guards import forced_names, texts_of
from steadycut.documents.known_patients import Remembered
from steadycut.documents.parts import CertificatePart, names_part
from steadycut.documents.rule import FrozenRule
from steadycut.documents.shown import LOOK_AT_TEXT, Shown
from steadycut.errors import BadOption, argument, explains_calls, warn_each
from steadycut.study.home import Stated, check_cut_off_rule, check_prevalence
from steadycut.study.new_patients import Given, with_labels

# The cut-off is shown for stated odds that are wrong by this factor, either way.
WRONG = 1.5


@dataclass(frozen=True, eq=False, kw_only=True)
class Adaptation(Shown):
    """A cut-off for the next hospital. ``describe()`` has everything, ``rule`` is what to use."""

    situation: before.Situation
    cut: float
    judged: labels.Judged | None
    used: PatientScores | None
    warnings: tuple[str, ...]
    forced: tuple[str, ...]
    seen: tuple[PatientScores, ...] = ()
    remembered: Remembered | None = None
    divided: bool = False
    _lists: ClassVar = {"candidates": "candidates"}

    @cached_property
    def rule(self) -> FrozenRule:
        """The new frozen rule, with the hash of its parent; it is made when first asked for."""
        return adapted_rule(
            self.situation, self.cut, self.judged, self.used, self.seen, self.remembered
        )

    @property
    def threshold(self) -> float:
        """The cut-off for this hospital."""
        return self.situation.value(self.cut)

    @property
    def candidates(self) -> list[documents.CandidateCutPart]:
        """The cut-offs that were fixed before any label was seen."""
        return self.describe().candidates

    @property
    def certificate(self) -> CertificatePart | None:
        """What is certified here; None without labels."""
        return None if self.judged is None else certificate_here(self.situation, self.judged)

    def __repr__(self) -> str:
        """Return the answer in a few lines; no patient is shown."""
        known = "not certified" if self.judged is None else self.judged.decision
        here, frozen = cut_text(self.threshold), cut_text(self.situation.rule.threshold)
        return f"Adaptation: cut-off {here} here, frozen {frozen}; {known}\n{LOOK_AT_TEXT}"

    def describe(self) -> documents.AdaptationDocument:
        """Return everything that was found, as one typed record."""
        own, rule = self.situation, self.situation.rule
        # Where everybody has labels, all count for the shares called, not only who made the menu.
        there = (
            replace(own, pool=Pool.of(rule.sign * self.seen[0].scored.scores))
            if self.divided
            else own
        )
        return documents.AdaptationDocument.of(
            *(self, there, rule),
            class_names=names_part(rule.recipe.class_names),
            call_rate=there.call_rate(self.cut),
            frozen_threshold=rule.threshold,
            frozen_call_rate=there.call_rate(there.frozen),
            n_patients=own.pool.scores.size,
            prevalence_before=there.home.prevalence,
            pull=None if there.stated is None else there.stated.pull,
            wrong_odds=wrong_odds(own),
            candidates=candidate_parts(there, self.cut, self.judged),
            labels=None if self.judged is None else labels_part(self.judged, divided=self.divided),
            path=None if self.judged is None else self.judged.path,
            next_step=next_step(own, self.judged, divided=self.divided),
            parent_sha256=str(rule.document.sha256),
            rule_sha256=str(self.rule.document.sha256),
            label_how=None if self.used is None else self.used.recipe.label_how,
            **dict.fromkeys(("change", "data")),
        )


def candidate_parts(
    there: before.Situation, cut: float, judged: labels.Judged | None
) -> list[documents.CandidateCutPart]:
    """Return the cut-offs, with what the labels say about each."""
    rows = []
    for place, item in enumerate(there.menu):
        tried = None if judged is None else judged.found[place]
        part = documents.CandidateCutPart(
            name=item.name,
            weight=item.weight,
            threshold=there.value(item.cut),
            call_rate=there.call_rate(item.cut),
            chosen=item.cut == cut if judged is None else place == judged.chosen,
            missed=None if tried is None else tried.counts.fn,
            alarms=None if tried is None else tried.counts.fp,
            risk=None if tried is None else tried.counts.risk(there.costs),
            limit=None if tried is None else tried.limit,
        )
        rows.append(part)
    return rows


def labels_part(judged: labels.Judged, *, divided: bool) -> documents.LabelsPart:
    """Return what the labels say of the chosen cut-off."""
    used = judged.used
    sequential = judged.path is not None
    return documents.LabelsPart.of(
        *(used, judged),
        divided=("the first" if sequential else "at random") if divided else None,
        sequential=sequential,
        stopped_after=used.n_patients if sequential else None,
        given=judged.n_given if sequential else None,
    )


def wrong_odds(there: before.Situation) -> list[documents.WrongOddsPart]:
    """Return the cut-off if the stated odds of disease are wrong by a factor either way."""
    if there.prevalence is None:
        return []
    counts, rows = there.model.counts(there.pool.scores), []
    for factor in (1 / WRONG, WRONG):
        ends = expit(logit(np.array(there.prevalence)) + np.log(factor)).tolist()
        other = Followed.of(there.model, counts, (ends[0], ends[1]))
        cut = there.nearest_cut(other.shift)
        where = {"threshold": there.value(cut), "call_rate": there.call_rate(cut)}
        rows.append(documents.WrongOddsPart.of(other, factor=factor, **where))
    return rows


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Worklist:
    """The patients to label next, by their place in the pool.

    ``certify`` are random patients, ``choose`` those of the grey zone, who must never certify.
    """

    certify: IntArray
    choose: IntArray


@explains_calls
def adapt(  # noqa: PLR0913
    rule: FrozenRule,
    patients: Given,
    y: Mapping[Any, object] | ArrayLike | None = None,
    *,
    prevalence: Stated = None,
    labelled: PatientScores | None = None,
    choosing: PatientScores | None = None,
    order: Mapping[str, float] | ArrayLike | None = None,
    target: float | None = None,
    sequential: bool = False,
    delta: float | None = None,
    menu: Adaptation | str | None = None,
    unscored: str | None = None,
    force: bool = False,
    key: bytes | None = None,
) -> Adaptation:
    """Find the cut-off for the next hospital, and certify it if there are labels.

    Parameters
    ----------
    rule
        The frozen rule. Nothing else of the first hospital is needed.
    patients
        Patients of the next hospital, at least 20, none of whom made the rule. If they have labels
        and ``labelled`` is not given, one in five of them (at least 20) makes the menu and helps to
        choose, and the others certify.
    y
        Labels of ``patients``, in the order of the scores or a mapping from identifiers.
    prevalence
        The share of ill patients that the hospital expects, or a range (low, high).
    labelled
        Patients with labels, random or consecutive, none of whom is among ``patients``. All of them
        choose and certify.
    choosing
        Further patients with labels who were picked by their scores, and who may be among
        ``patients``. They only help to choose.
    order
        When each label came, one number per labelled patient or a mapping from identifiers; for
        ``sequential``.
    target
        The mean cost per patient to certify, fixed before the labels were seen. Default: that of
        calling everybody or nobody at the stated prevalence; without one, what the rule has
        certified. Cut-offs that reach a given target go before others.
    sequential
        Take the labels one at a time, in the order given, and stop when the target is certified.
        The limits then hold at every look.
    delta
        The probability that the certificate is wrong. Default: that of the rule.
    menu
        The result of the first look, or its ``menu_sha256``. The cut-offs to choose from must then
        be the same ones; they are if ``patients`` and ``prevalence`` are.
    unscored
        What is done to patients without a score here, ``"call"`` or ``"leave"``, if that is not
        what the rule says. This needs labels, which count these patients.
    force
        Continue if the rule refuses these patients, and record it.
    key
        The secret by which the rule remembers its patients, if it has one. The new rule remembers
        the labelled patients too.

    Returns
    -------
    Adaptation
        With ``threshold``, ``rule`` (frozen, with the hash of its parent), ``candidates``,
        ``certificate`` (None without labels) and ``warnings``.

    Notes
    -----
    Without labels the cut-off assumes that the log odds of disease have changed by about the same
    number at every score. It has no certificate. With labels the certificate
    assumes only that the labelled patients are a random sample of this hospital.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 200)
    >>> rule = fit(PatientScores(scores=rng.normal(size=400) + 2 * labels, labels=labels)).freeze()
    >>> there = rng.normal(size=300) + 2 * (rng.random(300) < 0.1)
    >>> found = adapt(rule, PatientScores(scores=there), prevalence=0.1)
    >>> found.threshold > rule.threshold, found.certificate
    (True, None)
    """
    check_cut_off_rule(rule)
    stated = check_prevalence(prevalence)
    if unscored is not None:
        rule = rule.with_policy(unscored)
    if sequential and choosing is not None:
        raise BadOption(
            f"{argument('choosing')} does not go with {argument('sequential', value=True)}, which "
            "chooses by the limits alone; leave one of them out."
        )
    given = with_labels(patients, y, unscored=rule.recipe.unscored)
    pool, findings = before.pool_of(rule, given, force=force, key=key)
    divided = labelled is None and pool.labels is not None
    labelled, choosing = (each and rule.patients_of(each) for each in (labelled, choosing))
    seen = (pool,) if divided else (labelled, choosing)
    if divided:
        findings += labels.check_new(rule, pool, force=force, key=key)
        came = labels.arrival(pool, order, sequential=sequential)
        menu_makers = labels.makes_menu(rule, pool, came, sequential=sequential)
        order = np.argsort(came)[~menu_makers]
        labelled, pool = pool.take(~menu_makers), pool.take(menu_makers)
        choosing = None if sequential else pool
    elif labelled is None and (stated is None or unscored is not None):
        raise BadOption(
            f"adapt needs the prevalence here ({argument('prevalence', 0.08)}) or labelled "
            f"patients ({argument('labelled')}); another {argument('unscored')} needs the latter."
        )
    there = before.situation_of(rule, pool, stated)
    first = menu.situation.menu_sha256 if isinstance(menu, Adaptation) else menu
    before.check_same_menu(there, first)
    judged, used, cut, unlike = None, None, there.nearest_cut(there.shift), list[str]()
    if labelled is not None:
        labels.check_labelled(there, pool, labelled, choosing)
        if not divided:
            findings += labels.check_new(rule, labelled, pool, force=force, key=key)
        unlike = labels.unlike_random(there, labelled)
        came = labels.arrival(labelled, order, sequential=sequential)
        judged = labels.judge(
            there,
            labels.labels_of(rule, labelled, came),
            None if choosing is None else labels.labels_of(rule, choosing),
            rule.certificate.delta if delta is None else check_delta(delta),
            labels.target_of(there, target, sequential=sequential),
            wanted=target,
            sequential=sequential,
        )
        cut = judged.cut
        used = labelled.take(np.sort(came[: judged.used.n_patients]))
    warnings = [*texts_of(findings), *unlike]
    warn_each(warnings, stacklevel=3)
    known = tuple(patients for patients in seen if patients is not None)
    return Adaptation(
        situation=there,
        cut=cut,
        judged=judged,
        used=used,
        warnings=tuple(warnings),
        forced=tuple(forced_names(findings)),
        seen=known,
        remembered=memory_of(rule, known, key),
        divided=divided,
    )


def memory_of(
    rule: FrozenRule, seen: Sequence[PatientScores], key: bytes | None
) -> Remembered | None:
    """Return what remembers the patients of a rule, if it does, and those seen with labels."""
    known = rule.document.remembered_patients
    for patients in seen:
        known = known and known.with_more(patients, key)
    return known


def worklist(
    rule: FrozenRule,
    patients: PatientScores,
    size: int,
    *,
    prevalence: Stated = None,
    seed: int = 0,
    force: bool = False,
    key: bytes | None = None,
) -> Worklist:
    """Choose whom to label next: half of them at random, half in the grey zone.

    The random ones are drawn first, and the grey zone does not depend on them, so they may certify.
    """
    check_cut_off_rule(rule)
    check_count("worklist", size, at_least=2)
    pool, _ = before.pool_of(rule, patients, force=force, key=key)
    pool.need_scores("a worklist picks patients by their scores")
    if size > pool.n_patients - before.LEAST_POOL:
        raise BadOption(
            f"{argument('worklist', size)} leaves fewer than {before.LEAST_POOL} of "
            f"{pool.n_patients} patients without labels; ask for fewer."
        )
    rng = np.random.default_rng([seed, rule.document.provenance.seed])
    certify = random_part(pool.n_patients, (size + 1) // 2, rng)
    others = np.setdiff1d(np.arange(pool.n_patients), certify)
    there = before.situation_of(rule, pool.take(others), check_prevalence(prevalence))
    scores = rule.sign * pool.scores[others]
    grey = grey_part(scores, grey_zone(there.model, there.costs, there.shift), size // 2, rng)
    return Worklist(certify=certify, choose=others[grey])

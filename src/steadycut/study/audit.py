"""A frozen rule at another hospital: its risk there, and where the difference comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.concentration import lower_risk_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import FloatArray, Interval, check_labels
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import PatientScores, check_patients
from steadycut.core.shift.intervals import shift_intervals
from steadycut.core.shift.parts import Parts, absolute_shift, shapley_shift, signed_shift
from steadycut.documents.audit import (
    AuditDocument,
    GreyZonePart,
    LabelledAudit,
    ShiftIntervals,
    ShiftPart,
    ShiftParts,
    Verdict,
)
from steadycut.documents.guards import (
    check_deployment,
    check_rule,
    forced_names,
    pass_or_refuse,
    texts_of,
)
from steadycut.documents.parts import EnsembleShares, ExplorerPart, MethodShare, ScoresPart
from steadycut.documents.rule import FrozenRule
from steadycut.errors import TooFewPatients
from steadycut.study.curves import class_quantiles
from steadycut.study.explorer import GREY_ZONE, explorer_part
from steadycut.study.operating_point import (
    CONFIDENCE,
    OperatingPoint,
    point_at,
    point_of,
    point_part,
)
from steadycut.study.small_cells import grouped_patients, noticed, rounded_at_home
from steadycut.study.unlabelled import UnlabelledPart, home_of, without_labels


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelledPart:
    """What labels at the new hospital add.

    ``direct`` bounds the risk here from these patients alone, ``internal`` that at P; both at the
    patients' own prevalence. ``shift`` is the paper's Shift(t) with absolute values, ``signed``
    the exact parts of R_Q - R_P in the paper's order, ``shapley`` their mean over both orders;
    ``intervals`` hold the sampling error of both hospitals, for all parts at once. ``judged`` is
    what the verdict compares with the promise: ``direct``, at the target prevalence if there is
    one. ``patients`` are those here, with scores of which high ones are called.
    """

    patients: PatientScores
    external: Confusion
    direct: Certificate
    internal: Certificate
    shift: Parts
    signed: Parts
    shapley: Parts
    intervals: dict[str, dict[str, Interval]]
    judged: Certificate
    verdict: Verdict


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audit:
    """What a frozen rule does to the patients of another hospital.

    ``scores`` are quantiles of theirs, by class where labels are known. ``forced`` names the checks
    that refused these patients and were overruled.
    """

    rule: FrozenRule
    n_patients: int
    call_rate: float
    flip_probability: FloatArray
    scores: ScoresPart
    warnings: tuple[str, ...]
    unlabelled: UnlabelledPart
    labelled: LabelledPart | None
    forced: tuple[str, ...] = ()
    small_cells: int | None = None

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the patients."""
        return float(self.flip_probability.mean())

    @property
    def base(self) -> float | None:
        """The paper's (Base): certified risk at P plus Shift(t), as if Shift were known."""
        if self.labelled is None:
            return None
        return self.labelled.internal.value + self.labelled.shift.total

    @property
    def base_valid(self) -> float | None:
        """A Base that holds at delta: R_P + Shift is never below R_Q, so add Q's own margin."""
        if self.labelled is None:
            return None
        observed = self.labelled.internal.risk + self.labelled.shift.total
        return observed + self.labelled.direct.generalization

    @property
    def augmented(self) -> float | None:
        """The paper's (Augmented): Base plus the instability penalty, never smaller."""
        base = self.base
        return None if base is None else base + self.rule.document.stability.penalty

    def describe(self, confidence: float = CONFIDENCE) -> AuditDocument:
        """Return everything that was found, as one typed record.

        ``confidence`` is that of the intervals of the operating points.
        """
        if self.labelled is None:
            return AuditDocument(
                **self._known_without_labels(),
                verdict="cannot tell",
                verdict_text="cannot tell: without labels the risk here is not known.",
            )
        known = self._known_with_labels(self.labelled, confidence)
        return LabelledAudit(**{**self._known_without_labels(), **known})

    def to_dict(self, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """Return the content of ``audit.json``; ``confidence`` is that of its intervals."""
        return self.describe(confidence).to_plain()

    def _known_without_labels(self) -> dict[str, Any]:
        document = self.rule.document
        # Rounded, because 1 - 0.9 is a little less than 0.1.
        grey = int(np.count_nonzero(self.flip_probability.round(9) >= GREY_ZONE))
        return {
            "threshold": document.threshold,
            "operating_value": document.operating_value,
            "direction": document.direction,
            "rule": document.rule,
            "score": document.columns.score,
            "aggregation": document.aggregation,
            "ensemble": ensemble_shares(self.rule),
            "costs": document.costs,
            "delta": document.certificate.delta,
            "certificate": document.certificate,
            "n_patients": self.n_patients,
            **dict(self.unlabelled.describe()),
            "scores": self.scores,
            "scores_internal": ScoresPart(
                positive=document.reference.quantiles_positive,
                negative=document.reference.quantiles_negative,
            ),
            "bootstrap_thresholds": document.bootstrap_thresholds,
            "flip_rate": self.flip_rate,
            "grey_zone": GreyZonePart(
                patients=grey, share=grey / self.n_patients, at_least=GREY_ZONE
            ),
            "warnings": list(self.warnings),
            "forced": list(self.forced),
            "small_cells": self.small_cells,
        }

    def _known_with_labels(self, part: LabelledPart, confidence: float) -> dict[str, Any]:
        costs, reference = self.rule.costs.plain, self.rule.document.reference.confusion
        point, internal = self._operating_points(part, confidence)
        return {
            # What cannot be known without labels is known here.
            "statements": [],
            "risk_external": part.direct.risk,
            "risk_external_se": part.external.standard_error(costs),
            "risk_internal": reference.risk(costs),
            "bound_external": part.direct.value,
            "bound": part.direct.bound,
            "vacuous": part.direct.vacuous,
            "operating_point": point_part(point),
            "operating_point_internal": point_part(internal),
            "shift": shift_part(part),
            "base": self.base,
            "base_valid": self.base_valid,
            "augmented": self.augmented,
            "verdict": part.verdict,
            "verdict_text": self._verdict_text(part),
            "explorer": explorer_here(self.rule, part),
        }

    def _operating_points(
        self, part: LabelledPart, confidence: float
    ) -> tuple[OperatingPoint, OperatingPoint]:
        """Return what the cut-off does here, and what it did to the patients who certified it."""
        rule, costs = self.rule, self.rule.costs
        before, chosen_by = rule.document.reference.confusion, rule.document.certificate.n_choices
        return (
            point_at(part.patients, rule.sign * rule.threshold, costs, confidence),
            point_of(before, costs, confidence, chosen_by),
        )

    def _verdict_text(self, part: LabelledPart) -> str:
        promised, found = self.rule.document.certificate.value, part.judged
        confidence = f"{100 * (1 - found.delta):g} %"
        where = "here" if self.rule.costs.target is None else "here at the target prevalence"
        patients = (
            "one patient leaves" if self.n_patients == 1 else f"{self.n_patients} patients leave"
        )
        reason = {
            "holds": f"with {confidence} confidence the risk {where} is at most "
            f"{found.value:.3f}, within the certified {promised:.3f}",
            "does not hold": f"with {confidence} confidence the risk {where} exceeds the "
            f"certified {promised:.3f}; {found.risk:.3f} was observed",
            "cannot tell": f"{found.risk:.3f} was observed {where}, but {patients} it open on "
            f"which side of the certified {promised:.3f} the risk lies",
        }
        return f"{part.verdict}: {reason[part.verdict]}."


def ensemble_shares(rule: FrozenRule) -> EnsembleShares | None:
    """Return the methods of an ensemble with their shares of the weight."""
    part = rule.document.ensemble
    if part is None:
        return None
    total = sum(method.weight for method in part.methods)
    methods = [
        MethodShare(
            score=method.score, aggregation=method.aggregation, weight=method.weight / total
        )
        for method in part.methods
    ]
    return EnsembleShares(kind=part.kind, methods=methods)


def shift_part(part: LabelledPart) -> ShiftPart:
    """Return the change of risk, part by part, with intervals."""
    return ShiftPart(
        prevalence=part.shift.prevalence,
        shape_positive=part.shift.shape_positive,
        shape_negative=part.shift.shape_negative,
        total=part.shift.total,
        signed=ShiftParts.of(part.signed),
        shapley=ShiftParts.of(part.shapley),
        intervals=ShiftIntervals.of(part.intervals),
    )


def explorer_here(rule: FrozenRule, part: LabelledPart) -> ExplorerPart | None:
    """Return the patients of an audit, counted at every cut-off of a short list."""
    return explorer_part(
        part.patients,
        rule.sign * rule.threshold,
        rule.sign * np.array(rule.document.bootstrap_thresholds),
        rule.costs,
        delta=rule.document.certificate.delta,
        sign=rule.sign,
    )


def audit(
    rule: FrozenRule,
    scores: PatientScores | Mapping[Any, PatientScores] | ArrayLike,
    y: ArrayLike | None = None,
    *,
    force: bool = False,
    key: bytes | None = None,
    small_cells: int | None = None,
) -> Audit:
    """Say what a frozen rule does at another hospital.

    Parameters
    ----------
    rule
        The frozen rule.
    scores
        Patient scores at the new hospital, made as the rule says: an array of shape (n,), or
        `PatientScores` (whose labels are used unless ``y`` is given); for an ensemble a mapping of
        them, one for each method, as `steadycut.aggregate` returns it.
    y
        0/1 labels, shape (n,); without them only call rate, flip-rate and warnings are known.
    force
        Go on where the rule refuses these patients (`steadycut.documents.guards`), and record it.
    key
        The secret with which the rule remembers its patients, if it does so by one.
    small_cells
        Judge groups of at least so many patients of a class, so that no number stands for fewer;
        errors are never counted lower for it. See `steadycut.study.small_cells`.

    Returns
    -------
    Audit

    Notes
    -----
    None of these patients may have had a part in making the rule.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 100)
    >>> rule = fit(PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)).freeze()
    >>> there = audit(rule, rng.normal(size=200) + 3 * labels + 1, labels).to_dict()
    >>> there["shift"]["signed"]["shape_negative"] > 0
    True
    """
    check_rule(rule)
    several = list(scores.values()) if isinstance(scores, Mapping) else []
    for one in several:
        check_patients(one)
    patients = _as_patients(rule.patients_of(scores) if isinstance(scores, Mapping) else scores, y)
    findings = pass_or_refuse(check_deployment(rule, patients, several, key=key), force=force)
    scores_here = patients.scores
    if small_cells is not None:
        patients = grouped_patients(patients, rule.threshold, rule.sign, small_cells)
    return Audit(
        rule=rule,
        n_patients=patients.n_patients,
        call_rate=float(rule.decide_scores(patients.scores).mean()),
        flip_probability=rule.flip_probability(patients.scores),
        scores=class_quantiles(patients),
        warnings=(
            *(texts_of(findings) if small_cells is None else noticed(findings, small_cells)),
            *(() if patients.labels is None else rounded_at_home(rule)),
        ),
        forced=tuple(forced_names(findings)),
        small_cells=small_cells,
        unlabelled=without_labels(home_of(rule), scores_here),
        labelled=None if patients.labels is None else _with_labels(rule, patients),
    )


def _as_patients(scores: PatientScores | ArrayLike, y: ArrayLike | None) -> PatientScores:
    if isinstance(scores, PatientScores):
        n = scores.n_patients
        patients = scores if y is None else replace(scores, labels=check_labels(y, n))
    else:
        patients = PatientScores(scores=scores, labels=y)
    if not patients.n_patients:
        msg = "an audit needs at least one patient; got none."
        raise TooFewPatients(msg)
    return patients


def _with_labels(rule: FrozenRule, patients: PatientScores) -> LabelledPart:
    oriented = patients.oriented(rule.direction)
    external = confusion_at(oriented, rule.sign * rule.threshold)
    document, costs = rule.document, rule.costs.plain
    internal = document.reference.confusion
    return LabelledPart(
        patients=oriented,
        external=external,
        direct=certificate_of(external, costs, document.certificate.delta),
        internal=_internal(rule),
        shift=absolute_shift(internal, external, costs),
        signed=signed_shift(internal, external, costs),
        shapley=shapley_shift(internal, external, costs),
        intervals=shift_intervals(
            internal,
            external,
            costs,
            document.certificate.delta,
            document.certificate.n_choices,
        ),
        judged=certificate_of(external, rule.costs, document.certificate.delta),
        verdict=_verdict(external, rule),
    )


def _internal(rule: FrozenRule) -> Certificate:
    """Return the rule's certificate, at the prevalence of the patients who certified it."""
    promised, counts = rule.document.certificate, rule.document.reference.confusion
    if rule.costs.target is not None:
        return certificate_of(
            counts,
            rule.costs.plain,
            promised.delta,
            bound=_pooled_bound(rule),
            honesty=promised.honesty,
            n_candidates=promised.n_candidates,
        )
    return Certificate(**promised.model_dump(exclude={"value", "vacuous"}))


def _pooled_bound(rule: FrozenRule) -> str:
    """Return a bound at the patients' own prevalence that holds however they were dealt."""
    if rule.document.certificate.honesty == "uniform":
        return "dkw"
    # Exact limits need a split that did not look at labels; the paper's three terms do not.
    return "paper" if rule.document.provenance.options.stratified else "auto"


def _verdict(external: Confusion, rule: FrozenRule) -> Verdict:
    """Compare the risk here with what was certified, at the target prevalence if there is one."""
    promised, costs = rule.document.certificate, rule.costs
    if certificate_of(external, costs, promised.delta).value <= promised.value:
        return "holds"
    lowest = lower_risk_limit(external, costs, promised.delta)
    return "does not hold" if lowest > promised.value else "cannot tell"

"""A frozen rule at another hospital: its risk there, and where the difference comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.concentration import lower_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import FloatArray, Interval, check_labels
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import PatientScores, check_patients
from steadycut.core.shift.intervals import shift_intervals
from steadycut.core.shift.parts import Parts, absolute_shift, shapley_shift, signed_shift
from steadycut.documents.ensemble import methods_summary
from steadycut.documents.guards import (
    check_deployment,
    check_rule,
    forced_names,
    pass_or_refuse,
    texts_of,
)
from steadycut.errors import TooFewPatients
from steadycut.study.curves import class_quantiles
from steadycut.study.describe import chain_summary
from steadycut.study.explorer import GREY_ZONE, audit_explorer
from steadycut.study.operating_point import CONFIDENCE, OperatingPoint, point_at, point_of
from steadycut.study.small_cells import grouped_patients, noticed, rounded_at_home
from steadycut.study.unlabelled import UnlabelledPart, home_of, without_labels

if TYPE_CHECKING:
    from steadycut.documents.rule import FrozenRule

SCHEMA = "steadycut.audit/1"


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
    verdict: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audit:
    """What a frozen rule does to the patients of another hospital.

    ``scores`` are quantiles of theirs, by class where labels are known. ``forced`` names the checks
    that refused these patients and were overruled.
    """

    rule: "FrozenRule"
    n_patients: int
    call_rate: float
    flip_probability: FloatArray
    scores: dict[str, list[float]]
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

    def to_dict(self, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """Return the content of ``audit.json``; ``confidence`` is that of its intervals."""
        document = self.rule.document
        # Rounded, because 1 - 0.9 is a little less than 0.1.
        grey = int(np.count_nonzero(self.flip_probability.round(9) >= GREY_ZONE))
        content = {
            "schema": SCHEMA,
            "threshold": document.threshold,
            "operating_value": document.operating_value,
            "direction": document.direction,
            "rule": document.rule,
            "score": document.columns.score,
            "aggregation": chain_summary(self.rule.recipe),
            "ensemble": methods_summary(self.rule.ensemble),
            "costs": document.costs.model_dump(),
            "delta": document.certificate.delta,
            "certificate": document.certificate.model_dump(),
            "n_patients": self.n_patients,
            "labelled": self.labelled is not None,
            **self.unlabelled.to_dict(),
            "scores": self.scores,
            "scores_internal": {
                "positive": document.reference.quantiles_positive,
                "negative": document.reference.quantiles_negative,
            },
            "bootstrap_thresholds": document.bootstrap_thresholds,
            "flip_rate": self.flip_rate,
            "grey_zone": {
                "patients": grey,
                "share": grey / self.n_patients,
                "at_least": GREY_ZONE,
            },
            "warnings": list(self.warnings),
            "forced": list(self.forced),
            **({} if self.small_cells is None else {"small_cells": self.small_cells}),
            "verdict": "cannot tell",
            "verdict_text": "cannot tell: without labels the risk here is not known.",
        }
        if self.labelled is None:
            return content
        # What cannot be known without labels is known here.
        return {**content, "statements": [], **self._labelled_dict(confidence)}

    def _labelled_dict(self, confidence: float) -> dict[str, Any]:
        part = self.labelled
        assert part is not None  # noqa: S101
        costs, reference = self.rule.costs.plain, self.rule.document.reference.confusion
        point, internal = self._operating_points(part, confidence)
        return {
            "risk_external": part.direct.risk,
            "risk_external_se": part.external.standard_error(costs),
            "risk_internal": reference.risk(costs),
            "bound_external": part.direct.value,
            "bound": part.direct.bound,
            "vacuous": part.direct.vacuous,
            "operating_point": point.to_dict(),
            "operating_point_internal": internal.to_dict(),
            "shift": {
                **part.shift.to_dict(),
                "signed": part.signed.to_dict(),
                "shapley": part.shapley.to_dict(),
                "intervals": {
                    order: {name: list(interval) for name, interval in parts.items()}
                    for order, parts in part.intervals.items()
                },
            },
            "base": self.base,
            "base_valid": self.base_valid,
            "augmented": self.augmented,
            "verdict": part.verdict,
            "verdict_text": self._verdict_text(part),
            "explorer": audit_explorer(self.rule, part),
        }

    def _operating_points(
        self, part: LabelledPart, confidence: float
    ) -> tuple[OperatingPoint, OperatingPoint]:
        """Return what the cut-off does here, and what it did to the patients who certified it."""
        rule, costs = self.rule, self.rule.costs
        threshold = rule.threshold if rule.direction == "ge" else -rule.threshold
        before, chosen_by = rule.document.reference.confusion, rule.document.certificate.n_choices
        return (
            point_at(part.patients, threshold, costs, confidence),
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


def audit(
    rule: "FrozenRule",
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
        patients = grouped_patients(patients, rule.threshold, rule.direction, small_cells)
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


def _with_labels(rule: "FrozenRule", patients: PatientScores) -> LabelledPart:
    sign = 1.0 if rule.direction == "ge" else -1.0
    oriented = patients.oriented(rule.direction)
    external = confusion_at(oriented, sign * rule.threshold)
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


def _internal(rule: "FrozenRule") -> Certificate:
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
    return Certificate(
        risk=promised.risk,
        generalization=promised.generalization,
        bound=promised.bound,
        delta=promised.delta,
        honesty=promised.honesty,
        n_patients=promised.n_patients,
        trivial_risk=promised.trivial_risk,
        n_candidates=promised.n_candidates,
    )


def _pooled_bound(rule: "FrozenRule") -> str:
    """Return a bound at the patients' own prevalence that holds however they were dealt."""
    if rule.document.certificate.honesty == "uniform":
        return "dkw"
    # Exact limits need a split that did not look at labels; the paper's three terms do not.
    return "paper" if rule.document.provenance.options["stratified"] else "auto"


def _verdict(external: Confusion, rule: "FrozenRule") -> str:
    """Compare the risk here with what was certified, at the target prevalence if there is one."""
    promised, costs = rule.document.certificate, rule.costs
    if certificate_of(external, costs, promised.delta).value <= promised.value:
        return "holds"
    lowest = lower_limit(external, costs, promised.delta)
    return "does not hold" if lowest > promised.value else "cannot tell"

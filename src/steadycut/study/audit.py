"""A frozen rule at another hospital: its risk there, and where the difference comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.records import PatientScores, check_patients
from steadycut.documents.audit import AuditDocument, DecisionAudit
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.guards import (
    check_deployment,
    check_rule,
    forced_names,
    pass_or_refuse,
    texts_of,
)
from steadycut.documents.rule import FrozenRule
from steadycut.study.audited import Audited
from steadycut.study.curves import class_quantiles
from steadycut.study.describe_audit import cut_off_audit, decision_audit
from steadycut.study.judge import judge
from steadycut.study.new_patients import graded_patients
from steadycut.study.operating_point import CONFIDENCE
from steadycut.study.small_cells import grouped_for, noticed, rounded_at_home
from steadycut.study.unlabelled import home_of, without_labels


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audit(Audited):
    """What an audit found, and what one does with it: describe it."""

    def describe(self, confidence: float = CONFIDENCE) -> AuditDocument | DecisionAudit:
        """Return everything that was found, as one typed record.

        ``confidence`` is that of the intervals of the operating points.
        """
        if isinstance(self.rule, FrozenRule) and self.unlabelled is not None:
            return cut_off_audit(self, self.rule, self.unlabelled, confidence)
        return decision_audit(self, confidence)

    def to_dict(self, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """Return the content of ``audit.json``; ``confidence`` is that of its intervals."""
        return self.describe(confidence).to_plain()


def audit(
    rule: FrozenFile[Any],
    scores: PatientScores | Mapping[Any, PatientScores] | ArrayLike,
    y: ArrayLike | None = None,
    *,
    force: bool = False,
    key: bytes | None = None,
    small_cells: int | None = None,
    unseen: str = "refuse",
) -> Audit:
    """Say what a frozen rule does at another hospital.

    Parameters
    ----------
    rule
        The frozen rule: a `FrozenRule`, a `StrataRule` or a `CovariateRule`.
    scores
        Patient scores at the new hospital, made as the rule says: an array of shape (n,), or
        `PatientScores` (whose labels are used unless ``y`` is given); for an ensemble a mapping of
        them, one for each method, as `steadycut.aggregate` returns it. A rule by covariate needs
        `PatientScores` with the covariate among their attributes.
    y
        0/1 labels, shape (n,); without them only call rate, flip-rate and warnings are known. For
        risk strata the grades: whole numbers from 0, or their names.
    force
        Continue if the rule refuses these patients (`steadycut.documents.guards`); the audit
        records it.
    key
        The secret with which the rule remembers its patients, if it does so by one.
    small_cells
        Judge groups of at least so many patients of a class, so that no number stands for fewer;
        errors are never counted lower for it. See `steadycut.study.small_cells`. For a
        `FrozenRule` only.
    unseen
        What to do with patients of a group that a rule by covariate has not seen: ``"refuse"``, or
        ``"pooled"`` for the pooled cut-off.

    Returns
    -------
    Audit

    Notes
    -----
    None of these patients may have taken part in making the rule. The verdict compares the risk
    here (for strata the mean cost) with the certified value, at the rule's delta: "holds" and "does
    not hold" are each wrong with probability at most delta.

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
    given = rule.patients_of(scores) if isinstance(scores, Mapping) else scores
    patients, grades = graded_patients(rule, given, y, "an audit")
    findings = pass_or_refuse(check_deployment(rule, patients, several, key=key), force=force)
    unlike = rule.check_attributes(patients, unseen)
    everyone = patients.scores
    if small_cells is not None:
        patients = grouped_for(rule, patients, small_cells)
    actions = rule.decide_patients(patients)
    return Audit(
        rule=rule,
        n_patients=patients.n_patients,
        members=np.bincount(actions, minlength=len(rule.actions)),
        flip_probability=rule.flip_probability_of(patients),
        scores=class_quantiles(patients),
        warnings=(
            *(texts_of(findings) if small_cells is None else noticed(findings, small_cells)),
            *unlike,
            *(() if grades is None else rounded_at_home(rule)),
        ),
        forced=tuple(forced_names(findings)),
        small_cells=small_cells,
        unlabelled=(
            without_labels(home_of(rule), everyone) if isinstance(rule, FrozenRule) else None
        ),
        labelled=None if grades is None else judge(rule, patients, grades, actions),
    )

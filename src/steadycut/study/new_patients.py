"""New patients as a frozen file of any kind takes them: their scores, and their true grades."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import IntArray, check_same_order
from steadycut.core.confusion import Confusion
from steadycut.core.odd import swapped_warnings
from steadycut.core.records import PatientScores, by_patient, check_some
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.shown import Shown

Given = PatientScores | Mapping[Any, PatientScores] | ArrayLike


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Decided(Shown):
    """What a frozen file decided about new patients; ``members`` counts them by action.

    ``forced`` names the checks that refused these patients and were overruled.
    """

    rule: FrozenFile[Any]
    n_patients: int
    members: IntArray
    warnings: tuple[str, ...]
    forced: tuple[str, ...] = ()

    def rule_facts(self) -> dict[str, object]:
        """Return what is written besides the attributes of the rule and of what was found."""
        rule = self.rule
        return {
            "frozen_schema": rule.schema,
            "cost_matrix": rule.cost_matrix.values.tolist(),
            "shares": (self.members / self.n_patients).tolist(),
            "target_prevalence": None if rule.costs is None else rule.costs.target,
            "data": None,
        }


def as_patients(rule: FrozenFile[Any], given: Given, y: object = None) -> PatientScores:
    """Return patients given as such, as their scores, or as one entry per method of an ensemble.

    Labels ``y`` must have the order of the scores.
    """
    check_same_order({"scores": given, "y": y})
    if isinstance(given, Mapping):
        return rule.patients_of(given)
    if not isinstance(given, PatientScores):
        given = PatientScores(scores=given, unscored=rule.recipe.unscored)
    return given.under(rule.recipe.unscored)


def with_labels(patients: Any, y: Any, positive: object = None, unscored: str | None = None) -> Any:  # noqa: ANN401
    """Return patients with the labels that are given beside them, or as they are.

    Examples
    --------
    >>> with_labels([0.1, 0.9], [0, 1]).n_positive
    1
    """
    if y is None:
        return patients
    if isinstance(patients, PatientScores):
        given: Any = {"labels": by_patient("y", patients, y), "positive": positive}
        return replace(patients, **given)
    return PatientScores(patients, y, positive=positive, unscored=unscored)


def graded_patients(
    rule: FrozenFile[Any], scores: Given, y: Mapping[Any, object] | ArrayLike | None, what: str
) -> tuple[PatientScores, IntArray | None]:
    """Return the patients and their grades, 0 for the lowest; None where these are not known.

    Labels of the patients say whether a grade is any but the lowest. ``what`` needs patients.
    """
    patients = as_patients(rule, scores, y)
    check_some(f"{what} needs", patients.n_patients)
    if y is not None:
        y = by_patient("y", patients, y)
    grades = rule.grades_of(patients, y)
    if grades is None or (y is None and patients.labels is not None):
        return patients, grades
    return replace(patients, labels=(grades > 0).astype(np.int8)), grades


def swapped_here(rule: FrozenFile[Any], patients: PatientScores) -> list[str]:
    """Notice labels that look swapped, unless the rule was worse than chance at home too."""
    if rule.reference_counts is not None:
        home = Confusion.of_counts(rule.reference_counts)
        if home.tp * home.tn < home.fp * home.fn:
            return []
    return swapped_warnings(patients, rule.direction)

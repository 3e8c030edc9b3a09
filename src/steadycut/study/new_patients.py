"""New patients as a frozen file of any kind takes them: their scores, and their true grades."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.odd import swapped_warnings
from steadycut.core.records import PatientScores, by_patient, check_some
from steadycut.documents.frozen import FrozenFile

Given = PatientScores | Mapping[Any, PatientScores] | ArrayLike


def as_patients(rule: FrozenFile[Any], given: Given) -> PatientScores:
    """Return patients given as such, as their scores, or as one entry per method of an ensemble."""
    if isinstance(given, Mapping):
        return rule.patients_of(given)
    return given if isinstance(given, PatientScores) else PatientScores(scores=given)


def graded_patients(
    rule: FrozenFile[Any], scores: Given, y: Mapping[Any, object] | ArrayLike | None, what: str
) -> tuple[PatientScores, IntArray | None]:
    """Return the patients and their grades, 0 for the lowest; None where these are not known.

    Labels of the patients say whether a grade is any but the lowest. ``what`` needs patients.
    """
    patients = as_patients(rule, scores)
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

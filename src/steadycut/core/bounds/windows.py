"""Patients counted in every window [u, u + width) of the score."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import PatientScores


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Windows:
    """The distinct scores, and how many patients of each class lie below each of them.

    ``values`` ascend and have shape (values,). ``below`` has shape (classes, values + 1); its last
    column counts all patients.
    """

    values: FloatArray
    below: IntArray

    @property
    def n_patients(self) -> int:
        """How many patients there are."""
        return int(self.below[:, -1].sum())

    def counts(self, width: float) -> IntArray:
        """Count the patients of each class in the window that starts at each value.

        Shape (classes, values). A patient at the start of a window is always in it, even where
        adding the width rounds to nothing. A window of width 0 is empty.
        """
        ends = np.searchsorted(self.values, self.values + max(width, 0.0))
        if width > 0:
            ends = np.maximum(ends, np.arange(1, ends.size + 1))
        return np.take(self.below, ends, axis=1) - self.below[:, :-1]

    def between(self, low: float, high: float) -> IntArray:
        """Count the patients of each class with a score in [low, high)."""
        start, end = np.searchsorted(self.values, [low, high])
        return self.below[:, end] - self.below[:, start]


def windows_of(scores: FloatArray, classes: NDArray[np.integer], n_classes: int) -> Windows:
    """Return the patients in ascending order of their scores, ready to be counted in windows.

    ``classes`` holds the class of each patient, from 0 to ``n_classes`` - 1.

    Examples
    --------
    >>> windows = windows_of(np.array([0.0, 0.1, 0.15, 0.9]), np.array([0, 1, 0, 1]), 2)
    >>> windows.counts(0.12)
    array([[1, 1, 1, 0],
           [1, 1, 0, 1]])
    """
    return _windows([np.sort(scores[classes == one]) for one in range(n_classes)])


def label_windows(patients: PatientScores) -> Windows:
    """Return the windows of labelled patients: class 0 first, then class 1."""
    classes = [patients.negative_scores, patients.positive_scores]
    return patients.once("windows", lambda: _windows(classes))


def _windows(members: list[FloatArray]) -> Windows:
    """Return the windows of patients whose scores are given by class, ascending."""
    values = np.unique(np.concatenate(members))
    below = [np.append(np.searchsorted(one, values), one.size) for one in members]
    return Windows(values=values, below=np.array(below))

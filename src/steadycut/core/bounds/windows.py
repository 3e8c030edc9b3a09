"""Patients counted in every window [u, u + width) of the score."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import PatientScores

# So many neighbouring windows are looked at together first, unless there are few windows in all.
STEP, FEW = 32, 1_500


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

    def counts(self, width: float, starts: IntArray | None = None) -> IntArray:
        """Count the patients of each class in the window that starts at each value.

        Shape (classes, values); only some values if ``starts`` are given. A patient at the start of
        a window is always in it, even where adding the width rounds to nothing. A window of width 0
        is empty.
        """
        starts = np.arange(self.values.size) if starts is None else starts
        return self.below.take(self._ends(width, starts), axis=1) - self.below.take(starts, axis=1)

    def largest(self, width: float, value: Callable[[IntArray], NDArray[Any]]) -> float:
        """Return the largest value of all windows. No value may fall where a count rises.

        `STEP` neighbouring windows lie in the window from the first start to the last end. Most
        groups of windows are left out, because even this one has less than some single window.
        """
        if self.values.size <= FEW:
            return float(value(self.counts(width)).max())
        first = np.arange(0, self.values.size, STEP)
        last = np.minimum(first + STEP, self.values.size) - 1
        around = self.below.take(self._ends(width, last), axis=1) - self.below.take(first, axis=1)
        found = first[value(around) >= value(self.counts(width, first)).max()]
        starts = (found[:, None] + np.arange(STEP)).ravel()
        return float(value(self.counts(width, starts[starts < self.values.size])).max())

    def heaviest(self, width: float, weights: FloatArray) -> float:
        """Return the largest sum of weights in any window; ``weights`` has one for each class."""
        # Not a matrix product, whose last bit depends on the processor.
        return self.largest(width, lambda counts: (weights[:, None] * counts).sum(axis=0))

    def _ends(self, width: float, starts: IntArray) -> IntArray:
        values = self.values.take(starts)
        ends = self.values.searchsorted(values + max(width, 0.0))
        return np.maximum(ends, starts + 1) if width > 0 else ends

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
    return _windows([np.sort(scores[classes == label]) for label in range(n_classes)])


def label_windows(patients: PatientScores) -> Windows:
    """Return the windows of labelled patients: class 0 first, then class 1."""
    classes = [patients.negative_scores, patients.positive_scores]
    return patients.once("windows", lambda: _windows(classes))


def _windows(members: list[FloatArray]) -> Windows:
    """Return the windows of patients whose scores are given by class, ascending."""
    values = np.unique(np.concatenate(members))
    below = [np.append(np.searchsorted(scores, values), scores.size) for scores in members]
    return Windows(values=values, below=np.array(below))

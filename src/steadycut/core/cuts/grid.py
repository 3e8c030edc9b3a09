"""The cuts that are tried, and how the patients fall between them.

A rule along the cuts only needs to know how many patients of each class lie between two
neighbouring cuts. Cuts that no patient separates are one cut here; where in such a gap the
threshold is put is decided last (``place``). Everything before that works on ranks, so that a
strictly increasing transform of the scores changes no decision about the patients who chose, on
the exact cuts.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import (
    LARGEST_SCORE,
    MOST_REPLICATES,
    FloatArray,
    IntArray,
    check_count,
    read_only,
    shown,
)
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption

# How far beyond the outermost patients "call everybody" and "call nobody" lie,
# as a part of the observed range.
MARGIN = 1 / 200
LAST_BITS = 64


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cuts(ABC):
    """Groups of patients in ascending order, and the m + 1 cuts around and between them.

    ``cells`` has shape (2m,): how many positive, then how many negative patients each of the
    m groups holds. Cut ``j`` calls every group from ``j`` on.
    """

    cells: IntArray

    @property
    def n_patients(self) -> int:
        """How many patients there are."""
        return int(self.cells.sum())

    def group_of(self, scores: FloatArray) -> IntArray:
        """Return the group of each patient; ``scores`` are those from which the cuts were made."""
        m = self.cells.size // 2
        group = np.empty(scores.size, dtype=np.int64)
        # Groups ascend with the score, and tied patients are in one group.
        order = np.argsort(scores, kind="stable")
        group[order] = np.repeat(np.arange(m), self.cells[:m] + self.cells[m:])
        return group

    @abstractmethod
    def place(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return a threshold for each stretch of cuts that nobody separates."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EvenCuts(Cuts):
    """Evenly spaced thresholds; a gap between two patients may hold several of them.

    ``mixed`` marks the groups whose patients have different scores.
    """

    thresholds: FloatArray
    first_in_gap: IntArray
    last_in_gap: IntArray
    mixed: NDArray[np.bool_]

    def place(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the middle one of the thresholds from cut ``first`` to cut ``last``."""
        return self.thresholds[(self.first_in_gap[first] + self.last_in_gap[last]) // 2]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExactCuts(Cuts):
    """Every cut between two neighbouring distinct scores, and one beyond either end."""

    values: FloatArray
    margin: float

    def place(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the midpoint of the two scores around the cuts from ``first`` to ``last``."""
        return midpoints(*self._neighbours(first, last))

    def _neighbours(self, first: IntArray, last: IntArray) -> tuple[FloatArray, FloatArray]:
        m = self.values.size
        below = self.values[np.maximum(first - 1, 0)]
        above = self.values[np.minimum(last, m - 1)]
        return (
            np.where(first == 0, np.nextafter(above - 2 * self.margin, -np.inf), below),
            np.where(last == m, np.nextafter(below + 2 * self.margin, np.inf), above),
        )


def cuts_of(patients: PatientScores, grid: int | str) -> Cuts:
    """Return the cuts for ``grid``: a number of evenly spaced thresholds, or ``"exact"``."""
    return exact_cuts(patients) if check_grid(grid) == "exact" else even_cuts(patients, int(grid))


def check_grid(grid: int | str) -> int | str:
    """Return ``grid``, if it is ``"exact"`` or a whole number of at least 2."""
    if isinstance(grid, str):
        if grid != "exact":
            msg = f"grid must be 'exact' or a whole number of at least 2; got {shown(grid)}."
            raise BadOption(msg)
        return grid
    return check_count("grid", grid, at_least=2, at_most=MOST_REPLICATES)


def even_cuts(patients: PatientScores, n_thresholds: int = 200) -> EvenCuts:
    """Return ``n_thresholds`` evenly spaced cuts over the observed range, and call-nobody.

    The first threshold, at the smallest score, calls everybody.
    """
    low, high = patients.scores.min(), patients.scores.max()
    inside = np.unique(np.linspace(low, high, n_thresholds))
    thresholds = np.append(inside, np.nextafter(high + margin_of(patients.scores), np.inf))
    bins = np.searchsorted(thresholds, patients.scores, side="right")
    is_occupied = np.bincount(bins) > 0
    occupied, group = np.flatnonzero(is_occupied), (np.cumsum(is_occupied) - 1)[bins]
    return EvenCuts(
        cells=_count_cells(group, patients),
        thresholds=read_only(thresholds),
        first_in_gap=read_only(np.concatenate([[0], occupied])),
        last_in_gap=read_only(np.concatenate([occupied - 1, [thresholds.size - 1]])),
        mixed=_mixed_groups(group, patients.scores, occupied.size),
    )


def exact_cuts(patients: PatientScores) -> ExactCuts:
    """Return every cut between two neighbouring distinct scores, and one beyond either end."""
    values, group = np.unique(patients.scores, return_inverse=True)
    return ExactCuts(
        cells=_count_cells(group, patients),
        values=read_only(values),
        margin=margin_of(patients.scores),
    )


def _mixed_groups(group: IntArray, scores: FloatArray, n_groups: int) -> NDArray[np.bool_]:
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, group, scores)
    np.maximum.at(high, group, scores)
    return read_only(high > low)


def _count_cells(group: IntArray, patients: PatientScores) -> IntArray:
    m = int(group.max()) + 1
    negative = (patients.known_labels == 0).astype(np.int64)
    return read_only(np.bincount(group + m * negative, minlength=2 * m))


def midpoints(below: FloatArray, above: FloatArray) -> FloatArray:
    """Return the midpoint of each pair of scores.

    Two neighbouring floats have no midpoint. The upper one still calls the right patients.
    """
    middle = below + (above - below) / 2
    return np.where(middle > below, middle, above)


def margin_of(scores: FloatArray) -> float:
    """Return how far beyond the outermost scores "call everybody" and "call nobody" lie."""
    spread = float(scores.max() - scores.min())
    return spread * MARGIN if spread > 0 else max(abs(float(scores[0])), 1.0) * MARGIN


def clear_of_scores(threshold: float, scores: FloatArray) -> float:
    """Return a threshold that calls the same ``scores`` and equals none of them.

    A published threshold that equals a score would flip between two engines that differ in the
    last bit of that score. It is moved down by a millionth of the gap below it, or of 1/200 of the
    range where that is less.
    """
    if not np.any(scores == threshold):
        return threshold
    below = scores[scores < threshold].max(initial=-np.inf)
    step = min(threshold - below, margin_of(scores)) * 1e-6
    moved = min(threshold - step, np.nextafter(threshold, -np.inf))
    return float(moved if below < moved else threshold)


def operating_value(threshold: float, scores: FloatArray) -> float | None:
    """Return the smallest score that is called, which is what other tools print."""
    called = scores[scores >= threshold]
    return float(called.min()) if called.size else None


def cut_just_below(threshold: float, scores: FloatArray) -> float:
    """Move a threshold up to just below the smallest score that it calls.

    The result is a function of that one score, which the `compression` bound needs: a few last
    bits below it, more than engines differ by. With nobody to call it is a number that no score
    may reach.
    """
    value = operating_value(threshold, scores)
    return (
        10 * LARGEST_SCORE if value is None else value - LAST_BITS * float(np.spacing(abs(value)))
    )

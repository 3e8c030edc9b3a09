"""The cuts that are tried, and the patients counted between them.

A rule needs to know only how many patients of each class lie between two neighbouring cuts. These
patients form a *bin*. Two cuts with no patient between them count as one cut. Where in the gap the
threshold lies is decided last, by ``place``. All other steps use ranks only. On the exact cuts, a
strictly increasing transform of the scores therefore changes no decision about the choosing
patients.

The first cut calls everybody and the last one nobody. Their thresholds are infinite, because
patients elsewhere may have lower and higher scores.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import (
    MOST_REPLICATES,
    FloatArray,
    IntArray,
    check_count,
    read_only,
    refuse,
)
from steadycut.core.records import PatientScores

# Number of evenly spaced cuts in the paper.
EVEN = 200
# For distances, call-everybody and call-nobody lie this share of the range beyond the scores.
MARGIN = 1 / 200
# A cut just below a score is this many floating-point steps below it.
LAST_BITS = 64


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cuts(ABC):
    """The m bins of patients in ascending order, and the m + 1 cuts around and between them.

    ``cells`` has shape (2m,): the number of positive patients in each bin, then the number of
    negative patients in each bin. Cut ``j`` calls the patients of all bins from ``j`` on.
    ``outermost`` are numbers just beyond the scores, for call-everybody and call-nobody.
    """

    cells: IntArray
    outermost: tuple[float, float]

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return int(self.cells.sum())

    def bin_of(self, scores: FloatArray) -> IntArray:
        """Return the bin of each patient; the cuts were made from these ``scores``."""
        m = self.cells.size // 2
        bins = np.empty(scores.size, dtype=np.int64)
        # Bins ascend with the score, and tied patients are in the same bin.
        order = np.argsort(scores, kind="stable")
        bins[order] = np.repeat(np.arange(m), self.cells[:m] + self.cells[m:])
        return bins

    def cell_of(self, patients: PatientScores) -> IntArray:
        """Return the place of each patient in ``cells``; the cuts were made from them."""
        negative = patients.known_labels == 0
        return self.bin_of(patients.scores) + self.cells.size // 2 * negative

    @abstractmethod
    def _between(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return one threshold for each run of cuts that calls some patients and not others."""

    def place(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return one threshold for each run of cuts, from cut ``first`` to cut ``last``.

        It is infinite if the run holds the first or the last cut: then everybody is called, or
        nobody, whatever scores other patients have.
        """
        m = self.cells.size // 2
        inside = self._between(np.maximum(first, 1), np.minimum(last, m - 1))
        return np.where(first == 0, -np.inf, np.where(last == m, np.inf, inside))

    def on_scale(self, thresholds: FloatArray) -> FloatArray:
        """Return the thresholds with the infinite ones just beyond the scores, for distances."""
        return np.nan_to_num(thresholds, neginf=self.outermost[0], posinf=self.outermost[1])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EvenCuts(Cuts):
    """Evenly spaced thresholds. A gap between two patients may hold several of them.

    ``first_in_gap`` and ``last_in_gap`` hold the first and the last threshold of each cut.
    ``mixed`` marks the bins whose patients have different scores.
    """

    thresholds: FloatArray
    first_in_gap: IntArray
    last_in_gap: IntArray
    mixed: NDArray[np.bool_]

    def _between(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the middle threshold of those from cut ``first`` to cut ``last``."""
        return self.thresholds[(self.first_in_gap[first] + self.last_in_gap[last]) // 2]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExactCuts(Cuts):
    """One cut between any two neighbouring distinct scores, and one beyond each end."""

    values: FloatArray

    def _between(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the midpoint of the two scores around the cuts from ``first`` to ``last``."""
        return midpoints(self.values[first - 1], self.values[last])


def cuts_of(patients: PatientScores, grid: int | str) -> Cuts:
    """Return the cuts for ``grid``: every cut (``"exact"``), or a number of even ones."""
    grid = check_grid(grid)
    return exact_cuts(patients) if isinstance(grid, str) else even_cuts(patients, grid)


def check_grid(grid: int | str) -> int | str:
    """Return ``"exact"``, or the number of even cuts; ``"even"`` means the 200 of the paper."""
    if isinstance(grid, str):
        if grid == "even":
            return EVEN
        if grid != "exact":
            refuse("grid", "be 'exact', 'even' or a whole number of at least 2", grid)
        return grid
    return check_count("grid", grid, at_least=2, at_most=MOST_REPLICATES)


def even_cuts(patients: PatientScores, n_thresholds: int = EVEN) -> EvenCuts:
    """Return ``n_thresholds`` evenly spaced cuts over the range of the scores, and call-nobody.

    The first threshold equals the smallest score and calls everybody.
    """
    low, high = patients.scores.min(), patients.scores.max()
    inside = np.unique(np.linspace(low, high, n_thresholds))
    thresholds = np.append(inside, np.nextafter(high + margin_of(patients.scores), np.inf))
    steps = np.searchsorted(thresholds, patients.scores, side="right")
    is_occupied = np.bincount(steps) > 0
    occupied, bins = np.flatnonzero(is_occupied), (np.cumsum(is_occupied) - 1)[steps]
    return EvenCuts(
        cells=_count_cells(bins, patients),
        outermost=(float(low), float(thresholds[-1])),
        thresholds=read_only(thresholds),
        first_in_gap=read_only(np.concatenate([[0], occupied])),
        last_in_gap=read_only(np.concatenate([occupied - 1, [thresholds.size - 1]])),
        mixed=_mixed_bins(bins, patients.scores, occupied.size),
    )


def exact_cuts(patients: PatientScores) -> ExactCuts:
    """Return one cut between any two neighbouring distinct scores, and one beyond each end."""
    return patients.once("exact cuts", lambda: _exact_cuts(patients))


def _exact_cuts(patients: PatientScores) -> ExactCuts:
    classes = patients.positive_scores, patients.negative_scores
    values, margin = np.unique(np.concatenate(classes)), margin_of(patients.scores)
    up_to = [np.searchsorted(scores, values, side="right") for scores in classes]
    return ExactCuts(
        cells=read_only(np.concatenate([np.diff(counts, prepend=0) for counts in up_to])),
        outermost=(float(values[0] - margin), float(values[-1] + margin)),
        values=read_only(values),
    )


def _mixed_bins(bins: IntArray, scores: FloatArray, n_bins: int) -> NDArray[np.bool_]:
    low, high = np.full(n_bins, np.inf), np.full(n_bins, -np.inf)
    np.minimum.at(low, bins, scores)
    np.maximum.at(high, bins, scores)
    return read_only(high > low)


def _count_cells(bins: IntArray, patients: PatientScores) -> IntArray:
    m = int(bins.max()) + 1
    negative = (patients.known_labels == 0).astype(np.int64)
    return read_only(np.bincount(bins + m * negative, minlength=2 * m))


def midpoints(below: FloatArray, above: FloatArray) -> FloatArray:
    """Return the midpoint of each pair of scores.

    Two neighbouring floats have no midpoint. The upper one still calls the right patients.
    """
    middle = below + (above - below) / 2
    return np.where(middle > below, middle, above)


def margin_of(scores: FloatArray) -> float:
    """Return how far beyond the outermost scores call-everybody and call-nobody are drawn."""
    spread = float(scores.max() - scores.min())
    return spread * MARGIN if spread > 0 else max(abs(float(scores[0])), 1.0) * MARGIN


def clear_of_scores(threshold: float, scores: FloatArray) -> float:
    """Return a threshold that calls the same ``scores`` and equals none of them.

    Two engines may compute a score that differs in the last bit. If a published threshold were
    equal to that score, they would decide differently. The threshold is therefore moved down: by a
    millionth of the gap below it, or of 1/200 of the range if that is smaller.
    """
    if not np.any(scores == threshold):
        return threshold
    below = scores[scores < threshold].max(initial=-np.inf)
    step = min(threshold - below, margin_of(scores)) * 1e-6
    moved = min(threshold - step, np.nextafter(threshold, -np.inf))
    return float(moved if below < moved else threshold)


def operating_value(threshold: float, scores: FloatArray) -> float | None:
    """Return the smallest called score, which other tools print; None if nobody is called."""
    smallest = float(np.where(scores >= threshold, scores, np.inf).min(initial=np.inf))
    return smallest if smallest < np.inf else None


def cut_just_below(threshold: float, scores: FloatArray) -> float:
    """Move a threshold up to just below the smallest score that it calls.

    The result depends on that one score only, as the `compression` bound needs. It lies a few
    floating-point steps below the score, more than engines differ by, and at most 0.5 below a whole
    number. A cut that calls everybody or nobody, whatever the scores, depends on none and stays.
    """
    value = operating_value(threshold, scores)
    if value is None or np.isinf(threshold):
        return threshold
    step = LAST_BITS * float(np.spacing(abs(value)))
    return value - (min(step, 0.5) if value.is_integer() else step)

"""Patients counted by covariate and score: all that cut-offs by covariate need to know.

The patients are divided in two ways. Along the covariate they are divided into slices: groups, or
intervals of a number. Along the score they are divided into bins, with cuts between them. A cut is
identified by its rank, the number of all patients below it. A strictly increasing transform of the
score therefore changes no decision.
"""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.grid import clear_of_scores, margin_of, midpoints
from steadycut.core.records import PatientScores

# If there are more distinct scores, they are merged into bins of about the same size.
MOST_BINS = 1000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutScale:
    """The cuts between neighbouring bins of the score: their ``ranks`` and their ``thresholds``.

    Both ascend. The first cut calls everybody, the last one nobody.
    """

    ranks: IntArray
    thresholds: FloatArray

    def at(self, rank: FloatArray) -> FloatArray:
        """Return the threshold of the cut nearest to each rank; of two, the lower one."""
        above = np.clip(np.searchsorted(self.ranks, rank), 1, self.ranks.size - 1)
        lower = rank - self.ranks[above - 1] <= self.ranks[above] - rank
        return self.thresholds[above - lower]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Slices:
    """Patients of each slice between the cuts.

    ``cells`` has shape (slices, 2m): the positive patients in m bins, then the negative patients.
    """

    cells: IntArray
    scale: CutScale


def slice_patients(
    patients: PatientScores, codes: IntArray, n_slices: int, everyone: FloatArray
) -> Slices:
    """Count patients by slice and by bin of the score.

    Parameters
    ----------
    patients
        The choosing patients, with oriented scores: high scores are called.
    codes
        The slice of each patient, from 0 to ``n_slices`` - 1.
    n_slices
        Number of slices; some may be empty.
    everyone
        Scores of all patients of the study. No threshold may equal one of them.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2, 2, 4], labels=[0, 0, 1, 1])
    >>> found = slice_patients(cohort, np.array([0, 1, 0, 1]), 2, cohort.scores)
    >>> found.cells
    array([[0, 1, 0, 1, 0, 0],
           [0, 0, 1, 0, 1, 0]])
    >>> found.scale.ranks, found.scale.thresholds[1:3]
    (array([0, 1, 3, 4]), array([1.5, 3. ]))
    """
    bins = score_bins(patients.scores)
    m = int(bins.max()) + 1
    cell = codes * 2 * m + m * (patients.known_labels == 0) + bins
    cells = np.bincount(cell, minlength=n_slices * 2 * m).reshape(n_slices, 2 * m)
    return Slices(cells=read_only(cells), scale=cut_scale(patients.scores, bins, everyone))


def score_bins(scores: FloatArray) -> IntArray:
    """Return the bin of each score: its place among the distinct scores, if these are few."""
    distinct, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    if distinct.size <= MOST_BINS:
        return place
    below = np.cumsum(count) - count
    _, dense = np.unique(below * MOST_BINS // scores.size, return_inverse=True)
    return np.asarray(dense[place])


def cut_scale(scores: FloatArray, bins: IntArray, everyone: FloatArray) -> CutScale:
    """Return the cuts around and between the bins, each midway between two scores."""
    ordered = np.sort(scores)
    ranks = np.concatenate([[0], np.cumsum(np.bincount(bins))])
    margin = margin_of(ordered)
    beyond = np.concatenate([[ordered[0] - 2 * margin], ordered, [ordered[-1] + 2 * margin]])
    placed = midpoints(beyond[ranks], beyond[ranks + 1])
    for taken in np.flatnonzero(np.isin(placed, everyone)):
        placed[taken] = clear_of_scores(float(placed[taken]), everyone)
    return CutScale(ranks=read_only(ranks), thresholds=read_only(placed))

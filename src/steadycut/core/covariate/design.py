"""How a covariate divides the patients: into groups, or along a number into overlapping windows.

Slices never overlap. A window is one slice or several neighbouring slices, and has its own cut. For
groups, slices and windows are the same. Along a number, a window holds about a quarter of the
patients. Between the middles of the windows the rank of the cut is interpolated linearly.

The patients are divided in two ways. Along the covariate they are divided into slices: groups, or
intervals of a number. Along the score they are divided into bins, with cuts between them. A cut is
identified by its rank, the number of all patients below it. A strictly increasing transform of the
score therefore changes no decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, TextArray, read_only
from steadycut.core.cuts.grid import clear_of_scores, midpoints
from steadycut.core.records import PatientScores
from steadycut.errors import BadPatients, argument

KINDS = ("groups", "smooth")
N_SLICES = 24
N_WINDOWS = 9
# Share of the patients in each window of a number.
WIDTH = 0.25
LEAST_VALUES = 8
MOST_GROUPS = 50
# If there are more distinct scores, they are merged into bins of about the same size.
MOST_BINS = 1000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Design:
    """The slices and windows of a covariate, and the functions of it that the test uses.

    ``windows`` has shape (windows, slices), with 1 where a window contains a slice. ``basis``,
    shape (slices, d), holds what the label may depend on: the groups, or a line and a parabola.
    ``names`` are the groups. ``anchors`` are the middles of the windows of a number.
    """

    kind: str
    windows: IntArray
    basis: FloatArray
    names: tuple[str, ...] = ()
    anchors: FloatArray | None = None

    @property
    def n_slices(self) -> int:
        """Number of slices."""
        return int(self.windows.shape[1])

    def at(self, ranks: FloatArray, covariate: TextArray | FloatArray) -> FloatArray:
        """Return the rank of the cut for each patient, from one rank per window."""
        if self.anchors is None:
            return np.asarray(ranks[self.codes(covariate)])
        return np.interp(np.asarray(covariate, dtype=np.float64), self.anchors, ranks)

    def codes(self, covariate: TextArray | FloatArray) -> IntArray:
        """Return the position of each patient's group among the names; all groups must be known."""
        place = {name: code for code, name in enumerate(self.names)}
        return np.array([place[name] for name in covariate.tolist()], dtype=np.int64)


def group_design(groups: Sequence[str] | TextArray) -> Design:
    """Return the design for groups. The names are sorted as texts.

    Examples
    --------
    >>> group_design(["m", "f", "m"]).names
    ('f', 'm')
    """
    names = tuple(sorted({str(name) for name in groups}))
    if not 2 <= len(names) <= MOST_GROUPS:  # noqa: PLR2004
        raise BadPatients(
            f"groups need a covariate with 2 to {MOST_GROUPS} values; got {len(names)}. Put values "
            f"together, or take {argument('kind', 'smooth')} for a number."
        )
    if len(names) == len(groups):
        msg = "every patient has a value of the covariate of his own; put values together."
        raise BadPatients(msg)
    unit = np.eye(len(names))
    return Design(kind="groups", windows=read_only(unit.astype(np.int64)), basis=unit, names=names)


def smooth_design(values: FloatArray) -> tuple[Design, IntArray]:
    """Return the design for a number, and the slice of each choosing patient.

    Slices hold about the same number of patients. Patients with the same value are in the same
    slice.
    """
    distinct, place, count = np.unique(values, return_inverse=True, return_counts=True)
    if distinct.size < LEAST_VALUES:
        raise BadPatients(
            f"a smooth cut-off needs a covariate with at least {LEAST_VALUES} values; got "
            f"{distinct.size}. Take {argument('kind', 'groups')}."
        )
    middle = (np.cumsum(count) - count / 2) / values.size
    _, slice_of = np.unique((middle * N_SLICES).astype(np.int64), return_inverse=True)
    codes = slice_of[place]
    sizes = np.bincount(codes)
    position = (np.cumsum(sizes) - sizes / 2) / values.size
    centres = np.linspace(WIDTH / 2, 1 - WIDTH / 2, N_WINDOWS)
    distance = np.abs(position - centres[:, None])
    holds = (distance <= WIDTH / 2) | (distance == distance.min(axis=1, keepdims=True))
    windows = np.unique(holds.astype(np.int64), axis=0)[::-1]
    totals = np.bincount(codes, weights=values)
    anchors = (windows @ totals) / (windows @ sizes)
    order = np.argsort(anchors, kind="stable")
    design = Design(
        kind="smooth",
        windows=read_only(windows[order]),
        basis=np.stack([position, (position - 0.5) ** 2], axis=1),
        anchors=read_only(anchors[order]),
    )
    return design, codes


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
    """Return the cuts between the bins, each midway between two scores, and the infinite ends."""
    ordered = np.sort(scores)
    ranks = np.concatenate([[0], np.cumsum(np.bincount(bins))])
    inner = midpoints(ordered[ranks[1:-1] - 1], ordered[ranks[1:-1]])
    placed = np.concatenate([[-np.inf], inner, [np.inf]])
    for taken in np.flatnonzero(np.isin(placed, everyone)):
        placed[taken] = clear_of_scores(float(placed[taken]), everyone)
    return CutScale(ranks=read_only(ranks), thresholds=read_only(placed))

"""How similar the instances of one patient are: intraclass correlation and design effect."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from steadycut.core.aggregate.aggregators import Segments, mean, offsets_of
from steadycut.core.aggregate.exact_sums import blocks_of, exact_sum, exact_sums
from steadycut.core.checks import FloatArray, IntArray, LabelArray

# The squares of larger scores overflow.
LARGEST = 1e140


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """How much information the instances hold, given that those of one patient are similar.

    ``per_patient`` is m₀, the effective number of instances per patient if the numbers differ.
    ``icc`` is the correlation of two instances of the same patient, among patients of one class.
    ``design_effect`` is 1 + (m₀ - 1) icc. ``effective`` is the number of independent instances that
    would give the same information about a mean.
    """

    rows: int
    patients: int
    per_patient: float
    icc: float
    design_effect: float
    effective: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ClusterSums:
    """What `clusters_from` needs to know about each patient.

    ``squares`` are the sums of squared distances from the patient's own mean. They are NaN if a
    score exceeds `LARGEST`. All sums are exact within a patient, so neither the order of the rows
    nor that of the patients matters. ``repeats`` is the same for all patients: see `repeats_of`.
    """

    sizes: IntArray
    means: FloatArray
    squares: FloatArray
    repeats: IntArray


def cluster_sums(segments: Segments) -> ClusterSums:
    """Return the size, the mean and the squares of each group.

    Examples
    --------
    >>> from steadycut.core.aggregate.aggregators import sort_segments
    >>> cluster_sums(sort_segments(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]))).squares
    array([2., 0.])
    """
    means, sizes = mean(segments), segments.sizes
    squares = np.full(sizes.size, np.nan)
    repeats = np.full(sizes.size, repeats_of(segments))
    small = np.abs(segments.values).max(initial=0.0) <= LARGEST
    for groups, rows in blocks_of(segments.offsets) if small else ():
        distances = segments.values[rows] - np.repeat(means[groups], sizes[groups])
        squares[groups] = exact_sums(distances**2, offsets_of(sizes[groups]))
    return ClusterSums(sizes=sizes, means=means, squares=squares, repeats=repeats)


def repeats_of(segments: Segments) -> int:
    """Return the largest number k such that every score occurs k, 2k, 3k, ... times in its group.

    It is 1 for almost every table, and the first groups show that. In a table that was appended to
    itself it is 2.

    Examples
    --------
    >>> from steadycut.core.aggregate.aggregators import sort_segments
    >>> twice = sort_segments(np.array([0, 0, 0, 0, 1, 1]), np.array([1.0, 3, 1, 3, 5, 5]))
    >>> repeats_of(twice)
    2
    """
    repeats = 0
    for start, end in pairwise(segments.offsets.tolist()):
        repeats = math.gcd(repeats, *np.unique(segments.values[start:end], return_counts=True)[1])
        if repeats == 1:
            break
    return repeats


def clusters_from(sums: ClusterSums, labels: LabelArray | None) -> Clusters | None:
    """Return the design effect of the instances.

    Parameters
    ----------
    sums
        The result of `cluster_sums`: one entry per patient.
    labels
        Label of each patient. None treats all patients as one class.

    Returns
    -------
    Clusters or None
        None where it is not defined: one instance per patient, one patient per class, scores that
        do not vary, or scores whose squares overflow.

    Notes
    -----
    The one-way ANOVA estimator with unequal group sizes. With k patients of L classes, N
    instances, N_c of class c, and m_i of patient i::

        between = Σ_i m_i (mean_i - mean of its class)² / (k - L)
        within  = Σ_i Σ_j (x_ij - mean_i)² / (N - k)
        m₀      = (N - Σ_c Σ_{i in c} m_i² / N_c) / (k - L)
        icc     = (between - within) / (between + (m₀ - 1) within), set to 0 where negative

    Patients of two classes have different means if the score works. Means are therefore taken
    within each class. What remains is the similarity beyond the label. The paper's design effect
    uses the mean number of instances instead of m₀, which is slightly larger.

    Examples
    --------
    >>> from steadycut.core.aggregate.aggregators import sort_segments
    >>> segments = sort_segments(np.array([0, 0, 1, 1]), np.array([0.0, 2.0, 4.0, 6.0]))
    >>> found = clusters_from(cluster_sums(segments), None)
    >>> found.per_patient, round(found.icc, 3), round(found.design_effect, 3)
    (2.0, 0.778, 1.778)
    """
    sizes, classes = sums.sizes, _classes(labels, sums.sizes.size)
    n, k, n_classes = int(sizes.sum()), sizes.size, int(classes.max()) + 1
    if k in (n, n_classes) or np.isnan(sums.squares).any():
        return None
    per_class = np.bincount(classes, weights=sizes)
    m0 = float(n - (np.bincount(classes, weights=sizes**2) / per_class).sum()) / (k - n_classes)
    mean_between = _between(sums, classes) / (k - n_classes)
    mean_within = exact_sum(sums.squares) / (n - k)
    total = mean_between + (m0 - 1) * mean_within
    if total <= 0:
        return None
    icc = min(max((mean_between - mean_within) / total, 0.0), 1.0)
    effect = 1 + (m0 - 1) * icc
    return Clusters(
        rows=n, patients=k, per_patient=m0, icc=icc, design_effect=effect, effective=n / effect
    )


def _classes(labels: LabelArray | None, n_patients: int) -> IntArray:
    if labels is None:
        return np.zeros(n_patients, dtype=np.int64)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _between(sums: ClusterSums, classes: IntArray) -> float:
    """Return the sum of squares between the patients of each class."""
    # Centring keeps the differences of scores that are far from 0.
    centred = sums.means - sums.means.min()
    class_means = np.array(
        [
            exact_sum((sums.sizes * centred)[classes == label]) / sums.sizes[classes == label].sum()
            for label in range(int(classes.max()) + 1)
        ]
    )
    return exact_sum(sums.sizes * (centred - class_means[classes]) ** 2)

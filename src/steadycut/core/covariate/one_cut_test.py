"""Whether one cut-off is enough: the covariate against the label, among like scores.

A cut-off is best where a patient at it is diseased with the probability at which a miss and an
alarm weigh the same, cost_fp / (cost_fn + cost_fp). The same cut-off is best at every value of the
covariate if, at the cut-off, that probability does not depend on the covariate: prevalences and
distributions of the scores may differ as they like. So patients around the cut-off are put into
strata of neighbouring scores, and within these the label is compared with the covariate: the
generalised Cochran-Mantel-Haenszel statistic, with a line and a parabola in place of groups for a
number.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, chdtri

from steadycut.core.checks import FloatArray, IntArray

# About as many patients have like scores.
STRATUM = 8
# Share of the patients who are around the cut-off, at 100 patients, and the largest share.
AROUND, MOST = 0.5, 0.6
SMALLEST = 1e-9
# How far the cut-off may be moved, as a part of those around it, and in how many places.
LEEWAY, N_PLACES = 0.1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateTest:
    """How strongly label and covariate go together among patients of like scores.

    ``statistic`` has about a chi-square distribution with ``df`` degrees of freedom where they do
    not; ``n_patients`` were looked at.
    """

    statistic: float
    df: int
    n_patients: int

    @property
    def p_value(self) -> float:
        """How often chance gives so much; 1 where nothing can be compared."""
        return float(chdtrc(self.df, self.statistic)) if self.df else 1.0

    @property
    def excess(self) -> float:
        """How much of the statistic is more than chance gives half of the time, over ``df``.

        The mean, ``df``, in the place of the median would be DerSimonian and Laird's estimate,
        which is 0 too often where there is something.
        """
        half = float(chdtri(self.df, 0.5)) if self.df else 0.0
        return max(self.statistic - half, 0.0) / max(self.df, 1)


def share_around(n_patients: int) -> float:
    """Return the share of patients around a cut-off: it shrinks with their number to the -1/5.

    Then what differs further away from the cut-off counts less and less.
    """
    return min(MOST, AROUND * (100 / max(n_patients, 1)) ** 0.2)


def covariate_test(
    cells: IntArray, basis: FloatArray, rank: float = 0.0, share: float = 1.0
) -> CovariateTest:
    """Compare label and covariate among patients of like scores.

    Parameters
    ----------
    cells
        Patients of each slice by label and bin of the score, shape (slices, 2m).
    basis
        What the label may go along with, shape (slices, d).
    rank
        The cut-off: how many patients lie below it.
    share
        Which share of the patients is looked at, those nearest to the cut-off.

    Notes
    -----
    In a stratum with N patients, of whom P are positive, let A be the sum of the basis over the
    positive ones. If covariate and label are independent there, A has mean P B̄ and covariance
    P (N - P) / (N (N - 1)) Σ (B - B̄)(B - B̄)ᵀ, given the margins. Differences and covariances are
    added over the strata; the statistic is the quadratic form.

    Examples
    --------
    >>> cells = np.array([[4, 0], [0, 4]])  # one bin of the score: all of one group are positive
    >>> covariate_test(cells, np.eye(2))
    CovariateTest(statistic=7.0, df=1, n_patients=8)
    """
    table = score_layers(cells, rank, share)
    positive, n = table[:, 0], table.sum(axis=1)
    size, cases = n.sum(axis=0), positive.sum(axis=0)
    mean = (n.T @ basis) / size[:, None]
    difference = positive.sum(axis=1) @ basis - cases @ mean
    factor = cases * (size - cases) / (size * np.maximum(size - 1, 1))
    second = np.einsum("js,jd,je,s->de", n, basis, basis, factor)
    covariance = second - np.einsum("sd,se,s->de", mean, mean, factor * size)
    value, vector = np.linalg.eigh(covariance)
    real = value > SMALLEST * max(float(value.max()), 1.0)
    statistic = float(np.sum((vector.T @ difference)[real] ** 2 / value[real]))
    return CovariateTest(
        statistic=round(statistic, 12), df=int(real.sum()), n_patients=int(size.sum())
    )


def common_cut_test(cells: IntArray, basis: FloatArray, rank: float) -> CovariateTest:
    """Test whether one cut-off near the pooled one, at ``rank``, is best at every covariate.

    The pooled cut-off has an error of its own. Where groups differ in how fast the disease sets in
    along the score, they differ beside the cut-off that is best for all of them, but not at it. So
    the least statistic of `N_PLACES` neighbouring places counts: the p-value is a little too large
    where the groups do not differ so, and holds where they do.
    """
    n = int(cells.sum())
    share = share_around(n)
    moves = np.linspace(-LEEWAY, LEEWAY, N_PLACES) * share * n
    found = [covariate_test(cells, basis, rank + move, share) for move in moves.tolist()]
    return min(found, key=lambda test: (-test.p_value, test.statistic))


def score_layers(cells: IntArray, rank: float, share: float) -> IntArray:
    """Return patients by slice, label and stratum of the score, around the cut-off."""
    table = cells.reshape(len(cells), 2, -1)
    count = table.sum(axis=(0, 1))
    n = int(count.sum())
    below = np.cumsum(count) - count
    middle = below + count / 2
    half = share * n / 2
    centre = min(max(rank, half), n - half)
    near = (np.abs(middle - centre) <= half) & (count > 0)
    if not near.any():
        near = count > 0
    # The same strata wherever the cut-off is: a small move of it must not deal them anew.
    starts = np.flatnonzero(np.diff(below[near] // STRATUM, prepend=-1))
    result: IntArray = np.add.reduceat(table[:, :, near], starts, axis=2)
    return result

"""Test whether one cut-off is enough: label against covariate, among patients with similar scores.

At the best cut-off, a patient is diseased with the probability at which a miss and an alarm have
the same expected cost, cost_fp / (cost_fn + cost_fp). One cut-off is best for every value of the
covariate if, at the cut-off, this probability does not depend on the covariate. Prevalences and
distributions of the scores may differ. So the patients around the cut-off are divided into layers
of neighbouring scores. Within these layers the label is compared with the covariate by the
generalised Cochran-Mantel-Haenszel statistic. For a number, a line and a parabola take the place of
the groups.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, chdtri

from steadycut.core.checks import FloatArray, IntArray

# Number of patients per layer of similar scores, approximately.
LAYER = 8
# Share of the patients around the cut-off with 100 patients, and the largest share.
AROUND, MOST = 0.5, 0.6
SMALLEST = 1e-9
# How far the cut-off is moved, as a share of the patients around it, and at how many places.
LEEWAY, N_PLACES = 0.1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateTest:
    """How strongly label and covariate are associated among patients with similar scores.

    Without association ``statistic`` has approximately a chi-square distribution with ``df``
    degrees of freedom. ``n_patients`` patients were used.
    """

    statistic: float
    df: int
    n_patients: int

    @property
    def p_value(self) -> float:
        """The p-value; 1 if nothing can be compared."""
        return float(chdtrc(self.df, self.statistic)) if self.df else 1.0

    @property
    def excess(self) -> float:
        """How far the statistic exceeds its median under chance, divided by ``df``.

        With the mean, ``df``, instead of the median it would be the estimate of DerSimonian and
        Laird, which is too often 0 when there is an effect.
        """
        half = float(chdtri(self.df, 0.5)) if self.df else 0.0
        return max(self.statistic - half, 0.0) / max(self.df, 1)


def share_around(n_patients: int) -> float:
    """Return the share of patients around a cut-off. It decreases like n^(-1/5).

    Differences far from the cut-off therefore count less and less.
    """
    return min(MOST, AROUND * (100 / max(n_patients, 1)) ** 0.2)


def covariate_test(
    cells: IntArray, basis: FloatArray, rank: float = 0.0, share: float = 1.0
) -> CovariateTest:
    """Compare label and covariate among patients with similar scores.

    Parameters
    ----------
    cells
        Patients of each slice by label and bin of the score, shape (slices, 2m).
    basis
        What the label may depend on, shape (slices, d).
    rank
        The cut-off, as the number of patients below it.
    share
        The share of the patients that is used, those nearest to the cut-off.

    Notes
    -----
    Take a layer with N patients, of whom P are positive, and let A be the sum of the basis over the
    positive patients. If covariate and label are independent there, A has mean P B̄ and covariance
    P (N - P) / (N (N - 1)) Σ (B - B̄)(B - B̄)ᵀ, given the margins. Differences and covariances are
    added over the layers. The statistic is the quadratic form.

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
    """Test whether one cut-off near the pooled one, at ``rank``, is best for every covariate value.

    The pooled cut-off has an error of its own. If the probability of disease increases with the
    score at different speeds in different groups, the groups differ beside the best common cut-off,
    but not at it. So the smallest statistic at `N_PLACES` neighbouring places counts. The p-value
    is slightly too large if the groups do not differ in this way, and valid if they do.
    """
    n = int(cells.sum())
    share = share_around(n)
    moves = np.linspace(-LEEWAY, LEEWAY, N_PLACES) * share * n
    tests = [covariate_test(cells, basis, rank + move, share) for move in moves.tolist()]
    return min(tests, key=lambda test: (-test.p_value, test.statistic))


def score_layers(cells: IntArray, rank: float, share: float) -> IntArray:
    """Return patients by slice, label and layer of the score, around the cut-off."""
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
    # The layers do not depend on the cut-off, so that moving it slightly does not change them.
    starts = np.flatnonzero(np.diff(below[near] // LAYER, prepend=-1))
    return np.asarray(np.add.reduceat(table[:, :, near], starts, axis=2))

"""The rule ``stable``: the mean of all cuts, weighted by how well each one does.

A few patients decide where the minimum of a risk curve lies, and in the next cohort it is other
patients. The weighted mean over all cuts moves far less. Only the ranks of the patients are used:
the mean is that of a score that is distributed log-normally, as many markers are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.left_cdf import count_to_left
from steadycut.core.cuts.risk_curve import Curve, cost_at_cuts, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.basins import barriers
from steadycut.core.rules.pruning import by_row, span

# A barrier separates two basins if each side has at least this share of the weight.
SECOND_BASIN = 0.05
# With this many patients each one has the stated weight.
HUNDRED = 100
# The best cut of n patients is uncertain by n^(-1/3) of them. A weight of n^-0.6 lets the number of
# patients that count grow by n^0.4, and with it the width of the mean falls hardly faster.
FALL = 0.6
# The weight does not fall below this part of the stated one: many patients would count too little.
LEAST_PART = 0.5
# Distances and weights are rounded to this many digits, so that ties are recognised.
DECIMALS = 9
# Cuts with a likelihood below exp(-66) = 2e-29 of the largest do not change the mean: a million of
# them move it by less than 1e-8 patients, even if the prior favours them a million times.
LARGEST_EXPONENT = 66.0
# No cell has its centre beyond this quantile, so that an empty one at the end has a finite score.
LAST_CENTRE = 1 - 1e-12


@dataclass(frozen=True, slots=True)
class Stable:
    """The posterior mean of the cut, on the scale of a log-normal score and within one basin.

    The model: the right cut is a quantile u of the patients. Its prior is Beta(2, 2), which prefers
    neither calling everybody nor calling nobody. A patient is on the wrong side of the cut with
    probability ε. Misses and alarms count by their costs. With E(u) errors among n patients the
    weight of a cut is prior(u) (ε / (1 - ε))^(``weight`` E(u)), where ε = (smallest E + 1) / (n +
    2). A score that separates the classes well thus gets a narrow posterior. A weak score is pulled
    towards the middle.

    Each of 100 patients counts as ``weight`` patients, because errors cluster around the cut and
    the next hospital is not this one. Each of fewer patients counts for more and each of more
    patients for less (`patient_weight`). If a stretch of risk more than ``barrier`` paired standard
    errors higher separates the cuts, the mean is taken within the basin that has most of the
    weight. A mean between two basins would be bad for both.
    """

    weight: float = 0.2
    barrier: float = 2.0

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        ranks, costs = curve.ranks, costs.unit
        weights = self.weights(curve, costs)
        wall = is_between(weights, ranks)
        cuts = span(wall)
        if cuts.start < cuts.stop:
            wall[:, cuts] &= barriers(curve, costs, self.barrier, cuts)
        weights = one_basin(weights, wall)
        n = curve.n_patients
        return nearest_rank(ranks, mean_quantile(weights, ranks / n) * n[:, 0])

    def weights(self, curve: Curve, costs: Costs) -> FloatArray:
        """Return the posterior weight of every cut, shape (rows, cuts). Each row sums to 1."""
        n = by_row(curve.n_patients)
        errors = share_at_stake(curve, costs)
        errors *= n
        fewest = by_row(errors.min(axis=1, keepdims=True))
        log_odds = np.log((n - fewest + 1) / (fewest + 1))
        errors -= fewest
        errors *= -patient_weight(self.weight, n) * log_odds
        weights = prior_mass(curve.ranks / n)
        weights *= np.exp(errors, out=errors)
        weights /= weights.sum(axis=1, keepdims=True)
        return weights

    def reach(
        self,
        smallest: FloatArray,
        n_positive: IntArray,
        n_negative: IntArray,
        costs: Costs,
        rank: IntArray | None = None,
    ) -> FloatArray:
        """Return how much more a cut must cost before its weight is negligible."""
        n = n_positive + n_negative
        exponent = LARGEST_EXPONENT if rank is None else negligible_exponent(rank, n)
        error = (costs.cost_fn * n_positive + costs.cost_fp * n_negative) / n
        fewest = smallest / error
        log_odds = np.log((n - fewest + 1) / (fewest + 1))
        weight = patient_weight(self.weight, n)
        return np.asarray(error * exponent / (weight * np.maximum(log_odds, 1e-12)))


def negligible_exponent(rank: IntArray, n_patients: IntArray) -> FloatArray:
    """Return e such that cuts with less than exp(-e) of the largest likelihood do not matter.

    All of them together move the mean by less than 1e-9 patients. The largest likelihood has at
    least (0.5 + 2 min(rank, n - rank)) / n² of the prior. No log-normal score is larger than
    exp(√(2 log 4n)), and the mean moves by at most one quantile per unit of this score.

    Examples
    --------
    >>> negligible_exponent(np.array([60_000, 0]), 100_000).round(1)
    array([49.1, 61. ])
    """
    n = np.maximum(n_patients, 1)
    least = (0.5 + 2 * np.minimum(rank, n - rank)) / n**2
    exponent = np.log(1e9 * n / least) + np.sqrt(2 * np.log(4 * n))
    return np.asarray(np.minimum(exponent, LARGEST_EXPONENT))


def patient_weight(weight: float, n_patients: IntArray) -> FloatArray:
    """Return as how many patients each counts: ``weight`` (100 / n)^0.6, at least half of it.

    Examples
    --------
    >>> patient_weight(0.2, np.array([13, 100, 200, 5000])).round(3)
    array([0.68 , 0.2  , 0.132, 0.1  ])
    """
    part = (HUNDRED / np.maximum(n_patients, 1)) ** FALL
    return np.asarray(weight * np.maximum(part, LEAST_PART))


def mean_quantile(weights: FloatArray, quantiles: FloatArray) -> FloatArray:
    """Return the quantile of the mean of a log-normal score, weighted over the cuts of each row.

    Each cut has the score at the centre of the quantiles that are nearest to it.

    Examples
    --------
    >>> mean_quantile(np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), np.array([[0.0, 0.5, 1.0]] * 2))
    array([0.5       , 0.65545042])
    """
    edges = cell_edges(quantiles)
    centres = np.minimum((edges[:, 1:] + edges[:, :-1]) / 2, LAST_CENTRE)
    score = (weights * np.exp(ndtri(centres))).sum(axis=1) / weights.sum(axis=1)
    return np.asarray(ndtr(np.log(score)))


def share_at_stake(curve: Curve, costs: Costs) -> FloatArray:
    """Return the risk at every cut, divided by the risk if every patient were decided wrongly."""
    if costs.target is not None:
        return risk_at_cuts(curve, costs) / costs.worst_risk(1.0, 1.0)
    share = cost_at_cuts(curve, costs)
    share /= costs.cost_fn * curve.n_positive + costs.cost_fp * curve.n_negative
    return share


def prior_mass(quantiles: FloatArray) -> FloatArray:
    """Return the Beta(2, 2) mass of the quantiles that are nearest to each cut.

    Examples
    --------
    >>> import numpy as np
    >>> prior_mass(np.array([[0.0, 0.5, 1.0]]))
    array([[0.15625, 0.6875 , 0.15625]])
    """
    edges = cell_edges(quantiles)
    below = edges**2
    edges *= -2
    edges += 3
    below *= edges
    return below[:, 1:] - below[:, :-1]


def cell_edges(quantiles: FloatArray) -> FloatArray:
    """Return the edges between the quantiles that are nearest to each cut, from 0 to 1."""
    edges = np.zeros((quantiles.shape[0], quantiles.shape[1] + 1))
    np.add(quantiles[:, :-1], quantiles[:, 1:], out=edges[:, 1:-1])
    edges[:, 1:-1] *= 0.5
    edges[:, -1] = 1
    return edges


def nearest_rank(ranks: IntArray, mean: FloatArray) -> IntArray:
    """Return the rank that is nearest to the mean of each row; of two equally near the lower."""
    rows, above = np.arange(mean.size), count_to_left(ranks, mean.astype(ranks.dtype), "right")
    beside = np.stack([np.maximum(above - 1, 0), np.minimum(above, ranks.shape[1] - 1)])
    found = ranks[rows, beside]
    return found[np.abs(found - mean).round(DECIMALS).argmin(axis=0), rows]


def is_between(weights: FloatArray, ranks: IntArray) -> NDArray[np.bool_]:
    """Return which cuts have at least `SECOND_BASIN` of the weight on each side."""
    below, above = weight_beside(weights, ranks)
    return (below >= SECOND_BASIN) & (above >= SECOND_BASIN)


def one_basin(weights: FloatArray, wall: NDArray[np.bool_]) -> FloatArray:
    """Return the weights within the basin that has most of the weight, and 0 elsewhere.

    Walls separate the basins. Of two basins with equal weight the lower one is taken.
    """
    at_wall = wall.ravel().nonzero()[0]
    if not at_wall.size:
        return weights
    result, size = weights.ravel().copy(), weights.shape[1]
    result[at_wall] = 0
    # A basin starts with its row or at a wall.
    starts = np.sort(np.concatenate([np.arange(0, result.size, size), at_wall]))
    row = starts // size
    mass = np.add.reduceat(result, starts).round(DECIMALS)
    first = row.searchsorted(np.arange(len(weights)))
    heaviest = (mass == np.maximum.reduceat(mass, first)[row]).nonzero()[0]
    heaviest = heaviest[row[heaviest].searchsorted(np.arange(len(weights)))]
    kept = np.zeros(starts.size, dtype=bool)
    kept[heaviest] = True
    result *= kept.repeat(np.concatenate([starts[1:], [result.size]]) - starts)
    return result.reshape(weights.shape)


def weight_beside(weights: FloatArray, ranks: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the weight of all cuts of lower rank, and of all cuts of higher rank.

    Cuts with no patient between them have the same rank, and the same weight below and above.
    """
    through = np.cumsum(weights, axis=1)
    step = ranks[:, 1:] > ranks[:, :-1]
    if step.all():
        return through - weights, through[:, -1:] - through
    edge = np.ones((ranks.shape[0], 1), dtype=bool)
    before = np.where(np.hstack([edge, step]), through - weights, 0.0)
    after = np.where(np.hstack([step, edge]), through[:, -1:] - through, 0.0)
    # Both are monotone along the cuts, so the largest value so far is that of the run.
    above = np.maximum.accumulate(after[:, ::-1], axis=1)[:, ::-1]
    return np.maximum.accumulate(before, axis=1), above

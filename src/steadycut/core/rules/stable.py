"""The rule ``stable``: the mean of all cuts, weighted by how well each one does.

A few patients decide where the minimum of a risk curve lies, and in the next cohort it is other
patients. The weighted mean over all cuts moves far less. Only the ranks of the patients are used:
the mean is that of a score that is distributed log-normally, as many markers are.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.left_cdf import count_to_left
from steadycut.core.cuts.risk_curve import Curve, cost_at_cuts, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.basins import barriers, barriers_in_row
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
# Cuts with a likelihood below this part of the largest do not count. They would hardly move the
# mean, and with many patients most cuts are among them.
LEAST_LIKELIHOOD = 1e-9
LOG_LEAST = math.log(LEAST_LIKELIHOOD)
# No cell has its centre beyond this quantile, so that an empty one at the end has a finite score.
LAST_CENTRE = 1 - 1e-12
# For more patients the tables of all possible cells would need too much memory.
LARGEST_TABLE = 250_000


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
    weight. A mean between two basins would be bad for both. Cuts with less than a billionth of the
    largest likelihood do not count.
    """

    weight: float = 0.2
    barrier: float = 2.0

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        ranks, n, costs = curve.ranks, curve.n_patients, costs.unit
        cells = cells_of(ranks, n)
        weights = self.weights(curve, costs, cells.mass)
        if len(ranks) == 1 and costs.target is None:
            kept = self.basin_in_row(weights[0], curve, costs)
            mean = mean_quantile(weights[:, kept], cells.score[:, kept])
        else:
            mean = mean_quantile(one_basin(weights, self.walls(weights, curve, costs)), cells.score)
        return nearest_rank(ranks, mean * n[:, 0])

    def weights(self, curve: Curve, costs: Costs, prior: FloatArray | None = None) -> FloatArray:
        """Return the posterior weight of every cut, shape (rows, cuts). Each row sums to 1."""
        n = by_row(curve.n_patients)
        errors = errors_at_stake(curve, costs)
        fewest = by_row(errors.min(axis=1, keepdims=True))
        errors -= fewest
        errors *= -patient_weight(self.weight, n) * np.log((n - fewest + 1) / (fewest + 1))
        counts = errors >= LOG_LEAST
        weights = np.exp(errors, out=errors)
        weights *= counts
        weights *= cells_of(curve.ranks, curve.n_patients).mass if prior is None else prior
        weights /= by_row(weights.sum(axis=1, keepdims=True))
        return weights

    def walls(self, weights: FloatArray, curve: Curve, costs: Costs) -> NDArray[np.bool_]:
        """Return which cuts separate two basins that both have much of the weight."""
        wall = is_between(weights, curve.ranks)
        cuts = span(wall)
        if cuts.start < cuts.stop:
            wall[:, cuts] &= barriers(curve, costs, self.barrier, cuts)
        return wall

    def basin_in_row(self, weights: FloatArray, curve: Curve, costs: Costs) -> slice:
        """Return the basin with most of the weight, of a curve with one row."""
        through = np.zeros(weights.size + 1)
        weights.cumsum(out=through[1:])
        start, stop = middle_of_row(through, curve.ranks[0])
        if start >= stop:
            return slice(None)
        walls = start + barriers_in_row(curve, costs, self.barrier, start, stop).nonzero()[0]
        edges = np.concatenate(([-1], walls, [weights.size]))
        mass = through.take(edges[1:]) - through.take(edges[:-1] + 1)
        heaviest = int(mass.round(DECIMALS).argmax())
        return slice(int(edges[heaviest]) + 1, int(edges[heaviest + 1]))

    def reach(
        self,
        smallest: FloatArray,
        n_positive: IntArray,
        n_negative: IntArray,
        costs: Costs,
    ) -> FloatArray:
        """Return how much more a cut may cost and still count; a little more than that."""
        n = n_positive + n_negative
        error = (costs.cost_fn * n_positive + costs.cost_fp * n_negative) / n
        fewest = smallest / error
        log_odds = np.log((n - fewest + 1) / (fewest + 1))
        weight = patient_weight(self.weight, n)
        return np.asarray(-1.001 * LOG_LEAST * error / (weight * np.maximum(log_odds, 1e-12)))


def patient_weight(weight: float, n_patients: IntArray) -> FloatArray:
    """Return as how many patients each counts: ``weight`` (100 / n)^0.6, at least half of it.

    Examples
    --------
    >>> patient_weight(0.2, np.array([13, 100, 200, 5000])).round(3)
    array([0.68 , 0.2  , 0.132, 0.1  ])
    """
    part = (HUNDRED / np.maximum(n_patients, 1)) ** FALL
    return np.asarray(weight * np.maximum(part, LEAST_PART))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cells:
    """The quantiles that are nearest to each cut: their prior, and the score at their centre."""

    mass: FloatArray
    score: FloatArray


def cells_of(ranks: IntArray, n_patients: IntArray) -> Cells:
    """Return the cells of the cuts with ``ranks`` patients below.

    Examples
    --------
    >>> cells = cells_of(np.array([[0, 1, 2]]), np.array([[2]]))
    >>> cells.mass, cells.score.round(3)
    (array([[0.15625, 0.6875 , 0.15625]]), array([[0.317, 1.   , 3.159]]))
    """
    n = int(n_patients[0, 0])
    if ranks.dtype.kind != "i" or n > LARGEST_TABLE or (n_patients != n).any():
        edges = cell_edges(ranks / n_patients)
        return Cells(mass=np.diff(prior_below(edges)), score=centre_score(edges))
    # In units of 1 / (2n) the edges are whole numbers, and in units of 1 / (4n) the centres.
    halves = np.empty((ranks.shape[0], ranks.shape[1] + 1), dtype=np.int64)
    halves[:, 0], halves[:, -1] = 0, 2 * n
    np.add(ranks[:, :-1], ranks[:, 1:], out=halves[:, 1:-1])
    below, score = tables(n)
    below = below.take(halves)
    return Cells(
        mass=below[:, 1:] - below[:, :-1], score=score.take(halves[:, 1:] + halves[:, :-1])
    )


@lru_cache(maxsize=2)
def tables(n_patients: int) -> tuple[FloatArray, FloatArray]:
    """Return the prior below all multiples of 1 / (2n), and the score at all of 1 / (4n)."""
    edges = np.arange(2 * n_patients + 1) / (2 * n_patients)
    centres = np.arange(4 * n_patients + 1) / (4 * n_patients)
    return read_only(prior_below(edges)), read_only(score_at(centres))


def mean_quantile(weights: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the quantile of the mean of a log-normal score, weighted over the cuts of each row.

    Examples
    --------
    >>> scores = centre_score(cell_edges(np.array([[0.0, 0.5, 1.0]])))
    >>> mean_quantile(np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), scores)
    array([0.5       , 0.65545042])
    """
    mean = (weights * scores).sum(axis=1) / weights.sum(axis=1)
    return np.asarray(ndtr(np.log(mean)))


def centre_score(edges: FloatArray) -> FloatArray:
    """Return the log-normal score at the centre between any two neighbouring edges."""
    return score_at((edges[:, 1:] + edges[:, :-1]) / 2)


def score_at(quantiles: FloatArray) -> FloatArray:
    """Return the log-normal score at each quantile; the largest ones count as one."""
    return np.asarray(np.exp(ndtri(np.minimum(quantiles, LAST_CENTRE))))


def errors_at_stake(curve: Curve, costs: Costs) -> FloatArray:
    """Return the number of errors at every cut, each counted by what it costs.

    All patients decided wrongly are n errors.
    """
    n = by_row(curve.n_patients)
    if costs.target is not None:
        return risk_at_cuts(curve, costs) * (n / costs.worst_risk(1.0, 1.0))
    errors = cost_at_cuts(curve, costs)
    if not costs.cost_fn == costs.cost_fp == 1:
        errors *= n / by_row(costs.cost_fn * curve.n_positive + costs.cost_fp * curve.n_negative)
    return errors


def prior_below(quantiles: FloatArray) -> FloatArray:
    """Return the Beta(2, 2) mass below each quantile: 3u² - 2u³.

    Examples
    --------
    >>> prior_below(np.array([0.0, 0.25, 0.5, 1.0]))
    array([0.     , 0.15625, 0.5    , 1.     ])
    """
    return quantiles**2 * (3 - 2 * quantiles)


def prior_mass(quantiles: FloatArray) -> FloatArray:
    """Return the Beta(2, 2) mass of the quantiles that are nearest to each cut.

    Examples
    --------
    >>> import numpy as np
    >>> prior_mass(np.array([[0.0, 0.5, 1.0]]))
    array([[0.15625, 0.6875 , 0.15625]])
    """
    return np.diff(prior_below(cell_edges(quantiles)))


def cell_edges(quantiles: FloatArray) -> FloatArray:
    """Return the edges between the quantiles that are nearest to each cut, from 0 to 1."""
    edges = np.zeros((quantiles.shape[0], quantiles.shape[1] + 1))
    np.add(quantiles[:, :-1], quantiles[:, 1:], out=edges[:, 1:-1])
    edges[:, 1:-1] *= 0.5
    edges[:, -1] = 1
    return edges


def nearest_rank(ranks: IntArray, mean: FloatArray) -> IntArray:
    """Return the rank that is nearest to the mean of each row; of two equally near the lower."""
    above = count_to_left(ranks, mean.astype(ranks.dtype), "right")
    if len(ranks) == 1:
        beside = ranks[0, max(above[0] - 1, 0) : above[0] + 1]
        return beside[[np.abs(beside - mean).round(DECIMALS).argmin()]]
    rows = np.arange(mean.size)
    beside = np.stack([np.maximum(above - 1, 0), np.minimum(above, ranks.shape[1] - 1)])
    found = ranks[rows, beside]
    return found[np.abs(found - mean).round(DECIMALS).argmin(axis=0), rows]


def is_between(weights: FloatArray, ranks: IntArray) -> NDArray[np.bool_]:
    """Return which cuts have at least `SECOND_BASIN` of the weight on each side."""
    below, above = weight_beside(weights, ranks)
    return (below >= SECOND_BASIN) & (above >= SECOND_BASIN)


def middle_of_row(through: FloatArray, ranks: IntArray) -> tuple[int, int]:
    """Return the first cut that `is_between` in a row, and the one after the last.

    ``through`` is the weight of all cuts before each one, and of all cuts.
    """
    low = through.searchsorted(SECOND_BASIN) - 1
    high = through.searchsorted(through[-1] - SECOND_BASIN, "right") - 1
    if not 0 <= low < high < ranks.size:
        return 0, 0
    return int(ranks.searchsorted(ranks[low], "right")), int(ranks.searchsorted(ranks[high]))


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

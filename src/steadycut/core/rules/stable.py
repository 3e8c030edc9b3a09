"""The rule ``stable``: between the mean of all cuts and a logistic regression on the ranks.

A few patients decide where the minimum of a risk curve lies, and in the next cohort it is other
patients. The first opinion is therefore the mean of all cuts, weighted by how well each one does.
The second is a logistic regression on the ranks, which is steady and can say that the score does
not pay. The cut lies between them. If it is clearly worse than the best one in these patients, the
mean of the cuts around the best one is taken instead. Only the ranks of the patients are used.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from steadycut.core.checks import BoolArray, FloatArray, IntArray, read_only
from steadycut.core.cuts.risk_curve import Curve, cost_at_cuts, count_to_left, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.pruning import Sizes, Stretch, by_row
from steadycut.core.rules.rank_logistic import even_place

# Distances are rounded to this many digits, so that ties are recognised.
DECIMALS = 9
# Cuts with a likelihood below this part of the largest do not count. They would hardly move the
# mean, and with many patients most cuts are among them.
LEAST_LIKELIHOOD = 1e-9
LOG_LEAST = math.log(LEAST_LIKELIHOOD)
# No cell has its centre beyond this quantile, so that an empty one at the end has a finite score.
LAST_CENTRE = 1 - 1e-12
# For more patients the table of all possible cells would need too much memory.
LARGEST_TABLE = 250_000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AtStake:
    """What is at stake at every cut. An error counts by what it costs; all patients wrong are n.

    ``errors`` and ``squares`` have shape (rows, cuts). ``squares`` rises along the cuts, by the
    square of what each patient counts. ``two_more`` are the squares of one more patient per class.
    """

    ranks: IntArray
    n_patients: IntArray
    errors: FloatArray
    squares: FloatArray
    two_more: FloatArray


@dataclass(frozen=True, slots=True)
class Stable:
    """Between the mean of all cuts and a logistic regression, unless that is clearly worse.

    The model: the right cut is a quantile u of the patients, any of them alike. A patient is on the
    wrong side of the cut with probability ε. Misses and alarms count by their costs. With E(u)
    errors among n patients the likelihood of a cut is (ε / (1 - ε))^(``weight`` E(u)), where ε =
    (smallest E + 1) / (n + 2). Each patient counts as ``weight`` patients, because errors cluster
    around the cut and the next hospital is not this one. The first opinion is the mean normal score
    of the cuts, weighted by their likelihood. The second is `even_place`; it has the ``share``.

    Both can be wrong: the mean lies between two separate good regions, and the line need not fit.
    So the cut must not have more errors than the best one by more than ``height`` times the root of
    the squares of the patients between them, with one more patient of each class. Otherwise the
    mean of the cuts around the best one, up to the first that is as bad, is taken. A cut with less
    than a billionth of the largest likelihood does not count, and is never taken.
    """

    weight: float = 0.1
    share: float = 0.55
    height: float = 2.5

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        return self.choose(at_stake(curve, costs.unit), self.line(curve, costs.unit))

    def line(self, curve: Curve, costs: Costs) -> FloatArray:
        """Return the second opinion; a stretch of a curve brings along that of all cuts."""
        if isinstance(curve, Stretch) and curve.line is not None:
            return curve.line
        miss, alarm = class_weights(curve, costs)
        return even_place(curve.ranks, curve.n_patients, miss * curve.misses, alarm * curve.alarms)

    def choose(self, stake: AtStake, line: FloatArray) -> IntArray:
        """Return the number of patients below the chosen cut of each row."""
        mass, score = cells_of(stake.ranks, stake.n_patients)
        likelihood = self.likelihood(stake)
        weights = likelihood * mass
        both = (1 - self.share) * mean_score(weights, score) + self.share * line
        chosen = nearest_rank(stake.ranks, stake.n_patients[:, 0] * ndtr(both))
        rows = np.arange(chosen.size)
        cut = count_to_left(stake.ranks, chosen)
        worse = self.is_worse(stake, rows, cut) | (likelihood[rows, cut] == 0)
        for row in worse.nonzero()[0]:
            wall = self.is_worse(stake, row, np.arange(stake.ranks.shape[1]))
            near = around(stake.errors[row].argmin(), wall | (likelihood[row] == 0))
            mean = mean_score(weights[[row], near], score[[row], near])
            place = stake.n_patients[row] * ndtr(mean)
            chosen[[row]] = nearest_rank(stake.ranks[[row], near], place)
        return chosen

    def likelihood(self, stake: AtStake) -> FloatArray:
        """Return the likelihood of every cut, shape (rows, cuts); that of the best is 1."""
        n, fewest = by_row(stake.n_patients), by_row(stake.errors.min(axis=1, keepdims=True))
        log = stake.errors - fewest
        log *= -self.weight * np.log((n - fewest + 1) / (fewest + 1))
        return np.asarray(np.exp(log) * (log >= LOG_LEAST))

    def is_worse(self, stake: AtStake, row: IntArray, cut: IntArray) -> BoolArray:
        """Return whether some cuts have clearly more errors than the best cut of their row."""
        best = stake.errors.argmin(axis=1)[row]
        excess = stake.errors[row, cut] - stake.errors[row, best]
        squares = np.abs(stake.squares[row, cut] - stake.squares[row, best])
        return np.asarray(excess**2 > self.height**2 * (squares + stake.two_more[row, 0]))

    def reach(self, smallest: FloatArray, sizes: Sizes, costs: Costs) -> FloatArray:
        """Return how much more a cut may cost and still count; a little more than that."""
        n = sizes[0] + sizes[1]
        error = (costs.cost_fn * sizes[0] + costs.cost_fp * sizes[1]) / n
        fewest = smallest / error
        log_odds = np.log((n - fewest + 1) / (fewest + 1))
        return np.asarray(-1.001 * LOG_LEAST * error / (self.weight * np.maximum(log_odds, 1e-12)))


def at_stake(curve: Curve, costs: Costs) -> AtStake:
    """Return what is at stake at every cut of a curve."""
    miss, alarm = class_weights(curve, costs)
    return AtStake(
        ranks=curve.ranks,
        n_patients=curve.n_patients,
        errors=errors_at_stake(curve, costs),
        squares=miss**2 * curve.misses - alarm**2 * curve.alarms,
        two_more=miss**2 + alarm**2,
    )


def class_weights(curve: Curve, costs: Costs) -> tuple[FloatArray, FloatArray]:
    """Return what a patient of each class weighs, shape (rows, 1). All weigh as many as they are.

    In a range of target prevalences the mean of both ends counts.
    """
    miss, alarm = costs.cost_fn, costs.cost_fp
    if costs.target is not None:
        ends = np.mean(costs.class_weights, axis=0)
        miss, alarm = ends[0] / curve.n_positive.clip(1), ends[1] / curve.n_negative.clip(1)
    unit = curve.n_patients / (miss * curve.n_positive + alarm * curve.n_negative)
    return np.asarray(miss * unit), np.asarray(alarm * unit)


def around(best: int, wall: BoolArray) -> slice:
    """Return the cuts around the best one, up to the first wall on either side.

    Examples
    --------
    >>> around(2, np.array([True, False, False, False, True, False]))
    slice(1, 4, None)
    """
    walls = np.concatenate([[-1], wall.nonzero()[0], [wall.size]])
    after = int(walls.searchsorted(best))
    return slice(int(walls[after - 1]) + 1, int(walls[after]))


def cells_of(ranks: IntArray, n_patients: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of the quantiles nearest to each cut, and the normal score at their centre.

    Examples
    --------
    >>> mass, score = cells_of(np.array([[0, 1, 2]]), np.array([[2]]))
    >>> mass, score.round(3)
    (array([[0.25, 0.5 , 0.25]]), array([[-1.15,  0.  ,  1.15]]))
    """
    n = int(n_patients[0, 0])
    if ranks.dtype.kind != "i" or n > LARGEST_TABLE or (n_patients != n).any():
        edges = cell_edges(ranks / n_patients)
        return np.diff(edges), score_at((edges[:, 1:] + edges[:, :-1]) / 2)
    # In units of 1 / (2n) the edges are whole numbers, and in units of 1 / (4n) the centres.
    halves = np.empty((ranks.shape[0], ranks.shape[1] + 1), dtype=np.int64)
    halves[:, 0], halves[:, -1] = 0, 2 * n
    np.add(ranks[:, :-1], ranks[:, 1:], out=halves[:, 1:-1])
    return np.diff(halves) / (2 * n), score_table(n).take(halves[:, 1:] + halves[:, :-1])


@lru_cache(maxsize=2)
def score_table(n_patients: int) -> FloatArray:
    """Return the normal score at all multiples of 1 / (4n)."""
    return read_only(score_at(np.arange(4 * n_patients + 1) / (4 * n_patients)))


def score_at(quantiles: FloatArray) -> FloatArray:
    """Return the normal score at each quantile; the outermost ones count as one."""
    return np.asarray(ndtri(np.clip(quantiles, 1 - LAST_CENTRE, LAST_CENTRE)))


def mean_score(weights: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the weighted mean of the scores of each row."""
    return np.asarray((weights * scores).sum(axis=1) / weights.sum(axis=1))


def errors_at_stake(curve: Curve, costs: Costs) -> FloatArray:
    """Return the number of errors at every cut, each counted by what it costs.

    All patients decided wrongly are n errors.
    """
    n = by_row(curve.n_patients)
    if costs.target is not None:
        return risk_at_cuts(curve, costs) * (n / costs.worst_risk(1.0, 1.0))
    worst = by_row(costs.cost_fn * curve.n_positive + costs.cost_fp * curve.n_negative)
    return cost_at_cuts(curve, costs) * (n / worst)


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
    rows = np.arange(mean.size)
    beside = np.stack([np.maximum(above - 1, 0), np.minimum(above, ranks.shape[1] - 1)])
    found = ranks[rows, beside]
    return found[np.abs(found - mean).round(DECIMALS).argmin(axis=0), rows]

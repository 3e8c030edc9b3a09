"""The rule ``stable``: the mean of all cuts, weighted by how well each one does.

A few patients decide where the minimum of a risk curve lies, and in the next cohort it is other
patients. The weighted mean over all cuts moves far less. It is taken on the quantile scale, so that
only ranks are used.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import Curve, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.basins import barriers
from steadycut.core.rules.pruning import span

# A barrier separates two basins if each side has at least this share of the weight.
SECOND_BASIN = 0.10
# From this many patients on, the weight of a patient does not depend on their number.
FEW = 30
# Distances and weights are rounded to this many digits, so that ties are recognised.
DECIMALS = 9
# Cuts with a likelihood below exp(-60) = 9e-27 of the largest do not change the mean: a million of
# them move it by less than 1e-8 patients, even if the prior favours them a million times.
LARGEST_EXPONENT = 60.0


@dataclass(frozen=True, slots=True)
class Stable:
    """The posterior mean of the cut on the quantile scale, within one basin.

    The model: the right cut is a quantile u of the patients. Its prior is Beta(2, 2), which prefers
    neither calling everybody nor calling nobody. A patient is on the wrong side of the cut with
    probability ε. Misses and alarms count by their costs. With E(u) errors among n patients the
    weight of a cut is prior(u) (ε / (1 - ε))^(``weight`` E(u)), where ε = (smallest E + 1) / (n +
    2). A score that separates the classes well thus gets a narrow posterior. A weak score is pulled
    towards the middle.

    Each patient counts as ``weight`` patients, because errors cluster around the cut and the next
    hospital is not this one. Fewer than `FEW` patients count for more (`patient_weight`): the prior
    would outweigh them. If a stretch of risk more than ``barrier`` paired standard errors
    higher separates the cuts, the mean is taken within the basin that has most of the weight. A
    mean between two basins would be bad for both.
    """

    weight: float = 0.25
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
        mean = (weights * ranks).sum(axis=1) / weights.sum(axis=1)
        nearest = np.abs(ranks - mean[:, None]).round(DECIMALS).argmin(axis=1)
        return ranks[np.arange(nearest.size), nearest]

    def weights(self, curve: Curve, costs: Costs) -> FloatArray:
        """Return the posterior weight of every cut, shape (rows, cuts). Each row sums to 1."""
        n = curve.n_patients
        errors = n * share_at_stake(curve, costs)
        fewest = errors.min(axis=1, keepdims=True)
        log_odds = np.log((n - fewest + 1) / (fewest + 1))
        likelihood = np.exp(-patient_weight(self.weight, n) * log_odds * (errors - fewest))
        weights = prior_mass(curve.ranks / n) * likelihood
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def reach(
        self, smallest: FloatArray, n_positive: IntArray, n_negative: IntArray, costs: Costs
    ) -> FloatArray:
        """Return how much more a cut must cost before its weight is negligible."""
        n = n_positive + n_negative
        error = (costs.cost_fn * n_positive + costs.cost_fp * n_negative) / n
        fewest = smallest / error
        log_odds = np.log((n - fewest + 1) / (fewest + 1))
        weight = patient_weight(self.weight, n)
        return np.asarray(error * LARGEST_EXPONENT / (weight * np.maximum(log_odds, 1e-12)))


def patient_weight(weight: float, n_patients: IntArray) -> FloatArray:
    """Return as how many patients each one counts: ``weight``, times (`FEW` / n)² if n is below.

    Examples
    --------
    >>> patient_weight(0.25, np.array([10, 30, 5000]))
    array([2.25, 0.25, 0.25])
    """
    return np.asarray(weight * np.maximum(FEW / np.maximum(n_patients, 1), 1.0) ** 2)


def share_at_stake(curve: Curve, costs: Costs) -> FloatArray:
    """Return the risk at every cut, divided by the risk if every patient were decided wrongly."""
    if costs.target is not None:
        return risk_at_cuts(curve, costs) / costs.worst_risk(1.0, 1.0)
    stake = costs.cost_fn * curve.n_positive + costs.cost_fp * curve.n_negative
    return np.asarray((costs.cost_fn * curve.misses + costs.cost_fp * curve.alarms) / stake)


def prior_mass(quantiles: FloatArray) -> FloatArray:
    """Return the Beta(2, 2) mass of the quantiles that are nearest to each cut.

    Examples
    --------
    >>> import numpy as np
    >>> prior_mass(np.array([[0.0, 0.5, 1.0]]))
    array([[0.15625, 0.6875 , 0.15625]])
    """
    edges = cell_edges(quantiles)
    return np.diff(edges**2 * (3 - 2 * edges), axis=1)


def cell_edges(quantiles: FloatArray) -> FloatArray:
    """Return the edges between the quantiles that are nearest to each cut, from 0 to 1."""
    edges = np.zeros((quantiles.shape[0], quantiles.shape[1] + 1))
    edges[:, 1:-1] = (quantiles[:, :-1] + quantiles[:, 1:]) / 2
    edges[:, -1] = 1
    return edges


def is_between(weights: FloatArray, ranks: IntArray) -> NDArray[np.bool_]:
    """Return which cuts have at least `SECOND_BASIN` of the weight on each side."""
    below, above = weight_beside(weights, ranks)
    return (below >= SECOND_BASIN) & (above >= SECOND_BASIN)


def one_basin(weights: FloatArray, wall: NDArray[np.bool_]) -> FloatArray:
    """Return the weights within the basin that has most of the weight, and 0 elsewhere.

    Walls separate the basins. Of two basins with equal weight the lower one is taken.
    """
    parted = np.flatnonzero(wall.any(axis=1))
    if not parted.size:
        return weights
    wall = wall[parted]
    inside = np.where(wall, 0.0, weights[parted])
    basin = np.cumsum(wall, axis=1)
    count = wall.shape[1] + 1
    place = basin + count * np.arange(parted.size)[:, None]
    mass = np.bincount(place.ravel(), weights=inside.ravel(), minlength=count * parted.size)
    heaviest = mass.reshape(-1, count).round(DECIMALS).argmax(axis=1)
    result = weights.copy()
    result[parted] = np.where(basin == heaviest[:, None], inside, 0.0)
    return result


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

"""Rules that choose all boundaries of the risk strata together, in order.

All take `BoundaryCurves` and return, for each row, the number of patients below each boundary. For
one boundary and two grades ``erm`` and ``stable`` are the rules of one cut-off with these names.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import BoolArray, FloatArray, IntArray, check_choice
from steadycut.core.cuts.risk_curve import TIE
from steadycut.core.rules import stable
from steadycut.core.rules.basins import lowest_on_either_side
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import BoundaryCurves
from steadycut.core.strata.ordered import ordered_marginals
from steadycut.core.strata.two_cuts import parse_two_cuts

StrataRule = Callable[[BoundaryCurves, CostMatrix], IntArray]


def joint_minimum(curves: BoundaryCurves, costs: CostMatrix) -> IntArray:
    """Return the boundaries with the smallest mean cost, shape (rows, boundaries).

    The result is exact. The smallest cost of the boundaries above k, given that they must not lie
    below a cut, is a running minimum from the right. One pass per boundary is therefore enough. Of
    several minimisers, each boundary takes the middle of its widest flat stretch, the lowest
    boundary first.
    """
    later = least_above(curves.risk)
    chosen, floor = [], np.zeros(len(curves.ranks), dtype=np.int64)
    for k in range(costs.n_boundaries):
        objective = curves.risk[:, k] + later[:, k]
        allowed = np.where(curves.ranks >= floor[:, None], objective, np.inf)
        floor = middle_of_widest_flat(allowed, curves.ranks, TIE * costs.spread)
        chosen.append(floor)
    return np.stack(chosen, axis=1)


def least_above(risk: FloatArray) -> FloatArray:
    """Return the smallest cost of all higher boundaries, if none may lie below a cut.

    Shape (rows, boundaries, cuts), like ``risk``.
    """
    later = np.zeros_like(risk)
    for k in range(risk.shape[1] - 2, -1, -1):
        above = risk[:, k + 1] + later[:, k + 1]
        later[:, k] = np.minimum.accumulate(above[:, ::-1], axis=1)[:, ::-1]
    return later


def smallest_risk(curves: BoundaryCurves) -> FloatArray:
    """Return the smallest mean cost of any ordered boundaries, shape (rows,)."""
    first = curves.risk[:, 0] + least_above(curves.risk)[:, 0]
    return np.asarray(curves.base + first.min(axis=1))


@dataclass(frozen=True, slots=True)
class StableStrata:
    """The joint posterior mean of all boundaries, each within one basin.

    The model is that of the rule ``stable`` of one cut-off (`steadycut.core.rules.stable.Stable`),
    with K other strata into which a patient can be put in error. With E errors among n patients,
    the weight of a set of K boundaries is prior (ε / (K (1 - ε)))^(``weight`` E), where ε =
    (smallest E + 1) / (n + 2). E is the cost of the boundaries above the unavoidable cost, divided
    by that with every patient in the worst stratum, times n. One stratum for everybody has at most
    K n / (K + 1) errors, so errors never count in favour of a set. The prior is that of
    `steadycut.core.strata.ordered`. Means of ordered thresholds are ordered, so they never cross.

    If a stretch of risk more than ``barrier`` paired standard errors higher separates the cuts of a
    boundary, only its basin with most of the weight is kept. This is done for one boundary after
    another, the lowest first.
    """

    weight: float = stable.Stable().weight
    barrier: float = stable.Stable().barrier

    def __call__(self, curves: BoundaryCurves, costs: CostMatrix) -> IntArray:
        """Return the number of patients below each boundary, shape (rows, boundaries)."""
        edges = stable.cell_edges(curves.ranks / curves.n_patients[:, None])
        likelihood = self.log_likelihood(curves)
        weights = ordered_marginals(likelihood, edges)
        for k in range(costs.n_boundaries):
            wall = stable.is_between(weights[:, k], curves.ranks)
            wall &= boundary_barriers(curves, costs, k, self.barrier)
            if wall.any():
                kept = stable.one_basin(weights[:, k], wall)
                likelihood[:, k] = np.where(kept > 0, likelihood[:, k], -np.inf)
                weights = ordered_marginals(likelihood, edges)
        return nearest_ranks(weights, curves.ranks, curves.n_patients)

    def log_likelihood(self, curves: BoundaryCurves) -> FloatArray:
        """Return the part of each boundary in the log-likelihood, shape (rows, boundaries, cuts).

        The parts add up to the log-likelihood of a set of boundaries, except for a constant.
        """
        n, stake = curves.n_patients, curves.stake
        fewest = n * np.maximum(smallest_risk(curves) - curves.floor, 0) / stake
        log_odds = np.log(curves.risk.shape[1] * (n - fewest + 1) / (fewest + 1))
        scale = stable.patient_weight(self.weight, n) * log_odds * n / stake
        lowest = curves.risk.min(axis=2, keepdims=True)
        return np.asarray(-scale[:, None, None] * (curves.risk - lowest))


def nearest_ranks(weights: FloatArray, ranks: IntArray, n_patients: IntArray) -> IntArray:
    """Return for each boundary the rank nearest to its mean; of two, the lower one."""
    scores = stable.centre_score(stable.cell_edges(ranks / n_patients[:, None]))
    found = [
        stable.nearest_rank(ranks, stable.mean_quantile(weights[:, k], scores) * n_patients)
        for k in range(weights.shape[1])
    ]
    return np.stack(found, axis=1)


def boundary_barriers(
    curves: BoundaryCurves, costs: CostMatrix, boundary: int, height: float
) -> BoolArray:
    """Return which cuts are barriers between the minima of one boundary, shape (rows, cuts).

    Like `steadycut.core.rules.basins.barriers`, for any number of grades. A barrier is a cut whose
    risk is more than ``height`` paired standard errors above the smallest risk on its left, and
    above the smallest risk on its right.
    """
    risk, square = curves.risk[:, boundary], curves.square[:, boundary]
    n, high = curves.n_patients[:, None], np.ones(risk.shape, dtype=bool)
    tie = TIE * costs.spread
    for lowest in lowest_on_either_side(risk, tie):
        excess = risk - np.take_along_axis(risk, lowest, axis=1)
        squared = np.abs(square - np.take_along_axis(square, lowest, axis=1))
        error = np.sqrt(np.maximum(squared - excess**2, 0) / n)
        high &= excess > height * error + tie
    return high


RULES: dict[str, StrataRule] = {"stable": StableStrata(), "erm": joint_minimum}


def parse_strata_rule(name: str) -> StrataRule:
    """Return the rule with the name ``stable`` or ``erm``, or one of two limits.

    Examples
    --------
    >>> parse_strata_rule("rule-out:sensitivity:0.95,rule-in:ppv:0.9").asked
    {'sensitivity': 0.95, 'ppv': 0.9}
    """
    two = parse_two_cuts(name) if isinstance(name, str) else None
    return two or RULES[check_choice("rule", name, tuple(RULES))]

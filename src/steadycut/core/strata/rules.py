"""Rules that choose all boundaries of the risk strata, in order.

All take `BoundaryCurves` and return, for each row, the number of patients below each boundary. For
one boundary and two grades ``erm`` and ``stable`` are the rules of one cut-off with these names.
"""

from collections.abc import Callable

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, check_choice
from steadycut.core.cuts.risk_curve import TIE
from steadycut.core.rules.rank_logistic import even_place
from steadycut.core.rules.stable import AtStake, Stable
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import BoundaryCurves
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


def stable_boundaries(curves: BoundaryCurves, costs: CostMatrix) -> IntArray:
    """Return the boundaries that `Stable` chooses, shape (rows, boundaries).

    A boundary is a cut-off between the grades that belong below it and those that belong above it,
    at its own costs. Neighbouring boundaries that would cross are chosen again as one: nobody is in
    the stratum between them.
    """
    chosen = np.stack([stable_boundary(curves, step) for step in costs.steps.T], axis=1)
    crossing = np.asarray((np.diff(chosen, axis=1) < 0).any(axis=1))
    for row in crossing.nonzero()[0]:
        chosen[row] = _pooled(curves.row(int(row)), costs.steps.T, chosen[row])
    return chosen


def _pooled(curves: BoundaryCurves, steps: FloatArray, alone: IntArray) -> IntArray:
    """Return the boundaries of one row, after pooling neighbours until none cross."""
    groups = [(1, step, int(rank)) for step, rank in zip(steps, alone, strict=True)]
    place = 0
    while place < len(groups) - 1:
        (size, step, rank), (more, other, above) = groups[place : place + 2]
        if rank <= above:
            place += 1
            continue
        together = int(stable_boundary(curves, step + other)[0])
        groups[place : place + 2] = [(size + more, step + other, together)]
        place = max(place - 1, 0)
    return np.repeat([rank for _, _, rank in groups], [size for size, _, _ in groups])


def stable_boundary(curves: BoundaryCurves, step: FloatArray) -> IntArray:
    """Return the cut of one boundary, where ``step`` is what each grade costs more below it."""
    grades, n = curves.below[..., -1], curves.n_patients[:, None]
    # Nothing is at stake if nobody is of a grade that matters; then any cut will do.
    total = (grades @ np.abs(step))[:, None]
    scale = n / np.where(total > 0, total, np.inf)
    misses = scale * np.einsum("g,rgc->rc", np.maximum(step, 0), curves.below)
    above = grades[..., None] - curves.below
    alarms = scale * np.einsum("g,rgc->rc", np.maximum(-step, 0), above)
    stake = AtStake(
        ranks=curves.ranks,
        n_patients=n,
        errors=misses + alarms,
        squares=scale**2 * np.einsum("g,rgc->rc", step**2, curves.below),
        two_more=scale**2 * (step**2).sum(),
    )
    return Stable().choose(stake, even_place(curves.ranks, n, misses, alarms))


RULES: dict[str, StrataRule] = {"stable": stable_boundaries, "erm": joint_minimum}


def parse_strata_rule(name: str) -> StrataRule:
    """Return the rule with the name ``stable`` or ``erm``, or one of two limits.

    Examples
    --------
    >>> parse_strata_rule("rule-out:sensitivity:0.95,rule-in:ppv:0.9").asked
    {'sensitivity': 0.95, 'ppv': 0.9}
    """
    two = parse_two_cuts(name) if isinstance(name, str) else None
    return two or RULES[check_choice("rule", name, tuple(RULES))]

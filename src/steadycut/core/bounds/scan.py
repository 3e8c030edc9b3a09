"""What all patients show of a cut that the same patients chose: the scan over arcs of a circle.

Put the ill on a circle, clockwise from 0 in the order of their scores, and the healthy on the other
side of 0, anticlockwise from the highest score down. The patients are then independent uniform
points, and a cut errs on those of an arc through 0. Its cost is the risk of the cut, and to shrink
an arc only loses points (``docs/theory/bounds.md``, "The scan"). So for a target that was fixed
beforehand `chance_at_target` is exact, for any way of choosing the cut, with ties and without.

A limit must hold for all numbers of errors at once. ``scan_levels.json`` has limits for which this
was computed (``benchmarks/studies/scan``): of n patients, with errors of cost k or less, the limit
is the entry k. Patients beyond a number that is in the file are left out as if they had been
decided rightly: the errors among the others are at most as many.
"""

import json
import math
from bisect import bisect_right
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, gammaln, xlog1py, xlogy

from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# Errors of the same cost must not be told apart by rounding.
ROUNDING = 1e-9
# The share of delta that the limits of the file do not use.
LEFT = 1e-3
# Beyond the largest number in the file times this, the limits of the file lose too much.
REACH = 1.05


def scan_limit(counts: Confusion, costs: Costs, delta: float) -> float | None:
    """Return a limit that holds at all cuts at once; None where none was computed.

    It is the largest cost where so many errors show nothing.
    """
    sizes, share = _computed(costs, delta)
    place = bisect_right(list(sizes), counts.n_patients) - 1
    if place < 0 or counts.n_patients > REACH * max(sizes):
        return None
    cells, *levels = sizes[list(sizes)[place]]
    spent = math.ceil((costs.cost_fn * counts.fn + costs.cost_fp * counts.fp) / share - ROUNDING)
    return share * levels[spent] / cells if spent < len(levels) else costs.largest


def _computed(costs: Costs, delta: float) -> tuple[dict[int, list[int]], float]:
    """Return the limits by number of patients, for these costs, and the smaller cost."""
    share = min(costs.cost_fn, costs.cost_fp)
    ratio = costs.largest / share
    for table in _tables():
        if table["delta"] <= delta + ROUNDING and math.isclose(table["ratio"], ratio):
            return table["levels"], share
    return {}, share


@cache
def _tables() -> list[dict[str, Any]]:
    """Return the tables, the largest delta first."""
    text = files("steadycut.core.bounds").joinpath("scan_levels.json").read_text("utf-8")
    tables = [
        table | {"levels": {int(n): row for n, row in table["levels"].items()}}
        for table in json.loads(text)["tables"]
    ]
    return sorted(tables, key=lambda table: -table["delta"])


def chance_at_target(counts: Confusion, costs: Costs, risk: float) -> float:
    """Return how probable it is at most that a cut of this risk or more shows so few errors.

    If it is at most delta, then the risk is below the value with confidence 1 - delta. The value
    must have been fixed before the patients were seen, the cut need not.

    Examples
    --------
    >>> counts = Confusion(tp=20, fn=3, fp=4, tn=23)
    >>> round(chance_at_target(counts, Costs(), 0.3), 4)
    0.0643
    """
    if costs.target is None:
        prices = costs.cost_fn, costs.cost_fp
        length = min(risk, prices[0] * prices[1] / sum(prices))
        if costs.equal:
            return arc_chance(counts.n_patients, length / prices[0], counts.fn + counts.fp)
        near = _of_all(counts.n_patients, length / prices[0], length / prices[1])
        return _walk_chance(near, prices, counts.fn * prices[0] + counts.fp * prices[1])
    # Of a range the worse end counts, and a cut may be bad at either.
    ends = set(costs.target)
    return min(len(ends) * max(_chance_at_prevalence(counts, costs, risk, p) for p in ends), 1.0)


def _chance_at_prevalence(counts: Confusion, costs: Costs, risk: float, prevalence: float) -> float:
    ill, healthy = costs.cost_fn * prevalence, costs.cost_fp * (1 - prevalence)
    if not counts.n_positive or not counts.n_negative:
        return 1.0
    length = min(risk, ill, healthy)
    misses = _binomial(counts.n_positive, length / ill)
    alarms = _binomial(counts.n_negative, length / healthy)
    prices = ill / counts.n_positive, healthy / counts.n_negative
    spent = counts.fn * prices[0] + counts.fp * prices[1]
    return _walk_chance(np.outer(alarms, misses), prices, spent)


def _binomial(n: int, p: float) -> FloatArray:
    return _chance(np.arange(n + 1), n, min(p, 1.0))


def _chance(k: ArrayLike, n: ArrayLike, p: float) -> FloatArray:
    """Return the binomial probability of k of n; 0 for more than all."""
    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    rest = np.maximum(n - k, 0.0)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(rest + 1)
    return np.where(k <= n, np.exp(ways + xlogy(k, p) + xlog1py(rest, -p)), 0.0)


def _of_all(n: int, left: float, right: float) -> FloatArray:
    """Return the probabilities of so many points on the right (rows) and on the left."""
    rest = [
        np.append(_binomial(n - j, left / (1 - right)), np.zeros(j))
        if right < 1
        else np.eye(n + 1)[0]
        for j in range(n + 1)
    ]
    return _binomial(n, right)[:, None] * np.array(rest)


def arc_chance(n_patients: int, length: float, errors: int) -> float:
    """Return the probability that some arc of a length, at most 1/2, has so few points or fewer.

    Consider the m points that are at most this length away from 0. At first the arc has those of
    one side. While it moves it gains points of the other and loses those, in random order. In how
    many orders it never has ``errors`` or fewer follows by reflection.

    Examples
    --------
    >>> arc_chance(1, 0.25, 0), round(arc_chance(50, 0.1, 1), 4)
    (1.0, 0.1662)
    """
    near = np.arange(n_patients + 1)
    tail = bdtr(np.minimum(errors, near), near, 0.5)
    hits = 2 * tail + (near - 2 * errors - 1) * _chance(errors, near, 0.5)
    hits[near <= 2 * errors] = 1.0
    return float(_binomial(n_patients, 2 * length) @ hits)


def _walk_chance(near: FloatArray, prices: tuple[float, float], spent: float) -> float:
    """Return the probability that an arc of a fixed cost has errors of cost ``spent`` or less.

    ``near`` has the probabilities of m0 points on the right (rows) and m1 on the left. At first the
    arc has those of the right, of cost m0 cost_fp. Then one is gained on the left or lost on the
    right, in random order. Row by row of those that were lost, the orders that stay above
    ``spent`` are counted, for all m0 at once: a sum over those gained.
    """
    miss, alarm = prices
    rights, lefts = np.arange(near.shape[0]), np.arange(near.shape[1])
    above = spent + ROUNDING * miss
    free = lefts * miss + rights[:, None] * alarm > above
    # Logarithms of the numbers of orders are kept beside, because they grow beyond any float.
    orders, scale = np.cumprod(free, axis=1).astype(np.float64), np.zeros((rights.size, 1))
    stays = np.zeros_like(near)
    for lost in rights:
        left = rights[lost:, None] - lost
        if lost:
            orders = np.cumsum(orders[1:] * (lefts * miss + left * alarm > above), axis=1)
            largest = np.maximum(orders.max(axis=1, keepdims=True), 1e-300)
            orders, scale = orders / largest, scale[1:] + np.log(largest)
        with np.errstate(divide="ignore"):
            numbers = np.log(orders[0]) + scale[0]
        stays[lost] = np.exp(
            numbers + gammaln(lost + 1) + gammaln(lefts + 1) - gammaln(lost + lefts + 1)
        )
    return float(np.sum(near * (1 - np.minimum(stays, 1.0))))

"""Exact limits of rates and of the cost, if patients are labelled with known probabilities.

Patients fall into strata of the score. In each stratum every patient is labelled with the same
probability q, by a coin of its own. Stratum 0 is called; one or two strata lie below the cut-off.
Let v be the shares of the strata among all patients of one class, for example among the ill.
Given the number m of labelled patients of this class, their numbers in the strata are multinomial
with probabilities q v / sum(q v).

*One stratum below.* The number below is binomial with theta = q1 v1 / (q1 v1 + q0 v0). A limit of
Clopper and Pearson for theta gives one for v1, because v1 increases with theta.

*Two strata below.* The share below is v1 + v2 = x, and s is the part of it in stratum 1. Rank the
outcomes before seeing data by an approximate limit of x. Buehler's limit is the largest x for which
an outcome ranked no higher than the observed one has probability above delta for some s. For fixed
x the probability of stratum 1 increases with s and that of stratum 2 decreases, so the search over
cells of s of `steadycut.core.bounds.buehler` misses nothing.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtri

from steadycut.core.bounds.binomial import lower_limit, upper_limit
from steadycut.core.bounds.buehler import PRIOR_ERRORS, Tail, buehler_limit, largest_likely
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# A limit may exceed the supremum by this share of itself.
SLACK = 3e-3
# Outcomes are ranked by the estimate plus so many times the usual number of standard errors.
RANK_SPREAD = 1.5
# Ranks that differ only by rounding are equal.
ROUNDING = 1e-9
Rank = Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Labelled patients of one class by stratum, and the probability of a label in each stratum.

    The first stratum is called. All probabilities are above 0.
    """

    counts: tuple[int, ...]
    chances: tuple[float, ...]

    @property
    def total(self) -> int:
        """Number of labelled patients of this class."""
        return sum(self.counts)

    @property
    def estimate(self) -> float | None:
        """The weighted share below the cut-off; None without patients."""
        weights = [count / chance for count, chance in zip(self.counts, self.chances, strict=True)]
        return sum(weights[1:]) / sum(weights) if self.total else None

    @property
    def merged(self) -> "Drawn":
        """The same, with equal probabilities below merged and the smaller one last."""
        if len(self.counts) < 3:  # noqa: PLR2004
            return self
        (called, *counts), (first, *chances) = self.counts, self.chances
        if chances[0] == chances[1]:
            return Drawn(counts=(called, sum(counts)), chances=(first, chances[0]))
        if chances[0] > chances[1]:
            return self
        return Drawn(counts=(called, *counts[::-1]), chances=(first, *chances[::-1]))


@lru_cache(maxsize=10_000)
def highest_below(drawn: Drawn, delta: float) -> float:
    """Return an upper limit of the share of the class that lies below the cut-off.

    Examples
    --------
    >>> round(highest_below(Drawn(counts=(9, 1), chances=(1.0, 0.5)), 0.1), 3)
    0.504
    """
    drawn = drawn.merged
    called = drawn.counts[0]
    if len(drawn.counts) == 1:
        return 0.0
    if not called:
        return 1.0
    if len(drawn.counts) == 2:  # noqa: PLR2004
        return _share(upper_limit(drawn.counts[1], drawn.total, delta), drawn.chances)
    tail = _tail_of_below(drawn, delta)

    def chance(low: FloatArray, high: FloatArray, value: float) -> FloatArray:
        value = min(value, 1.0)
        return tail(_theta(drawn, high, value)[1], _theta(drawn, low, value)[0])

    return largest_likely(chance, lambda _: 1.0, _start(drawn), delta, SLACK)


@lru_cache(maxsize=10_000)
def lowest_below(drawn: Drawn, delta: float) -> float:
    """Return a lower limit of the share of the class that lies below the cut-off.

    Examples
    --------
    >>> round(lowest_below(Drawn(counts=(9, 1), chances=(1.0, 0.5)), 0.1), 3)
    0.021
    """
    drawn = drawn.merged
    if not sum(drawn.counts[1:]):
        return 0.0
    if len(drawn.counts) == 2:  # noqa: PLR2004
        return _share(lower_limit(drawn.counts[1], drawn.total, delta), drawn.chances)
    tail = _tail_of_called(drawn, delta)

    def chance(low: FloatArray, high: FloatArray, value: float) -> FloatArray:
        value = min(value, 1.0)
        rare = _theta(drawn, low, 1 - value)[1]
        first, second = _theta(drawn, high, 1 - value)
        return tail(rare, 1 - first - second)

    return 1 - largest_likely(chance, lambda _: 1.0, _start(drawn), delta, SLACK)


def _share(theta: float, chances: Sequence[float]) -> float:
    """Return the share below that belongs to a share theta of the labelled patients."""
    below, called = theta / chances[1], (1 - theta) / chances[0]
    return below / (below + called)


def _theta(drawn: Drawn, share: FloatArray, below: float) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities of the two lower strata among the labelled patients."""
    called, first, second = drawn.chances
    parts = first * share * below, second * (1 - share) * below
    total = parts[0] + parts[1] + called * (1 - below)
    return parts[0] / total, parts[1] / total


def _start(drawn: Drawn) -> float:
    """Return the estimated part of stratum 1 in what lies below."""
    first, second = (
        count / chance for count, chance in zip(drawn.counts[1:], drawn.chances[1:], strict=True)
    )
    return first / (first + second) if first + second else 0.0


def _tail_of_below(drawn: Drawn, delta: float) -> Tail:
    """Return the probability of an outcome that ranks no higher than the observed one."""
    z = -RANK_SPREAD * float(ndtri(min(delta, 0.5)))
    first, second = (1 / chance for chance in drawn.chances[1:])
    start = PRIOR_ERRORS * (first**2 + second**2)

    def rank(one: IntArray, rare: IntArray) -> FloatArray:
        called = drawn.total - one - rare
        most = first * one + second * rare
        most = most + z * np.sqrt(start + first**2 * one + second**2 * rare)
        return np.where(called > 0, most / np.maximum(called, 1), math.inf)

    return _tail(drawn, rank, drawn.counts[1])


def _tail_of_called(drawn: Drawn, delta: float) -> Tail:
    """Return the same, ranked by an approximate upper limit of the odds of being called."""
    z = -RANK_SPREAD * float(ndtri(min(delta, 0.5)))
    first, second = (1 / chance for chance in drawn.chances[1:])

    def rank(called: IntArray, rare: IntArray) -> FloatArray:
        below = first * (drawn.total - called - rare) + second * rare
        most = called + z * np.sqrt(PRIOR_ERRORS + called)
        return np.where(below > 0, most / np.maximum(below, 1.0), math.inf)

    return _tail(drawn, rank, drawn.counts[0])


def _tail(drawn: Drawn, rank: Rank, count: int) -> Tail:
    """Return the probability of an outcome that ranks no higher than the observed one.

    The rank increases with the first of its numbers, of which ``count`` were observed; the second
    is that of the stratum with the smallest probability.
    """
    m, rare = drawn.total, np.arange(drawn.total + 1)
    observed = rank(np.array([count]), np.array([drawn.counts[2]]))[0] * (1 + ROUNDING)
    low, high = np.full(m + 1, -1), m - rare
    while np.any(low < high):
        middle = (low + high + 1) // 2
        inside = rank(np.maximum(middle, 0), rare) <= observed
        low, high = np.where(inside, middle, low), np.where(inside, high, middle - 1)
    rare, most = rare[low >= 0], low[low >= 0]
    choose = gammaln(m + 1) - gammaln(rare + 1) - gammaln(m - rare + 1)
    return Tail(n=m, misses=rare, most_alarms=most.astype(float), log_choose=choose)


def highest_mean_cost(
    missed: Drawn, alarms: int, n_patients: int, costs: Costs, delta: float
) -> float:
    """Return an upper limit of the mean cost per patient.

    ``missed`` are the labelled ill patients, whose first count is not used, ``alarms`` the labelled
    healthy patients who are called. Of all ``n_patients`` the labelled missed patients of a stratum
    are binomial with probability q r, where r is the share of patients who are missed there. One
    stratum below: Buehler's limit with costs divided by q. Two strata: delta is shared equally by
    the missed patients and the false alarms.
    """
    merged, most = missed.merged, costs.largest
    called = merged.chances[0]
    if len(merged.counts) == 2:  # noqa: PLR2004
        scaled = Costs(cost_fn=costs.cost_fn / merged.chances[1], cost_fp=costs.cost_fp / called)
        return min(
            buehler_limit(_errors(merged.counts[1], alarms, n_patients), scaled, delta), most
        )
    level = delta / 2 if len(merged.counts) > 1 else delta
    alarmed = min(upper_limit(alarms, n_patients, level) / called, 1.0)
    return min(
        costs.cost_fn * highest_missed(merged, n_patients, level) + costs.cost_fp * alarmed, most
    )


def highest_missed(drawn: Drawn, n_patients: int, delta: float) -> float:
    """Return an upper limit of the share of patients who are of the class and below the cut-off."""
    drawn = drawn.merged
    counts, chances = drawn.counts[1:], drawn.chances[1:]
    if not counts:
        return 0.0
    if len(counts) == 1:
        return min(upper_limit(counts[0], n_patients, delta) / chances[0], 1.0)
    weights = Costs(cost_fn=1 / chances[1], cost_fp=1 / chances[0])
    return min(buehler_limit(_errors(counts[1], counts[0], n_patients), weights, delta), 1.0)


def lowest_sum(
    counts: Sequence[int], chances: Sequence[float], n_patients: int, delta: float
) -> float:
    """Return a lower limit of a share of patients in several strata, which share delta equally."""
    level = delta / max(len(counts), 1)
    pairs = zip(counts, chances, strict=True)
    return sum(lower_limit(count, n_patients, level) / chance for count, chance in pairs)


def _errors(fn: int, fp: int, n: int) -> Confusion:
    return Confusion(tp=0, fn=fn, fp=fp, tn=n - fn - fp)

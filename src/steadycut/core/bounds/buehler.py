"""The exact upper limit of a mean cost, for any two costs.

A patient is missed with probability a, falsely alarmed with probability b, or decided correctly.
Before seeing data, rank the possible numbers of misses and alarms by an approximate upper limit of
their cost:

    cost_fn misses + cost_fp alarms + z sqrt(cost_fn^2 misses + cost_fp^2 alarms + a constant).

It increases with both numbers. Buehler's limit is the largest mean cost for which the probability
of an outcome that ranks no higher than the observed one still exceeds delta:

    sup { cost_fn a + cost_fp b : a, b >= 0, a + b <= 1, Pr_{a,b}(rank <= observed) > delta }.

At equal costs it is the Clopper-Pearson limit. Ranking by the total cost would also be valid, but
wider.

The probability decreases in a and in b. Write a = w R / cost_fn and b = (1 - w) R / cost_fp, where
w is the share of the risk R that is due to misses. For all shares in a cell [w0, w1] the
probability is at most that at the smallest rates of the cell, w0 R / cost_fn and (1 - w1) R /
cost_fp. If this is at most delta in every cell of [0, 1], then R is an upper limit, and no grid can
miss the supremum. The algorithm therefore adds a little to the largest limit found at single
shares, and halves the cells until each of them agrees.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, gammaln, ndtri

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# Errors of each kind that the ranking adds to its variance. Without errors it is then not 0.
PRIOR_ERRORS = 0.1
# The limit may exceed the supremum by this share of itself.
SLACK = 1e-3
FIRST_CELLS = 16
# For less likely numbers of misses the probability of the alarms is taken as 1.
NEGLIGIBLE = 1e-12
Chance = Callable[[FloatArray, FloatArray, float], FloatArray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tail:
    """Pr(rank <= observed) as a function of the two rates."""

    n: int
    misses: IntArray
    most_alarms: FloatArray
    log_choose: FloatArray

    def __call__(self, miss: FloatArray, alarm: FloatArray) -> FloatArray:
        """Return the probability at each pair of rates."""
        k, left = self.misses, self.n - self.misses
        # Rates above 1 come from impossible cells. Their result is not used.
        miss = np.minimum(miss, 1.0)
        rest = (1 - miss)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            pmf = np.exp(self.log_choose + _power(miss[:, None], k) + _power(rest, left))
            share = np.minimum(alarm[:, None] / rest, 1.0)
        # Using 1 instead of the exact probability is conservative.
        cdf = np.ones_like(pmf)
        row, column = np.nonzero((pmf > NEGLIGIBLE) & (self.most_alarms < left))
        cdf[row, column] = bdtr(self.most_alarms[column], left[column], share[row, 0])
        return (pmf * cdf).sum(axis=1)


def _power(base: FloatArray, exponent: IntArray) -> FloatArray:
    return np.where(exponent > 0, exponent * np.log(base), 0.0)


def buehler_limit(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the exact upper limit of the risk at a threshold chosen on other patients."""
    scale = costs.largest
    ratio = (costs.cost_fn / scale, costs.cost_fp / scale)
    return scale * _limit(counts.fn, counts.fp, counts.n_patients, ratio, delta)


@lru_cache(maxsize=100_000)
def _limit(fn: int, fp: int, n: int, ratio: tuple[float, float], delta: float) -> float:
    tail = _tail(fn, fp, n, ratio, delta)
    total = ratio[0] * fn + ratio[1] * fp

    def chance(low: FloatArray, high: FloatArray, risk: float) -> FloatArray:
        possible = _largest_risk(low, high, ratio) >= risk
        return possible * tail(low * risk / ratio[0], (1 - high) * risk / ratio[1])

    def largest(share: float) -> float:
        at = np.array([share])
        return float(_largest_risk(at, at, ratio)[0])

    return largest_likely(chance, largest, ratio[0] * fn / total if total else 1.0, delta)


def largest_likely(
    chance: Chance,
    largest: Callable[[float], float],
    start: float,
    delta: float,
) -> float:
    """Return the largest value for which the chance exceeds delta at any share, from above.

    ``chance(low, high, value)`` is at least the probability at every share of each cell from low to
    high, and is exact where both are equal. It decreases in the value, up to ``largest(share)``.
    The search begins at the share ``start``. The result is at most 1, and exceeds the supremum by
    the share `SLACK` of itself at most, and by an eighth of it for the precision of a limit.
    """
    limit = _limit_at(chance, largest, start, delta)
    edges = np.linspace(0, 1, FIRST_CELLS + 1)
    low, high = edges[:-1], edges[1:]
    while low.size:
        middle = (low + high) / 2
        # A single share clearly beyond the current limit raises the limit.
        beyond = middle[chance(middle, middle, limit * (1 + SLACK / 2)) > delta]
        if beyond.size:
            limit = _limit_at(chance, largest, beyond[beyond.size // 2], delta, limit)
        still_open = chance(low, high, limit * (1 + SLACK)) > delta
        low, middle, high = low[still_open], middle[still_open], high[still_open]
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return float(min(limit * (1 + SLACK), 1.0))


def _tail(fn: int, fp: int, n: int, ratio: tuple[float, float], delta: float) -> Tail:
    """Return the probability of an outcome that ranks no higher than the observed one."""
    miss, alarm = ratio
    z, start = _spread(miss, alarm, delta)
    observed = float(rank(fn, fp, ratio, delta))
    misses = np.arange(n + 1)
    # With y = sqrt(base + alarm^2 k), rank <= observed reads y^2 / alarm + z y <= room.
    base = start + miss**2 * misses
    room = observed - miss * misses + base / alarm
    y = (np.sqrt(np.maximum((z * alarm) ** 2 + 4 * alarm * room, 0)) - z * alarm) / 2
    # Ranks that differ only by rounding are equal. The observed outcome must be included. One
    # outcome too many only makes the limit wider.
    rounding = 1e-9 + 1e-14 * (base + alarm * observed) / alarm**2
    most = np.floor((y**2 - base) / alarm**2 + rounding)
    within = (most >= 0) & (room >= 0)
    misses, most = misses[within], most[within]
    choose = gammaln(n + 1) - gammaln(misses + 1) - gammaln(n - misses + 1)
    return Tail(n=n, misses=misses, most_alarms=most, log_choose=choose)


def rank(
    fn: int | IntArray, fp: int | IntArray, ratio: tuple[float, float], delta: float
) -> FloatArray:
    """Return the approximate upper limits by which numbers of misses and alarms are ranked."""
    (miss, alarm), (z, start) = ratio, _spread(*ratio, delta)
    total = np.multiply(miss, fn) + np.multiply(alarm, fp)
    variance = start + np.multiply(miss**2, fn) + np.multiply(alarm**2, fp)
    ranks: FloatArray = total + z * np.sqrt(variance)
    return ranks


def _spread(miss: float, alarm: float, delta: float) -> tuple[float, float]:
    """Return how many standard deviations a limit is away, and the variance without errors."""
    return -float(ndtri(min(delta, 0.5))), PRIOR_ERRORS * (miss**2 + alarm**2)


def _largest_risk(low: FloatArray, high: FloatArray, ratio: tuple[float, float]) -> FloatArray:
    """Return the largest risk with a + b <= 1 in each cell, attained at one of its ends."""
    ends = [share / ratio[0] + (1 - share) / ratio[1] for share in (low, high)]
    return 1 / np.minimum(*ends)


def _limit_at(
    chance: Chance,
    largest: Callable[[float], float],
    share: float,
    delta: float,
    inside: float = 0.0,
) -> float:
    """Return the limit at a single share from above: the upper end of a bisection."""
    at, outside = np.array([share]), largest(share)
    while outside - inside > SLACK / 8 * outside:
        middle = (inside + outside) / 2
        if chance(at, at, middle)[0] > delta:
            inside = middle
        else:
            outside = middle
    return outside

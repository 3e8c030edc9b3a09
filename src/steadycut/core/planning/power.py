"""How often a planned study reaches its target, and how many patients that takes.

A limit is at most the target where few enough errors are seen. Their number is binomial if the
true rate is known. After a pilot, its rate has the Beta distribution of Jeffreys' prior, and their
number is beta-binomial: the power is then the *assurance*, its mean over what the pilot leaves open
(O'Hagan, Stevens and Campbell 2005). For two kinds of errors both are multinomial.

Power jumps up where one more error is allowed, and falls until the next jump. So a number of
patients is returned only if every larger number looked at has the power, too.
"""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, betaln, gammaln, xlog1py, xlogy

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.verdict import MOST_PATIENTS, smallest_number

# The share of studies that should reach what they were planned for.
POWER = 0.8
# The probability of rare outcomes, which count as misfortune.
RARE = 1e-7
# What a sum of probabilities may lose by rounding.
ROUNDING, ROUNDED = 1e-12, 1e-9
# A probability of failure that is not asked for.
TINY = 1e-300
# Half an error of each kind, which Jeffreys' prior adds to those of a pilot.
JEFFREYS = 0.5


def binomial_quantile(share: float, n: int | IntArray, rate: float) -> FloatArray:
    """Return the smallest number that is not exceeded with probability ``share``."""
    # At the top it would make the start of every command several times as long.
    from scipy.stats import binom

    return binom.ppf(share, n, rate)


class Chance(NamedTuple):
    """A rate: the true one, or the mean of a Beta distribution that is worth ``seen`` patients.

    Examples
    --------
    Of two patients, each number of errors is as likely if nothing at all is known.

    >>> [round(float(part), 3) for part in Chance(0.5, 2.0).pmf(2)]
    [0.333, 0.333, 0.333]
    >>> Chance(0.1).at_most(100, 0.8)
    12
    """

    rate: float
    seen: float = math.inf

    def pmf(self, n: int) -> FloatArray:
        """Return the probability of each number of n patients."""
        k = np.arange(n + 1)
        log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        if math.isinf(self.seen):
            return np.exp(log + xlogy(k, self.rate) + xlog1py(n - k, -self.rate))
        ill, well = self.rate * self.seen, (1 - self.rate) * self.seen
        return np.exp(log + betaln(k + ill, n - k + well) - betaln(ill, well))

    def at_most(self, n: int, power: float) -> int:
        """Return the smallest number that is not exceeded with probability ``power``."""
        if math.isinf(self.seen):
            return int(binomial_quantile(power, n, self.rate))
        return int(np.searchsorted(np.cumsum(self.pmf(n)), power - ROUNDING))


def pair_at_most(
    n: int, first: Chance, second: Chance, rank: Callable[..., FloatArray], power: float
) -> tuple[int, int]:
    """Return the first pair of numbers that, or a lower one, is seen with probability ``power``.

    The two are shares of the same patients, with the same ``seen``.
    """
    ends = [(kind.at_most(n, RARE), kind.at_most(n, 1 - RARE) + 1) for kind in (first, second)]
    one, other = (grid.ravel() for grid in np.meshgrid(*(np.arange(*end) for end in ends)))
    possible = one + other <= n
    one, other = one[possible], other[possible]
    order = np.argsort(rank(one, other), kind="stable")
    cells = np.array([one, other, n - one - other])[:, order]
    rates = np.array([[first.rate], [second.rate], [max(1 - first.rate - second.rate, 0.0)]])
    log = gammaln(n + 1) - gammaln(cells + 1).sum(axis=0)
    if math.isinf(first.seen):
        log += xlogy(cells, rates).sum(axis=0)
    else:
        prior = rates * first.seen
        log += (gammaln(cells + prior) - gammaln(prior)).sum(axis=0)
        log += gammaln(first.seen) - gammaln(n + first.seen)
    reached = int(np.searchsorted(np.cumsum(np.exp(log)), power))
    fn, fp = cells[:2, min(reached, order.size - 1)]
    return int(fn), int(fp)


def lasting(
    is_enough: Callable[[int], bool], later: Callable[[int], Iterable[int]], most: int
) -> int | None:
    """Return a number of patients that is enough, as are the larger ones, the largest first."""
    n = smallest_number(is_enough, 1, most)
    while n is not None:
        failed = next((more for more in later(n) if not is_enough(more)), None)
        if failed is None or failed >= most:
            return None if failed else n
        n = smallest_number(is_enough, failed + 1, most)
    return None


# An exact binomial limit ---------------------------------------------------------------


def most_errors(sizes: IntArray, target: float, delta: float) -> FloatArray:
    """Return the most errors with a Clopper-Pearson limit at or below the target; -1 if none."""
    most = binomial_quantile(delta, sizes, target)
    return np.where(bdtr(most, sizes, target) > delta, most - 1, most)


def members_needed(
    risk: float, target: float, delta: float, power: float | None, most: int = MOST_PATIENTS
) -> int | None:
    """Return how many patients show that an error rate is within a target.

    Parameters
    ----------
    risk
        The true rate.
    target, delta
        The Clopper-Pearson limit that is wanted, and its error probability.
    power
        The probability to reach it. None: the expected number of errors, rounded up, reaches it.

    Returns
    -------
    int or None
        The number of patients from which on it holds; None above ``most``.

    Examples
    --------
    >>> members_needed(0.1, 0.15, 0.1, 0.8), members_needed(0.1, 0.15, 0.1, None)
    (229, 132)
    """
    if risk >= target:
        return None
    # By Hoeffding's inequality so many are always enough.
    sure = math.sqrt(-math.log(delta)) + math.sqrt(-math.log(max(1 - (power or POWER), TINY)))
    last = min(most, math.ceil(sure**2 / 2 / (target - risk) ** 2) + 1)
    n = np.arange(last + 1)
    few = most_errors(n, target, delta)
    enough = np.ceil(n * risk - ROUNDED) <= few
    if power is not None:
        enough = (few >= 0) & (bdtr(np.maximum(few, 0), n, risk) >= power)
    first = max(np.flatnonzero(~enough), default=0) + 1
    return None if first > last else int(first)

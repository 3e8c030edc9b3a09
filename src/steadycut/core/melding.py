"""Intervals for functions of several rates, made of the exact limits of each.

The Clopper-Pearson limits of k out of n are quantiles of Beta(k, n - k + 1), below, and of
Beta(k + 1, n - k), above. Melding (Fay, Proschan and Brittain 2015) puts independent variables
with these distributions into the function instead of one quantile of each: a function that rises
in every rate has its lower limit at a quantile of its value at the lower variables, its upper
limit at one at the upper variables. For a single rate that is the Clopper-Pearson interval.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from steadycut.core.checks import FloatArray

Interval = tuple[float, float]


def spread_points(n_points: int, dimensions: int) -> FloatArray:
    """Return points that fill the unit cube evenly, shape (dimensions, n_points).

    The multiples of (1/g, 1/g², ...) modulo 1, with g the root of g^(d+1) = g + 1: for one
    dimension the golden ratio. No random numbers: the same counts give the same interval.

    Examples
    --------
    >>> spread_points(3, 1).round(3)
    array([[0.5  , 0.118, 0.736]])
    """
    g = 1.5
    for _ in range(50):
        g = (1 + g) ** (1 / (dimensions + 1))
    steps = g ** -np.arange(1.0, dimensions + 1)
    return (0.5 + steps[:, None] * np.arange(n_points)) % 1.0


def low_rate(count: ArrayLike, others: ArrayLike, level: FloatArray) -> FloatArray:
    """Return quantiles of Beta(count, others + 1); 0 where nothing was counted."""
    found = betaincinv(np.maximum(count, 0.5), np.add(others, 1), level)
    return np.where(np.asarray(count) > 0, found, 0.0)


def high_rate(count: ArrayLike, others: ArrayLike, level: FloatArray) -> FloatArray:
    """Return quantiles of Beta(count + 1, others); 1 where there are no others."""
    found = betaincinv(np.add(count, 1), np.maximum(others, 0.5), level)
    return np.where(np.asarray(others) > 0, found, 1.0)


def tails(low: FloatArray, high: FloatArray, delta: float) -> Interval:
    """Return the delta / 2 quantile of ``low`` and the 1 - delta / 2 quantile of ``high``."""
    below = np.quantile(low, delta / 2, method="inverted_cdf")
    return float(below), float(np.quantile(high, 1 - delta / 2, method="inverted_cdf"))

"""Limits of a rate, given how often it was observed: exact at one cut, or valid at all cuts."""

import math
from collections.abc import Callable

from scipy.special import betaincinv


def upper_limit(count: int, n: int, delta: float) -> float:
    """Return an upper limit of a rate; it is too low with probability at most delta.

    Exact (Clopper and Pearson 1934). Without patients the limit is 1.

    Examples
    --------
    >>> round(upper_limit(0, 46, 0.1), 4)
    0.0488
    """
    return 1.0 if count >= n else float(betaincinv(count + 1, n - count, 1 - delta))


def lower_limit(count: int, n: int, delta: float) -> float:
    """Return a lower limit of a rate; it is too high with probability at most delta."""
    return float(betaincinv(count, n - count + 1, delta)) if count else 0.0


def two_sided(count: int, n: int, delta: float) -> tuple[float, float]:
    """Return an interval that contains the rate with probability at least 1 - delta."""
    return lower_limit(count, n, delta / 2), upper_limit(count, n, delta / 2)


def rate_interval(count: int, n: int, delta: float, n_choices: int = 0) -> tuple[float, float]:
    """Return an interval for a rate at the chosen cut. It holds with probability 1 - delta.

    ``n_choices`` is the number of scores among which the same patients chose the cut. If it is 0,
    other patients chose it, and the interval is exact binomial. If it is positive, it is the band
    of Dvoretzky, Kiefer, Wolfowitz and Massart, which holds at all cuts of all these scores at
    once. If it is negative, they chose among so many cuts that were fixed beforehand, and the
    interval is exact binomial for all of these together.

    Examples
    --------
    >>> [round(end, 3) for end in rate_interval(1, 10, 0.1)]
    [0.005, 0.394]
    >>> [round(end, 3) for end in rate_interval(1, 10, 0.1, n_choices=2)]
    [0.0, 0.529]
    >>> [round(end, 3) for end in rate_interval(1, 10, 0.1, n_choices=-2)]
    [0.003, 0.445]
    """
    if n_choices <= 0:
        return two_sided(count, n, delta / max(-n_choices, 1))
    rate, margin = count / max(n, 1), dkw_width(n, delta / n_choices)
    return max(rate - margin, 0.0), min(rate + margin, 1.0)


def deviation(n: int, delta: float) -> float:
    """Return √(log(1/δ) / 2n), or 1 without patients.

    By Hoeffding's inequality (1963), the mean of n losses in [0, 1] is this far below its
    expectation with probability at most delta. By the one-sided inequality of Dvoretzky, Kiefer and
    Wolfowitz with Massart's constant (1990), the same is true of a distribution function, at all
    cuts at once, for delta up to 1/2.
    """
    return math.sqrt(math.log(1 / delta) / (2 * n)) if n else 1.0


def dkw_width(n: int, delta: float) -> float:
    """Return the half width of the two-sided DKW band, at most 1."""
    return min(deviation(n, delta / 2), 1.0)


def dkw_limit(count: int, n: int, delta: float) -> float:
    """Return an upper limit of a rate that holds at all cuts at once (one-sided DKW)."""
    return min(count / max(n, 1) + deviation(n, delta), 1.0)


def halve(inside: float, outside: float, holds: Callable[[float], bool], halvings: int) -> float:
    """Return where a condition that holds ``inside`` ends, from outside, after some halvings.

    Examples
    --------
    >>> halve(0.0, 1.0, lambda value: value <= 0.3, 4)
    0.3125
    """
    for _ in range(halvings):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return outside

"""Exact limits of a rate, given how often it was seen (Clopper and Pearson 1934)."""

from scipy.special import betaincinv


def upper_limit(count: int, n: int, delta: float) -> float:
    """Return a rate that the true one exceeds with probability at most delta; 1 without patients.

    Examples
    --------
    >>> round(upper_limit(0, 46, 0.1), 4)
    0.0488
    """
    return 1.0 if count >= n else float(betaincinv(count + 1, n - count, 1 - delta))


def lower_limit(count: int, n: int, delta: float) -> float:
    """Return a rate that the true one falls below with probability at most delta."""
    return float(betaincinv(count, n - count + 1, delta)) if count else 0.0


def two_sided(count: int, n: int, delta: float) -> tuple[float, float]:
    """Return an interval that holds the true rate with probability at least 1 - delta."""
    return lower_limit(count, n, delta / 2), upper_limit(count, n, delta / 2)

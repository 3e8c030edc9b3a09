"""Limits of a mean that hold after every patient at once, from counts alone.

The method is a betting martingale (see `steadycut.core.monitor`). Several constant shares are put
at risk side by side from the first patient on. Their total does not depend on the order of the
patients, so the counts of each value are enough. A user may look after every patient and stop at
any time: the limits are wrong at some look with probability at most delta (Ville's inequality).
"""

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import FloatArray, IntArray, read_only

# Shares that are put at risk side by side: many and small ones, so that the limits keep shrinking
# over many thousand patients.
LIMIT_BETS = read_only(np.geomspace(0.001, 0.95, 20))
# Few and large ones, which show soonest that a mean is clearly below a value fixed beforehand.
TARGET_BETS = read_only(np.array([0.1, 0.2, 0.35, 0.5, 0.65, 0.8]))
NEWTON_STEPS = 60
PRECISION = 1e-10
# The logarithm of a mean that is practically 0.
SMALLEST_LOG = -650.0


def lower_mean(values: ArrayLike, counts: ArrayLike, delta: float) -> float:
    """Return a lower limit of the mean of values in [0, 1], given how often each was seen.

    It is above the true mean at any look with probability at most delta.

    Examples
    --------
    >>> round(lower_mean([0, 1], [50, 50], delta=0.05), 3)
    0.345
    """
    return float(largest_refuted(np.atleast_2d(counts), np.asarray(values, float), delta)[0])


def upper_mean(values: ArrayLike, counts: ArrayLike, delta: float) -> float:
    """Return an upper limit of the mean of values in [0, 1], given how often each was seen."""
    return 1 - lower_mean(1 - np.asarray(values, float), counts, delta)


def at_most_p_values(values: ArrayLike, counts: ArrayLike, means: FloatArray) -> FloatArray:
    """Return, for each mean above 0, the p-value of the claim that the true mean is at most this.

    It is 1 divided by the total of the bets, or 1. It holds at every look: it is ever at most delta
    under the claim with probability at most delta.

    Examples
    --------
    >>> at_most_p_values([0, 1], [50, 50], np.array([0.2, 0.345, 0.5])).round(3)
    array([0.   , 0.049, 1.   ])
    """
    numbers, array = np.asarray(counts), np.asarray(values, float)
    zeros = np.full(means.size, numbers[array == 0].sum())
    others = np.tile(numbers[array > 0], (means.size, 1))
    log_total, _ = _log_total(zeros, others, array[array > 0], np.log(means))
    return np.exp(-np.maximum(log_total, 0.0))


def largest_refuted(
    counts: IntArray, distinct: FloatArray, delta: float, bets: FloatArray = LIMIT_BETS
) -> FloatArray:
    """Return the largest refuted mean for each row of counts; 0 if none is refuted.

    The logarithm of the total is convex in the logarithm of the mean, so the tangent lies below it.
    Newton steps from the left therefore stay on the left. Every mean that they reach is refuted.
    """
    zeros = counts[:, distinct == 0].sum(axis=1)
    counts, distinct = counts[:, distinct > 0], distinct[distinct > 0]
    log_mean, wanted = np.full(zeros.size, SMALLEST_LOG), -np.log(delta)
    for _ in range(NEWTON_STEPS):
        log_total, slope = _log_total(zeros, counts, distinct, log_mean, bets)
        step = np.where(log_total > wanted, (wanted - log_total) / np.minimum(slope, -1e-12), 0.0)
        log_mean = log_mean + step
        if step.max() < PRECISION:
            break
    return np.where(log_mean > SMALLEST_LOG, np.exp(log_mean), 0.0)


def _log_total(
    zeros: IntArray,
    counts: IntArray,
    distinct: FloatArray,
    log_mean: FloatArray,
    bets: FloatArray = LIMIT_BETS,
) -> tuple[FloatArray, FloatArray]:
    """Return the logarithm of the total of bets from the start, and its slope in the log mean."""
    logs = zeros[:, None] * np.log1p(-bets) - np.log(bets.size)
    slopes = np.zeros_like(logs)
    for count, value in zip(counts.T, distinct, strict=True):
        won = bets * (value * np.exp(-log_mean))[:, None]
        whole = won + (1 - bets)
        logs += count[:, None] * np.log(whole)
        slopes -= count[:, None] * (won / whole)
    largest = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - largest)
    total = weights.sum(axis=1)
    return largest[:, 0] + np.log(total), (weights * slopes).sum(axis=1) / total

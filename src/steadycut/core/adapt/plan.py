"""How many labels a certificate at the next hospital takes."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.checks import IntArray

POWER = 0.8
MOST_LABELS = 20_000
# Simulated streams of labels, their seed, and how many labels are drawn at once.
N_STREAMS, SEED, STEP = 2_000, 0, 500


def labels_needed(risk: float, target: float, delta: float, power: float = POWER) -> int | None:
    """Return how many random labels certify a risk below the target with probability ``power``.

    Parameters
    ----------
    risk
        The true mean cost, in units of the larger cost.
    target
        The mean cost to certify, in the same units.
    delta
        The probability that the certificate may be wrong.
    power
        The probability with which so many labels should be enough.

    Returns
    -------
    int or None
        The number of labels; None if the target cannot be reached with `MOST_LABELS`. With
        unequal costs it is an upper estimate, because errors of one size vary most.

    Examples
    --------
    >>> labels_needed(0.10, 0.20, 0.1), labels_needed(0.2, 0.2, 0.1)
    (63, None)
    """
    if risk >= target:
        return None
    sizes = np.arange(1, MOST_LABELS + 1)
    # The most errors that still certify: Pr(errors <= x) <= delta at the target.
    most = binom.ppf(delta, sizes, target)
    most = np.where(binom.cdf(most, sizes, target) > delta, most - 1, most)
    enough = np.flatnonzero(binom.cdf(most, sizes, risk) >= power)
    return int(sizes[enough[0]]) if enough.size else None


def labels_one_at_a_time(
    risk: float, target: float, delta: float, power: float = POWER
) -> tuple[int | None, int | None]:
    """Return how many labels certify the target if they are taken one at a time.

    Parameters
    ----------
    risk, target, delta, power
        As in `labels_needed`.

    Returns
    -------
    tuple of int or None
        The number after which half of the streams, and a share ``power`` of them, have stopped;
        None where that is more than `MOST_LABELS`. They come from `N_STREAMS` simulated streams,
        always the same ones, with the bets of `limits_at_every_look`.

    Examples
    --------
    >>> labels_one_at_a_time(0.0, 0.2, 0.1), labels_one_at_a_time(0.2, 0.2, 0.1)
    ((19, 19), (None, None))
    """
    if risk >= target:
        return None, None
    rng = np.random.default_rng(SEED)
    errors, stops = np.zeros(N_STREAMS, dtype=np.int64), []
    allowed = most_errors(target, delta)
    for start in range(0, MOST_LABELS, STEP):
        seen = errors[:, None] + np.cumsum(rng.random((errors.size, STEP)) < risk, axis=1)
        reached = seen <= allowed[start : start + STEP]
        done = reached.any(axis=1)
        stops += (start + 1 + reached[done].argmax(axis=1)).tolist()
        errors = seen[~done, -1]
        if len(stops) >= max(power, 0.5) * N_STREAMS:
            break
    ends = np.sort(np.append(stops, np.full(N_STREAMS - len(stops), np.inf)))
    found = [ends[int(np.ceil(share * N_STREAMS)) - 1] for share in (0.5, power)]
    median, most = (int(stop) if np.isfinite(stop) else None for stop in found)
    return median, most


def most_errors(target: float, delta: float) -> IntArray:
    """Return the most errors among 1, 2, ... labels with which the bets reach 1 / delta; or -1."""
    labels = np.arange(1, MOST_LABELS + 1)
    right, wrong = np.log1p(TARGET_BETS * target / (1 - target)), np.log1p(-TARGET_BETS)
    low, high = np.full(labels.size, -1), labels
    # More errors give a smaller total, so halving finds the last number that is enough.
    while np.any(high - low > 1):
        middle = (low + high) // 2
        logs = (labels - middle)[:, None] * right + middle[:, None] * wrong
        enough = logsumexp(logs, axis=1) >= np.log(TARGET_BETS.size / delta)
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return low

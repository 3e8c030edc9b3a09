"""The betting bound: an upper limit of a mean loss from a game that nobody wins if it is wrong.

If the mean loss were m, nobody could expect to grow rich by betting that losses stay below m. The
capital after betting a share λ_t on every patient in turn is K(m) = Π (1 + λ_t (m - L_t)); its
expectation is 1, so that by Markov's inequality it reaches 1/δ with probability at most δ, and so
does its mean over all orders of the patients. Every m at which it did is excluded. The share is
chosen from the patients seen before (Waudby-Smith and Ramdas, Estimating means of bounded random
variables by betting, JRSS B 2024) and kept below 3/4 of what could ruin. The mean is taken over
some random orders instead of all: valid up to that error.
"""

import math

import numpy as np
from scipy.special import logsumexp

from steadycut.core.checks import FloatArray

MOST = 0.75
BISECTIONS = 24
N_ORDERS = 256


def betting_limit(losses: FloatArray, delta: float) -> float:
    """Return the upper limit of a mean loss between 0 and 1, at a threshold chosen elsewhere.

    The capital is the mean over `N_ORDERS` orders of the patients, so that it hardly depends on
    the order in which they stand: a table is often sorted by label, and the capital of a single
    order of sorted losses proves nothing.
    """
    rng = np.random.default_rng(0)
    shuffled = rng.permuted(np.tile(np.sort(losses), (N_ORDERS, 1)), axis=1)
    shares = predictable_shares(shuffled, delta)
    below, above = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (below + above) / 2
        if mean_log_capital(shuffled, shares, middle) >= math.log(1 / delta):
            above = middle
        else:
            below = middle
    return above


def predictable_shares(losses: FloatArray, delta: float) -> FloatArray:
    """Return the share to bet on each patient, from the losses of the patients before.

    √(2 log(1/δ) / (n σ²)). After t losses σ² = (1/4 + Σ (loss - mean then)²) / (t + 1) with the
    mean (1/2 + Σ loss) / (t + 1), as if there had been one more.
    """
    n = losses.shape[-1]
    seen = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(losses, axis=-1)) / (seen + 1)
    variance = (0.25 + np.cumsum((losses - mean) ** 2, axis=-1)) / (seen + 1)
    first = np.full((*losses.shape[:-1], 1), 0.25)
    before = np.concatenate([first, variance[..., :-1]], axis=-1)
    return np.sqrt(2 * math.log(1 / delta) / (n * before))


def mean_log_capital(losses: FloatArray, shares: FloatArray, mean: float) -> float:
    """Return the logarithm of the mean final capital, if ``mean`` is what is bet on."""
    bet = np.minimum(shares, MOST / max(1 - mean, 1e-12))
    final = np.log1p(bet * (mean - losses)).sum(axis=-1)
    return float(logsumexp(final) - math.log(final.size))

"""The betting bound on a mean loss: under the null its capital is a martingale.

Suppose the mean loss were m. Bet a share λ_t on each patient in turn. The capital K(m) = Π (1 + λ_t
(m - L_t)) then has expectation 1. By Markov's inequality it reaches 1/δ with probability at most δ,
and so does its mean over all orders of the patients. Every m at which it does is excluded.

The share λ_t is chosen from the patients before (Waudby-Smith and Ramdas, Estimating means of
bounded random variables by betting, JRSS B 2024). It is kept below 3/4 of what could lose all
capital. The mean is taken over some random orders instead of all orders; the bound is valid up to
this error.
"""

import math

import numpy as np

from steadycut.core.bounds.binomial import halve
from steadycut.core.checks import FloatArray

MOST = 0.75
BISECTIONS = 24
N_ORDERS = 256


def betting_limit(losses: FloatArray, delta: float) -> float:
    """Return the upper limit of a mean loss in [0, 1], at a threshold chosen on other patients.

    The capital is the mean over `N_ORDERS` random orders of the patients. It therefore hardly
    depends on their order. This matters because tables are often sorted by label, and a single
    order of sorted losses gives no valid bound.
    """
    rng = np.random.default_rng(0)
    shuffled = rng.permuted(np.tile(np.sort(losses), (N_ORDERS, 1)), axis=1)
    shares = predictable_shares(shuffled, delta)
    wanted = math.log(1 / delta)
    return halve(
        0.0, 1.0, lambda mean: mean_log_capital(shuffled, shares, mean) < wanted, BISECTIONS
    )


def predictable_shares(losses: FloatArray, delta: float) -> FloatArray:
    """Return the share to bet on each patient, from the losses of the patients before.

    It is √(2 log(1/δ) / (n σ²)). After t losses, σ² = (1/4 + Σ (loss - mean at that time)²) / (t +
    1) with the mean (1/2 + Σ loss) / (t + 1), as if one more loss had been seen.
    """
    n = losses.shape[-1]
    seen = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(losses, axis=-1)) / (seen + 1)
    variance = (0.25 + np.cumsum((losses - mean) ** 2, axis=-1)) / (seen + 1)
    first = np.full((*losses.shape[:-1], 1), 0.25)
    before = np.concatenate([first, variance[..., :-1]], axis=-1)
    return np.sqrt(2 * math.log(1 / delta) / (n * before))


def mean_log_capital(losses: FloatArray, shares: FloatArray, mean: float) -> float:
    """Return the logarithm of the mean final capital when betting against ``mean``."""
    bet = np.minimum(shares, MOST / max(1 - mean, 1e-12))
    final = np.log1p(bet * (mean - losses)).sum(axis=-1)
    largest = float(final.max())
    return largest + math.log(np.exp(final - largest).mean())

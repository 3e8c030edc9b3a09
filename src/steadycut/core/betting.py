"""The betting bound: an upper limit of a mean loss from a game that nobody wins if it is wrong.

If the mean loss were m, nobody could expect to grow rich by betting that losses stay below m. The
capital after betting a share λ_t on every patient in turn is K_t(m) = Π (1 + λ_t (m - L_t)), and
by Ville's inequality it ever reaches 1/δ with probability at most δ. So every m at which it did is
excluded. The share is chosen from the patients seen before (Waudby-Smith and Ramdas, Estimating
means of bounded random variables by betting, JRSS B 2024) and kept below 3/4 of what could ruin.
"""

import hashlib
import math

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import Costs, PatientScores

MOST = 0.75
BISECTIONS = 40


def betting_limit(losses: FloatArray, delta: float) -> float:
    """Return the upper limit of a mean loss between 0 and 1, at a threshold chosen elsewhere.

    ``losses`` must stand in an order that does not depend on them (`arbitrary_order`).
    """
    shares = predictable_shares(losses, delta)
    below, above = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (below + above) / 2
        if log_capital(losses, shares, middle).max() >= math.log(1 / delta):
            above = middle
        else:
            below = middle
    return above


def patient_losses(patients: PatientScores, threshold: float, costs: Costs) -> FloatArray:
    """Return one loss a patient, as parts of the dearer cost, in an arbitrary order."""
    called, positive = patients.scores >= threshold, patients.known_labels == 1
    misses, alarms = positive & ~called, ~positive & called
    losses = (costs.cost_fn * misses + costs.cost_fp * alarms) / costs.largest
    return losses[arbitrary_order(patients.scores)]


def arbitrary_order(scores: FloatArray) -> IntArray:
    """Return an order of the patients that no sorting of the table by label can foresee.

    A fixed order of sorted losses would be a function of how many there are, and the bound would
    not hold. So the random numbers come from a hash of all scores.
    """
    digest = hashlib.sha256(scores.astype("<f8").tobytes()).digest()
    return np.random.default_rng(list(digest)).permutation(scores.size)


def predictable_shares(losses: FloatArray, delta: float) -> FloatArray:
    """Return the share to bet on each patient, from the losses of the patients before."""
    n = losses.size
    seen = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(losses)) / (seen + 1)
    variance = (0.25 + np.cumsum((losses - mean) ** 2)) / (seen + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return np.sqrt(2 * math.log(1 / delta) / (n * before))


def log_capital(losses: FloatArray, shares: FloatArray, mean: float) -> FloatArray:
    """Return the logarithm of the capital after each patient, if ``mean`` is what is bet on."""
    bet = np.minimum(shares, MOST / max(1 - mean, 1e-12))
    return np.cumsum(np.log1p(bet * (mean - losses)))

"""The rule ``youden-kernel``: Youden's index from smooth estimates of the two distributions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import TIE, Curve
from steadycut.core.records import Costs
from steadycut.core.rules.score_rules import ScoreRule
from steadycut.core.rules.ties import middle_of_widest_flat

# Scores are counted in the middle of a longer period, so that the tails do not overlap.
POINTS = 512
PERIOD = 2048
OFFSET = (PERIOD - POINTS) // 2
TINY = 1e-100


@dataclass(frozen=True, slots=True)
class KernelYouden(ScoreRule):
    """The cut where kernel estimates of the two distribution functions differ most.

    Each class is smoothed by a normal kernel. Its width is the two-stage direct plug-in of
    ``KernSmooth::dpik`` in R, which cutpointr's ``oc_youden_kernel`` uses.

    Unlike other rules, this one depends on the distances between scores. A transform of the scores
    changes the result.

    References
    ----------
    Fluss, Faraggi and Reiser (2005), Biometrical Journal 47; Sheather and Jones (1991), JRSS B 53.
    """

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        del costs
        positive, negative = np.diff(curve.misses), -np.diff(curve.alarms)
        values = self.values_along(curve)
        index: FloatArray = smooth_below(values, negative) - smooth_below(values, positive)
        return middle_of_widest_flat(-index, curve.ranks, TIE)


def smooth_below(values: FloatArray, counts: IntArray) -> FloatArray:
    """Return the smoothed share of patients below every cut, shape (rows, m + 1).

    ``counts`` (rows, m) are the numbers of patients with each of the ascending ``values``. A cut
    lies midway between two values; the outermost cuts lie one step of the grid beyond. Without
    patients the share is 0.
    """
    step = max(float(values[-1] - values[0]) / (POINTS - 1), TINY)
    place = (values - values[0]) / step
    transform = np.fft.rfft(_on_grid(np.rint(place).astype(np.int64), counts))
    width = plug_in_width(transform, place, counts)
    damped = transform * np.exp(-((_frequencies() * width) ** 2) / 2)
    n = np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    below = np.cumsum(np.fft.irfft(damped, PERIOD), axis=-1) / n
    cuts = np.concatenate([[-1.0], (place[1:] + place[:-1]) / 2, [place[-1] + 1]])
    # The cumulative sum at a point contains the mass up to half a step above it.
    left = np.floor(cuts - 0.5).astype(np.int64)
    share = cuts - 0.5 - left
    return np.asarray((1 - share) * below[:, OFFSET + left] + share * below[:, OFFSET + left + 1])


def plug_in_width(
    transform: NDArray[np.complex128], place: FloatArray, counts: IntArray
) -> FloatArray:
    """Return the width of the kernel in steps of the grid, for each row, shape (rows, 1).

    Notes
    -----
    The scores are divided by their standard deviation, and ψ_r is the mean r-th derivative of the
    density. Then g = (2 √2⁹ / (7n))^(1/9) gives ψ₆, g = (-3 √(2/π) / (ψ₆ n))^(1/7) gives ψ₄, and
    the width is (4π)^(-1/10) (ψ₄ n)^(-1/5). On a grid, ψ_r is a sum over frequencies ω of the
    squared transform times (iω)^r exp(-g²ω²/2). The width is at least one step.
    """
    n = np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    mean = (counts * place).sum(axis=-1, keepdims=True) / n
    square = (counts * (place - mean) ** 2).sum(axis=-1, keepdims=True)
    spread = np.sqrt(square / np.maximum(n - 1, 1))
    # If all scores are equal, or a class has one patient, the smallest width is used.
    spread = np.where(spread > 0, spread, 1.0)
    omega = _frequencies() * spread
    power = np.abs(transform) ** 2 * 2 * spread / (PERIOD * n**2)

    def derivative(order: int, width: FloatArray) -> FloatArray:
        sign = -1 if order % 4 else 1
        terms = power * omega**order * np.exp(-((omega * width) ** 2) / 2)
        return sign * terms.sum(axis=-1, keepdims=True)

    # An empty class has no density. Its width does not matter.
    sixth = np.minimum(derivative(6, (2 * 2**4.5 / (7 * n)) ** (1 / 9)), -TINY)
    fourth = np.maximum(derivative(4, (3 * np.sqrt(2 / np.pi) / (-sixth * n)) ** (1 / 7)), TINY)
    width = spread * (4 * np.pi) ** -0.1 * (fourth * n) ** -0.2
    return np.where(square > 0, np.maximum(width, 1.0), 1.0)


def _frequencies() -> FloatArray:
    return 2 * np.pi * np.arange(PERIOD // 2 + 1) / PERIOD


def _on_grid(place: IntArray, counts: IntArray) -> FloatArray:
    first = np.flatnonzero(np.diff(place, prepend=-1))
    grid = np.zeros((counts.shape[0], PERIOD))
    grid[:, OFFSET + place[first]] = np.add.reduceat(counts, first, axis=-1)
    return grid

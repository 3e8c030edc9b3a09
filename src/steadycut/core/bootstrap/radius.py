"""From threshold draws to a radius: how far the chosen threshold may be from the best one."""

import math
from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, check_choice, check_fraction

CENTERINGS = ("none", "bias")


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """Bias, quantile and radius of the bootstrap thresholds around the chosen one."""

    bias: float
    quantile: float
    radius: float


def bootstrap_radius(
    threshold: float, draws: FloatArray, delta: float, centering: str = "none"
) -> Radius:
    """Return b = mean(t* - t), q = the (1 - delta) quantile of |t* - t|, and r = |b| + q.

    Parameters
    ----------
    threshold
        The chosen threshold t.
    draws
        The thresholds t* of the bootstrap replicates, shape (B,).
    delta
        The quantile is taken at 1 - delta.
    centering
        ``"none"`` follows the paper's main text and Algorithm 1. ``"bias"`` follows its appendix,
        which takes the quantile of |t* - t - b|.

    Notes
    -----
    The quantile is an order statistic: the smallest value that is at least as large as a share 1 -
    delta of the values. r is rounded up to the next floating-point number. r is a heuristic. The
    minimiser of a step function converges at a cube-root rate, and the bootstrap is not consistent
    for it.

    Examples
    --------
    >>> import numpy as np
    >>> result = bootstrap_radius(2.0, np.array([1.0, 2.0, 2.0, 3.0, 4.0]), 0.2)
    >>> result.bias, result.quantile, round(result.radius, 6)
    (0.4, 1.0, 1.4)
    """
    check_fraction("delta", delta)
    check_choice("centering", centering, CENTERINGS)
    shift = draws - threshold
    bias = math.fsum(shift) / shift.size
    spread = np.abs(shift - bias if centering == "bias" else shift)
    quantile = float(np.quantile(spread, 1 - delta, method="inverted_cdf"))
    radius = abs(bias) + quantile
    return Radius(bias=bias, quantile=quantile, radius=float(np.nextafter(radius, np.inf)))

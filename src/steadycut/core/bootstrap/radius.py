"""From threshold draws to a radius: how far the chosen threshold may be from the best one."""

import math
from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, check_choice, check_fraction, read_only

CENTERINGS = ("none", "bias")


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """Bias, quantile and radius of the bootstrap thresholds around the chosen one."""

    bias: float
    quantile: float
    radius: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JointRadius:
    """Bias and radius of every boundary, shape (boundaries,), and one quantile for all of them."""

    bias: FloatArray
    quantile: float
    radius: FloatArray


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
    joint = joint_radius(np.array([threshold]), draws[:, None], delta, centering)
    return Radius(bias=float(joint.bias[0]), quantile=joint.quantile, radius=float(joint.radius[0]))


def joint_radius(
    thresholds: FloatArray, draws: FloatArray, delta: float, centering: str = "none"
) -> JointRadius:
    """Return b_k = mean(t*_k - t_k), q, and r_k = |b_k| + q, for several boundaries at once.

    ``thresholds`` has shape (boundaries,), ``draws`` has shape (B, boundaries). q is the (1 -
    delta) quantile of max over k of |t*_k - t_k|. In a share 1 - delta of the draws all boundaries
    are within q at once.

    Examples
    --------
    >>> draws = np.array([[1.0, 5.0], [1.5, 4.0], [1.0, 7.0], [0.5, 6.0]])
    >>> found = joint_radius(np.array([1.0, 5.0]), draws, 0.25)
    >>> found.bias, found.quantile, found.radius.round(6)
    (array([0. , 0.5]), 1.0, array([1. , 1.5]))
    """
    check_fraction("delta", delta)
    check_choice("centering", centering, CENTERINGS)
    shift = draws - thresholds
    bias = np.array([math.fsum(column) / len(draws) for column in shift.T])
    farthest = np.abs(shift - bias if centering == "bias" else shift).max(axis=1)
    quantile = float(np.quantile(farthest, 1 - delta, method="inverted_cdf"))
    radius = np.nextafter(np.abs(bias) + quantile, np.inf)
    return JointRadius(bias=read_only(bias), quantile=quantile, radius=read_only(radius))

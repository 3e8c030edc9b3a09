"""The largest change of mean cost from an error in all boundaries at once, and its upper band.

If every boundary k moves by at most r_k, the mean cost changes by at most

    sum over k of w_k(r_k),    w_k(e) = largest mass of a window [u, u + e), where a patient of each
                               grade has weight |C[grade, k-1] - C[grade, k]|,

because the mean cost is a sum over boundaries. For one boundary and two grades this is the modulus
of one cut-off, and its band is that of `steadycut.core.bounds.multiscale`.
"""

import math
from dataclasses import dataclass

import numpy as np

from steadycut.core.bounds.multiscale import mass_limits
from steadycut.core.bounds.windows import Windows
from steadycut.core.checks import BoolArray, FloatArray, check_fraction, read_only
from steadycut.core.strata.costs import CostMatrix


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JointRadius:
    """Bias and radius of every boundary, shape (boundaries,), and one quantile for all of them."""

    bias: FloatArray
    quantile: float
    radius: FloatArray


def joint_radius(thresholds: FloatArray, draws: FloatArray, delta: float) -> JointRadius:
    """Return b_k = mean(t*_k - t_k), q, and r_k = |b_k| + q.

    q is the (1 - delta) quantile of max over k of |t*_k - t_k|. In a share 1 - delta of the draws
    all boundaries are within q at once. As for one cut-off, this is a heuristic: the bootstrap is
    not consistent for the minimiser of a step function.

    Examples
    --------
    >>> draws = np.array([[1.0, 5.0], [1.5, 4.0], [1.0, 7.0], [0.5, 6.0]])
    >>> found = joint_radius(np.array([1.0, 5.0]), draws, 0.25)
    >>> found.bias, found.quantile, found.radius.round(6)
    (array([0. , 0.5]), 1.0, array([1. , 1.5]))
    """
    check_fraction("delta", delta)
    shift = draws - thresholds
    bias = np.array([math.fsum(column) / len(draws) for column in shift.T])
    farthest = np.abs(shift).max(axis=1)
    quantile = float(np.quantile(farthest, 1 - delta, method="inverted_cdf"))
    radius = np.nextafter(np.abs(bias) + quantile, np.inf)
    return JointRadius(bias=read_only(bias), quantile=quantile, radius=read_only(radius))


def joint_modulus(windows: Windows, radius: FloatArray, costs: CostMatrix) -> float:
    """Return the sum over the boundaries of the largest weighted share in a window of its radius.

    Examples
    --------
    >>> from steadycut.core.bounds.windows import windows_of
    >>> windows = windows_of(np.array([0.0, 0.1, 0.15, 0.9]), np.array([0, 1, 0, 1]), 2)
    >>> joint_modulus(windows, np.array([0.12]), CostMatrix([[0, 1], [3, 0]]))
    1.0
    """
    weights = np.abs(costs.steps).T
    masses = [
        float((weight @ windows.counts(width)).max())
        for weight, width in zip(weights, radius.tolist(), strict=True)
    ]
    return sum(masses) / windows.n_patients


def local_modulus(
    windows: Windows, thresholds: FloatArray, radius: FloatArray, costs: CostMatrix
) -> float:
    """Return the same for boundaries that move from ``thresholds``, each to its worse side."""
    total = 0.0
    places = zip(costs.steps.T, thresholds.tolist(), radius.tolist(), strict=True)
    for step, threshold, width in places:
        sides = (
            windows.between(threshold - width, threshold),
            windows.between(threshold, threshold + width),
        )
        total += max(float(np.abs(step) @ side) for side in sides)
    return total / windows.n_patients


def joint_band(windows: Windows, radius: FloatArray, costs: CostMatrix, delta: float) -> float:
    """Return an upper band on the joint modulus, for all radii at once, with probability 1 - delta.

    The weights of a boundary are divided into layers. Each layer is the mass of the grades with at
    least a certain weight. Every set of grades that occurs gets an equal share of delta, and the
    limit of `steadycut.core.bounds.multiscale.mass_limits` for all its windows at once.
    """
    check_fraction("delta", delta)
    layers = [weight_layers(np.abs(step)) for step in costs.steps.T]
    share = delta / len({members.tobytes() for found in layers for _, members in found})
    total = 0.0
    for found, width in zip(layers, radius.tolist(), strict=True):
        if width <= 0:
            continue
        counts = windows.counts(width)
        limits = [
            height * mass_limits(members @ counts, windows.n_patients, share)
            for height, members in found
        ]
        total += float(np.sum(limits, axis=0).max())
    return total


def weight_layers(weights: FloatArray) -> list[tuple[float, BoolArray]]:
    """Divide weights into layers: the height of each layer, and which entries reach it.

    Examples
    --------
    >>> weight_layers(np.array([1.0, 0.0, 3.0]))
    [(1.0, array([ True, False,  True])), (2.0, array([False, False,  True]))]
    """
    tops = np.unique(weights[weights > 0])
    heights = np.diff(tops, prepend=0.0)
    return [(float(height), weights >= top) for height, top in zip(heights, tops, strict=True)]

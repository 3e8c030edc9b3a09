"""The largest change of mean cost from an error in all boundaries at once, and its upper band.

If every boundary k moves by at most r_k, the mean cost changes by at most

    sum over k of w_k(r_k),    w_k(e) = largest mass of a window [u, u + e), where a patient of each
                               grade has weight |C[grade, k-1] - C[grade, k]|,

because the mean cost is a sum over boundaries. For one boundary and two grades this is the modulus
of one cut-off, and its band is that of `steadycut.core.bounds.multiscale`.
"""

import numpy as np

from steadycut.core.bounds.modulus import Windows
from steadycut.core.bounds.multiscale import largest_limit, weight_layers
from steadycut.core.checks import FloatArray, check_fraction
from steadycut.core.strata.costs import CostMatrix


def joint_modulus(windows: Windows, radius: FloatArray, costs: CostMatrix) -> float:
    """Return the sum over the boundaries of the largest weighted share in a window of its radius.

    Examples
    --------
    >>> from steadycut.core.bounds.modulus import windows_of
    >>> windows = windows_of(np.array([0.0, 0.1, 0.15, 0.9]), np.array([0, 1, 0, 1]), 2)
    >>> joint_modulus(windows, np.array([0.12]), CostMatrix([[0, 1], [3, 0]]))
    1.0
    """
    weights = zip(np.abs(costs.steps).T, radius.tolist(), strict=True)
    return sum(windows.heaviest(width, weight) for weight, width in weights) / windows.n_patients


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
    n_sets = len({members.tobytes() for layer in layers for _, members in layer})
    return sum(
        largest_limit(windows, width, layer, delta, n_sets)
        for layer, width in zip(layers, radius.tolist(), strict=True)
        if width > 0
    )

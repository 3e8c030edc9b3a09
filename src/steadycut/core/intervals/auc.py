"""The area under the ROC curve, which needs no cut-off, with an interval."""

import math

import numpy as np
from scipy.special import ndtri

from steadycut.core.bounds.binomial import halve
from steadycut.core.checks import FloatArray, Interval
from steadycut.core.records import PatientScores

METHOD = "score"


def auc(patients: PatientScores) -> float | None:
    """Return Pr(a positive scores above a negative), ties counted half; None if a class is missing.

    Examples
    --------
    >>> auc(PatientScores(scores=[0.1, 0.4, 0.4, 0.9], labels=[0, 0, 1, 1]))
    0.875
    """
    if not patients.n_positive or not patients.n_negative:
        return None
    return float(positive_placements(patients).mean())


def positive_placements(patients: PatientScores) -> FloatArray:
    """Return the placements of the positive patients among the negative ones."""
    positive, negative = patients.positive_scores, patients.negative_scores
    return patients.once("placements", lambda: placements(positive, negative))


def placements(scores: FloatArray, others: FloatArray) -> FloatArray:
    """Return the share of the others below each score, ties counted half, in ascending order.

    The scores are sorted first, so that the order of the patients does not change the last bit of a
    sum.
    """
    below = np.searchsorted(others, scores, "left") + np.searchsorted(others, scores, "right")
    return below / (2 * others.size)


def auc_interval(patients: PatientScores, delta: float) -> Interval | None:
    """Return an interval for the area; None if a class is missing.

    Notes
    -----
    The interval contains all areas θ with (area - θ)² ≤ z² k V(θ). V is the variance of Hanley and
    McNeil with both class sizes set to their mean in the second-order terms (Newcombe 2006, method
    5). k is 1, or DeLong's variance divided by V at the observed area if that is larger. If the
    classes do not overlap, the interval does not shrink to a point, as DeLong's interval does. It
    is also wide enough for scores that are far from exponential.
    """
    area = auc(patients)
    if area is None:
        return None
    sizes = (patients.n_positive, patients.n_negative)
    variance = newcombe_variance(area, sizes)
    factor = max(1.0, delong_variance(patients) / variance) if variance else 1.0
    reach = factor * float(ndtri(delta / 2)) ** 2
    return _furthest(area, 0.0, reach, sizes), _furthest(area, 1.0, reach, sizes)


def newcombe_variance(area: float, sizes: tuple[int, int]) -> float:
    """Return the variance of an observed area if the true one is ``area``."""
    middle = sum(sizes) / 2 - 1
    shape = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * (1 + middle * shape) / math.prod(sizes)


def delong_variance(patients: PatientScores) -> float:
    """Return DeLong's variance; a class with one patient contributes 0."""
    negative = placements(patients.negative_scores, patients.positive_scores)
    parts = positive_placements(patients), negative
    return sum(float(part.var(ddof=1)) / part.size for part in parts if part.size > 1)


def _furthest(area: float, end: float, reach: float, sizes: tuple[int, int]) -> float:
    """Return the area closest to ``end`` that is compatible with the observed one."""
    return halve(
        area, end, lambda other: (area - other) ** 2 <= reach * newcombe_variance(other, sizes), 60
    )

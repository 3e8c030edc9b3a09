"""Two rules on the same patients: the difference of their risks, and its standard error."""

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray
from steadycut.core.records import Costs

Wrong = NDArray[np.bool_]


def paired_difference(
    labels: NDArray[np.int8], wrong: Wrong, other: Wrong, costs: Costs
) -> tuple[float, float]:
    """Return the risk of one rule minus that of another, and its paired standard error.

    Parameters
    ----------
    labels
        Label of each patient, shape (n,).
    wrong, other
        Which patients the first and the second rule decide wrongly, shape (n,). The rules may use
        different scores.
    costs
        At a target prevalence each rule counts at its own worse end.

    Notes
    -----
    This is the bootstrap standard error of the difference in the limit of many replicates. It is
    the standard deviation of the differences between a patient's two losses, divided by √n. At a
    target prevalence it is computed class by class. Patients whom both rules decide wrongly cancel
    out.

    Examples
    --------
    >>> labels = np.array([1, 1, 0, 0], dtype=np.int8)
    >>> one, other = np.array([True, False, True, False]), np.array([False, False, True, False])
    >>> difference, error = paired_difference(labels, one, other, Costs(cost_fn=2))
    >>> difference, round(error, 3)
    (0.5, 0.433)
    """
    if costs.target is None:
        price = np.where(labels == 1, costs.cost_fn, costs.cost_fp)
        return _sum_of_means([price * wrong - price * other])
    ends = [_worse_end(labels, rule, costs) for rule in (wrong, other)]
    parts = [
        ends[0][side] * wrong[labels == label] - ends[1][side] * other[labels == label]
        for side, label in enumerate((1, 0))
        if np.any(labels == label)
    ]
    return _sum_of_means(parts)


def _worse_end(labels: NDArray[np.int8], wrong: Wrong, costs: Costs) -> tuple[float, float]:
    """Return the class weights at the end of the target range that is worse for the rule."""
    miss = wrong[labels == 1].mean() if np.any(labels == 1) else 0.0
    alarm = wrong[labels == 0].mean() if np.any(labels == 0) else 0.0
    return costs.worse_end(miss, alarm)


def _sum_of_means(parts: list[FloatArray]) -> tuple[float, float]:
    mean = sum(float(part.mean()) for part in parts)
    variance = sum(float(part.var()) / part.size for part in parts)
    return mean, float(np.sqrt(variance))

"""How many scores lie below a cut, and the cost of the rule ``score >= threshold`` at every cut."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import Costs, PatientScores


def count_below(scores: FloatArray, thresholds: ArrayLike) -> IntArray:
    """Return how many scores lie strictly below each threshold.

    This matches the decision ``score >= threshold``. A score equal to the threshold is called and
    does not count as below it, so ties need no special case.

    Examples
    --------
    >>> import numpy as np
    >>> count_below(np.array([1.0, 2.0, 2.0]), [1.0, 2.0, 3.0])
    array([0, 1, 3])
    """
    return np.searchsorted(np.sort(scores), np.asarray(thresholds), side="left").astype(np.int64)


def left_cdf(scores: FloatArray, thresholds: ArrayLike) -> FloatArray:
    """Return F⁻(t) = Pr(S < t), the share of ``scores`` strictly below each threshold.

    For an empty class the share is 0, because it does not contribute to any risk.

    Examples
    --------
    >>> import numpy as np
    >>> left_cdf(np.array([1.0, 2.0, 2.0, 4.0]), [2.0, 2.5])
    array([0.25, 0.75])
    """
    return count_below(scores, thresholds) / max(scores.size, 1)


def count_to_left(
    rows: NDArray[Any], values: NDArray[Any], side: Literal["left", "right"] = "left"
) -> IntArray:
    """Return how many entries of each ascending row are smaller than the row's own value.

    With ``side="right"`` entries that equal it count too. ``rows`` has shape (rows, entries).

    Examples
    --------
    >>> rows = np.array([[1, 2, 2], [4, 5, 6]])
    >>> count_to_left(rows, np.array([2, 9])), count_to_left(rows, np.array([2, 9]), "right")
    (array([1, 3]), array([3, 3]))
    """
    if len(rows) == 1:
        return rows[0].searchsorted(values, side)
    smaller = np.less if side == "left" else np.less_equal
    return np.asarray(np.count_nonzero(smaller(rows, values[:, None]), axis=1))


# Two risks that differ by less than this share of the larger cost count as equal. For example
# 3 * 0.1 and 0.3 differ only by floating-point rounding.
TIE = 1e-12


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Curve:
    """Misses and alarms at every cut, for one cohort or for many replicates of it.

    ``misses`` and ``alarms`` have shape (..., m + 1). The cuts run along the last axis.
    """

    misses: IntArray
    alarms: IntArray

    @property
    def n_positive(self) -> IntArray:
        """Positive patients of each cohort, shape (..., 1). Call-nobody misses all of them."""
        return self.misses[..., -1:]

    @property
    def n_negative(self) -> IntArray:
        """Negative patients of each cohort, shape (..., 1). Call-everybody alarms all of them."""
        return self.alarms[..., :1]

    @property
    def ranks(self) -> IntArray:
        """The number of patients below each cut, shape (..., m + 1)."""
        return self.misses + (self.n_negative - self.alarms)

    @property
    def n_patients(self) -> IntArray:
        """Number of patients of each cohort, shape (..., 1)."""
        return self.n_positive + self.n_negative


def count_errors(cells: NDArray[Any]) -> Curve:
    """Return misses and alarms at every cut, from the patients counted between the cuts.

    ``cells`` has shape (..., 2m): the positive patients in m bins, then the negative patients. They
    may be sums of weights.
    """
    m = cells.shape[-1] // 2
    kind = np.float64 if cells.dtype.kind == "f" else np.int64
    below = np.zeros((*cells.shape[:-1], 2, m + 1), dtype=kind)
    np.cumsum(cells.reshape(*cells.shape[:-1], 2, m), axis=-1, out=below[..., 1:])
    positive, negative = below[..., 0, :], below[..., 1, :]
    return Curve(misses=positive, alarms=negative[..., -1:] - negative)


def risk_at_cuts(curve: Curve, costs: Costs) -> FloatArray:
    """Return the mean cost per patient at every cut, shape (..., m + 1)."""
    if costs.target is not None:
        miss_rate = curve.misses / np.maximum(curve.n_positive, 1)
        alarm_rate = curve.alarms / np.maximum(curve.n_negative, 1)
        return worst_end(miss_rate, alarm_rate, costs)
    total = cost_at_cuts(curve, costs)
    total /= curve.n_patients
    return total


def cost_at_cuts(curve: Curve, costs: Costs) -> FloatArray:
    """Return the cost of all errors at every cut, shape (..., m + 1), without a target."""
    return cost_of(curve.misses, curve.alarms, costs.cost_fn, costs.cost_fp)


def cost_of(misses: IntArray, alarms: IntArray, cost_fn: float, cost_fp: float) -> FloatArray:
    """Return ``cost_fn * misses + cost_fp * alarms``, in half the time if both costs are 1."""
    if cost_fn == cost_fp == 1:
        return (misses + alarms).astype(np.float64)
    return cost_fn * misses + cost_fp * alarms


def worst_end(miss_rate: FloatArray, alarm_rate: FloatArray, costs: Costs) -> FloatArray:
    """Return the risk at the end of the target range of prevalences where it is larger.

    The risk is linear in the prevalence, so no prevalence between the ends is worse.
    """
    ends = [miss * miss_rate + alarm * alarm_rate for miss, alarm in costs.class_weights]
    return np.maximum(ends[0], ends[-1])


def risk_curve(patients: PatientScores, thresholds: FloatArray, costs: Costs) -> FloatArray:
    """Return R(t) = [cost_fn #(Y=1, S<t) + cost_fp #(Y=0, S>=t)] / n at each threshold.

    Examples
    --------
    >>> import numpy as np
    >>> cohort = PatientScores(scores=[0.1, 0.4, 0.4, 0.9], labels=[0, 0, 1, 1])
    >>> risk_curve(cohort, np.array([0.0, 0.4, 0.5, 1.0]), Costs(cost_fn=3))
    array([0.5 , 0.25, 0.75, 1.5 ])
    """
    misses = count_below(patients.positive_scores, thresholds)
    alarms = patients.n_negative - count_below(patients.negative_scores, thresholds)
    if costs.target is not None:
        miss_rate = misses / max(patients.n_positive, 1)
        return worst_end(miss_rate, alarms / max(patients.n_negative, 1), costs)
    return (costs.cost_fn * misses + costs.cost_fp * alarms) / patients.n_patients

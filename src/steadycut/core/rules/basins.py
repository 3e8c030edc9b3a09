"""Separate basins of a risk curve: minima with a stretch of clearly higher risk between them."""

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import TIE, Curve, cost_of, risk_at_cuts
from steadycut.core.records import Costs


def excess_risk(
    curve: Curve, costs: Costs, row: IntArray | int, cut: IntArray, reference: IntArray | int
) -> tuple[FloatArray, FloatArray]:
    """Return the risk at ``cut`` minus the risk at ``reference``, and its paired standard error.

    Both are cuts of row ``row`` of ``curve``.

    The loss of a patient differs between two cuts only if the patient lies between them. The
    difference is then ``cost_fn`` or ``cost_fp``. So the bootstrap variance of the mean difference
    has a closed form: (mean of the squared differences - squared mean difference) / n.
    """
    if costs.target is not None:
        return _excess_at_target(curve, costs, row, cut, reference)
    n = curve.n_patients[row, 0]
    misses = curve.misses[row, cut] - curve.misses[row, reference]
    alarms = curve.alarms[row, cut] - curve.alarms[row, reference]
    excess = cost_of(misses, alarms, costs.cost_fn, costs.cost_fp) / n
    square = cost_of(np.abs(misses), np.abs(alarms), costs.cost_fn**2, costs.cost_fp**2) / n
    square -= excess**2
    np.maximum(square, 0, out=square)
    square /= n
    return excess, np.sqrt(square, out=square)


def _excess_at_target(
    curve: Curve, costs: Costs, row: IntArray | int, cut: IntArray, reference: IntArray | int
) -> tuple[FloatArray, FloatArray]:
    """Return the same at the worse end of a target range; the classes are resampled apart."""
    risk = risk_at_cuts(curve, costs)
    excess = risk[row, cut] - risk[row, reference]
    positive = np.maximum(curve.n_positive[row, 0], 1)
    negative = np.maximum(curve.n_negative[row, 0], 1)
    miss = np.abs(curve.misses[row, cut] - curve.misses[row, reference]) / positive
    alarm = np.abs(curve.alarms[row, cut] - curve.alarms[row, reference]) / negative
    variances = [
        weight**2 * miss * (1 - miss) / positive + other**2 * alarm * (1 - alarm) / negative
        for weight, other in costs.class_weights
    ]
    return excess, np.sqrt(np.maximum(variances[0], variances[-1]))


def barriers(curve: Curve, costs: Costs, height: float) -> NDArray[np.bool_]:
    """Return which cuts are barriers between minima of their row, shape (rows, cuts).

    A barrier is a cut whose risk is more than ``height`` paired standard errors above the smallest
    risk on its left, and above the smallest risk on its right. If several cuts have the smallest
    risk, the nearest one is compared.
    """
    risk, tie = risk_at_cuts(curve, costs), TIE * costs.largest
    rows, every = np.ogrid[: risk.shape[0], : risk.shape[1]]
    excess, error = excess_risk(curve, costs, rows, every, lowest_on_either_side(risk, tie))
    return np.asarray((excess > height * error + tie).all(axis=0))


def lowest_on_either_side(risk: FloatArray, tie: float) -> IntArray:
    """Return the cut of smallest risk up to each cut, and from each cut on, (2, rows, cuts).

    If several cuts are within ``tie`` of the smallest risk, the nearest one is returned.
    """
    from_right = _lowest_so_far(risk[:, ::-1], tie)[:, ::-1]
    return np.stack([_lowest_so_far(risk, tie), risk.shape[1] - 1 - from_right])


def _lowest_so_far(risk: FloatArray, tie: float) -> IntArray:
    """Return, for each cut, which cut up to it has the smallest risk; of several the last one."""
    is_low = risk <= np.minimum.accumulate(risk, axis=1) + tie
    return np.maximum.accumulate(np.arange(risk.shape[1]) * is_low, axis=1)

"""Separate basins of a risk curve: minima with a stretch of clearly higher risk between them."""

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import TIE, Curve, cost_at_cuts, cost_of, risk_at_cuts
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


def barriers(
    curve: Curve, costs: Costs, height: float, cuts: slice = slice(None)
) -> NDArray[np.bool_]:
    """Return which of the ``cuts`` are barriers between minima of their row, shape (rows, cuts).

    A barrier is a cut whose risk is more than ``height`` paired standard errors above the smallest
    risk on its left, and above the smallest risk on its right. If several cuts have the smallest
    risk, the nearest one is compared.
    """
    risk, tie = risk_at_cuts(curve, costs), TIE * costs.largest
    rows = np.arange(len(risk))[:, None] if len(risk) > 1 else 0
    every, lowest = np.arange(risk.shape[1])[cuts], lowest_on_either_side(risk, tie, cuts)
    excess, error = excess_risk(curve, costs, rows, every, np.array(lowest))
    return np.asarray((excess > height * error + tie).all(axis=0))


def lowest_on_either_side(
    risk: FloatArray, tie: float, cuts: slice = slice(None)
) -> tuple[IntArray, IntArray]:
    """Return the cut of smallest risk up to each of the ``cuts``, and from each of them on.

    If several cuts are within ``tie`` of the smallest risk, the nearest one is returned. Both
    arrays have shape (rows, cuts).
    """
    size = risk.shape[1]
    start, stop, _ = cuts.indices(size)
    from_right = _lowest_so_far(risk[:, ::-1], size - stop, size - start, tie)
    return _lowest_so_far(risk, start, stop, tie), size - 1 - from_right[:, ::-1]


def _lowest_so_far(risk: FloatArray, start: int, stop: int, tie: float) -> IntArray:
    """Return, for each cut from ``start`` to ``stop``, which cut up to it has the smallest risk.

    If several are within ``tie`` of the smallest risk, the last one is returned.
    """
    lowest = risk[:, : start + 1].min(axis=1, keepdims=True)
    before = start - (risk[:, start::-1] <= lowest + tie).argmax(axis=1)
    so_far = risk[:, start:stop].copy()
    so_far[:, :1] = lowest
    new_low = so_far <= np.minimum.accumulate(so_far, axis=1) + tie
    cuts = np.arange(start, stop) * new_low
    cuts[:, 0] = before
    return np.maximum.accumulate(cuts, axis=1, out=cuts)


def barriers_in_row(
    curve: Curve, costs: Costs, height: float, start: int, stop: int
) -> NDArray[np.bool_]:
    """Return the `barriers` from cut ``start`` to ``stop`` of a curve with one row, far faster.

    Between two cuts the squared differences of the losses are cost_fn² per positive patient and
    cost_fp² per negative one. Their sum up to each cut therefore gives the sum between any two.
    """
    n = float(curve.n_patients[0, 0])
    tie = TIE * costs.largest * n
    cost = cost_at_cuts(curve, costs)[0]
    # From the lowest cut before ``start`` to the lowest one after ``stop``.
    first = start - _nearest_lowest(cost[start::-1], tie)
    last = stop + _nearest_lowest(cost[stop - 1 :], tie)
    cost, misses, alarms = (row[first:last] for row in (cost, curve.misses[0], curve.alarms[0]))
    squares = cost_of(misses, -alarms, costs.cost_fn**2, costs.cost_fp**2)
    left = _rises(cost, squares, slice(start - first, stop - first), tie)
    right = _rises(cost[::-1], -squares[::-1], slice(last - stop, last - start), tie)
    return _exceeds(*left, height, n, tie) & _exceeds(*right, height, n, tie)[::-1]


def _nearest_lowest(cost: FloatArray, tie: float) -> int:
    return int((cost <= cost.min() + tie).argmax())


def _rises(
    cost: FloatArray, squares: FloatArray, cuts: slice, tie: float
) -> tuple[FloatArray, FloatArray]:
    """Return how far each cut is above the lowest one so far, and the squares between them."""
    cost, squares = cost[: cuts.stop], squares[: cuts.stop]
    lowest = np.minimum.accumulate(cost)
    nearest = np.maximum.accumulate(np.where(cost <= lowest + tie, squares, squares[0]))
    return (cost - lowest)[cuts.start :], (squares - nearest)[cuts.start :]


def _exceeds(
    excess: FloatArray, square: FloatArray, height: float, n: float, tie: float
) -> NDArray[np.bool_]:
    square -= excess**2 / n
    np.maximum(square, 0, out=square)
    return np.asarray(excess > height * np.sqrt(square) + tie)

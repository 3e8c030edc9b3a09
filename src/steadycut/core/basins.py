"""Where a risk curve has separate basins: stretches of clearly higher risk between two minima."""

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import Costs
from steadycut.core.risk_curve import TIE, Curve, risk_at_cuts


def excess_risk(
    curve: Curve, costs: Costs, row: IntArray | int, cut: IntArray, reference: IntArray | int
) -> tuple[FloatArray, FloatArray]:
    """Return the risk at ``cut`` minus that at ``reference``, and its paired bootstrap error.

    Both are cuts of row ``row`` of ``curve``.

    The loss of a patient differs between two cuts only if the patient lies between them, by
    ``cost_fn`` or ``cost_fp``. The bootstrap variance of the mean difference is then known in
    closed form: (mean of the squared differences - squared mean difference) / n.
    """
    n = curve.n_patients[row, 0]
    misses = curve.misses[row, cut] - curve.misses[row, reference]
    alarms = curve.alarms[row, cut] - curve.alarms[row, reference]
    excess = (costs.cost_fn * misses + costs.cost_fp * alarms) / n
    square = (costs.cost_fn**2 * np.abs(misses) + costs.cost_fp**2 * np.abs(alarms)) / n
    return excess, np.sqrt(np.maximum(square - excess**2, 0) / n)


def barriers(curve: Curve, costs: Costs, height: float) -> NDArray[np.bool_]:
    """Return which cuts of each row part its minima, shape (rows, cuts).

    A barrier is a cut whose risk lies more than ``height`` paired standard errors above the
    smallest risk on its left, and above that on its right.
    """
    risk = risk_at_cuts(curve, costs)
    rows = np.arange(risk.shape[0])[:, None]
    every = np.broadcast_to(np.arange(risk.shape[1]), risk.shape)
    high = np.ones(risk.shape, dtype=bool)
    for lowest in (
        _lowest_so_far(risk),
        risk.shape[1] - 1 - _lowest_so_far(risk[:, ::-1])[:, ::-1],
    ):
        excess, error = excess_risk(curve, costs, rows, every, lowest)
        high &= excess > height * error + TIE * costs.largest
    return high


def _lowest_so_far(risk: FloatArray) -> IntArray:
    """Return, for each cut, which cut up to it has the smallest risk."""
    new_low = risk <= np.minimum.accumulate(risk, axis=1)
    cuts = np.where(new_low, np.arange(risk.shape[1]), 0)
    return np.maximum.accumulate(cuts, axis=1)

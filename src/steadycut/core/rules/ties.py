"""Of several best cuts, the middle of the widest flat stretch."""

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray


def middle_of_widest_flat(objective: FloatArray, ranks: IntArray, tie: float) -> IntArray:
    """Return, for each row, how many patients lie below the chosen cut.

    Parameters
    ----------
    objective
        The values to minimise, shape (rows, cuts). ``inf`` marks a cut that is not allowed.
    ranks
        The number of patients below each cut, shape (rows, cuts), ascending.
    tie
        Values that exceed the smallest one by at most this much count as equal to it.

    Notes
    -----
    A stretch is a run of neighbouring minimising cuts. Its width is the number of patients that it
    spans. The widest stretch is taken. Of several equally wide stretches the middle one is taken,
    and of two middle ones the lower. Within the stretch, the cut nearest to the middle of its
    patients is taken, and of two equally near cuts the lower. Only ranks are used, so a strictly
    increasing transform of the scores changes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> objective = np.array([[2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 3.0]])
    >>> middle_of_widest_flat(objective, np.arange(7)[None, :], tie=0.0)
    array([4])
    """
    smallest = objective.min(axis=1, keepdims=True)
    minimal = objective <= smallest + tie
    row, start, end = _runs(minimal)
    width = ranks[row, end] - ranks[row, start]
    chosen = _widest_run(row, width, objective.shape[0])
    return _middle_rank(ranks, start[chosen], end[chosen])


def _runs(minimal: NDArray[np.bool_]) -> tuple[IntArray, IntArray, IntArray]:
    edge = np.zeros((minimal.shape[0], minimal.shape[1] + 1), dtype=np.int8)
    edge[:, :-1] = minimal
    edge[:, 1:] -= minimal
    row, start = np.nonzero(edge == 1)
    return row, start, np.nonzero(edge == -1)[1] - 1


def _widest_run(row: IntArray, width: IntArray, n_rows: int) -> IntArray:
    first_run = np.searchsorted(row, np.arange(n_rows))
    widest = np.flatnonzero(width == np.maximum.reduceat(width, first_run)[row])
    bounds = np.searchsorted(row[widest], np.arange(n_rows + 1))
    return widest[(bounds[:-1] + bounds[1:] - 1) // 2]


def _middle_rank(ranks: IntArray, start: IntArray, end: IntArray) -> IntArray:
    result = ranks[np.arange(start.size), start]
    long = np.flatnonzero(end > start)
    if not long.size:
        return result
    near = ranks[long, start[long].min() : end[long].max() + 1]
    low, high = result[long], ranks[long, end[long]]
    # Ranks ascend: outside a stretch no other rank is nearer to its middle than its ends are.
    distance = np.abs(2 * near - (low + high)[:, None])
    result[long] = near[np.arange(long.size), distance.argmin(axis=1)]
    return result

"""The share of scores strictly below a cut: the left limit of the distribution function."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import FloatArray, IntArray


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

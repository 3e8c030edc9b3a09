"""Scores at Q on another scale: which change would explain them, and the cut-off that follows.

Nothing of this is applied automatically. A change of units cannot be distinguished from other
changes that move the scores in the same way.
"""

import math
from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.cuts.grid import midpoints

# The tails are not used in the fit, because a few extreme scores would dominate it.
LEVELS = np.arange(5, 96) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AffineChange:
    """A change of scale: a score s at P becomes ``offset + factor * s`` at Q."""

    factor: float
    offset: float

    def undo(self, scores: FloatArray) -> FloatArray:
        """Return scores of Q on P's scale."""
        with np.errstate(over="ignore"):  # too large values fall into the outermost bin
            return (scores - self.offset) / self.factor


def affine_change(home: FloatArray, here: FloatArray) -> AffineChange | None:
    """Return the change of scale that maps the quantiles of P to those of Q.

    Parameters
    ----------
    home, here
        Quantiles at P and at Q, at the same levels, shape (levels,).

    Returns
    -------
    AffineChange or None
        None if the quantiles of a hospital are all equal, or if the factor is out of range.

    Notes
    -----
    The factor is the ratio of the standard deviations of the quantiles. The offset makes the means
    agree. This is the line through a quantile-quantile plot that treats both hospitals alike.

    Examples
    --------
    >>> import numpy as np
    >>> quantiles = np.array([0.1, 0.4, 0.6, 1.3])
    >>> change = affine_change(quantiles, 1000 * quantiles + 5)
    >>> round(change.factor, 6), round(change.offset, 6)
    (1000.0, 5.0)
    """
    spread_home, spread_here = _spread(home), _spread(here)
    if not spread_home or not spread_here:
        return None
    factor = spread_here / spread_home
    offset = float(here.mean()) - factor * float(home.mean())
    if not factor or not math.isfinite(factor) or not math.isfinite(offset):
        return None
    return AffineChange(factor=factor, offset=offset)


def _spread(values: FloatArray) -> float:
    """Return the standard deviation without intermediate overflow; exactly 0 for equal values."""
    if values.max() == values.min():
        return 0.0
    deviation = values - values.mean()
    largest = float(np.abs(deviation).max())
    return largest * float(np.sqrt(np.mean((deviation / largest) ** 2)))


def mixture_quantiles(
    positive: FloatArray, negative: FloatArray, prevalence: float, levels: FloatArray
) -> FloatArray:
    """Return quantiles of a mixture of two classes that are given by evenly spaced quantiles.

    Parameters
    ----------
    positive, negative
        Quantiles of each class at the levels 0, 1/m, ..., 1, ascending. Neither is empty.
    prevalence
        The weight of the positive class.
    levels
        Levels in (0, 1) at which to evaluate.

    Notes
    -----
    Each quantile stands for 1/m of its class, and the first and the last for half of that. The
    result is always one of the given scores. Nothing is interpolated.

    Examples
    --------
    >>> import numpy as np
    >>> ill, well = np.array([4.0, 5.0, 6.0]), np.array([0.0, 1.0, 2.0])
    >>> mixture_quantiles(ill, well, 0.5, np.array([0.1, 0.3, 0.9]))
    array([0., 1., 6.])
    """
    scores = np.concatenate([positive, negative])
    share = np.concatenate(
        [prevalence * _steps(positive.size), (1 - prevalence) * _steps(negative.size)]
    )
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(share[order])
    place = np.searchsorted(reached, levels * reached[-1] * (1 - 1e-12), side="left")
    return scores[order][place]


def _steps(size: int) -> FloatArray:
    steps = np.ones(size)
    if size > 1:
        steps[[0, -1]] = 0.5
    return steps / steps.sum()


def straightest_prevalence(positive: FloatArray, negative: FloatArray, here: FloatArray) -> float:
    """Return the prevalence at which the quantiles of P and Q are closest to a straight line.

    The candidates are 0, 0.05, ..., 1. ``here`` are the quantiles of Q at `LEVELS`.
    """
    candidates = np.arange(21) / 20
    quantiles = (mixture_quantiles(positive, negative, float(p), LEVELS) for p in candidates)
    straightness = [_correlation(home, here) for home in quantiles]
    return float(candidates[int(np.argmax(straightness))])


def _correlation(first: FloatArray, two: FloatArray) -> float:
    if not _spread(first) or not _spread(two):
        return 0.0
    standard = [(v - v.mean()) / _spread(v) for v in (first, two)]
    return float(np.mean(standard[0] * standard[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedCut:
    """A cut-off at Q, and the share of Q's patients that it calls."""

    threshold: float
    call_rate: float


def quantile_matched(scores: FloatArray, call_rate: float) -> MatchedCut:
    """Return the cut-off at Q that calls the same share of patients as the frozen one at P.

    Parameters
    ----------
    scores
        Patient scores at Q, shape (n,), oriented: high scores are called.
    call_rate
        The share of the patients of P who are called.

    Notes
    -----
    This is correct if Q has the prevalence of P and its scores are any increasing function of P's.
    The cut-off lies between two scores of Q and never equals one. It is infinite if everybody or
    nobody is called. Of two equally near cut-offs, the
    one that calls more patients is taken.

    Examples
    --------
    >>> import numpy as np
    >>> quantile_matched(np.array([10.0, 20.0, 30.0, 40.0]), call_rate=0.26)
    MatchedCut(threshold=35.0, call_rate=0.25)
    """
    values, counts = np.unique(scores, return_counts=True)
    places = np.concatenate([[-np.inf], midpoints(values[:-1], values[1:]), [np.inf]])
    called = (scores.size - np.concatenate([[0], np.cumsum(counts)])) / scores.size
    # There is no place between two neighbouring floats.
    off = np.where(np.isin(places, values), np.inf, np.abs(called - call_rate).round(12))
    best = int(np.argmin(off))
    return MatchedCut(threshold=float(places[best]), call_rate=float(called[best]))

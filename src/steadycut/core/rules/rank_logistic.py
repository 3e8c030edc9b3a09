"""Where the costs of both classes are even, by a logistic regression on the ranks.

Every patient weighs as much as an error costs. Fitted are the log odds a + b z, where z is the
normal score of a patient's rank. The slope b has a standard Cauchy prior: few patients do not make
a weak score steep, and a sharp score stays as steep as it is. The place looked for is z = -a / b. A
line that does not rise has none: its place lies beyond all patients. Then everybody is called, or
nobody, whichever is cheaper.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from steadycut.core.checks import FloatArray, IntArray

# The groups have even steps of the normal score up to this one, so they are small at both ends.
LAST_EDGE = 4.0


def edges_of(groups: int) -> FloatArray:
    """Return the quantiles between some groups of patients, from 0 to 1."""
    inner = ndtr(np.linspace(-LAST_EDGE, LAST_EDGE, groups - 1))
    return np.concatenate([[0.0], inner, [1.0]])


# Beyond so many cuts, neighbouring patients are counted together in as many groups.
GROUPS = 128
STEP = 2 * LAST_EDGE / (GROUPS - 2)
EDGES = edges_of(GROUPS)
# A place further out than this counts as everybody, or as nobody.
FARTHEST = 40.0
# A line that rises less than this counts as rising so much.
FLATTEST = 0.02
MOST_STEPS = 200
# The error after a step is about the square of the step.
SMALL_STEP, DECIMALS = 1e-6, 9


def even_place(
    ranks: IntArray, n_patients: IntArray, misses: FloatArray, alarms: FloatArray
) -> FloatArray:
    """Return the normal score at which the costs of both classes are even, for each row.

    ``misses`` and ``alarms``, shape (rows, cuts), are weighted by what they cost. The result lies
    between -`FARTHEST` and `FARTHEST`.

    Examples
    --------
    >>> ranks, n = np.arange(5)[None, :], np.array([[4]])
    >>> misses, alarms = np.array([[0.0, 0, 2, 2, 4]]), np.array([[2.0, 1, 1, 0, 0]])
    >>> even_place(ranks, n, misses, alarms).round(3)
    array([-1.537])
    """
    ranks, misses, alarms = grouped((ranks, misses, alarms), EDGES)
    score = group_scores(ranks, n_patients)
    return place_of(*fit_line(score, np.diff(misses, axis=1), -np.diff(alarms, axis=1)))


def grouped(
    curves: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], edges: FloatArray
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return curves along fewer cuts, if they are many: ranks first, and two others."""
    if curves[0].shape[1] <= edges.size:
        return curves
    columns = np.stack([row.searchsorted(row[-1] * edges) for row in curves[0]])
    first, second, third = (np.take_along_axis(values, columns, axis=1) for values in curves)
    return first, second, third


def largest_group(ranks: IntArray, n_patients: IntArray) -> FloatArray:
    """Return how many patients a group may have around each rank, so that it is one step wide."""
    score = ndtri(np.clip(ranks / n_patients, EDGES[1], EDGES[-2]))
    return np.asarray(n_patients * STEP * np.exp(-(score**2) / 2) / np.sqrt(2 * np.pi))


def group_scores(ranks: IntArray, n_patients: IntArray) -> FloatArray:
    """Return the normal score in the middle of each group, between two of the ``ranks``."""
    middle = (ranks[:, 1:] + ranks[:, :-1]) / (2 * n_patients)
    least = 1 / (4 * n_patients)
    return np.asarray(ndtri(np.clip(middle, least, 1 - least)))


def fit_line(
    score: FloatArray, ill: FloatArray, well: FloatArray, prior: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return intercept and slope of the log odds in each row, by Newton steps that are halved.

    ``prior`` is the weight of the Cauchy prior; it must not be 0 if all scores may be equal.

    Examples
    --------
    >>> score, ill = np.array([[-1.0, 0.0, 1.0]]), np.array([[0.2, 0.5, 0.8]])
    >>> [values.round(6).tolist() for values in fit_line(score, ill, 1 - ill, 1e-9)]
    [[0.0], [1.386294]]
    """
    line = np.zeros((2, len(score)))
    if len(score) > 1:
        # Replicates of one cohort are alike: start where their mean ends.
        first = [values.mean(axis=0, keepdims=True) for values in (score, ill, well)]
        line += fit_line(first[0], first[1], first[2], prior)
    loss, step = _loss_and_step(line, score, ill, well, prior)
    for _ in range(MOST_STEPS):
        new, after = _loss_and_step(line + step, score, ill, well, prior)
        while (worse := new > loss * (1 + 1e-12)).any():
            step[:, worse] /= 2
            new, after = _loss_and_step(line + step, score, ill, well, prior)
        line, loss = line + step, new
        if float(np.abs(step).max()) < SMALL_STEP:
            break
        step = after
    # A line that is flat or even but for rounding must not depend on the rows beside it.
    return line[0].round(DECIMALS), line[1].round(DECIMALS)


def _loss_and_step(
    line: FloatArray, score: FloatArray, ill: FloatArray, well: FloatArray, prior: float
) -> tuple[FloatArray, FloatArray]:
    """Return the loss of each line, and the step of intercept and slope, shape (2, rows).

    The prior counts as the parabola that touches its loss here and lies above it elsewhere.
    """
    odds = line[0][:, None] + line[1][:, None] * score
    total, small = ill + well, np.exp(-np.abs(odds))
    risk = np.where(odds >= 0, 1.0, small) / (1 + small)
    # Terms of one sign only: a difference would hide a small loss in rounding.
    fit = total * np.log1p(small) + np.where(odds >= 0, well, ill) * np.abs(odds)
    bend = 2 * prior / (1 + line[1] ** 2)
    off, spread = total * risk - ill, total * risk * (1 - risk)
    across = spread * score
    down, tilt = off.sum(axis=1), (off * score).sum(axis=1) + bend * line[1]
    flat, mixed = spread.sum(axis=1) + 1e-12, across.sum(axis=1)
    steep = (across * score).sum(axis=1) + bend
    up, turn = mixed * tilt - steep * down, mixed * down - flat * tilt
    loss = fit.sum(axis=1) + prior * np.log1p(line[1] ** 2)
    return loss, np.stack([up, turn]) / (flat * steep - mixed**2)


def place_of(intercept: FloatArray, slope: FloatArray) -> FloatArray:
    """Return where each line crosses zero, between -`FARTHEST` and `FARTHEST`."""
    place = np.clip(-intercept / np.maximum(slope, FLATTEST), -FARTHEST, FARTHEST)
    return np.where(slope > 0, place, -FARTHEST * np.sign(intercept))

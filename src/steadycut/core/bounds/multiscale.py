"""The multiscale band: an upper limit of the mass of all windows, narrow for short windows.

Put the scores on the scale on which they are uniform. A window that holds k of n patients lies
between the two order statistics around them. Its mass is therefore at most k + 1 neighbouring
spacings of n uniform points, which is Beta(k + 1, n - k). An upper quantile of this distribution is
the Clopper-Pearson limit of k out of n. The level of the quantile at which all windows hold at once
depends only on n and delta. It is the delta quantile of the smallest tail probability

    T = min over windows of Pr(Beta(m, n + 1 - m) > sum of the window's m = k + 1 spacings).

``scripts/write_multiscale_levels.py`` simulates T and writes lower confidence limits of the level,
which are read here. docs/theory/stability.md has the proof.
"""

import json
import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.special import betainccinv

from steadycut.core.bounds.modulus import Windows, label_windows, width_of
from steadycut.core.checks import BoolArray, FloatArray, IntArray, check_fraction, read_only
from steadycut.core.records import Costs, PatientScores

LEVELS_FILE = Path(__file__).with_name("multiscale_levels.json")
# Tolerance for the rounding of delta, such as 1 - 0.9. The margin of the table is far larger.
ROUNDING = 1e-9

Layers = list[tuple[float, BoolArray]]


def multiscale_band(
    patients: PatientScores, epsilon: float, costs: Costs, delta: float, form: str = "pairwise"
) -> float:
    """Return an upper band on ω(ε). It holds for all ε at once with probability 1 - delta.

    Parameters
    ----------
    patients
        Patients with labels, drawn independently from one population.
    epsilon
        Size of the threshold error. It may depend on the same patients. The band at 0 is 0.
    costs
        The cost of a missed patient and of a false alarm.
    delta
        The probability with which the band may fail.
    form
        ``"pairwise"`` for ω(ε), ``"oscillation"`` for ω(2ε), as in `modulus`.

    Notes
    -----
    The largest value over all windows W = [u, u + ε) of

        c_min L(pooled count in W; δ/2) + (c_max - c_min) L(count of the class with c_max in W; δ/2)

    with L(k; δ) from `mass_limits`. At equal costs it is c L(count; δ). Scores may be tied and
    their distribution may have atoms. Like every band, it bounds the modulus at ε. It does not say
    that the threshold is off by at most ε. It replaces the paper's band, `dkw_band`, which adds the
    same amount to short and to long windows.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    >>> cohort = PatientScores(scores=scores, labels=[0, 1] * 5)
    >>> multiscale_band(cohort, 0.01, Costs(), 0.1)
    0.569
    """
    check_fraction("delta", delta)
    width = width_of(epsilon, form)
    if width <= 0:
        return 0.0
    return largest_limit(label_windows(patients), width, weight_layers(costs.by_class), delta)


def largest_limit(
    windows: Windows, width: float, layers: Layers, delta: float, n_sets: int | None = None
) -> float:
    """Return the band for all windows of one width.

    ``layers`` are those of the weights of the classes (`weight_layers`). Each of ``n_sets`` sets of
    classes gets an equal share of delta, by default each layer.
    """
    n, share = windows.n_patients, delta / (n_sets or len(layers))
    if len(layers) == 1:
        ((height, members),) = layers
        most = windows.largest(width, lambda counts: counts[members].sum(axis=0))
        return height * float(mass_limits(np.array([most], dtype=np.int64), n, share)[0])

    def limit(counts: IntArray) -> FloatArray:
        return np.sum(
            [height * mass_limits(counts[who].sum(axis=0), n, share) for height, who in layers],
            axis=0,
        )

    return windows.largest(width, limit)


def weight_layers(weights: FloatArray) -> Layers:
    """Divide weights into layers: the height of each layer, and which entries reach it.

    Examples
    --------
    >>> weight_layers(np.array([1.0, 0.0, 3.0]))
    [(1.0, array([ True, False,  True])), (2.0, array([False, False,  True]))]
    """
    tops = np.unique(weights[weights > 0])
    heights = np.diff(tops, prepend=0.0)
    return [(float(height), weights >= top) for height, top in zip(heights, tops, strict=True)]


def mass_limits(counts: IntArray, n_patients: int, delta: float) -> FloatArray:
    """Return L, the largest mass of a window that holds k patients, for each k in ``counts``.

    With probability 1 - delta no window of any position and length has more. L(k) is the upper
    `window_level` quantile of Beta(m, n + 1 - m), where m is the first rung of `ladder` that is at
    least k + 1. This is valid because a window with fewer patients lies inside one with more.

    Examples
    --------
    With one patient, both sides of his score must hold: 1 - delta / 2.

    >>> mass_limits(np.array([0, 1]), 1, 0.1)
    array([0.95, 1.  ])
    """
    rungs = ladder(n_patients)
    used, which = np.unique(np.searchsorted(rungs, counts + 1), return_inverse=True)
    rung = np.append(rungs, n_patients + 1)[used]
    last = np.minimum(rung, n_patients)
    limits = betainccinv(last, n_patients + 1 - last, window_level(n_patients, delta))
    return np.where(rung > n_patients, 1.0, limits)[which]


@lru_cache(maxsize=64)
def ladder(n_patients: int) -> IntArray:
    """Return the numbers of spacings at which windows are considered, shape (rungs,).

    All numbers up to 256, then steps of an eighth of the square root. A window between two rungs
    loses at most an eighth of a standard deviation, and there are fewer than 18 √n rungs.
    """
    rungs, rung = [], 1
    while rung <= n_patients:
        rungs.append(rung)
        rung += max(1, math.isqrt(rung) // 8)
    return read_only(np.array(rungs, dtype=np.int64))


def window_level(n_patients: int, delta: float) -> float:
    """Return the level of each window at which all hold together with probability 1 - delta.

    It is the larger of the tabulated level and of delta divided by the number of windows; both are
    valid. In the table the next smaller delta and the next larger n are used.
    """
    check_fraction("delta", delta)
    windows = int((n_patients + 2 - ladder(n_patients)).sum())
    return max(delta / windows, _tabulated_level(n_patients, delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Levels:
    """Lower confidence limits: one row per n, one column per delta, both sorted."""

    deltas: tuple[float, ...]
    n_patients: tuple[int, ...]
    levels: tuple[tuple[float, ...], ...]


@lru_cache(maxsize=1)
def _table() -> _Levels:
    content = json.loads(LEVELS_FILE.read_text(encoding="utf-8"))
    return _Levels(
        deltas=tuple(content["deltas"]),
        n_patients=tuple(int(n) for n in content["levels"]),
        levels=tuple(tuple(row) for row in content["levels"].values()),
    )


def _tabulated_level(n_patients: int, delta: float) -> float:
    table = _table()
    row = bisect_left(table.n_patients, n_patients)
    column = bisect_right(table.deltas, delta * (1 + ROUNDING)) - 1
    outside = row == len(table.n_patients) or column < 0
    return 0.0 if outside else table.levels[row][column]

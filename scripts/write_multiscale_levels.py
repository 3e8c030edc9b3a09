"""Simulate and write the levels that `steadycut.core.bounds.multiscale` reads.

For each n, uniform samples are drawn and the least tail probability T of all windows is taken. The
level at delta is an order statistic of these. Of delta a hundredth (at most 0.001) is kept for the
Monte Carlo error: with that probability at most, the order statistic lies above the quantile of T
at what remains of delta. Levels are rounded down and made to fall with n.

Run as ``python scripts/write_multiscale_levels.py``: about ten minutes on one core, the same
file every time.
"""

import json
import math

import numpy as np
from scipy.special import betaincc, betainccinv
from scipy.stats import binom

from steadycut.core.bounds.multiscale import LEVELS_FILE, ladder
from steadycut.core.checks import FloatArray

# fmt: off
DELTAS = (
    0.001, 0.002, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04,
    0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5,
)
SIZES = (
    *range(2, 21), 22, 24, 27, 30, 33, 36, 40, 45, 50, 56, 63, 71, 80, 90,
    100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710,
    800, 900, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000, 10_000, 20_000,
)
# fmt: on
# Up to a size so many samples are drawn.
DRAWS = {300: 40_000, 1000: 20_000, 10_000: 4000, 20_000: 1500}
SEED = 20_240
DIGITS = 4
# So many numbers fit into the fast memory of a core.
BATCH = 2**15
# These draws show which tail probabilities are too large to matter.
PILOT = 200


def least_tails(samples: FloatArray, smallest: FloatArray | float = 0.0) -> FloatArray:
    """Return T for each row of uniform samples of shape (draws, n).

    Sums of spacings below ``smallest``, for each rung, count as sums of probability 1.

    Examples
    --------
    One point leaves two spacings, the larger of which is 0.8.

    >>> least_tails(np.array([[0.2]]))
    array([0.2])
    """
    n_draws, n = samples.shape
    ends = np.zeros((n_draws, n + 2))
    ends[:, 1:-1] = np.sort(samples, axis=1)
    ends[:, -1] = 1.0
    rungs = ladder(n)
    largest = np.column_stack([(ends[:, m:] - ends[:, :-m]).max(axis=1) for m in rungs])
    tails = np.ones_like(largest)
    row, column = np.nonzero(largest >= smallest)
    tails[row, column] = betaincc(rungs[column], n + 1 - rungs[column], largest[row, column])
    return tails.min(axis=1)


def simulate(n: int, n_draws: int) -> FloatArray:
    """Return sorted draws of T for n patients; those that no delta can need are 1."""
    rng = np.random.default_rng([SEED, n])
    batch = max(1, BATCH // n)
    sizes = [min(batch, n_draws - start) for start in range(0, n_draws, batch)]
    ceiling = np.quantile(least_tails(rng.random((PILOT, n))), 0.6)
    smallest = betainccinv(ladder(n), n + 1 - ladder(n), ceiling)
    return np.sort(np.concatenate([least_tails(rng.random((size, n)), smallest) for size in sizes]))


def lower_rank(n_draws: int, delta: float) -> int:
    """Return how many of the smallest draws lie below the level, from 0 on.

    The draw at that position exceeds the quantile of T only if so few draws or fewer lie at or
    below that quantile.
    """
    kept = min(delta / 100, 1e-3)
    rank = int(binom.ppf(kept, n_draws, delta - kept))
    return rank if binom.cdf(rank, n_draws, delta - kept) <= kept else rank - 1


def level(tails: FloatArray, delta: float) -> float:
    """Return the lower confidence limit of the level, rounded down; 0 where draws are too few."""
    rank = lower_rank(tails.size, delta)
    return _rounded_down(float(tails[rank])) if rank >= 0 else 0.0


def _rounded_down(value: float) -> float:
    shown = float(f"{value:.{DIGITS - 1}e}")
    if shown > value:
        shown -= 10.0 ** (math.floor(math.log10(value)) - DIGITS + 1)
    return float(f"{shown:.{DIGITS - 1}e}")


def levels_text() -> str:
    """Return the table as it stands in the file."""
    rows, least = {}, [1.0] * len(DELTAS)
    for n in SIZES:
        tails = simulate(n, next(draws for size, draws in DRAWS.items() if n <= size))
        least = [min(low, level(tails, delta)) for low, delta in zip(least, DELTAS, strict=True)]
        rows[n] = least
        print(n, least, flush=True)
    lines = ",\n".join(f'  "{n}": {json.dumps(row)}' for n, row in rows.items())
    return f'{{\n "deltas": {json.dumps(DELTAS)},\n "levels": {{\n{lines}\n }}\n}}\n'


if __name__ == "__main__":
    LEVELS_FILE.write_text(levels_text(), encoding="utf-8")
    print(f"Wrote {LEVELS_FILE}")

"""Whom to label next: patients at random, who may certify, and patients who help to choose.

Two cut-offs differ only in what they decide about patients between them. Labels of patients far
from all plausible cut-offs say nothing about which one is better. So some of the labels go to the
grey zone. Those say nothing about how often a cut-off errs, and must never certify.
"""

import numpy as np

from steadycut.core.adapt.pool import Pool
from steadycut.core.checks import FloatArray, IntArray

# Cut-offs outside this part of the prior are not plausible.
PLAUSIBLE = (0.05, 0.95)


def random_part(n_patients: int, size: int, rng: np.random.Generator) -> IntArray:
    """Return which patients are labelled to certify: ``size`` at random, in random order."""
    return np.asarray(rng.choice(n_patients, size, replace=False))


def grey_zone(pool: Pool, prior: FloatArray) -> tuple[float, float]:
    """Return between which scores the plausible cut-offs lie."""
    total = np.cumsum(prior) / prior.sum()
    low, high = np.minimum(np.searchsorted(total, PLAUSIBLE), pool.cuts.size - 1)
    return float(pool.cuts[low]), float(pool.cuts[high])


def grey_part(
    scores: FloatArray, zone: tuple[float, float], size: int, rng: np.random.Generator
) -> IntArray:
    """Return which patients are labelled to choose: up to ``size`` at random in the grey zone."""
    inside = np.flatnonzero((scores >= zone[0]) & (scores < zone[1]))
    return np.asarray(rng.choice(inside, min(size, inside.size), replace=False))

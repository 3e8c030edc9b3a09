"""What can be known without labels: prevalence, its intervals and the shape test, on known truths.

``known``: share of studies in which P shows that the classes differ. ``error``: mean
|estimate - prevalence| where known. ``approximate`` and ``valid``: coverage and mean width of the
two intervals at 90 %. ``empty``: no prevalence is possible. ``rejected``: share of studies that the
shape test rejects at 10 %.

Run: python benchmarks/studies/label_free.py [--replicates 300]
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.shift.label_shift import (
    bootstrap_interval,
    classes_differ,
    estimate_prevalence,
    rank_bins,
    shape_test,
    valid_interval,
)

DELTA = 0.1
REPLICATES = 199
SIZES = [(46, 46), (46, 1000), (100, 200), (500, 46), (500, 1000)]


def binormal(labels, rng):
    return rng.normal(size=labels.size) + 1.5 * labels


def two_basins(labels, rng):
    centre = np.where(rng.random(labels.size) < 0.5, -4, 4)
    return centre + np.where(labels, 1, -1) + 0.7 * rng.normal(size=labels.size)


def heavy_tails(labels, rng):
    return rng.standard_t(2, size=labels.size) + 2 * labels


def discrete(labels, rng):
    return rng.binomial(4, np.where(labels, 0.7, 0.3)).astype(float)


def draw(shapes, n, prevalence, rng):
    labels = rng.random(n) < prevalence
    return shapes(labels, rng), labels.astype(int)


def drifted(labels, rng):
    """The healthy score higher than at P; the diseased are as they were."""
    return rng.normal(size=labels.size) + np.where(labels, 1.5, 0.7)


def rescaled(labels, rng):
    """An increasing function of P's scores."""
    return np.exp(binormal(labels, rng) / 2)


def changed_unit(labels, rng):
    return 1.7 * binormal(labels, rng)


# Shapes at P, prevalence at P, shapes at Q, prevalence at Q.
LABEL_SHIFT = {
    "binormal, P = Q": (binormal, 0.40, binormal, 0.40),
    "binormal, fewer ill": (binormal, 0.40, binormal, 0.15),
    "binormal, hardly any ill": (binormal, 0.40, binormal, 0.03),
    "two basins, fewer ill": (two_basins, 0.50, two_basins, 0.30),
    "heavy tails, more ill": (heavy_tails, 0.30, heavy_tails, 0.60),
    "discrete, more ill": (discrete, 0.40, discrete, 0.70),
    "rare disease, P = Q": (binormal, 0.02, binormal, 0.02),
    "rare disease, more ill": (binormal, 0.05, binormal, 0.30),
}
SHAPE_SHIFT = {
    "healthy score higher": (binormal, 0.40, drifted, 0.40),
    "the same, fewer ill": (binormal, 0.40, drifted, 0.15),
    "another unit (x 1.7)": (binormal, 0.40, changed_unit, 0.40),
    "increasing rescaling": (binormal, 0.40, rescaled, 0.40),
}


def one_study(shapes_home, prevalence_home, shapes, prevalence, sizes, rng):
    """Return what an audit without labels would say, and whether it is true."""
    bins = rank_bins(*draw(shapes_home, sizes[0], prevalence_home, rng))
    counts = bins.count(draw(shapes, sizes[1], prevalence, rng)[0])
    valid = valid_interval(bins, counts, DELTA)
    low, high = valid or (1.0, 1.0)
    test = shape_test(bins, counts, rng, REPLICATES)
    known = classes_differ(bins, DELTA, rng, REPLICATES)
    found = {
        "known": known,
        "valid": valid is not None and low <= prevalence <= high,
        "valid_width": high - low,
        "empty": valid is None,
        "rejected": np.nan if test is None else test.p_value <= DELTA,
        "error": np.nan,
        "approximate": np.nan,
        "approximate_width": np.nan,
    }
    if known:
        low, high = bootstrap_interval(bins, counts, DELTA, rng, REPLICATES)
        found["error"] = abs(estimate_prevalence(bins, counts) - prevalence)
        found |= {"approximate": low <= prevalence <= high, "approximate_width": high - low}
    return found


def main():
    asked = options("label_free", __doc__, 300, 2026)
    result = {"delta": DELTA, "resampled": REPLICATES}
    for kind, populations in (("label_shift", LABEL_SHIFT), ("shape_shift", SHAPE_SHIFT)):
        settings = {
            (name, *sizes): (*shapes, sizes)
            for name, shapes in populations.items()
            for sizes in SIZES
        }
        named = {f"{name}, {p} at P, {q} at Q": settings[name, p, q] for name, p, q in settings}
        means = means_of(named, OneByOne(one_study), asked)
        result[kind] = [
            {"population": name, "at_p": p, "at_q": q} | found
            for (name, p, q), found in zip(settings, means.values(), strict=True)
        ]
    store(asked, result)


if __name__ == "__main__":
    main()

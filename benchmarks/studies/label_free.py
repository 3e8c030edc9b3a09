"""What can be known without labels: prevalence, its intervals and the shape test, on known truths.

Run: python benchmarks/studies/label_free.py
"""

import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from steadycut.core.shift.label_shift import (
    bootstrap_interval,
    classes_differ,
    estimate_prevalence,
    rank_bins,
    valid_interval,
)
from steadycut.core.shift.shape_test import shape_test

DELTA = 0.1
STUDIES = 300
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


# Name, shapes at P, prevalence at P, shapes at Q, prevalence at Q.
LABEL_SHIFT = [
    ("binormal, P = Q", binormal, 0.40, binormal, 0.40),
    ("binormal, fewer ill", binormal, 0.40, binormal, 0.15),
    ("binormal, hardly any ill", binormal, 0.40, binormal, 0.03),
    ("two basins, fewer ill", two_basins, 0.50, two_basins, 0.30),
    ("heavy tails, more ill", heavy_tails, 0.30, heavy_tails, 0.60),
    ("discrete, more ill", discrete, 0.40, discrete, 0.70),
    ("rare disease, P = Q", binormal, 0.02, binormal, 0.02),
    ("rare disease, more ill", binormal, 0.05, binormal, 0.30),
]
SHAPE_SHIFT = [
    ("healthy score higher", binormal, 0.40, drifted, 0.40),
    ("the same, fewer ill", binormal, 0.40, drifted, 0.15),
    ("another unit (x 1.7)", binormal, 0.40, changed_unit, 0.40),
    ("increasing rescaling", binormal, 0.40, rescaled, 0.40),
]


def one_study(setting, sizes, rng):
    """Error, valid interval, approximate interval, whether label shift is rejected; or None."""
    _, at_home, prevalence_home, here, prevalence = setting
    bins = rank_bins(*draw(at_home, sizes[0], prevalence_home, rng))
    counts = bins.count(draw(here, sizes[1], prevalence, rng)[0])
    valid = valid_interval(bins, counts, DELTA)
    row = [np.nan] * 3 + [valid is None, 0.0, 0.0]
    if valid is not None:
        row[4:] = [valid[0] <= prevalence <= valid[1], valid[1] - valid[0]]
    test = shape_test(bins, counts, rng, REPLICATES)
    row.append(np.nan if test is None else test.p_value <= DELTA)
    if classes_differ(bins, DELTA, rng, REPLICATES):
        low, high = bootstrap_interval(bins, counts, DELTA, rng, REPLICATES)
        error = abs(estimate_prevalence(bins, counts) - prevalence)
        row[:3] = [error, low <= prevalence <= high, high - low]
    return row


def measure(job):
    setting, sizes, seed = job
    streams = np.random.default_rng(seed).spawn(STUDIES)
    rows = np.array([one_study(setting, sizes, rng) for rng in streams], dtype=float)
    known = ~np.isnan(rows[:, 0])
    means = rows[known, :3].mean(axis=0) if known.any() else [np.nan] * 3
    error, covered, width = means
    empty, valid_covered, valid_width = rows[:, 3:6].mean(axis=0)
    return known.mean(), error, covered, width, valid_covered, valid_width, empty, rows[:, 6]


def table(title, settings, pool):
    print(f"\n{title}")
    print(
        f"{'':26}{'n P':>5}{'n Q':>6}{'known':>7}{'error':>7}{'approximate':>15}{'valid':>15}"
        f"{'empty':>7}{'rejected':>10}"
    )
    rows = [(setting, sizes) for setting in settings for sizes in SIZES]
    jobs = [(*row, [len(settings), place]) for place, row in enumerate(rows)]
    for (setting, sizes, _), found in zip(jobs, pool.map(measure, jobs), strict=True):
        known, error, covered, width, valid, valid_width, empty, rejected = found
        print(
            f"{setting[0]:26}{sizes[0]:>5}{sizes[1]:>6}{known:>7.2f}{error:>7.3f}"
            f"{covered:>8.2f} ({width:.2f}){valid:>8.2f} ({valid_width:.2f})"
            f"{empty:>7.2f}{np.nanmean(rejected):>10.3f}"
        )


def main():
    started = time.perf_counter()
    print(f"{STUDIES} studies a row, delta = {DELTA}, {REPLICATES} replicates.")
    print(
        "known: P shows that the classes differ. error: mean |estimate - prevalence| where known."
    )
    print("approximate, valid: coverage (mean width) of the two intervals at 90 %.")
    print("empty: no prevalence possible. rejected: by the shape test at 10 %.")
    with ProcessPoolExecutor(max_workers=2) as pool:
        table("Label shift holds: rejections are false alarms", LABEL_SHIFT, pool)
        table("Shapes moved: rejections are power, the prevalence is misled", SHAPE_SHIFT, pool)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()

"""What is promised without labels, measured on populations whose truth is known.

The valid interval and the risk range may fail in a share delta of all studies, and the shape test
may reject in a share delta of those where only the prevalence differs. Four Monte Carlo standard
errors are allowed. The trap shows that resampling Q alone breaks the test, and that this is seen.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from steadycut.core.confusion import confusion_at
from steadycut.core.records import Costs, PatientScores
from steadycut.core.shift.label_shift import (
    bootstrap_interval,
    nearest_mixture,
    rank_bins,
    risk_range,
    shape_test,
    smooth_shape,
    valid_interval,
)

pytestmark = pytest.mark.validity

DELTA = 0.1
STUDIES = [pytest.param(300, id="short"), pytest.param(2000, id="full", marks=pytest.mark.slow)]
SIZES = [(n, m) for n in (46, 100, 500) for m in (46, 200, 1000)]
THRESHOLD = 0.8


def binormal(labels, rng):
    return rng.normal(size=labels.size) + 1.5 * labels


def discrete(labels, rng):
    return rng.binomial(4, np.where(labels, 0.7, 0.3)).astype(float)


def two_basins(labels, rng):
    centre = np.where(rng.random(labels.size) < 0.5, -4, 4)
    return centre + np.where(labels, 1, -1) + 0.7 * rng.normal(size=labels.size)


SETTINGS = [
    pytest.param(binormal, 0.4, 0.4, id="same"),
    pytest.param(binormal, 0.4, 0.05, id="fewer-ill"),
    pytest.param(two_basins, 0.5, 0.3, id="two-basins"),
    pytest.param(discrete, 0.3, 0.7, id="discrete"),
]


def draw(shapes, n, prevalence, rng):
    labels = rng.random(n) < prevalence
    return shapes(labels, rng), labels.astype(int)


def studies(n_studies, shapes, home, here, sizes):
    """Bins of P and counts of Q, where only the prevalence differs."""
    for rng in np.random.default_rng([*sizes, n_studies]).spawn(n_studies):
        bins = rank_bins(*draw(shapes, sizes[0], home, rng))
        yield bins, bins.count(draw(shapes, sizes[1], here, rng)[0]), rng


def at_most(share, level, n_studies):
    assert share <= level + 4 * math.sqrt(level * (1 - level) / n_studies)


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("shapes", "home", "here"), SETTINGS)
def test_the_shape_test_keeps_its_level(shapes, home, here, sizes, n_studies):
    found = [
        shape_test(bins, counts, rng, 99)
        for bins, counts, rng in studies(n_studies, shapes, home, here, sizes)
    ]
    at_most(np.mean([test.p_value <= DELTA for test in found]), DELTA, n_studies)


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("sizes", [(46, 46), (100, 1000), (500, 200)])
@pytest.mark.parametrize(("shapes", "home", "here"), SETTINGS)
def test_the_valid_interval_covers(shapes, home, here, sizes, n_studies):
    missed = 0
    for bins, counts, _ in studies(n_studies, shapes, home, here, sizes):
        interval = valid_interval(bins, counts, DELTA)
        missed += interval is None or not interval[0] <= here <= interval[1]
    at_most(missed / n_studies, DELTA, n_studies)


@pytest.mark.parametrize("sizes", [(100, 200), (500, 1000)])
@pytest.mark.parametrize(("shapes", "home", "here"), SETTINGS)
def test_the_approximate_interval_is_not_far_off(shapes, home, here, sizes):
    """It promises nothing; below 0.8 it would mislead."""
    inside = []
    for bins, counts, rng in studies(200, shapes, home, here, sizes):
        low, high = bootstrap_interval(bins, counts, DELTA, rng, 99)
        inside.append(low <= here <= high)
    assert np.mean(inside) >= 0.8


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=5.0)])
@pytest.mark.parametrize("sizes", [(46, 46), (100, 1000)])
def test_the_risk_range_covers(sizes, costs, n_studies):
    """Binormal, so that miss and alarm rate of the threshold are known."""
    here, missed = 0.1, 0
    miss, alarm = ndtr(THRESHOLD - 1.5), ndtr(-THRESHOLD)
    risk = costs.cost_fn * here * miss + costs.cost_fp * (1 - here) * alarm
    for rng in np.random.default_rng(3).spawn(n_studies):
        scores, labels = draw(binormal, sizes[0], 0.4, rng)
        bins = rank_bins(scores, labels)
        counts = bins.count(draw(binormal, sizes[1], here, rng)[0])
        interval = valid_interval(bins, counts, DELTA / 2)
        errors = confusion_at(PatientScores(scores=scores, labels=labels), THRESHOLD)
        if interval is not None:
            low, high = risk_range(errors, costs, interval, DELTA / 2)
            missed += not low <= risk <= high
    at_most(missed / n_studies, DELTA, n_studies)


def test_resampling_q_alone_would_break_the_test():
    rejected = []
    for bins, counts, rng in studies(200, binormal, 0.4, 0.4, (100, 1000)):
        weight, distance = nearest_mixture(bins.positive, bins.negative, counts)
        ill, well = (smooth_shape(bins, cells) for cells in (bins.positive, bins.negative))
        drawn = rng.multinomial(1000, weight * ill + (1 - weight) * well, size=99)
        _, distances = nearest_mixture(bins.positive, bins.negative, drawn)
        rejected.append((1 + np.sum(distances >= distance)) / 100 <= DELTA)
    assert np.mean(rejected) > 0.4


def test_the_shape_test_sees_a_shape_that_moved():
    seen = []
    for rng in np.random.default_rng(4).spawn(50):
        bins = rank_bins(*draw(binormal, 100, 0.4, rng))
        counts = bins.count(2.5 * draw(binormal, 200, 0.4, rng)[0])
        seen.append(shape_test(bins, counts, rng, 99).p_value <= DELTA)
    assert np.mean(seen) > 0.9

"""Figure 1's mixture has the printed moments, and its readings differ as they should."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from paper.figure_1_simulation import (
    EXTERNAL,
    INTERNAL,
    SHARP,
    Setting,
    draw_external,
    draw_internal,
    draw_scores,
)
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs

MANY = 100_000
THRESHOLDS = np.linspace(0, 6, 61)


def analytic_risk(share, prevalence=0.5):
    """Risk at P without noise, from the printed numbers alone."""
    below = [
        share * norm.cdf(THRESHOLDS, INTERNAL.sharp_means[y], INTERNAL.sharp_sds[y])
        + (1 - share) * norm.cdf(THRESHOLDS, INTERNAL.flat_means[y], INTERNAL.flat_sd)
        for y in (0, 1)
    ]
    return prevalence * below[1] + (1 - prevalence) * (1 - below[0])


@pytest.mark.parametrize("share", [0.12, 0.8])
def test_the_risk_without_noise_is_that_of_the_printed_mixture(share):
    setting = Setting(sharp_share=share, noise="none", n_patients=MANY, n_cells=10**6)
    patients = draw_internal(setting, np.random.default_rng(0))
    found = risk_curve(patients, THRESHOLDS, Costs())
    assert found == pytest.approx(analytic_risk(share), abs=0.006)


def test_with_the_printed_share_there_is_no_sharp_basin_and_with_half_there_is():
    """The printed description cannot lead to the printed figure (a)."""
    near = (SHARP[0] <= THRESHOLDS) & (THRESHOLDS <= 2.8)
    assert np.all(np.diff(analytic_risk(0.12)[near]) < 0)
    half = analytic_risk(0.5)
    assert np.any(np.diff(half[near]) > 0)
    assert SHARP[0] <= THRESHOLDS[half.argmin()] <= SHARP[1]


@pytest.mark.parametrize(
    ("share", "prevalence", "in_sharp"),
    [(0.40, 0.5, False), (0.44, 0.5, True), (0.12, 0.70, False), (0.12, 0.74, True)],
)
def test_what_it_takes_to_put_the_minimum_into_the_sharp_region(share, prevalence, in_sharp):
    """A share of about 0.42 instead of 0.12, or a prevalence of about 0.72."""
    best = THRESHOLDS[analytic_risk(share, prevalence).argmin()]
    assert (SHARP[0] <= best <= SHARP[1]) == in_sharp


@pytest.mark.parametrize("site", [INTERNAL, EXTERNAL])
def test_added_noise_has_its_deviation_at_its_centre(site):
    amplitude, centre, _ = site.noise
    labels = np.zeros(MANY, dtype=np.int8)
    narrow = replace(site, sharp_means=(centre, centre), sharp_sds=(1e-9, 1e-9))
    scores = draw_scores(narrow, labels, 1.0, "added", np.random.default_rng(1))
    assert scores.std() == pytest.approx(amplitude, rel=0.02)
    widened = draw_scores(narrow, labels, 1.0, "widened", np.random.default_rng(1))
    assert widened.std() == pytest.approx((1 + amplitude) * 1e-9, rel=0.02)


def test_units_of_the_mixture():
    rng = np.random.default_rng(0)
    small = Setting(n_patients=30, n_cells=50, n_external=40)
    assert draw_internal(small, rng).n_patients == 30
    assert draw_internal(replace(small, unit="pooled"), rng).n_patients == 1500
    assert draw_external(small, rng).n_patients == 40
    averaged = draw_internal(replace(small, unit="cells", noise="none"), rng)
    assert averaged.n_patients == 30
    # Means of 50 cells of either class are far apart: 2.43 and 4.21.
    assert averaged.negative_scores.max() < averaged.positive_scores.min()

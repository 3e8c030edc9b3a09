"""Limits of a rate: against scipy, by hand, and where the patients chose the cut themselves."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from steadycut.core.bounds.binomial import dkw_limit, dkw_width, rate_interval, two_sided


@pytest.mark.parametrize(("count", "n"), [(0, 10), (3, 10), (10, 10), (16, 46)])
def test_without_a_choice_the_interval_is_exact(count, n):
    exact = binomtest(count, n).proportion_ci(0.9, method="exact")
    assert two_sided(count, n, 0.1) == pytest.approx((exact.low, exact.high), abs=1e-12)
    assert rate_interval(count, n, 0.1) == two_sided(count, n, 0.1)


def test_without_patients_a_rate_is_open():
    assert two_sided(0, 0, 0.1) == rate_interval(0, 0, 0.1) == (0.0, 1.0)
    assert rate_interval(0, 0, 0.1, n_choices=1) == (0.0, 1.0)


def test_widths_by_hand():
    assert dkw_width(0, 0.1) == dkw_width(1, 0.001) == 1.0
    assert dkw_limit(0, 0, 0.1) == dkw_limit(3, 4, 0.1) == dkw_limit(1, 1, 0.9) == 1.0
    assert dkw_limit(20, 200, 0.1) == pytest.approx(0.1 + math.sqrt(math.log(10) / 400))
    assert dkw_width(200, 0.1) == pytest.approx(math.sqrt(math.log(20) / 400))


def test_after_a_choice_the_interval_is_a_band():
    low, high = rate_interval(50, 100, 0.1, n_choices=1)
    assert high - 0.5 == pytest.approx(math.sqrt(math.log(20) / 200)) == 0.5 - low
    assert rate_interval(1, 1, 0.1, n_choices=1) == (0.0, 1.0)
    alone = 1 - math.sqrt(math.log(2 / 0.9) / 2)
    assert rate_interval(1, 1, 0.9, n_choices=1) == pytest.approx((alone, 1.0))
    wider = rate_interval(50, 100, 0.1, n_choices=4)
    assert wider == pytest.approx(rate_interval(50, 100, 0.025, n_choices=1))


@pytest.mark.validity
@pytest.mark.parametrize(("n_choices", "held"), [(20, True), (0, False)])
def test_the_rate_at_the_rosiest_cut_of_many_scores(n_choices, held):
    """Patients who choose where their rate looks best: the band holds, the exact interval fails."""
    rng, n, n_studies = np.random.default_rng(8), 50, 400
    cuts = np.linspace(0.05, 0.95, 19)
    missed = 0
    for _ in range(n_studies):
        below = (rng.random((20, n, 1)) < cuts).sum(axis=1)
        gap = below / n - cuts
        score, cut = np.unravel_index(gap.argmin(), gap.shape)
        low, high = rate_interval(int(below[score, cut]), n, 0.1, n_choices)
        missed += not low <= cuts[cut] <= high
    assert (missed / n_studies <= 0.1) == held

"""Intervals melded from the exact limits of several rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from steadycut.core.intervals.melding import N_POINTS, high_rate, low_rate, spread_points, tails


def test_points_fill_every_quarter_of_the_square_alike():
    points = spread_points(2)
    counts = np.histogram2d(*points, bins=4, range=[[0, 1], [0, 1]])[0]
    assert points.shape == (2, N_POINTS)
    assert np.all((points > 0) & (points < 1))
    assert np.all(np.abs(counts - N_POINTS / 16) <= 3)


def test_every_row_holds_every_level_once_in_any_dimension():
    levels = (np.arange(N_POINTS) + 0.5) / N_POINTS
    points = spread_points(6)
    np.testing.assert_allclose(np.sort(points, axis=1), np.tile(levels, (6, 1)), rtol=1e-12)
    assert spread_points(2) == pytest.approx(points[:2])


@pytest.mark.parametrize(("dimensions", "error"), [(1, 0.0003), (2, 0.002), (3, 0.005)])
def test_tails_of_sums_are_met(dimensions, error):
    weights = np.random.default_rng(0).normal(size=(50, dimensions))
    sums = weights @ ndtri(spread_points(dimensions))
    spread = np.linalg.norm(weights, axis=1)
    for total, scale in zip(sums, spread, strict=True):
        ends = np.array(tails(total, total, 0.05)) / scale
        np.testing.assert_allclose(ndtr(ends), [0.025, 0.975], atol=error)


def test_the_rates_are_quantiles_of_the_limits():
    level = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(low_rate(3, 7, level), beta.ppf(level, 3, 8), rtol=1e-12)
    np.testing.assert_allclose(high_rate(3, 7, level), beta.ppf(level, 4, 7), rtol=1e-12)
    np.testing.assert_allclose(low_rate(1, 7, level), beta.ppf(level, 1, 8), rtol=1e-12)
    np.testing.assert_allclose(high_rate(3, 1, level), beta.ppf(level, 4, 1), rtol=1e-12)


def test_nothing_counted_has_no_lower_limit_and_everything_no_upper_one():
    level = np.array([0.025, 0.975])
    assert low_rate(0, 10, level).tolist() == [0, 0]
    assert high_rate(10, 0, level).tolist() == [1, 1]
    assert low_rate(np.array([0, 5]), np.array([5, 0]), level)[1] > 0.9


@given(count=st.integers(0, 30), others=st.integers(0, 30))
def test_a_single_rate_gets_its_clopper_pearson_interval(count, others):
    points = spread_points(1)[0]
    low, high = tails(low_rate(count, others, points), high_rate(count, others, points), 0.05)
    exact = [0.0 if count == 0 else beta.ppf(0.025, count, others + 1)]
    exact.append(1.0 if others == 0 else beta.ppf(0.975, count + 1, others))
    assert (low, high) == pytest.approx(exact, abs=2e-3)


def test_an_infinite_value_stays_infinite():
    values = np.array([1.0, 2.0, np.inf, np.inf])
    assert tails(values, values, 0.5) == (1.0, np.inf)

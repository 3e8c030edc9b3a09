"""Whether scores can be a mixture of two classes, against grids and by hand."""

import math

import numpy as np
import pytest

from steadycut.core.shift.label_shift import RankBins, cdf_at_edges
from steadycut.core.shift.shape_test import _draw_label_shift, nearest_mixture, shape_test
from tests.core.cohorts import some_bins

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_nearest_mixture_agrees_with_a_grid(seed):
    bins, counts = some_bins(seed)
    weight, distance = nearest_mixture(bins.positive, bins.negative, counts)
    ill, well, here = (cdf_at_edges(c) for c in (bins.positive, bins.negative, counts))
    grid = np.linspace(0, 1, 1001)
    tried = [math.sqrt(np.mean((w * ill + (1 - w) * well - here) ** 2)) for w in grid]
    assert distance <= min(tried) + 1e-12
    assert distance == pytest.approx(min(tried), abs=1e-5)
    assert weight == pytest.approx(grid[np.argmin(tried)], abs=1.1e-3)


def test_a_mixture_of_the_classes_has_no_distance():
    bins = RankBins(edges=[1.0, 2.0], positive=[1, 2, 7], negative=[7, 2, 1])
    test = shape_test(bins, np.array([16, 8, 16]), np.random.default_rng(0), 99)
    assert test.statistic == pytest.approx(0, abs=1e-12)
    assert test.p_value == 1.0
    assert test.n_bootstrap == 99
    assert shape_test(bins, bins.pooled, np.random.default_rng(0)).n_bootstrap == 999


def test_equal_classes_can_still_be_refuted():
    bins = RankBins(edges=[1.0], positive=[200, 200], negative=[200, 200])
    test = shape_test(bins, np.array([400, 0]), np.random.default_rng(0), 99)
    assert test.p_value == 0.01
    assert test.statistic == 0.5


def test_the_shape_test_draws_every_part_anew():
    bins, counts = some_bins(2)
    n = int(counts.sum())
    drawn = _draw_label_shift(bins, 0.3, n, np.random.default_rng(0), 6)
    for part, size in zip(drawn, (bins.n_positive, bins.n_negative, n), strict=True):
        assert part.shape == (6, bins.n_bins)
        assert part.sum(axis=1).tolist() == [size] * 6
        assert np.unique(part, axis=0).shape[0] > 1


def test_nothing_is_tested_without_two_classes_and_two_bins():
    rng = np.random.default_rng(0)
    for edges, positive, negative in (
        ([], [3], [3]),
        ([1.0], [0, 0], [3, 3]),
        ([1.0], [3, 3], [0, 0]),
    ):
        bins = RankBins(edges=edges, positive=positive, negative=negative)
        assert shape_test(bins, bins.pooled, rng, 9) is None

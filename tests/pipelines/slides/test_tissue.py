"""Tissue is found on any slide: with glass, all tissue, all glass, read from any level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.pipelines.slides.tissue import Tissue, otsu, saturation_of, tissue_mask
from tests.pipelines.slides.making import GLASS, TISSUE, Drawing, draw


def test_mask_is_the_planted_square():
    mask = tissue_mask(draw(Drawing(edge=256, tissue=(64, 64, 128))))
    expected = np.zeros((256, 256), dtype=bool)
    expected[64:192, 64:192] = True
    # Averaging over 3 by 3 pixels moves the border by at most one.
    assert (mask != expected).sum() <= 4 * 130
    assert mask[66:190, 66:190].all()


@pytest.mark.parametrize(("colour", "share"), [(TISSUE, 1.0), (GLASS, 0.0), ((5, 0, 9), 0.0)])
def test_slides_of_one_kind(colour, share):
    picture = np.array(colour) + np.random.default_rng(0).normal(0, 2, (64, 64, 1))
    assert tissue_mask(picture.clip(0, 255).astype(np.uint8)).mean() == share


def test_dust_is_no_tissue():
    picture = np.full((64, 64, 3), 244, dtype=np.uint8)
    picture[30, 30] = TISSUE
    assert not tissue_mask(picture).any()


@given(st.lists(st.integers(0, 255), min_size=1, max_size=60))
def test_otsu_is_the_best_of_all_thresholds(values):
    array = np.array(values, dtype=np.uint8)

    def within(threshold):
        sides = array[array <= threshold], array[array > threshold]
        return sum(side.var() * side.size for side in sides if side.size)

    assert within(otsu(array)) <= min(map(within, range(256))) + 1e-6


@given(st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=20))
def test_saturation_is_that_of_the_colour_model(colours):
    import colorsys

    expected = [colorsys.rgb_to_hsv(*(part / 255 for part in c))[1] * 255 for c in colours]
    found = saturation_of(np.array([colours], dtype=np.uint8))[0]
    np.testing.assert_allclose(found, expected, atol=1.0)


def test_share_is_a_plain_mean():
    rng = np.random.default_rng(0)
    mask = rng.random((20, 30)) < 0.4
    tissue = Tissue(picture=np.zeros((20, 30, 3), np.uint8), mask=mask, scale=8.0)
    x, y = np.array([0.0, 16.0, 160.0]), np.array([0.0, 80.0, 120.0])
    expected = [mask[0:4, 0:4].mean(), mask[10:14, 2:6].mean(), mask[15:19, 20:24].mean()]
    np.testing.assert_allclose(tissue.share(x, y, 32.0), expected)

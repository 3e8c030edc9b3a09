"""Tiles are where the grid says, at the resolution that was asked for."""

import numpy as np
import pytest

from steadycut.pipelines.slides.options import TileOptions
from steadycut.pipelines.slides.quality import tile_quality
from steadycut.pipelines.slides.reader import Slide, open_slide
from steadycut.pipelines.slides.tiles import Places, plan_grid, read_tiles
from tests.pipelines.slides.making import Drawing, draw, write_slide


@pytest.fixture(scope="module")
def slide(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiles") / "slide.tif"
    write_slide(path, Drawing(), levels=3)
    with open_slide(path) as opened:
        yield opened


def all_places(grid):
    row, column = (part.ravel() for part in np.mgrid[: grid.rows, : grid.columns])
    return Places(column=column, row=row, tissue=np.ones(row.size))


@pytest.mark.parametrize(
    ("mpp", "level", "shrink", "step"),
    [(0.5, 0, 1, 64), (1.0, 1, 1, 128), (0.97, 1, 1, 128), (1.5, 1, 1.5, 192), (4, 2, 2, 512)],
)
def test_grid(slide, mpp, level, shrink, step):
    grid = plan_grid(slide, TileOptions(tile=64, mpp=mpp))
    assert (grid.level, grid.shrink, grid.step) == (level, pytest.approx(shrink), step)
    assert (grid.columns, grid.rows) == (1024 // step, 1024 // step)
    assert grid.mpp == pytest.approx(step / 64 * 0.5)


def test_tiles_are_the_pixels_of_the_slide(slide):
    grid = plan_grid(slide, TileOptions(tile=64, mpp=0.5))
    places = all_places(grid)
    keep = np.random.default_rng(0).random(places.row.size) < 0.7
    some = Places(column=places.column[keep], row=places.row[keep], tissue=places.tissue[keep])
    whole = draw(Drawing())
    for tile, column, row in zip(read_tiles(slide, grid, some), some.column, some.row, strict=True):
        there = whole[row * 64 : row * 64 + 64, column * 64 : column * 64 + 64]
        np.testing.assert_array_equal(tile[..., :3], there)


def test_shrunk_tiles_are_means_of_boxes(slide):
    grid = plan_grid(slide, TileOptions(tile=32, mpp=4))
    tile = read_tiles(slide, grid, all_places(grid))[6]
    x, y = 6 % grid.columns * 256, 6 // grid.columns * 256
    there = draw(Drawing())[y : y + 256, x : x + 256].reshape(32, 8, 32, 8, 3).mean(axis=(1, 3))
    # Each of the three levels is rounded once.
    assert np.abs(tile[..., :3] - there).max() <= 1.5


def test_no_region_is_larger_than_allowed(tmp_path, monkeypatch):
    """Coarse tiles of a slide that has no small levels are read in parts, and come out the same."""
    write_slide(tmp_path / "bare.tif", Drawing(), levels=1)
    sizes = []
    usual = Slide.read

    def watched(self, x, y, level, size):
        sizes.append(size[0] * size[1])
        return usual(self, x, y, level, size)

    monkeypatch.setattr(Slide, "read", watched)
    monkeypatch.setattr("steadycut.pipelines.slides.tiles.MOST_PIXELS", 10_000)
    with open_slide(tmp_path / "bare.tif") as bare:
        grid = plan_grid(bare, TileOptions(tile=32, mpp=4))
        found = read_tiles(bare, grid, all_places(grid))
    assert max(sizes) <= 10_000
    boxes = draw(Drawing()).reshape(4, 32, 8, 4, 32, 8, 3).mean(axis=(2, 5)).swapaxes(1, 2)
    # Pillow shrinks one axis after the other and rounds twice.
    assert np.abs(found[..., :3] - boxes.reshape(16, 32, 32, 3)).max() <= 1


def test_blur_lowers_sharpness():
    from scipy import ndimage

    tile = draw(Drawing(tissue=(0, 0, 1024)))[:128, :128]
    soft = ndimage.gaussian_filter(tile.astype(float), (3, 3, 0)).astype(np.uint8)
    found = tile_quality(np.stack([tile, soft]))
    assert found.sharpness[0] > 100 * found.sharpness[1]
    np.testing.assert_allclose(found.brightness, tile[..., 1].mean(), atol=1)
    bent = ndimage.laplace(tile[..., 1].astype(float))[1:-1, 1:-1]
    np.testing.assert_allclose(found.sharpness[0], bent.var(), rtol=1e-4)

"""JPEG tiles are read as they lie in the file, and are the pixels that OpenSlide gives."""

import numpy as np
import pytest

from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides
from steadycut.pipelines.slides.jpeg import decode, find_jpeg_tiles
from steadycut.pipelines.slides.options import TileOptions as Options
from steadycut.pipelines.slides.reader import open_slide
from steadycut.pipelines.slides.tiles import plan_grid, read_tiles
from tests.pipelines.slides.making import Drawing, write_jpeg_slide, write_model, write_slide
from tests.pipelines.slides.test_tiles import all_places


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("rgb", [True, False])
def test_tiles_are_those_of_openslide(tmp_path, shared, rgb):
    path = write_jpeg_slide(tmp_path / "a.tif", Drawing(), shared=shared, rgb=rgb)
    with open_slide(path) as slide:
        grid = plan_grid(slide, Options(tile=64, mpp=0.5))
        places = all_places(grid)
        tiles = find_jpeg_tiles(slide, grid, places)
        assert tiles is not None
        ours, theirs = decode(tiles.read(places), 64), read_tiles(slide, grid, places)
    np.testing.assert_array_equal(ours, theirs[..., :3])


@pytest.mark.parametrize("wanted", [{"tile": 32}, {"tile": 64, "mpp": 1.0}])
def test_another_grid_is_cut_from_pictures(tmp_path, wanted):
    path = write_jpeg_slide(tmp_path / "a.tif", Drawing())
    with open_slide(path) as slide:
        grid = plan_grid(slide, Options(**{"mpp": 0.5, **wanted}))
        assert find_jpeg_tiles(slide, grid, all_places(grid)) is None


def test_a_slide_without_jpeg_is_cut_from_pictures(tmp_path):
    write_slide(tmp_path / "a.tif", Drawing())
    with open_slide(tmp_path / "a.tif") as slide:
        grid = plan_grid(slide, Options(tile=256, mpp=0.5))
        assert find_jpeg_tiles(slide, grid, all_places(grid)) is None


def test_a_damaged_tile_skips_its_slide(tmp_path):
    good = write_jpeg_slide(tmp_path / "good.tif", Drawing())
    data = bytearray(good.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4000] = bytes(4000)
    bad = tmp_path / "bad.tif"
    bad.write_bytes(bytes(data))
    write_model(tmp_path / "m.onnx")
    options = TileOptions(tile=64, mpp=0.5, min_sharpness=0)
    model = TileModel(tmp_path / "m.onnx", ModelOptions())
    job = Job(model=model, options=options, out=tmp_path / "out", n_jobs=2)
    done, problems = score_slides([bad, good], job)
    assert [one.slide for one in done] == ["good"]
    assert "cut short" in problems[0].reason

"""The grid of tiles, without overlap, at one resolution; and how tiles are read."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.errors import BadFile
from steadycut.pipelines.slides.options import TileOptions
from steadycut.pipelines.slides.reader import Slide, shrink
from steadycut.pipelines.slides.tissue import Tissue

# A level this close to the wanted resolution is used as it is, without interpolation.
CLOSE_ENOUGH = 0.05
# Most pixels that are read from the slide at once.
MOST_PIXELS = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """How tiles are read.

    ``level`` is read and shrunk by ``shrink``. ``step`` is the edge of a tile in pixels of level
    0, ``mpp`` is micrometres per pixel of the tile.
    """

    tile: int
    level: int
    shrink: float
    step: float
    mpp: float
    columns: int
    rows: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Places:
    """Tiles that have tissue: column and row in the grid, and share of tissue."""

    column: IntArray
    row: IntArray
    tissue: FloatArray

    def blocks(self, size: int) -> Iterator["Places"]:
        """Yield at most ``size`` tiles at a time, in reading order."""
        for start in range(0, self.column.size, size):
            yield self.take(slice(start, start + size))

    def take(self, part: slice) -> "Places":
        """Return some of the tiles."""
        return Places(column=self.column[part], row=self.row[part], tissue=self.tissue[part])


def plan_grid(slide: Slide, options: TileOptions) -> Grid:
    """Return how a slide is cut into tiles.

    Raises
    ------
    BadFile
        If the slide is coarser than asked for, or smaller than one tile.
    """
    wanted = options.mpp / slide.mpp
    if wanted < 1 - CLOSE_ENOUGH:
        raise BadFile(
            f"its finest level has {slide.mpp:.4g} micrometres per pixel, coarser than the "
            f"{options.mpp:.4g} asked for. Use a coarser --mpp, or remove the slide."
        )
    level = slide.level_for(wanted * (1 + CLOSE_ENOUGH))
    factor = slide.downsamples[level]
    downsample = factor if abs(factor / wanted - 1) <= CLOSE_ENOUGH else wanted
    step = options.tile * downsample
    columns, rows = int(slide.width / step), int(slide.height / step)
    if not columns * rows:
        have = f"{slide.width} by {slide.height}"
        raise BadFile(f"it has {have} pixels, fewer than one tile needs ({step:.0f}).")
    return Grid(
        tile=options.tile,
        level=level,
        shrink=downsample / factor,
        step=step,
        mpp=slide.mpp * downsample,
        columns=columns,
        rows=rows,
    )


def tiles_on_tissue(grid: Grid, tissue: Tissue, min_tissue: float) -> Places:
    """Return the tiles that have enough tissue, row by row."""
    row, column = (part.ravel() for part in np.mgrid[: grid.rows, : grid.columns])
    share = tissue.share(column * grid.step, row * grid.step, grid.step)
    # A tile without any tissue is never kept, even if the smallest share is 0.
    kept = (share >= min_tissue) & (share > 0)
    return Places(column=column[kept], row=row[kept], tissue=share[kept])


def read_tiles(slide: Slide, grid: Grid, places: Places) -> NDArray[np.uint8]:
    """Return tiles (tile, y, x, 4) with bytes as in `Slide.read`; neighbours are read together."""
    pixels = np.empty((places.column.size, grid.tile, grid.tile, 4), dtype=np.uint8)
    for start, stop in _runs(grid, places):
        strip = _read_strip(slide, grid, places.column[start], places.row[start], stop - start)
        tiles = strip.reshape(grid.tile, stop - start, grid.tile, 4)
        pixels[start:stop] = tiles.swapaxes(0, 1)
    return pixels


def _runs(grid: Grid, places: Places) -> Iterator[tuple[int, int]]:
    """Yield start and stop of runs of neighbours that are short enough to be read at once."""
    longest = max(int(MOST_PIXELS / (grid.tile * grid.shrink) ** 2), 1)
    together = (np.diff(places.column) == 1) & (np.diff(places.row) == 0)
    ends = [*(np.flatnonzero(~together) + 1).tolist(), places.column.size]
    start = 0
    for end in ends:
        for first in range(start, end, longest):
            yield first, min(first + longest, end)
        start = end


def _read_strip(slide: Slide, grid: Grid, column: int, row: int, n_tiles: int) -> NDArray[np.uint8]:
    """Return neighbours side by side; too many pixels are read in parts."""
    x, y, wide = int(column) * grid.step, int(row) * grid.step, n_tiles * grid.tile
    parts = math.ceil(grid.tile * grid.shrink * math.sqrt(n_tiles / MOST_PIXELS))
    if parts == 1:
        return _read_part(slide, grid, x, y, (wide, grid.tile))
    strip = np.empty((grid.tile, wide, 4), dtype=np.uint8)
    scale = grid.step / grid.tile
    for top, bottom in _cut(grid.tile, parts):
        for left, right in _cut(wide, parts):
            corner, size = (x + left * scale, y + top * scale), (right - left, bottom - top)
            strip[top:bottom, left:right] = _read_part(slide, grid, *corner, size)
    return strip


def _read_part(
    slide: Slide, grid: Grid, x: float, y: float, size: tuple[int, int]
) -> NDArray[np.uint8]:
    wide, high = (max(round(side * grid.shrink), 1) for side in size)
    return shrink(slide.read(round(x), round(y), grid.level, (wide, high)), size)


def _cut(length: int, parts: int) -> Iterator[tuple[int, int]]:
    return pairwise(round(length * part / parts) for part in range(parts + 1))

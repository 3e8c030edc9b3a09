"""JPEG tiles as they lie in a TIFF file, where the grid of tiles is that of the file.

OpenSlide puts tiles together to one picture, from which ours are cut again. Where both grids are
the same, this takes four times as long as reading the tiles, and the GPU could not decode them.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import IntArray
from steadycut.errors import BadFile, refusing
from steadycut.io.packages import optional_package
from steadycut.pipelines.slides.reader import Slide
from steadycut.pipelines.slides.tiles import Grid, Places, read_tiles

# Formats whose levels are plain directories of the file, without overlap or shift.
VENDORS = frozenset({"aperio", "generic-tiff", "philips"})
JPEG, RGB, YCBCR = 7, 2, 6
# Mean difference of two decoders, in grey values; more means another place or other colours.
LARGEST_MEAN_GAP = 1.0
START, END = b"\xff\xd8", b"\xff\xd9"
# Says whether the decoder must convert from YCbCr: TIFF states that outside the JPEG stream.
ADOBE = b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JpegTiles:
    """Where the tiles of one level lie in the file; ``head`` begins every one of them."""

    path: Path
    offsets: IntArray
    sizes: IntArray
    columns: int
    head: bytes

    def read(self, places: Places) -> list[bytearray] | None:
        """Return tiles as JPEG files; None if the file leaves one of them out."""
        wanted = places.row * self.columns + places.column
        sizes = self.sizes[wanted]
        if not sizes.all():
            return None
        with self.path.open("rb", buffering=0) as file:
            return [
                self._read_tile(file, *at)
                for at in zip(self.offsets[wanted].tolist(), sizes.tolist(), strict=True)
            ]

    def _read_tile(self, file: Any, offset: int, size: int) -> bytearray:
        file.seek(offset + len(START))
        return bytearray(self.head) + file.read(size - len(START))


def find_jpeg_tiles(slide: Slide, grid: Grid, places: Places) -> JpegTiles | None:
    """Return the tiles of the file if they are those of the grid; otherwise None.

    One of the ``places``, the last, must look as it does in OpenSlide.
    """
    vendor = slide.handle.properties.get("openslide.vendor")
    if vendor not in VENDORS or grid.shrink != 1:
        return None
    with optional_package("Reading slides", "tifffile", "pathology"):
        import tifffile
    size = slide.handle.level_dimensions[grid.level]
    # Whatever tifffile does not understand, OpenSlide reads or refuses.
    with suppress(Exception), tifffile.TiffFile(slide.path) as file:
        for page in file.pages:
            if (page.imagewidth, page.imagelength) == size and _is_like(page, grid.tile):
                tiles = JpegTiles(
                    path=slide.path,
                    offsets=np.array(page.dataoffsets, dtype=np.int64),
                    sizes=np.array(page.databytecounts, dtype=np.int64),
                    columns=-(-size[0] // grid.tile),
                    head=_head(page),
                )
                return tiles if _agrees(tiles, slide, grid, places) else None
    return None


def _agrees(tiles: JpegTiles, slide: Slide, grid: Grid, places: Places) -> bool:
    last = places.take(slice(-1, None))
    ours, theirs = decode(tiles.read(last) or [], grid.tile), read_tiles(slide, grid, last)
    return float(np.abs(ours - theirs[..., :3].astype(float)).mean()) <= LARGEST_MEAN_GAP


def _is_like(page: Any, edge: int) -> bool:
    made = page.compression, page.tilewidth, page.tilelength, page.samplesperpixel
    return (
        page.is_tiled
        and made == (JPEG, edge, edge, 3)
        and page.bitspersample == 8  # noqa: PLR2004
        and page.photometric in {RGB, YCBCR}
        and page.planarconfig == 1
    )


def _head(page: Any) -> bytes:
    """Return how every tile begins: the colours, and the tables that the tiles share."""
    tables = (page.jpegtables or START + END)[len(START) : -len(END)]
    return START + ADOBE + bytes([page.photometric == YCBCR]) + tables


def decode(coded: Sequence[bytearray], edge: int) -> NDArray[np.uint8]:
    """Return JPEG tiles as pixels (tile, y, x, RGB)."""
    # Unlike Pillow it leaves Python's lock, so that several threads decode at a time.
    with optional_package("Reading slides", "simplejpeg", "pathology"):
        from simplejpeg import decode_jpeg

    pixels = np.empty((len(coded), edge, edge, 3), dtype=np.uint8)
    with refusing(BadFile, "a tile cannot be decoded: {why}. Is the file cut short?", Exception):
        for place, data in enumerate(coded):
            pixels[place] = decode_jpeg(data)
    return pixels

"""A large TIFF pyramid with JPEG tiles, as scanners write them, made piece by piece."""

import io
from pathlib import Path

import numpy as np
import tifffile
from PIL import Image

TILE = 256
# Tiles come coded. tifffile asks for the encoder all the same, which is in another package.
tifffile._imagecodecs.jpeg_encode = tifffile._imagecodecs.lzma_encode  # noqa: SLF001


def tissue_tiles(rng, edge):
    """A few different tiles of stained tissue and one of glass."""
    made = []
    for _ in range(12):
        cells = rng.normal(size=(edge // 8, edge // 8)).repeat(8, 0).repeat(8, 1)
        fine = rng.normal(size=(edge, edge))
        dark = (0.6 * cells + 0.4 * fine)[..., None] * np.array([18, 26, 14])
        made.append((np.array([190, 130, 180]) + dark).clip(0, 255).astype(np.uint8))
    glass = (243 + rng.normal(size=(edge, edge, 3))).clip(0, 255).astype(np.uint8)
    return made, glass


def is_tissue(x, y):
    """Two round pieces of tissue, in parts of the slide's edge."""
    return (x - 0.35) ** 2 + (y - 0.4) ** 2 < 0.07 or (x - 0.75) ** 2 + (y - 0.7) ** 2 < 0.03


def jpeg(tile):
    sink = io.BytesIO()
    Image.fromarray(tile).save(sink, "JPEG", quality=80, subsampling=2)
    return sink.getvalue()


def write_level(writer, edge, coded, mpp, rng, *, first):
    tissue, glass = coded
    n = edge // TILE

    def tiles():
        for row in range(n):
            for column in range(n):
                here = is_tissue((column + 0.5) / n, (row + 0.5) / n)
                yield tissue[rng.integers(len(tissue))] if here else glass

    writer.write(
        tiles(),
        shape=(edge, edge, 3),
        dtype=np.uint8,
        tile=(TILE, TILE),
        compression="jpeg",
        photometric="ycbcr",
        subsampling=(2, 2),
        resolution=(1e4 / mpp, 1e4 / mpp),
        resolutionunit="CENTIMETER",
        subfiletype=0 if first else 1,
    )


def make_slide(path: Path, edge: int = 32768, mpp: float = 0.25, seed: int = 0, coded=None) -> None:
    """Write a slide; ``coded`` is other tiles of tissue, and one of glass, as JPEG."""
    rng = np.random.default_rng(seed)
    if coded is None:
        made, glass = tissue_tiles(rng, TILE)
        coded = [jpeg(tile) for tile in made], jpeg(glass)
    with tifffile.TiffWriter(path, bigtiff=True) as writer:
        for level in range(min(6, (edge // TILE).bit_length())):
            size = edge >> level
            write_level(writer, size, coded, mpp * 2**level, rng, first=level == 0)

"""Find the tissue of a slide: Otsu's threshold on the saturation of a small picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from steadycut.core.checks import FloatArray
from steadycut.pipelines.parallel import Spread
from steadycut.pipelines.slides.reader import Slide, shrink

# Micrometres per pixel of the small picture; its longer side stays between the two limits.
PICTURE_MPP = 16.0
SHORTEST, LONGEST = 1024, 4096
# Edge of the pieces in which the slide is read. It limits memory if a slide has no small levels.
PIECE = 1024
# Otsu's method also splits a picture that is all tissue or all glass. So its threshold is kept
# between what glass never reaches and what stained tissue always exceeds (of 255).
LOWEST_SATURATION, HIGHEST_SATURATION = 15, 45
# A pixel whose channels are all darker than this is pen or a fold, not stained tissue.
DARKEST = 30
# Specks of fewer pixels are dust.
SMALLEST_SPECK = 9


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tissue:
    """A small picture of a slide and the part of it that is tissue.

    ``scale`` is the edge of a pixel of the picture, in pixels of level 0.
    """

    picture: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    scale: float

    def share(self, x: FloatArray, y: FloatArray, edge: float) -> FloatArray:
        """Return the share of tissue in squares, given by their corners in pixels of level 0."""
        sums = np.pad(
            self.mask.cumsum(0, dtype=np.int32).cumsum(1, dtype=np.int32), ((1, 0), (1, 0))
        )
        height, width = self.mask.shape
        left = (x / self.scale).round().astype(int).clip(0, width - 1)
        top = (y / self.scale).round().astype(int).clip(0, height - 1)
        right = ((x + edge) / self.scale).round().astype(int).clip(left + 1, width)
        bottom = ((y + edge) / self.scale).round().astype(int).clip(top + 1, height)
        inside = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        return inside / ((right - left) * (bottom - top))


def find_tissue(slide: Slide, spread: Spread = map) -> Tissue:
    """Return the small picture of a slide and its tissue.

    The saturation is (largest - smallest) / largest of R, G and B. A pixel is tissue if its
    saturation exceeds Otsu's threshold, kept between 0.06 and 0.18, and it is not nearly black.
    Averaging over 3 by 3 pixels removes noise; small specks are removed as dust.
    """
    scale = picture_scale(max(slide.width, slide.height), slide.mpp)
    picture = small_picture(slide, scale, spread)
    return Tissue(picture=picture, mask=tissue_mask(picture), scale=scale)


def picture_scale(longest: int, mpp: float) -> float:
    """Return the edge of a pixel of the small picture, in pixels of level 0.

    Examples
    --------
    >>> [picture_scale(side, 0.25) for side in (500, 80_000, 400_000)]
    [1.0, 64.0, 97.65625]
    """
    return max(min(PICTURE_MPP / mpp, longest / SHORTEST), longest / LONGEST, 1.0)


def tissue_mask(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which pixels of an RGB picture are tissue."""
    saturation = ndimage.uniform_filter(saturation_of(picture), size=3)
    limit = np.clip(otsu(saturation), LOWEST_SATURATION, HIGHEST_SATURATION)
    mask = (saturation > limit) & (largest_channel(picture) >= DARKEST)
    parts, n_parts = ndimage.label(mask)
    sizes = np.bincount(parts.ravel(), minlength=n_parts + 1)
    sizes[0] = 0
    return (sizes >= SMALLEST_SPECK)[parts]


def saturation_of(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the saturation of each pixel, 0 to 255.

    Examples
    --------
    >>> saturation_of(np.array([[[200, 100, 100], [90, 90, 90], [0, 0, 0]]], dtype=np.uint8))
    array([[127,   0,   0]], dtype=uint8)
    """
    largest = largest_channel(picture)
    smallest = np.minimum(np.minimum(picture[..., 0], picture[..., 1]), picture[..., 2])
    spread = (largest - smallest).astype(np.uint16) * 255
    return (spread // np.maximum(largest, 1)).astype(np.uint8)


def largest_channel(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the largest of red, green and blue; several times faster than ``max(axis=2)``."""
    return np.maximum(np.maximum(picture[..., 0], picture[..., 1]), picture[..., 2])


def otsu(values: NDArray[np.uint8]) -> int:
    """Return the threshold that leaves the least variance within the two sides (Otsu, 1979).

    Examples
    --------
    >>> 10 <= otsu(np.array([8, 9, 10, 100, 101], dtype=np.uint8)) < 100
    True
    """
    counts = np.bincount(values.ravel(), minlength=256).astype(float)
    below = counts.cumsum()
    sums = (counts * np.arange(256)).cumsum()
    above = below[-1] - below
    gap = below * (sums[-1] - sums) - above * sums
    weight = below * above
    between = np.divide(gap**2, weight, out=np.zeros(256), where=weight > 0)
    return int(between.argmax())


def small_picture(slide: Slide, scale: float, spread: Spread) -> NDArray[np.uint8]:
    """Return the whole slide, one pixel for ``scale`` by ``scale`` of level 0, read in pieces."""
    level = slide.level_for(scale)
    width, height = (max(int(side / scale), 1) for side in (slide.width, slide.height))
    picture = np.full((height, width, 3), 255, dtype=np.uint8)
    edge = max(int(PIECE * slide.downsamples[level] / scale), 1)
    pieces = list(_pieces(width, height, edge))
    read = partial(_read_piece, slide, scale, level)
    for (x, y, wide, high), piece in zip(pieces, spread(read, pieces), strict=True):
        picture[y : y + high, x : x + wide] = piece
    return picture


def _pieces(width: int, height: int, edge: int) -> Iterator[tuple[int, int, int, int]]:
    for y in range(0, height, edge):
        for x in range(0, width, edge):
            yield x, y, min(edge, width - x), min(edge, height - y)


def _read_piece(
    slide: Slide, scale: float, level: int, piece: tuple[int, int, int, int]
) -> NDArray[np.uint8]:
    x, y, wide, high = piece
    step = scale / slide.downsamples[level]
    size = (max(round(wide * step), 1), max(round(high * step), 1))
    pixels = slide.read(round(x * scale), round(y * scale), level, size)
    return shrink(pixels, (wide, high))[..., :3]

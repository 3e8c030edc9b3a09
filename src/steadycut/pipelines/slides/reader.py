"""Slides of any format that OpenSlide reads: their size, levels, resolution and pixels."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.errors import BadFile, refusing
from steadycut.io.packages import optional_package
from steadycut.pipelines.driver import FileKind

ENDINGS = ".svs .tif .tiff .ndpi .mrxs .scn .bif .vms .vmu .svslide .czi .dcm"
SLIDES = FileKind(name="slide", title="slide", endings=frozenset(ENDINGS.split()))
# Scanners have 0.1 to 2 micrometres per pixel; outside these limits the file's value is wrong.
SMALLEST_MPP, LARGEST_MPP = 0.05, 20.0
# If the two directions differ by more than this factor, the pixels are not square.
LARGEST_ASPECT = 1.05
# Alpha 255, in a pixel that is read as one number.
OPAQUE = 0xFF000000


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """An open slide.

    ``downsamples`` holds the edge of each level's pixels in pixels of level 0. ``mpp`` is
    micrometres per pixel of level 0.
    """

    path: Path
    width: int
    height: int
    downsamples: tuple[float, ...]
    mpp: float
    handle: Any

    def level_for(self, downsample: float) -> int:
        """Return the coarsest level that still has all the detail asked for."""
        fine = [level for level, factor in enumerate(self.downsamples) if factor <= downsample]
        return fine[-1] if fine else 0

    def read(self, x: int, y: int, level: int, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Return pixels (y, x, 4): red, green, blue and an unused byte, kept to avoid a copy.

        ``x`` and ``y`` are in pixels of level 0. Areas that were not scanned are white.
        """
        from openslide import OpenSlideError

        msg = f"level {level} cannot be read: {{why}}. Is the file cut short?"
        with refusing(BadFile, msg, OpenSlideError):
            return _on_white(self.handle.read_region((x, y), level, size))


@contextmanager
def open_slide(path: Path, slide_mpp: float | None = None) -> Iterator[Slide]:
    """Open a slide; ``slide_mpp`` overrides the resolution that the file states."""
    handle = _open(path)
    try:
        width, height = handle.dimensions
        yield Slide(
            path=path,
            width=width,
            height=height,
            downsamples=tuple(handle.level_downsamples),
            mpp=_resolution(handle, slide_mpp),
            handle=handle,
        )
    finally:
        handle.close()


def _open(path: Path) -> Any:
    openslide = import_openslide()
    try:
        return openslide.OpenSlide(path)
    except openslide.OpenSlideUnsupportedFormatError:
        raise BadFile("it is not a slide that OpenSlide can read. Is the file cut short?") from None
    except (openslide.OpenSlideError, OSError) as error:
        raise BadFile(f"it cannot be opened: {error}. Is the file cut short?") from None


def import_openslide() -> Any:
    """Return the package openslide."""
    with optional_package("Reading slides", "openslide", "pathology"):
        import openslide
    return openslide


def _resolution(handle: Any, slide_mpp: float | None) -> float:
    if slide_mpp is not None:
        return slide_mpp
    msg = "it does not state its resolution. Give it as --slide-mpp (micrometres per pixel)."
    with refusing(BadFile, msg, KeyError, ValueError):
        x, y = (float(handle.properties[f"openslide.mpp-{axis}"]) for axis in "xy")
    usable = min(x, y) >= SMALLEST_MPP and max(x, y) <= LARGEST_MPP
    if not usable or max(x, y) / min(x, y) > LARGEST_ASPECT:
        raise BadFile(
            f"it states {x:.4g} by {y:.4g} micrometres per pixel, which must be square and between "
            f"{SMALLEST_MPP:g} and {LARGEST_MPP:g}. Give the right value as --slide-mpp."
        )
    return (x + y) / 2


def shrink(pixels: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return pixels in the form of `Slide.read`, averaged over boxes to another size (x, y)."""
    from PIL import Image

    height, width = pixels.shape[:2]
    if (width, height) == size:
        return pixels
    image = Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1)
    return np.asarray(image.resize(size, Image.Resampling.BOX))


def _on_white(image: Any) -> NDArray[np.uint8]:
    from PIL import Image

    pixels = np.asarray(image)
    if pixels.view("<u4").min() >= OPAQUE:
        return pixels
    white = Image.new("RGBA", image.size, (255, 255, 255, 255))
    white.paste(image, mask=image)
    return np.asarray(white)

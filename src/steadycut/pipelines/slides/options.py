"""How slides are cut into tiles and which tiles are good enough."""

import math
from dataclasses import dataclass

from steadycut.core.checks import check_count, check_positive, refuse
from steadycut.errors import BadOption, argument

# The usual meaning of a magnification: 10 micrometres per pixel at 1x, so 1 at 10x.
MICRONS_AT_1X = 10.0
SMALLEST_TILE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TileOptions:
    """How tiles are cut and which are kept.

    Parameters
    ----------
    tile
        Edge of a tile in pixels.
    mpp
        Micrometres per pixel at which tiles are read; 1.0 is 10x.
    slide_mpp
        Micrometres per pixel of the slides' finest level. It overrides the files, for files that
        state no value or a wrong one.
    min_tissue
        Smallest share of a tile that must be tissue.
    min_sharpness
        Smallest variance of the Laplacian of the green channel; blurred tiles are below it.
    min_brightness, max_brightness
        Limits of the mean of the green channel, from 0 (black) to 255 (white).
    batch
        Number of tiles that are read and scored together.
    """

    tile: int = 256
    mpp: float = 1.0
    slide_mpp: float | None = None
    min_tissue: float = 0.25
    min_sharpness: float = 10.0
    min_brightness: float = 25.0
    max_brightness: float = 240.0
    batch: int = 32

    def __post_init__(self) -> None:
        check_count("tile", self.tile, at_least=SMALLEST_TILE)
        check_count("batch", self.batch)
        check_positive("mpp", self.mpp)
        if self.slide_mpp is not None:
            check_positive("slide_mpp", self.slide_mpp)
        _check_between("min_tissue", self.min_tissue, 0, 1)
        _check_between("min_sharpness", self.min_sharpness, 0, math.inf)
        _check_between("min_brightness", self.min_brightness, 0, 255)
        _check_between("max_brightness", self.max_brightness, self.min_brightness, 255)


def wanted_mpp(mpp: float | None, magnification: float | None) -> float:
    """Return micrometres per pixel, given directly or as a magnification; 10x by default.

    Examples
    --------
    >>> wanted_mpp(None, 20), wanted_mpp(0.25, None), wanted_mpp(None, None)
    (0.5, 0.25, 1.0)
    """
    if mpp is not None and magnification is not None:
        raise BadOption(
            f"only one of {argument('mpp')} and {argument('magnification')} may be given; got "
            "both. Leave one out."
        )
    if magnification is not None:
        return MICRONS_AT_1X / check_positive("magnification", magnification)
    return 1.0 if mpp is None else check_positive("mpp", mpp)


def _check_between(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        refuse(name, f"lie between {low:g} and {high:g}", value)

"""How slides are cut into tiles and which tiles are good enough."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from steadycut.core.checks import check_positive
from steadycut.errors import BadOption

# The usual reading of a magnification: 10 micrometres a pixel at 1x, so 1 at 10x.
MICRONS_AT_1X = 10.0
SMALLEST_TILE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TileOptions:
    """What a tile is.

    Parameters
    ----------
    tile
        Edge of a tile in pixels.
    mpp
        Micrometres a pixel at which tiles are read; 1.0 is 10x.
    slide_mpp
        Micrometres a pixel of the slides' finest level, for files whose own value is missing
        or absurd; it overrides the file.
    min_tissue
        Smallest share of a tile that must be tissue.
    min_sharpness
        Smallest variance of the Laplacian of the grey tile; blur is below.
    min_brightness, max_brightness
        Mean grey value, 0 black to 255 white, that a tile may have.
    batch
        Tiles that are read and scored together.
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
        _check_whole("tile", self.tile, SMALLEST_TILE)
        _check_whole("batch", self.batch, 1)
        check_positive("mpp", self.mpp)
        if self.slide_mpp is not None:
            check_positive("slide_mpp", self.slide_mpp)
        _check_between("min_tissue", self.min_tissue, 0, 1)
        _check_between("min_sharpness", self.min_sharpness, 0, math.inf)
        _check_between("min_brightness", self.min_brightness, 0, 255)
        _check_between("max_brightness", self.max_brightness, self.min_brightness, 255)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data."""
        return asdict(self)


def wanted_mpp(mpp: float | None, magnification: float | None) -> float:
    """Return micrometres a pixel, given directly or as a magnification; 10x by default.

    Examples
    --------
    >>> wanted_mpp(None, 20), wanted_mpp(0.25, None), wanted_mpp(None, None)
    (0.5, 0.25, 1.0)
    """
    if mpp is not None and magnification is not None:
        msg = "only one of --mpp and --magnification may be given; got both. Leave one out."
        raise BadOption(msg)
    if magnification is not None:
        return MICRONS_AT_1X / check_positive("magnification", magnification)
    return 1.0 if mpp is None else check_positive("mpp", mpp)


def _check_whole(name: str, value: int, smallest: int) -> None:
    if value < smallest:
        msg = f"{name} must be a whole number of at least {smallest}; got {value}."
        raise BadOption(msg)


def _check_between(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        msg = f"{name} must lie between {low:g} and {high:g}; got {value:g}."
        raise BadOption(msg)

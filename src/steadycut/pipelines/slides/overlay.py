"""A picture of a slide with its tile scores as a heat map."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray
from steadycut.pipelines.slides.tissue import Tissue

LONGEST = 1600
OPACITY = 0.55
BAR, MARGIN = 14, 6
# From low to high: dark blue, teal, yellow, red. In grey print darker is lower, except for red.
STOPS = np.array([[37, 52, 148], [44, 160, 160], [250, 220, 80], [200, 20, 30]], dtype=float)


def colours(values: FloatArray) -> NDArray[np.uint8]:
    """Return RGB colours of values between 0 and 1.

    Examples
    --------
    >>> colours(np.array([0.0, 1.0])).tolist()
    [[37, 52, 148], [200, 20, 30]]
    """
    places = np.linspace(0, 1, len(STOPS))
    parts = [np.interp(values, places, STOPS[:, channel]) for channel in range(3)]
    return np.stack(parts, axis=-1).round().astype(np.uint8)


def draw_overlay(tissue: Tissue, columns: dict[str, Any]) -> bytes:
    """Return a PNG of the slide: tiles are coloured by score, with a colour bar below."""
    from PIL import Image

    picture = Image.fromarray(tissue.picture)
    zoom = LONGEST / max(picture.size)
    size = (max(round(picture.width * zoom), 1), max(round(picture.height * zoom), 1))
    pixels = np.asarray(picture.resize(size, Image.Resampling.BILINEAR)).astype(float)
    low, high = score_range(columns["score"])
    scaled = (columns["score"] - low) / (high - low)
    _blend(pixels, tissue.scale / zoom, columns, colours(scaled))
    out = Image.new("RGB", (size[0], size[1] + BAR + 3 * MARGIN + 10), (255, 255, 255))
    out.paste(Image.fromarray(pixels.round().astype(np.uint8)), (0, 0))
    _colour_bar(out, size[1] + MARGIN, low, high)
    sink = io.BytesIO()
    out.save(sink, format="PNG")
    return sink.getvalue()


def score_range(scores: FloatArray) -> tuple[float, float]:
    """Return the ends of the colour scale: 0 and 1 for probabilities, otherwise the range."""
    if not scores.size or (scores.min() >= 0 and scores.max() <= 1):
        return 0.0, 1.0
    low, high = float(scores.min()), float(scores.max())
    return low, high if high > low else low + 1


def _blend(
    pixels: FloatArray, scale: float, columns: dict[str, Any], colour: NDArray[np.uint8]
) -> None:
    corners = zip(columns["x"], columns["y"], columns["size"], colour, strict=True)
    for x, y, size, shade in corners:
        rows = slice(round(y / scale), max(round((y + size) / scale), round(y / scale) + 1))
        across = slice(round(x / scale), max(round((x + size) / scale), round(x / scale) + 1))
        pixels[rows, across] = (1 - OPACITY) * pixels[rows, across] + OPACITY * shade


def _colour_bar(image: Any, top: int, low: float, high: float) -> None:
    from PIL import Image, ImageDraw

    width = max(image.width // 3, 1)
    bar = colours(np.linspace(0, 1, width))[None].repeat(BAR, axis=0)
    image.paste(Image.fromarray(bar), (MARGIN, top))
    draw = ImageDraw.Draw(image)
    draw.text((MARGIN, top + BAR), f"{low:.3g}", fill=(0, 0, 0))
    draw.text((MARGIN + width, top + BAR), f"{high:.3g} score", fill=(0, 0, 0), anchor="ra")

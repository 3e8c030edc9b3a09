"""Lines, areas, marks and texts as SVG; lengths are in points."""

import math
from html import escape
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray

# The height of a line of text, and of the letters above its middle, relative to the font size.
LINE, MIDDLE = 1.2, 0.36
# How wide characters are, relative to the font size; the browser has the font itself.
NARROW, WIDE = frozenset("!'(),-./:;I[]fijlrt| "), frozenset("%+<=>@MWmw±")
FIRST_WIDE = "\u1100"
TURNS = np.linspace(0, 2 * np.pi, 24, endpoint=False)
# A quarter of a thick cross, turned four times.
CROSS = np.outer(1j ** np.arange(4), [-0.4j, 0.6 - 1j, 1 - 0.6j]).ravel()
# The corners of each mark, where 1 is half of its size.
MARKS = {
    "o": np.array([np.cos(TURNS), np.sin(TURNS)]),
    "s": np.array([[-1, 1, 1, -1], [-1, -1, 1, 1]]),
    "D": np.sqrt(2) * np.array([[-1, 0, 1, 0], [0, -1, 0, 1]]),
    "^": np.array([[-1, 0, 1], [1, -1, 1]]),
    "v": np.array([[-1, 0, 1], [-1, 1, -1]]),
    "<": np.array([[-1, 1, 1], [0, -1, 1]]),
    "X": np.array([CROSS.real, CROSS.imag]),
    "|": np.array([[0, 0], [-1, 1]]),
    "_": np.array([[-1, 1], [0, 0]]),
}
# The distance between the lines of a pattern, measured along an edge, and their width.
HATCH, HATCH_WIDTH = 10.5, 0.7


def element(name: str, content: str = "", **attributes: Any) -> str:
    """Return an element of SVG; attributes that are None are left out."""
    texts = {
        key.replace("_", "-"): f"{value:g}" if isinstance(value, float) else str(value)
        for key, value in attributes.items()
        if value is not None
    }
    written = " ".join([name, *(f'{key}="{escape(given)}"' for key, given in texts.items())])
    return f"<{written}>{content}</{name}>" if content else f"<{written}/>"


def path(x: FloatArray, y: FloatArray, end: str = "") -> str:
    """Return the steps of a path; a point that is not finite interrupts it.

    Examples
    --------
    >>> path(np.array([0, 1, 1, 2.5]), np.array([0, 0, 1, 2]))
    'M0 0H1V1L2.5 2'
    """
    steps: list[str] = []
    before: tuple[float, float] | None = None
    for here in zip(np.round(x, 2).tolist(), np.round(y, 2).tolist(), strict=True):
        finite = all(map(math.isfinite, here))
        if finite and here != before:
            steps.append(_step(before, *here))
        before = here if finite else None
    return "".join(steps) + end


def _step(before: tuple[float, float] | None, x: float, y: float) -> str:
    if before is None:
        return f"M{x:g} {y:g}"
    if before[1] == y:
        return f"H{x:g}"
    return f"V{y:g}" if before[0] == x else f"L{x:g} {y:g}"


def line(
    x: FloatArray, y: FloatArray, color: str, linewidth: float = 1.5, linestyle: Any = "-"
) -> str:
    """Draw a line; the lengths of dashes count in widths of the line."""
    dashes = "" if linestyle == "-" else " ".join(f"{linewidth * dash:g}" for dash in linestyle[1])
    look: Any = {"stroke_width": linewidth, "stroke_dasharray": dashes or None}
    return element("path", d=path(x, y), fill="none", stroke=color, **look)


def area(x: Any, y: Any, color: str, edgecolor: str | None = None, **look: Any) -> str:
    """Fill areas, each inside the corners of one row, with slanted lines if there is a pattern."""
    rows, hatch = list(zip(np.atleast_2d(x), np.atleast_2d(y), strict=True)), look.get("hatch")
    width = look.get("linewidth", 1) if edgecolor else None
    edge: Any = {"fill_opacity": look.get("alpha"), "stroke": edgecolor, "stroke_width": width}
    drawn = element("path", d="".join(path(*row, "Z") for row in rows), fill=color, **edge)
    if not hatch:
        return drawn
    lines = "".join(slanted(*row, 1 if hatch[0] == "/" else -1) for row in rows)
    return drawn + element("path", d=lines, stroke=edgecolor, stroke_width=HATCH_WIDTH)


def slanted(x: FloatArray, y: FloatArray, sign: int) -> str:
    """Return the path of slanted lines on a rectangle, on which x + sign * y does not change."""
    left, right, low, high = x.min(), x.max(), (sign * y).min(), (sign * y).max()
    sums = HATCH * np.arange(math.ceil((left + low) / HATCH), (right + high) / HATCH)
    ends = np.maximum(left, sums - high), np.minimum(right, sums - low)
    points = np.stack([*ends, np.full(sums.size, np.nan)], axis=1)
    return path(points.ravel(), (sign * (sums[:, None] - points)).ravel())


def marks(x: Any, y: Any, marker: Any, color: str, markersize: float = 6, **look: Any) -> str:
    """Draw a mark at every point that is finite; no line leads from one to the next.

    A mark has a name, or it is an outline of shape (n, 2), with the head up.
    """
    outline = MARKS[marker] if isinstance(marker, str) else (marker * [1, -1]).T
    across, down = outline * markersize / 2
    points = [point for point in zip(x, y, strict=True) if np.isfinite(point).all()]
    drawn = "".join(path(a + across, b + down, "Z") for a, b in points)
    inside, edge = look.get("markerfacecolor", color), look.get("markeredgewidth", 1)
    return element("path", d=drawn, fill=inside, stroke=color, stroke_width=edge)


def text(
    x: float, y: float, words: str, size: float, anchor: str | None = "middle", **look: Any
) -> str:
    """Write lines of text; the middle of the block is at the height ``y``."""
    lines = words.split("\n")
    first = y + (MIDDLE - LINE * (len(lines) - 1) / 2) * size
    look |= {"font_size": size, "text_anchor": anchor, "x": x}
    return "".join(
        element("text", escape(row), y=first + LINE * size * i, **look)
        for i, row in enumerate(lines)
        if row
    )


def text_width(words: str, size: float) -> float:
    """Return about how wide a text is: its longest line.

    Examples
    --------
    >>> round(text_width("share of patients", 10))
    87
    """
    return size * max(sum(map(_letter, row)) for row in words.split("\n"))


def _letter(letter: str) -> float:
    if letter in NARROW:
        return 0.36
    if letter in WIDE or letter >= FIRST_WIDE:
        return 0.95
    return 0.7 if letter.isupper() else 0.62

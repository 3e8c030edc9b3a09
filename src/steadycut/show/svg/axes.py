"""The methods of matplotlib's axes that the figures call; they keep what is drawn."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.svg.scale import Scale, Share
from steadycut.show.svg.shapes import area, line, marks

# What lies above what.
AREAS, LINES = 1, 2
# Where a line, an area and a mark are in the box of a legend: an example of each.
EXAMPLES = {
    line: (Share((0, 1)), Share((0.5, 0.5))),
    area: (Share((0, 0, 1, 1)), Share((0.2, 0.8, 0.8, 0.2))),
    marks: (Share((0.5,)), Share((0.5,))),
}
Writer = Callable[..., str]


class Shape(NamedTuple):
    """Something drawn: its points, how it becomes SVG, and an example of it for the legend."""

    x: Any
    y: Any
    write: Writer
    zorder: float
    label: str | None
    example: tuple[Share, Share]


class Note(NamedTuple):
    """A text at a place; ``look`` are the options of ``annotate``."""

    words: str
    x: Any
    y: Any
    look: Any


class Axes:
    """What is drawn, in the units of the figure; see `matplotlib.axes.Axes` for the methods."""

    def __init__(self) -> None:
        self.x, self.y = Scale(), Scale()
        self.shapes: list[Shape] = []
        self.notes: list[Note] = []
        self.is_off = False

    def _add(
        self, kind: Writer, x: Any, y: Any, zorder: float, label: str | None = None, **look: Any
    ) -> list[Shape]:
        self.x.see(x)
        self.y.see(y)
        self.shapes.append(Shape(x, y, partial(kind, **look), zorder, label, EXAMPLES[kind]))
        return self.shapes[-1:]

    def plot(self, x: Any, y: Any, marker: Any = "", **look: Any) -> list[Shape]:
        """Draw marks if there is a marker, otherwise a line."""
        step, look = look.pop("drawstyle", ""), {"zorder": LINES} | look
        if len(marker):
            return self._add(marks, x, y, marker=marker, **look)
        return self._add(line, *stairs(x, y, step.removeprefix("steps-")), **look)

    def fill_between(
        self, x: Any, low: Any, high: Any = 0, step: str | None = None, **look: Any
    ) -> list[Shape]:
        """Fill what lies between two curves."""
        curves = np.broadcast_arrays(x, low, high)
        (x, low), (_, high) = (stairs(curves[0], curve, step or "") for curve in curves[1:])
        return self._add(area, np.append(x, x[::-1]), np.append(low, high[::-1]), AREAS, **look)

    def axvline(self, x: float, **look: Any) -> list[Shape]:
        """Draw a vertical line from end to end."""
        return self._add(line, [x, x], Share((0, 1)), LINES, **look)

    def axhline(self, y: float, **look: Any) -> list[Shape]:
        """Draw a horizontal line from end to end."""
        return self._add(line, Share((0, 1)), [y, y], LINES, **look)

    def axvspan(self, low: float, high: float, **look: Any) -> list[Shape]:
        """Fill what lies between two vertical lines."""
        return self._add(area, [low, low, high, high], Share((0, 1, 1, 0)), AREAS, **look)

    def axhspan(self, low: float, high: float, **look: Any) -> list[Shape]:
        """Fill what lies between two horizontal lines."""
        return self._add(area, Share((0, 1, 1, 0)), [low, low, high, high], AREAS, **look)

    def hlines(self, y: Any, low: Any, high: Any, **look: Any) -> list[Shape]:
        """Draw a horizontal line for each row."""
        return self._add(line, *pieces(low, high, y), AREAS, **look)

    def bar(
        self, x: Any, height: Any, *, width: Any, bottom: Any = 0, align: str = "", **look: Any
    ) -> list[Shape]:
        """Draw upright bars, with the middle at ``x`` unless ``align`` is ``"edge"``."""
        left = np.asarray(x) - (0 if align == "edge" else np.asarray(width) / 2)
        return self._add(area, *boxes(left, width, bottom, height), AREAS, **look)

    def errorbar(
        self, x: Any, y: Any, yerr: Any = None, xerr: Any = None, *, fmt: str, **look: Any
    ) -> list[Shape]:
        """Draw an interval with caps around each point, and a mark unless ``fmt`` is "none"."""
        colour, size = look.pop("ecolor"), 2 * look.pop("capsize")
        middle, error, at = (x, xerr, y) if yerr is None else (y, yerr, x)
        ends = pieces(np.asarray(middle) - error, np.asarray(middle) + error, at)
        ends, cap = (ends, "|") if yerr is None else (ends[::-1], "_")
        drawn = self.plot(*ends, color=colour, linewidth=look.pop("elinewidth"))
        self.plot(*ends, cap, color=colour, markersize=size)
        return drawn if fmt == "none" else self.plot(x, y, fmt, **look)

    def annotate(
        self, text: str, xy: Any, xytext: Any = (0, 0), xycoords: Any = "data", **look: Any
    ) -> None:
        """Write a text, moved by ``xytext`` points; the place may be a share of the width."""
        x = [xy[0]] if xycoords == "data" else Share((xy[0],))
        self.notes.append(Note(text, x, [xy[1]], {"offset": xytext, **look}))

    def set_xlabel(self, label: str, **_: Any) -> None:
        """Name the horizontal axis."""
        self.x.label = label

    def set_ylabel(self, label: str) -> None:
        """Name the vertical axis."""
        self.y.label = label

    def get_xlabel(self) -> str:
        """Return the name of the horizontal axis."""
        return self.x.label

    def set_xlim(self, left: float | None = None, right: float | None = None) -> None:
        """Set the ends of the horizontal axis that are not None."""
        self.x.given = (left, right)

    def set_ylim(self, bottom: float | None = None, top: float | None = None) -> None:
        """Set the ends of the vertical axis that are not None."""
        self.y.given = (bottom, top)

    def set_xticks(self, ticks: Any, labels: list[str]) -> None:
        """Set the ticks of the horizontal axis."""
        self.x.given_ticks = (np.array(ticks, dtype=np.float64), labels)

    def set_yticks(self, ticks: Any, labels: list[str], **_: Any) -> None:
        """Set the ticks of the vertical axis."""
        self.y.given_ticks = (np.array(ticks, dtype=np.float64), labels)

    def locator_params(self, axis: str, *, integer: bool) -> None:
        """Put ticks at whole numbers only."""
        (self.x if axis == "x" else self.y).whole_numbers = integer

    def set_axis_off(self) -> None:
        """Draw neither axis, and leave no room for texts around them."""
        self.is_off = True


def stairs(x: Any, y: Any, step: str) -> tuple[FloatArray, FloatArray]:
    """Return the corners of a curve that steps before (``pre``) or after (``post``) each point.

    Examples
    --------
    >>> x, y = stairs([0, 1, 2], [5, 6, 7], "post")
    >>> x.tolist(), y.tolist()
    ([0.0, 1.0, 1.0, 2.0, 2.0], [5.0, 5.0, 6.0, 6.0, 7.0])
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not step:
        return x, y
    x, y = np.repeat(x, 2), np.repeat(y, 2)
    return (x[:-1], y[1:]) if step == "pre" else (x[1:], y[:-1])


def pieces(low: Any, high: Any, at: Any) -> tuple[FloatArray, FloatArray]:
    """Return the ends of several parallel lines, with a gap after each.

    Examples
    --------
    >>> along, across = pieces([0, 1], [5, 6], [7, 8])
    >>> along.tolist(), across.tolist()
    ([0.0, 5.0, nan, 1.0, 6.0, nan], [7.0, 7.0, nan, 8.0, 8.0, nan])
    """
    low, high, at, gap = np.broadcast_arrays(np.atleast_1d(low), high, at, np.nan)
    return np.stack([low, high, gap], axis=1).ravel(), np.stack([at, at, gap], axis=1).ravel()


def boxes(left: Any, width: Any, bottom: Any, height: Any) -> tuple[FloatArray, FloatArray]:
    """Return the corners of rectangles, shape (n, 4)."""
    left, width, bottom, height = np.broadcast_arrays(np.atleast_1d(left), width, bottom, height)
    right, top = left + width, bottom + height
    return np.stack([left, left, right, right], 1), np.stack([bottom, top, top, bottom], 1)

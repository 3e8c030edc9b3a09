"""Figures as SVG that can stand inside HTML, with room for the texts around the axes.

The same content gives the same bytes: no date, no random identifiers, no settings of the user's.
"""

import math
from operator import attrgetter
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.show.figures.colours import BLACK
from steadycut.show.figures.display import Display
from steadycut.show.pages.page import Page
from steadycut.show.svg.axes import Axes, Note, Shape
from steadycut.show.svg.scale import Scale, Share
from steadycut.show.svg.shapes import LINE, element, line, text, text_width

# Points: font sizes, the length of a tick, the room around texts, the width of an axis.
SIZE, SMALL = 10.5, 8.75
TICK, GAP, PADDING = 3.5, 3.5, 3
THIN = 0.8
# At most this many distances between ticks, and the room that each needs in font sizes.
MOST, ROOM_X, ROOM_Y = 9, 3, 2
# The legend: columns, height of a row in font sizes, width of a sample, room after a column.
COLUMNS, ROW, SAMPLE, BETWEEN = 2, 1.4, 14, 10.5
# How far the letters of a text reach above and below its middle, in font sizes.
HALF = 0.6
# How much wider bold letters are.
BOLD = 1.12


def write_picture(axes: Axes, width: float, height: float, name: str) -> str:
    """Return the picture as SVG; ``name`` makes its identifiers unlike those of other pictures."""
    labelled = [shape for shape in axes.shapes if shape.label]
    columns = legend_columns(labelled, width - 2 * PADDING)
    rows = max(map(len, columns), default=0)
    place_axes(axes, width, height, PADDING + ROW * SMALL * rows + GAP)
    (left, right), (bottom, top) = axes.x.ends, axes.y.ends
    frame = element("rect", x=left, y=top, width=right - left, height=bottom - top)
    clip = f"{name}-frame"
    shapes = sorted(axes.shapes, key=attrgetter("zorder"))
    inside = "".join(drawn.write(axes.x.place(drawn.x), axes.y.place(drawn.y)) for drawn in shapes)
    return element(
        "svg",
        element("clipPath", frame, id=clip)
        + element("g", inside, clip_path=f"url(#{clip})")
        + ("" if axes.is_off else write_x_axis(axes.x, bottom, height, width))
        + ("" if axes.is_off else write_y_axis(axes.y, left, height))
        + "".join(write_note(note, axes) for note in axes.notes)
        + write_legend(columns, right, top - GAP - ROW * SMALL * rows),
        viewBox=f"0 0 {width:g} {height:g}",
    )


# The room around the axes ------------------------------------------------------------------


def place_axes(axes: Axes, width: float, height: float, top: float) -> None:
    """Leave room for the texts: first above and below, then left and right."""
    if axes.is_off:
        axes.x.ends, axes.y.ends = (PADDING, width - PADDING), (height - PADDING, top)
        return
    label_lines = axes.x.label.count("\n") + 1
    tick_lines = 1 + max(label.count("\n") for label in axes.x.ticks(MOST)[1])
    below = LINE * SIZE * (label_lines + tick_lines) + TICK + 2 * GAP + PADDING
    axes.y.ends = (height - below, top)
    names = axes.y.ticks(most_ticks(axes.y, ROOM_Y))[1]
    left = PADDING + max(text_width(label, SIZE) for label in names) + GAP + TICK
    left += LINE * SIZE + GAP if axes.y.label else 0
    right = width - PADDING - text_width(axes.x.ticks(MOST)[1][-1], SIZE) / 2
    for note in axes.notes:
        if isinstance(note.x, Share):
            room = width - PADDING - note_width(note) - left
            right = min(right, left + room / note.x[0])
    axes.x.ends = (left, right)


def most_ticks(scale: Scale, room: float) -> int:
    """Return how many distances between ticks an axis has room for."""
    return max(1, min(MOST, int(abs(scale.ends[1] - scale.ends[0]) / (room * SIZE))))


def ticks_that_fit(scale: Scale) -> tuple[FloatArray, list[str]]:
    """Return the ticks of the horizontal axis; the longer the labels, the fewer."""
    length = abs(scale.ends[1] - scale.ends[0])
    for most in range(most_ticks(scale, ROOM_X), 0, -1):
        ticks, labels = scale.ticks(most)
        if sum(text_width(label, SIZE) + GAP for label in labels) < length:
            break
    return ticks, labels


# The axes ----------------------------------------------------------------------------------


def write_x_axis(scale: Scale, bottom: float, height: float, width: float) -> str:
    """Draw the horizontal axis with its ticks and texts."""
    ticks, labels = ticks_that_fit(scale)
    drawn = line(np.array(scale.ends), np.array([bottom] * 2), BLACK, THIN)
    for x, label in shown(scale, ticks, labels):
        drawn += line(np.array([x] * 2), np.array([bottom, bottom + TICK]), BLACK, THIN)
        lines = label.count("\n") + 1
        drawn += text(x, bottom + TICK + GAP + LINE * SIZE * lines / 2, label, SIZE)
    half, block = text_width(scale.label, SIZE) / 2, LINE * SIZE * (scale.label.count("\n") + 1)
    middle = float(np.clip(sum(scale.ends) / 2, half, width - half))
    return drawn + text(middle, height - PADDING - block / 2, scale.label, SIZE)


def write_y_axis(scale: Scale, left: float, height: float) -> str:
    """Draw the vertical axis with its ticks and texts."""
    ticks, labels = scale.ticks(most_ticks(scale, ROOM_Y))
    drawn = line(np.array([left] * 2), np.array(scale.ends), BLACK, THIN)
    for y, label in shown(scale, ticks, labels):
        drawn += line(np.array([left - TICK, left]), np.array([y] * 2), BLACK, THIN)
        drawn += text(left - TICK - GAP, y, label, SIZE, "end")
    half = text_width(scale.label, SIZE) / 2
    x, y = PADDING + HALF * SIZE, float(np.clip(sum(scale.ends) / 2, half, height - half))
    return drawn + text(x, y, scale.label, SIZE, transform=f"rotate(-90 {x:g} {y:g})")


def shown(scale: Scale, ticks: FloatArray, labels: list[str]) -> list[tuple[float, str]]:
    """Return the place and the label of each tick between the ends of an axis."""
    low, high = sorted(scale.ends)
    places = zip(scale.place(ticks).tolist(), labels, strict=True)
    return [(place, label) for place, label in places if low - THIN <= place <= high + THIN]


# Texts -------------------------------------------------------------------------------------


def write_note(note: Note, axes: Axes) -> str:
    """Write a text, with a white background if its look has a box."""
    (x,), (y,) = axes.x.place(note.x).tolist(), axes.y.place(note.y).tolist()
    size, width, look = note_size(note), note_width(note), note.look
    half = HALF * size
    x += look["offset"][0]
    y += {"center": 0, "top": half, "bottom": -half}[look["va"]] - look["offset"][1]
    left = x - width * {"center": 0.5, "right": 1.0}.get(look.get("ha"), 0.0)
    box: Any = {"x": left, "y": y - half, "width": width, "height": 2 * half}
    paper = element("rect", **box, fill="#fff", fill_opacity=0.8) if "bbox" in look else ""
    anchor = {"center": "middle", "right": "end"}.get(look.get("ha"))
    return paper + text(x, y, note.words, size, anchor, font_weight=look.get("weight"))


def note_size(note: Note) -> float:
    """Return the font size of a text."""
    return SMALL if note.look.get("fontsize") == "small" else SIZE


def note_width(note: Note) -> float:
    """Return about how wide a text is."""
    bold = note.look.get("weight") == "bold"
    return text_width(note.words, note_size(note)) * (BOLD if bold else 1)


def legend_columns(labelled: list[Shape], width: float) -> list[list[Shape]]:
    """Part what has a label into columns; into one if two are too wide."""
    rows = math.ceil(len(labelled) / COLUMNS)
    columns = [labelled[:rows], labelled[rows:]]
    fits = sum(map(column_width, filter(None, columns))) - BETWEEN <= width
    return [column for column in columns if column] if fits else [labelled]


def column_width(column: list[Shape]) -> float:
    """Return how wide a column of the legend is, with the room after it."""
    return SAMPLE + GAP + max(text_width(str(shape.label), SMALL) for shape in column) + BETWEEN


def write_legend(columns: list[list[Shape]], right: float, top: float) -> str:
    """Write what the lines, areas and marks mean, above the axes."""
    widths = [column_width(column) for column in columns]
    left = max(PADDING, right + BETWEEN - sum(widths))
    drawn, x, y = "", Scale(), Scale()
    for column, width in zip(columns, widths, strict=True):
        x.ends = (left, left + SAMPLE)
        for i, shape in enumerate(column):
            middle = top + ROW * SMALL * (i + 0.5)
            y.ends = (middle + SMALL / 2, middle - SMALL / 2)
            across, down = shape.example
            drawn += shape.write(x.place(across), y.place(down))
            drawn += text(left + SAMPLE + GAP, middle, str(shape.label), SMALL, None)
        left += width
    return drawn


# Points per inch: a picture counts in points.
POINTS = 72


def draw_page(page: Page) -> dict[str, str]:
    """Draw the figures of a page, by name."""
    return {
        picture.name: draw_svg(picture.figure, picture.name)
        for pictures in (page.pictures, *(section.pictures for section in page.sections))
        for picture in pictures
    }


def draw_svg(display: Display, name: str) -> str:
    """Draw a figure as an element of HTML; texts stay texts."""
    axes = Axes()
    display.draw(axes)
    width, height = display.size()
    return write_picture(axes, POINTS * width, POINTS * height, name)

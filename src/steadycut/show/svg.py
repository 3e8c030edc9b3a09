"""The figures of a page, each as one piece of SVG that can stand inside HTML.

The same content gives the same bytes: no date, no random identifiers, no settings of the user's.
"""

import re
import warnings
from io import StringIO
from typing import Any

import numpy as np

from steadycut.io.packages import optional_package
from steadycut.show.figures.display import Display
from steadycut.show.page import Page

# Points per inch: an SVG file counts in points.
POINTS = 72
# Between the axes and the edges of the figure, in inches: left and bottom, then right and top.
USUAL_ROOM = np.array([[0.57, 0.49], [0.04, 0.42]])
# Between the texts and the edges of the figure, in inches: 3 points.
PADDING = 3 / POINTS


def draw_page(page: Page) -> dict[str, str]:
    """Draw the figures of a page, by name."""
    return {
        picture.name: draw_svg(picture.figure, picture.name)
        for section in page.sections
        for picture in section.pictures
        if picture.figure is not None
    }


def draw_svg(display: Display, name: str) -> str:
    """Draw a figure as an element of HTML."""
    return inline_svg(svg_file(display, name), name)


def svg_file(display: Display, salt: str) -> str:
    """Return the figure as an SVG file; texts stay texts."""
    with optional_package("a report", "matplotlib", "report"):
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import RendererSVG
    settings: Any = {
        "font.family": "DejaVu Sans",
        "font.size": 10.5,
        "hatch.linewidth": 0.7,
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
    }
    stream = StringIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A score's name may be in a script that the font lacks; the browser has another font.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        figure: Any = display.plot().figure_
        figure.set_layout_engine("none")
        figure.set_dpi(POINTS)
        # One renderer measures and draws, because it remembers the sizes of texts.
        make: Any = RendererSVG
        size = figure.get_size_inches() * POINTS
        renderer = make(*size, stream, metadata={"Date": None, "Creator": None})
        place_axes(figure, renderer)
        figure.draw(renderer)
        renderer.finalize()
    return stream.getvalue()


def place_axes(figure: Any, renderer: Any) -> None:
    """Leave room for the texts around the axes, as the constrained layout of matplotlib does.

    The constrained layout measures all texts twice, which takes longer than drawing them. Here the
    axes start at a usual place and are measured again only if the new place changes their ticks.
    """
    (ax,) = figure.axes
    size, to_inches = figure.get_size_inches(), figure.dpi_scale_trans.inverted()
    corners = np.array([USUAL_ROOM[0], size - USUAL_ROOM[1]])
    measured = None
    for _ in range(3):
        (left, bottom), (width, height) = corners[0] / size, (corners[1] - corners[0]) / size
        ax.set_position((left, bottom, width, height))
        ticks = [axis.get_majorticklocs().tolist() for axis in (ax.xaxis, ax.yaxis)]
        if ticks == measured:
            return
        measured = ticks
        around = ax.get_tightbbox(renderer, for_layout_only=True).transformed(to_inches)
        corners += np.array([[PADDING, PADDING], size - PADDING]) - around.get_points()


def inline_svg(text: str, prefix: str) -> str:
    """Return an SVG file as an element of HTML, its identifiers unlike those of other figures."""
    text = text[text.index("<svg") :]
    for name in ("metadata", "style"):
        text = re.sub(rf"<{name}\b.*?</{name}>\s*", "", text, count=1, flags=re.DOTALL)
    return re.sub(r"<[^<>]+>", lambda tag: _own_names(tag.group(), prefix), text).strip()


def _own_names(tag: str, prefix: str) -> str:
    if tag.startswith("<svg"):
        box = re.search(r'viewBox="[^"]*"', tag)
        return f"<svg {box.group() if box else ''}>"
    tag = re.sub(r'\bid="', f'id="{prefix}-', tag)
    return re.sub(r'(?:xlink:)?href="#', f'href="#{prefix}-', tag).replace(
        "url(#", f"url(#{prefix}-"
    )

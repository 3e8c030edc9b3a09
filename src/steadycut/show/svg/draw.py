"""The figures of a page, each as one piece of SVG that can stand inside HTML.

The same content gives the same bytes: no date, no random identifiers, no settings of the user's.
"""

from steadycut.show.figures.display import Display
from steadycut.show.pages.page import Page
from steadycut.show.svg.axes import Axes
from steadycut.show.svg.picture import write_picture

# Points per inch: a picture counts in points.
POINTS = 72


def draw_page(page: Page) -> dict[str, str]:
    """Draw the figures of a page, by name."""
    return {
        picture.name: draw_svg(picture.figure, picture.name)
        for section in page.sections
        for picture in section.pictures
    }


def draw_svg(display: Display, name: str) -> str:
    """Draw a figure as an element of HTML; texts stay texts."""
    axes = Axes()
    display.draw(axes)
    width, height = display.size()
    return write_picture(axes, POINTS * width, POINTS * height, name)

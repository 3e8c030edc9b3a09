import itertools
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from steadycut.show.figures import RiskCurveDisplay
from steadycut.show.svg.axes import Axes
from steadycut.show.svg.picture import draw_svg, write_picture
from tests.show.figures import samples
from tests.show.figures.test_displays import MAKERS

REPOSITORY = Path(__file__).resolve().parents[3]
MEASURE = TextToPath().get_text_width_height_descent


def read(svg):
    return ET.fromstring(svg)  # noqa: S314 (we wrote it)


@cache
def axes_of(maker):
    axes = Axes()
    maker().draw(axes)
    return axes


@cache
def drawn(maker):
    return read(draw_svg(maker(), "figure"))


def boxes(svg):
    """Left, top, right and bottom of every text, measured in the font."""
    for text in svg.iter("text"):
        size, weight = float(text.get("font-size")), text.get("font-weight", "normal")
        font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
        width = MEASURE(text.text, font, ismath=False)[0]
        x, y = float(text.get("x")), float(text.get("y"))
        left = x - width * {"middle": 0.5, "end": 1}.get(text.get("text-anchor"), 0)
        box = (left, y - 0.76 * size, left + width, y + 0.24 * size)
        turn = re.match(r"rotate\(-90 (\S+) (\S+)\)", text.get("transform", ""))
        if turn:
            x, y = map(float, turn.groups())
            box = (x + box[1] - y, y + x - box[2], x + box[3] - y, y + x - box[0])
        yield text.text, box


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_every_text_lies_inside_the_picture(maker):
    svg = drawn(maker)
    _, _, width, height = map(float, svg.get("viewBox").split())
    for words, (left, top, right, bottom) in boxes(svg):
        assert 0 <= left <= right <= width, words
        assert 0 <= top <= bottom <= height, words


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_no_text_lies_on_another(maker):
    found = list(boxes(drawn(maker)))
    touching = [
        (one, other)
        for i, (one, a) in enumerate(found)
        for other, b in found[:i]
        if a[0] < b[2] and b[0] < a[2] and a[1] + 2 < b[3] and b[1] + 2 < a[3]
    ]
    assert touching == []


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_the_axes_end_where_those_of_matplotlib_end(maker):
    mine, theirs = axes_of(maker), maker().plot().ax_
    ends = theirs.get_xlim()
    np.testing.assert_allclose(mine.x.limits(), ends)
    np.testing.assert_allclose(mine.y.limits(), theirs.get_ylim())


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_every_text_of_the_figure_is_written(maker):
    theirs = maker().plot().ax_
    legend = theirs.get_legend()
    texts = [theirs.get_xlabel(), theirs.get_ylabel(), *(one.get_text() for one in theirs.texts)]
    texts += [one.get_text() for one in legend.get_texts()] if legend else []
    wanted = {line for text in texts for line in text.split("\n") if line}
    assert wanted <= {text.text for text in drawn(maker).iter("text")}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_the_points_of_a_curve_are_those_of_matplotlib(maker):
    mine = {shape.label: shape for shape in axes_of(maker).shapes}
    for line in maker().plot().ax_.lines:
        if len(line.get_xdata()) > 2 and not line.get_label().startswith("_"):
            shape = mine[line.get_label()]
            points = np.stack([shape.x, shape.y], axis=1).tolist()
            assert all(one in points for one in line.get_xydata().tolist())


def test_same_figure_same_bytes_without_matplotlib():
    code = (
        f"import sys; sys.path[:0] = {[str(REPOSITORY / 'src'), str(REPOSITORY)]!r}\n"
        "from tests.show.figures import samples\n"
        "from steadycut.show.figures import RiskCurveDisplay\n"
        "from steadycut.show.svg.picture import draw_svg\n"
        "print(draw_svg(RiskCurveDisplay.from_study(samples.tied_study()), 'figure'), end='')\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == draw_svg(MAKERS["risk curve, 30 patients with ties"](), "figure")


def picture_of(prepare):
    axes = Axes()
    prepare(axes)
    return read(write_picture(axes, 374, 280, "figure"))


def test_long_labels_have_fewer_ticks():
    svg = picture_of(lambda axes: axes.plot([1e9, 1e9 + 0.001], [0, 1], color="#000"))
    texts = [box for words, box in boxes(svg) if words.startswith("1000000000")]
    assert 2 <= len(texts) <= 5
    assert all(one[2] < other[0] for one, other in itertools.pairwise(texts))


def test_a_legend_that_is_too_wide_for_two_columns_has_one():
    def prepare(axes):
        for i in range(4):
            axes.axhline(
                i, color="#000", label=f"a long label of the line number {i}, which is long"
            )

    places = {text.get("x") for text in picture_of(prepare).iter("text") if "long" in text.text}
    assert len(places) == 1


def test_points_that_are_not_finite_are_left_out():
    def prepare(axes):
        axes.plot([0, 1, np.nan, 2, 3], [0, 1, 1, np.inf, 1], color="#123456")
        axes.plot([0, np.nan], [1, 1], "o", color="#123456")

    lines = [
        one.get("d") for one in picture_of(prepare).iter("path") if one.get("stroke") == "#123456"
    ]
    assert lines[0].count("M") == 2
    assert lines[1].count("M") == 1
    assert "nan" not in "".join(lines)


@pytest.mark.parametrize("name", ["<b>x", "腫瘍", "a & b", "x" * 300])
def test_a_name_stays_text(name):
    study = samples.study() | {"score": name}
    svg = read(draw_svg(RiskCurveDisplay.from_study(study), "figure"))
    assert not list(svg.iter("b"))
    assert any(name[:20] in text.text for text in svg.iter("text"))

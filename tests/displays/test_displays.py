import builtins
import copy
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from steadycut.displays import (
    CertificateDisplay,
    RiskCurveDisplay,
    ShiftDisplay,
    ThresholdDrawsDisplay,
)
from steadycut.displays.elements import shorten
from steadycut.errors import MissingPackage
from tests.displays import samples

REPOSITORY = Path(__file__).resolve().parents[2]

MAKERS = {
    "risk curve": lambda: RiskCurveDisplay.from_study(samples.study()),
    "risk curve, le": lambda: RiskCurveDisplay.from_study(samples.study(direction="le")),
    "risk curve, 30 patients with ties": lambda: RiskCurveDisplay.from_study(samples.tied_study()),
    "draws": lambda: ThresholdDrawsDisplay.from_study(samples.study()),
    "draws, ties": lambda: ThresholdDrawsDisplay.from_study(samples.tied_study("le")),
    "certificate": lambda: CertificateDisplay.from_study(samples.study()),
    "bounds": lambda: CertificateDisplay.from_audit(samples.labelled_audit()),
    "bounds, unlabelled": lambda: CertificateDisplay.from_audit(samples.unlabelled_audit()),
    "bounds, one class": lambda: CertificateDisplay.from_audit(samples.labelled_audit(only=0)),
    "shift": lambda: ShiftDisplay.from_audit(samples.labelled_audit()),
    "shift, Shapley": lambda: ShiftDisplay.from_audit(samples.labelled_audit(), "shapley"),
    "shift, one class": lambda: ShiftDisplay.from_audit(samples.labelled_audit(only=1)),
}


def state_of(display):
    return {one.name: copy.deepcopy(getattr(display, one.name)) for one in fields(display)}


def texts_of(ax):
    return " ".join(text.get_text() for text in ax.findobj(mpl.text.Text))


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_drawing_changes_neither_the_data_nor_matplotlib(maker):
    display = maker()
    before, settings = state_of(display), dict(mpl.rcParams)
    display.plot().figure.draw_without_rendering()
    for name, value in state_of(display).items():
        np.testing.assert_array_equal(value, before[name])
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_the_axes_given_are_used(maker):
    ax = Figure().subplots()
    assert maker().plot(ax) is ax


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_every_text_lies_inside_the_figure(maker):
    figure = maker().plot().figure
    figure.draw_without_rendering()
    page = figure.bbox.padded(1)
    for text in figure.findobj(mpl.text.Text):
        if text.get_text().strip() and text.get_visible() and not is_outer_tick(text, figure):
            box = text.get_window_extent()
            assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
            assert page.y0 <= box.y0 <= box.y1 <= page.y1, text


def is_outer_tick(text, figure):
    # Ticks beyond the limits exist, but are not drawn.
    ax = figure.axes[0]
    ticks = {axis: axis.get_view_interval() for axis in (ax.xaxis, ax.yaxis)}
    for axis, (low, high) in ticks.items():
        for tick in axis.get_major_ticks():
            if text in {tick.label1, tick.label2}:
                return not min(low, high) <= tick.get_loc() <= max(low, high)
    return False


def test_pyplot_is_never_loaded():
    code = (
        f"import sys; sys.path[:0] = {[str(REPOSITORY / 'src'), str(REPOSITORY)]!r}\n"
        "from tests.displays import samples\n"
        "from steadycut.displays import RiskCurveDisplay\n"
        "RiskCurveDisplay.from_study(samples.tied_study()).plot().figure.draw_without_rendering()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_curve_drawn_is_the_curve():
    display = RiskCurveDisplay.from_study(samples.study())
    line = display.plot().lines[0]
    np.testing.assert_array_equal(line.get_xdata(), display.thresholds)
    np.testing.assert_array_equal(line.get_ydata(), display.risk)


@pytest.mark.parametrize(("direction", "style"), [("ge", "steps-pre"), ("le", "steps-post")])
def test_the_curve_steps_on_the_side_where_patients_are_not_called(direction, style):
    display = RiskCurveDisplay.from_study(samples.tied_study(direction))
    assert display.plot().lines[0].get_drawstyle() == style


def test_a_part_that_is_not_known_is_said():
    assert "not known" in texts_of(MAKERS["shift, one class"]().plot())
    assert "not known" not in texts_of(MAKERS["shift"]().plot())


@pytest.mark.parametrize("name", ["a$b$c", "<script>alert(1)</script>", "x" * 300, "a\nb\tc"])
def test_any_name_is_an_axis_label(name):
    study = samples.study()
    study["score"] = name
    ax = RiskCurveDisplay.from_study(study).plot()
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel() == f"cut-off on {shorten(name)}"
    assert len(shorten(name)) <= 36


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    display = MAKERS["draws"]()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackage, match=r'pip install "steadycut\[plot\]"'):
        display.plot()

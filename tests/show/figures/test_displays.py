import ast
import builtins
import copy
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import steadycut
from steadycut.errors import BadOption, MissingPackage
from steadycut.show import figures
from steadycut.show.figures import (
    DISPLAYS,
    CalibrationDisplay,
    ComparisonDisplay,
    DecisionCurveDisplay,
    Display,
    FlipsDisplay,
    LabelPathDisplay,
    MonitorDisplay,
    PatientsDisplay,
    PeopleDisplay,
    RiskCurveDisplay,
    RocDisplay,
    ScoresDisplay,
    SitesDisplay,
    ThresholdDrawsDisplay,
    displays_of,
)
from steadycut.show.figures.elements import LONGEST_ROW, shorten, shorten_row
from steadycut.show.svg.picture import draw_svg
from tests.show.figures import samples

REPOSITORY = Path(__file__).resolve().parents[3]
MODULES = sorted(Path(figures.__file__).parent.glob("[a-z]*.py"))

MAKERS = {
    "risk curve": lambda: RiskCurveDisplay.from_study(samples.study()),
    "risk curve, le": lambda: RiskCurveDisplay.from_study(samples.study(direction="le")),
    "risk curve, 30 patients with ties": lambda: RiskCurveDisplay.from_study(samples.tied_study()),
    "draws": lambda: ThresholdDrawsDisplay.from_study(samples.study()),
    "draws, ties": lambda: ThresholdDrawsDisplay.from_study(samples.tied_study("le")),
    "patients": lambda: PatientsDisplay.from_study(samples.study()),
    "patients, le": lambda: PatientsDisplay.from_study(samples.study(direction="le")),
    "patients, ties, le": lambda: PatientsDisplay.from_study(samples.tied_study("le")),
    "patients, audit": lambda: PatientsDisplay.from_audit(samples.labelled_audit()),
    "patients, one class": lambda: PatientsDisplay.from_audit(samples.labelled_audit(only=1)),
    "patients, many": lambda: PatientsDisplay.from_study(samples.large_study()),
    "calibration": lambda: CalibrationDisplay.from_study(samples.probability_study()),
    "people": lambda: PeopleDisplay.from_study(samples.study()),
    "people, audit": lambda: PeopleDisplay.from_audit(samples.labelled_audit()),
    "roc": lambda: RocDisplay.from_study(samples.tied_study("le")),
    "roc, audit": lambda: RocDisplay.from_audit(samples.labelled_audit()),
    "draws, two basins": lambda: ThresholdDrawsDisplay.from_study(samples.two_basins_study()),
    "flips": lambda: FlipsDisplay.from_study(samples.study()),
    "flips, ties, le": lambda: FlipsDisplay.from_study(samples.tied_study("le")),
    "flips, audit": lambda: FlipsDisplay.from_audit(samples.unlabelled_audit()),
    "scores": lambda: ScoresDisplay.from_study(samples.tied_study()),
    "scores, le": lambda: ScoresDisplay.from_study(samples.tied_study("le")),
    "scores, audit": lambda: ScoresDisplay.from_audit(samples.labelled_audit()),
    "scores, unlabelled": lambda: ScoresDisplay.from_audit(samples.unlabelled_audit()),
    "decision curve": lambda: DecisionCurveDisplay.from_study(samples.tied_study()),
    "decision curve, audit": lambda: DecisionCurveDisplay.from_audit(samples.labelled_audit()),
    "sites": lambda: SitesDisplay.from_study(samples.sites_study()),
    "comparison": lambda: ComparisonDisplay.from_comparison(samples.comparison()),
    "monitor": lambda: MonitorDisplay.from_monitor(samples.monitored()),
    "monitor, alarm": lambda: MonitorDisplay.from_monitor(samples.monitored(moved=3.0)),
    "label path": lambda: LabelPathDisplay.from_adaptation(samples.adapted()),
    "monitor, calls": lambda: MonitorDisplay.from_monitor(samples.monitored(labelled=False)),
}


# What plotting leaves on a figure.
DRAWN = ("ax_", "figure_", "_is_new")


def state_of(display):
    return copy.deepcopy({k: v for k, v in vars(display).items() if k not in DRAWN})


@cache
def drawn(maker):
    """The axes, drawn once for all tests that only look."""
    ax = maker().plot().ax_
    ax.figure.draw_without_rendering()
    return ax


def texts_of(ax):
    return " ".join(text.get_text() for text in ax.findobj(mpl.text.Text))


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_drawing_changes_neither_the_data_nor_matplotlib(maker):
    display = maker()
    before, settings = state_of(display), dict(mpl.rcParams)
    display.plot().figure_.draw_without_rendering()
    for name, value in state_of(display).items():
        np.testing.assert_equal(value, before[name])
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_the_axes_given_are_used(maker):
    ax = Figure().subplots()
    assert maker().plot(ax).ax_ is ax


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_properties_are_handed_on_to_what_is_drawn(maker):
    display = maker()
    assert display.plot(gid="mine") is display
    assert display.ax_.findobj(lambda artist: artist.get_gid() == "mine")


def test_a_property_that_matplotlib_does_not_know_is_refused():
    with pytest.raises(AttributeError, match="no_such_property"):
        MAKERS["risk curve"]().plot(no_such_property=1)


def test_a_notebook_shows_the_picture_unless_the_axes_are_the_users_own():
    display = MAKERS["risk curve"]()
    assert display._repr_png_() is None
    assert display.plot()._repr_png_().startswith(b"\x89PNG")
    assert display.plot(Figure().subplots())._repr_png_() is None
    assert len(repr(display)) < 100


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_every_text_lies_inside_the_figure(maker):
    figure = drawn(maker).figure
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
        "from tests.show.figures import samples\n"
        "from steadycut.show.figures import RiskCurveDisplay\n"
        "RiskCurveDisplay.from_study(samples.tied_study()).plot().figure_.draw_without_rendering()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_curve_drawn_is_the_curve():
    display = RiskCurveDisplay.from_study(samples.study())
    line = display.plot().ax_.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), display.study.curve.thresholds)
    np.testing.assert_array_equal(line.get_ydata(), display.study.curve.risk)


@pytest.mark.parametrize(("direction", "style"), [("ge", "steps-pre"), ("le", "steps-post")])
def test_the_curve_steps_on_the_side_where_patients_are_not_called(direction, style):
    display = RiskCurveDisplay.from_study(samples.tied_study(direction))
    assert display.plot().ax_.lines[0].get_drawstyle() == style


@pytest.mark.parametrize("name", ["a$b$c", "<script>alert(1)</script>", "x" * 300, "a\nb\tc"])
def test_any_name_is_an_axis_label(name):
    study = samples.study()
    study["score"] = name
    ax = RiskCurveDisplay.from_study(study).plot().ax_
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


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_a_figure_is_a_small_svg_with_texts(maker):
    svg = draw_svg(maker(), "figure")
    assert len(svg.encode()) < 60_000
    assert "<text" in svg


def texts_that_touch(ax):
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    pairs = [(one, other) for i, one in enumerate(boxes) for other in boxes[:i]]
    return [pair for pair in pairs if pair[0].overlaps(pair[1])]


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_no_number_lies_on_another(maker):
    assert texts_that_touch(drawn(maker)) == []


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_curves_of_one_figure_differ_without_colour(maker):
    looks = [
        (line.get_linestyle(), line._dash_pattern, line.get_marker(), line.get_drawstyle())
        for line in drawn(maker).lines
        if not line.get_label().startswith("_") and len(line.get_xdata()) > 2
        # People are filled or not, and errors have a symbol.
        if isinstance(line.get_marker(), str)
    ]
    curves = [str(look) for look in looks]
    assert len(set(curves)) == len(curves)


CONTENTS = {
    "study": samples.study,
    "sites": samples.sites_study,
    "probability": samples.probability_study,
    "ensemble": lambda: samples.study(ensemble="quantile"),
    "audit": samples.labelled_audit,
    "one class": lambda: samples.labelled_audit(only=0),
    "unlabelled": samples.unlabelled_audit,
    "monitor": samples.monitored,
    "comparison": samples.comparison,
    "adaptation": samples.adapted,
}


@pytest.mark.parametrize("maker", CONTENTS.values(), ids=CONTENTS)
def test_content_gives_all_figures_that_it_has(maker):
    content = maker()
    found = displays_of(content)
    for name, display in found.items():
        assert isinstance(display, DISPLAYS[name])
        display.plot()
    assert ("sites" in found) == (content.get("next_site") is not None)
    seen = {"study": True, "audit": content.get("labelled")}
    kind = content["schema"].removeprefix("steadycut.").removesuffix("/1")
    assert ("patients" in found) == ("people" in found) == bool(seen.get(kind))


def test_every_figure_is_reached_from_some_content():
    assert {name for maker in CONTENTS.values() for name in displays_of(maker())} == set(DISPLAYS)


def test_no_figure_is_forgotten_in_the_package():
    """Every module with a figure is imported there, and under its own name: as type checkers do."""
    modules = [import_module(f"{figures.__name__}.{path.stem}") for path in MODULES]
    kinds = [kind for module in modules for kind in vars(module).values() if is_figure(kind)]
    assert set(kinds) == set(DISPLAYS.values())
    tree = ast.parse(Path(figures.__file__).read_text(encoding="utf-8"))
    exported = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    assert exported == {kind.__name__ for kind in kinds} | {"Display"}
    assert set(figures.__all__) == exported | {"DISPLAYS", "displays_of"}


def is_figure(kind):
    own = isinstance(kind, type) and issubclass(kind, Display)
    return own and kind.__module__ != Display.__module__


def test_the_figures_are_an_attribute_of_the_package():
    assert steadycut.displays.RiskCurveDisplay is RiskCurveDisplay
    module = import_module("steadycut.displays")
    assert {name: getattr(module, name) for name in figures.__all__} == {
        name: getattr(figures, name) for name in figures.__all__
    }


def test_content_that_a_figure_does_not_take_is_refused():
    with pytest.raises(BadOption, match=r"MonitorDisplay takes .*monitor/1'; got 'steadycut.study"):
        MonitorDisplay.from_content(samples.study())
    assert displays_of({}) == {}


def test_a_site_that_lacks_a_class_is_said():
    assert "sens not known" in texts_of(MAKERS["sites"]().plot().ax_)


def test_an_alarm_is_said():
    assert "alarm of the risk after patient" in texts_of(MAKERS["monitor, alarm"]().plot().ax_)
    assert "no alarm of the risk" in texts_of(MAKERS["monitor"]().plot().ax_)


def test_the_limits_of_the_share_called_use_half_of_delta():
    monitor = samples.monitored()
    texts = texts_of(MonitorDisplay.from_monitor(monitor, watch="calls").plot().ax_)
    assert "95 % limits, at all times" in texts
    assert "no alarm of the share called" in texts
    assert "90 % limits, at all times" in texts_of(MonitorDisplay.from_monitor(monitor).plot().ax_)


def test_rows_that_are_not_shown_are_said():
    study = samples.sites_study()
    study["next_site"]["rows"] *= 10
    assert "15 more are not shown" in texts_of(SitesDisplay.from_study(study).plot().ax_)


@pytest.mark.parametrize("name", ["a", "a" * 300, "a\nb"])
def test_a_row_has_a_name_that_fits(name):
    assert len(shorten_row(name)) <= LONGEST_ROW
    assert "\n" not in shorten_row(name)


@pytest.mark.parametrize("direction", ["ge", "le"])
def test_the_stairs_of_the_scores_stand_on_the_side_of_those_called(direction):
    study = samples._tied(direction)
    line = next(line for line in ScoresDisplay.from_study(study).plot().ax_.lines[1:])
    positives = study.certify_patients.positive_scores
    x, y = line.get_xdata(), line.get_ydata()
    for score in (x[:-1] + x[1:])[np.diff(x) > 0] / 2:
        share = (positives >= score if direction == "ge" else positives <= score).mean()
        assert np.interp(score, x, y) == pytest.approx(share, abs=0.011)

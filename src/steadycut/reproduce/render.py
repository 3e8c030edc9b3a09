"""A drawn figure -> the bytes of a PNG and an SVG file; the same figure gives the same bytes."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from steadycut.errors import MissingPackage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "legend.fontsize": 7,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
DOTS_PER_INCH = 110

Draw = Callable[[Any, Mapping[str, Any]], None]


def render(draw: Draw, content: Mapping[str, Any], size: tuple[float, float]) -> dict[str, bytes]:
    """Return the files of one figure by their endings; ``draw`` puts it on an empty figure."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        msg = 'a figure requires matplotlib. Install it with pip install "steadycut[plot]".'
        raise MissingPackage(msg) from error
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        mpl.rcParams["svg.hashsalt"] = content["target"]
        figure = Figure(figsize=size, layout="constrained")
        draw(figure, content)
        return {
            "png": _save(figure, "png", {"Software": None}),
            "svg": _save(figure, "svg", {"Date": None, "Creator": None}),
        }


def _save(figure: "Figure", ending: str, metadata: dict[str, Any]) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format=ending, dpi=DOTS_PER_INCH, metadata=metadata)
    return stream.getvalue()

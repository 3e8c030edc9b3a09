"""What the figures share: their record, their replicates, their document and their files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadycut.ingest.patients import Progress
from steadycut.io.packages import optional_package
from steadycut.reproduce.claims import SCHEMA

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWING: Any = {
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
# The name of the setting that the description gives, in the table of sensitivity.
BASE = "as above"

Setting = TypeVar("Setting")
Outcome = TypeVar("Outcome")
Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigure:
    """One figure of the paper: what it shows, and how it is computed and drawn.

    Parameters
    ----------
    name, title, shown
        Name of the target and its files, title of the page, and what the paper shows.
    replicates
        Number of replicates if none is given.
    help
        Help of the command.
    compute
        Takes replicates, seed and progress; returns the numbers.
    draw, size
        Draws the numbers on an empty figure of this size, in inches.
    columns
        Titles of the columns of the table of sensitivity, by their key.
    """

    name: str
    title: str
    shown: str
    help: str
    replicates: int
    compute: Callable[[int, int, Progress | None], dict[str, Any]]
    draw: Callable[[Any, Content], None]
    size: tuple[float, float]
    columns: Mapping[str, str]

    def document(self, replicates: int, seed: int, progress: Progress | None) -> dict[str, Any]:
        """Return the numbers, and what they are of."""
        return {
            "schema": SCHEMA,
            "target": self.name,
            "seed": seed,
            "replicates": replicates,
            **self.compute(replicates, seed, progress),
        }

    def render(self, content: Content) -> dict[str, bytes]:
        """Return the PNG and SVG files by their endings; the same numbers give the same bytes."""
        with optional_package("A figure", "matplotlib", "plot"):
            import matplotlib as mpl
            from matplotlib.figure import Figure
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(DRAWING)
            mpl.rcParams["svg.hashsalt"] = self.name
            figure = Figure(figsize=self.size, layout="constrained")
            self.draw(figure, content)
            return {
                "png": _save(figure, "png", {"Software": None}),
                "svg": _save(figure, "svg", {"Date": None, "Creator": None}),
            }


def _save(figure: "Figure", ending: str, metadata: dict[str, Any]) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format=ending, dpi=DOTS_PER_INCH, metadata=metadata)
    return stream.getvalue()


def run_settings(
    replicate: Callable[[Setting, np.random.Generator], Outcome],
    settings: Mapping[str, Setting],
    n_replicates: int,
    seed: int,
    progress: Progress | None = None,
) -> dict[str, list[Outcome]]:
    """Return the outcomes of all replicates of every setting, by its name.

    Every setting gets the same random numbers.
    """
    found = {}
    for done, (name, setting) in enumerate(settings.items()):
        if progress:
            progress(name, done, len(settings))
        streams = np.random.default_rng(seed).spawn(n_replicates)
        found[name] = [replicate(setting, stream) for stream in streams]
    return found

"""What the figures share: their record, their replicates, their document and their files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from paper.claims import SCHEMA, Claim
from steadycut.ingest.patients import Progress
from steadycut.io.packages import optional_package

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
NOT_PRINTED = "not printed"

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
    setting, assumed, printed
        The setting of the panels, in words what the paper does not print, and other printed values.
    run
        Takes replicates, seed and progress; returns the outcomes of every setting, by its name.
    summarise
        Takes the outcomes of one setting; returns means and shares over the replicates.
    panels
        Takes the seed and the outcomes as described; returns the data of the panels.
    claims
        Takes the outcomes as described and the panels; returns the statements of the paper.
    statuses
        What a setting changes, by its name; the others change what is not printed.
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
    setting: Any
    assumed: Mapping[str, str]
    printed: Mapping[str, Any] = field(default_factory=dict)
    run: Callable[[int, int, Progress | None], Mapping[str, Sequence[Any]]]
    summarise: Callable[[Sequence[Any]], dict[str, Any]]
    panels: Callable[[int, Sequence[Any]], dict[str, Any]]
    claims: Callable[[Sequence[Any], Content], list[Claim]]
    statuses: Mapping[str, str] = field(default_factory=dict)
    draw: Callable[[Any, Content], None]
    size: tuple[float, float]
    columns: Mapping[str, str]

    def document(self, replicates: int, seed: int, progress: Progress | None) -> dict[str, Any]:
        """Return the numbers, and what they are of."""
        found = self.run(replicates, seed, progress)
        outcomes, status = found[BASE], {BASE: "", **self.statuses}
        panels = self.panels(seed, outcomes)
        return {
            "schema": SCHEMA,
            "target": self.name,
            "seed": seed,
            "replicates": replicates,
            "parameters": {
                "printed": self.printed,
                "assumed": self.assumed,
                "setting": asdict(self.setting),
            },
            "summary": self.summarise(outcomes),
            "claims": [claim.to_dict() for claim in self.claims(outcomes, panels)],
            "sensitivity": [
                {"changed": name, "status": status.get(name, NOT_PRINTED), **self.summarise(some)}
                for name, some in found.items()
            ],
            "panels": panels,
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


def draw_labels(n: int, prevalence: float, rng: np.random.Generator) -> NDArray[np.int8]:
    """Return labels that are positive with the prevalence; both classes occur."""
    labels = (rng.random(n) < prevalence).astype(np.int8)
    labels[:2] = 0, 1
    return labels


def draw_curves(ax: "Axes", panels: Content, *curves: tuple[str, str, str, str]) -> None:
    """Draw curves along the thresholds: each has a key, a colour, a line style and a label."""
    for key, colour, style, label in curves:
        ax.plot(panels["thresholds"], panels[key], color=colour, linestyle=style, label=label)

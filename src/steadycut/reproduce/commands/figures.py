"""``steadycut reproduce figure-1``, ``figure-2``, ``figure-s1``: a figure, its numbers, a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadycut.cli import options as opt
from steadycut.cli.output import show, to_json, write_folder
from steadycut.cli.progress import progress_on_terminal
from steadycut.reproduce.commands.shared import FOLDER, Force, Replicates, ReproduceOut, check_run
from steadycut.reproduce.draw_figure_1 import SIZE as SIZE_1
from steadycut.reproduce.draw_figure_1 import draw_figure_1
from steadycut.reproduce.draw_figure_2 import SIZE as SIZE_2
from steadycut.reproduce.draw_figure_2 import draw_figure_2
from steadycut.reproduce.draw_figure_s1 import SIZE as SIZE_S1
from steadycut.reproduce.draw_figure_s1 import draw_figure_s1
from steadycut.reproduce.figure_1 import figure_1
from steadycut.reproduce.figure_2 import figure_2
from steadycut.reproduce.figure_s1 import figure_s1
from steadycut.reproduce.findings import figure_page
from steadycut.reproduce.render import Draw, render
from steadycut.study.fit import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One figure: what computes it, what draws it, and what the paper shows with it.

    ``columns`` are those of its table of sensitivity, by their key.
    """

    name: str
    title: str
    shown: str
    compute: Callable[[int, int, Progress | None], dict[str, Any]]
    draw: Draw
    size: tuple[float, float]
    columns: Mapping[str, str]

    @property
    def files(self) -> list[str]:
        """The names of the files that it leaves."""
        return [f"{self.name}.{ending}" for ending in ("png", "svg", "json", "md")]


FIGURE_1 = Target(
    name="figure-1",
    title="Figure 1, rerun: penalising instability shifts the threshold to a stable basin",
    shown=(
        "a sharp subgroup makes a sharp basin of the internal risk. ERM falls into it; the "
        "penalty moves the cut-off to the right, into a flat basin, and lowers the external risk."
    ),
    compute=figure_1,
    draw=draw_figure_1,
    size=SIZE_1,
    columns={
        "erm": "ERM t",
        "penalised": "penalised t",
        "external_erm": "ERM R_Q",
        "external_penalised": "penalised R_Q",
        "external_stable": "stable R_Q",
        "erm_in_sharp": "ERM in sharp",
        "lower_external": "R_Q lower",
        "whole_story": "whole picture",
    },
)


FIGURE_2 = Target(
    name="figure-2",
    title="Figure 2, rerun: framework validation under distribution shift",
    shown=(
        "two markers whose scores differ between P and Q; a bound above the internal risk, and "
        "frozen at P above the external one; a decomposition that tracks the external risk; and "
        "a penalised cut-off that mostly has a lower external risk than ERM."
    ),
    compute=figure_2,
    draw=draw_figure_2,
    size=SIZE_2,
    columns={
        "external_erm": "ERM R_Q",
        "external_algorithm_1": "Alg. 1",
        "external_pointwise": "fig. 1's",
        "external_stable": "stable",
        "lower_algorithm_1": "Alg. 1 lower",
        "same_algorithm_1": "same",
        "lower_pointwise": "fig. 1's lower",
        "lower_stable": "stable lower",
        "total": "sum of terms",
        "bound": "bound",
        "bound_holds_external": "bound holds at Q",
    },
)

FIGURE_S1 = Target(
    name="figure-s1",
    title="Figure S1, rerun: upper bound and its contributions for five models",
    shown=(
        "for each of five models an upper bound R + gamma + G_boot above the empirical and the "
        "true risk at every cut-off, and the share of each term at the selected one."
    ),
    compute=figure_s1,
    draw=draw_figure_s1,
    size=SIZE_S1,
    columns={
        "risk": "R",
        "gap": "gamma",
        "penalty": "G_boot",
        "bound": "U",
        "true_risk": "true risk",
        "above_everywhere": "U above R_P",
        "says_something": "U says something",
        "certified": "exact bound",
        "certified_holds": "exact holds",
        "certified_says_something": "exact says something",
    },
)


def reproduce_figure(
    target: Target, replicates: int, seed: int, out: Path, *, force: bool, as_json: bool
) -> None:
    """Compute, draw and write one figure, and say what came out."""
    check_run(out, target.files, replicates, seed, force=force)
    with progress_on_terminal() as progress:
        content = target.compute(replicates, seed, progress)
    page = figure_page(content, target.title, target.shown, target.columns)
    drawn = render(target.draw, content, target.size)
    contents = (drawn["png"], drawn["svg"], to_json(content), page.encode())
    write_folder(out, dict(zip(target.files, contents, strict=True)))
    show(content, page.rstrip("\n"), as_json=as_json)


def figure_1_command(
    replicates: Replicates = 100,
    seed: opt.Seed = 0,
    out: ReproduceOut = FOLDER,
    force: Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild figure 1: the stable basin.

    Shows the two-basin mixture, its instability map and the penalised cut-off.
    """
    reproduce_figure(FIGURE_1, replicates, seed, out, force=force, as_json=as_json)


def figure_2_command(
    replicates: Replicates = 60,
    seed: opt.Seed = 0,
    out: ReproduceOut = FOLDER,
    force: Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild figure 2: two markers, two sites.

    Shows a shift between the sites, bounds, the decomposition, ERM and the penalties.
    """
    reproduce_figure(FIGURE_2, replicates, seed, out, force=force, as_json=as_json)


def figure_s1_command(
    replicates: Replicates = 10,
    seed: opt.Seed = 0,
    out: ReproduceOut = FOLDER,
    force: Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild figure S1: a bound for 5 models.

    Shows the same bound for each model, and the terms it is made of.
    """
    reproduce_figure(FIGURE_S1, replicates, seed, out, force=force, as_json=as_json)

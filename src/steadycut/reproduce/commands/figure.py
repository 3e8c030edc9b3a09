"""The command of a figure: its pictures, its numbers and a page."""

from collections.abc import Callable
from pathlib import Path

from steadycut.cli import options as opt
from steadycut.io.progress import progress_on_stderr
from steadycut.reproduce.commands import shared
from steadycut.reproduce.figure import PaperFigure
from steadycut.reproduce.pages import figure_page


def figure_command(figure: PaperFigure) -> Callable[..., None]:
    """Return the command that rebuilds a figure."""

    def command(
        replicates: shared.Replicates = figure.replicates,
        seed: opt.Seed = 0,
        out: shared.ReproduceOut = shared.FOLDER,
        force: shared.Force = False,
        as_json: opt.AsJson = False,
    ) -> None:
        reproduce_figure(figure, replicates, seed, out, force=force, as_json=as_json)

    command.__doc__ = figure.help
    return command


def reproduce_figure(
    figure: PaperFigure, replicates: int, seed: int, out: Path, *, force: bool, as_json: bool
) -> None:
    """Compute, draw and write one figure, and show what came out."""
    endings = (*shared.PICTURES, *shared.TEXTS)
    shared.check_run(out, figure.name, replicates, seed, force=force, endings=endings)
    with progress_on_stderr() as progress:
        content = figure.document(replicates, seed, progress)
    page = figure_page(content, figure.title, figure.shown, figure.columns)
    pictures = figure.render(content)
    shared.finish(out, figure.name, content, page, as_json=as_json, pictures=pictures)

"""The command of each figure: its pictures, its numbers and a page."""

from collections.abc import Callable

from paper.commands.shared import PICTURES, TEXTS, Replicates, RunOutputOptions
from paper.figure import PaperFigure
from paper.figure_1 import FIGURE_1
from paper.figure_2 import FIGURE_2
from paper.figure_s1 import FIGURE_S1
from paper.pages import figure_page
from steadycut.cli.options import Seed
from steadycut.io.progress import progress_on_stderr


def figure_command(figure: PaperFigure) -> Callable[..., None]:
    """Return the command that rebuilds a figure."""

    def command(
        *, replicates: Replicates = figure.replicates, seed: Seed = 0, output: RunOutputOptions
    ) -> None:
        output.check(figure.name, replicates, seed, (*PICTURES, *TEXTS))
        with progress_on_stderr() as progress:
            content = figure.document(replicates, seed, progress)
        page = figure_page(content, figure.title, figure.shown, figure.columns)
        output.finish(figure.name, content, page, pictures=figure.render(content))

    command.__doc__ = figure.help
    return command


figure_1_command = figure_command(FIGURE_1)
figure_2_command = figure_command(FIGURE_2)
figure_s1_command = figure_command(FIGURE_S1)

"""``python -m paper``: the paper's figures and tables, rebuilt. One command per target."""

from collections.abc import Sequence
from typing import Any, ClassVar

import typer

from steadycut.cli import main
from steadycut.cli.commands import LazyGroup, places
from steadycut.errors import BadOption, did_you_mean


class Targets(LazyGroup):
    """The targets. An unknown name is refused with the list of targets."""

    # A new target is one line here and its command in a module of this package.
    table: ClassVar = places(
        "paper.commands",
        {
            "figure-1": ("figure", "Rebuild figure 1: the stable basin."),
            "figure-2": ("figure", "Rebuild figure 2: two markers, two sites."),
            "figure-s1": ("figure", "Rebuild figure S1: a bound for 5 models."),
            "table": ("table", "Rebuild the main and cost table, for any two hospitals."),
            "camelyon": ("camelyon", "Rebuild the tables of CAMELYON16/17, from slides."),
            "mimic-ecg": ("mimic_ecg", "Rebuild the tables of MIMIC-IV-ECG, from records."),
        },
    )

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a target."""
        command = super().get_command(ctx, cmd_name)
        if command is None and not cmd_name.startswith("-"):
            meant = did_you_mean(cmd_name, self.table)
            msg = f"NAME must be one of {', '.join(self.table)}; got {cmd_name!r}.{meant}"
            raise BadOption(msg)
        return command


PAPER = typer.Typer(
    cls=Targets,
    name="python -m paper",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    subcommand_metavar="NAME [OPTIONS]",
    help="Rebuild the paper's figures and tables.",
)


@PAPER.callback()
def _targets() -> None:
    """Make a group of the program, although its targets are not registered one by one."""


def run(argv: Sequence[str]) -> int:
    """Run one target and return its exit code, as commands of steadycut do."""
    return main.run(argv, PAPER)

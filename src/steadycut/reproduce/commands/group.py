"""``steadycut reproduce``: the paper's figures and tables, rebuilt. One command per target."""

from typing import Any, ClassVar

import typer

from steadycut.cli.commands import LazyGroup, places
from steadycut.errors import BadOption, did_you_mean


class Targets(LazyGroup):
    """The targets. An unknown name is refused with the list of targets."""

    # A new target is one line here and its command in a module of this package.
    table: ClassVar = places(
        "steadycut.reproduce.commands",
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
        found = super().get_command(ctx, cmd_name)
        if found is None and not cmd_name.startswith("-"):
            meant = did_you_mean(cmd_name, self.table)
            msg = (
                f"the target of reproduce must be one of {', '.join(self.table)}; got "
                f"{cmd_name!r}.{meant}"
            )
            raise BadOption(msg)
        return found


reproduce_command = typer.Typer(
    cls=Targets,
    rich_markup_mode=None,
    subcommand_metavar="TARGET [OPTIONS]",
    help="Rebuild the paper's figures and tables.",
)

"""``steadycut reproduce``: the paper's figures and tables, rebuilt. One command a target."""

from typing import Any

import typer
from typer.core import TyperGroup

from steadycut.errors import BadOption
from steadycut.reproduce.commands.camelyon import camelyon_command
from steadycut.reproduce.commands.figures import (
    figure_1_command,
    figure_2_command,
    figure_s1_command,
)
from steadycut.reproduce.commands.mimic_ecg import mimic_ecg_command
from steadycut.reproduce.commands.table import table_command


class Targets(TyperGroup):
    """The targets; a name that is none of them is refused with the list of those there are."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a target."""
        found = super().get_command(ctx, cmd_name)
        if found is None and not cmd_name.startswith("-"):
            allowed = ", ".join(self.commands)
            msg = f"the target of reproduce must be one of {allowed}; got {cmd_name!r}."
            raise BadOption(msg)
        return found


# A new target is one line here and one file with its command.
reproduce_app = typer.Typer(
    cls=Targets,
    rich_markup_mode=None,
    subcommand_metavar="TARGET [OPTIONS]",
    help="Rebuild a figure or table of the paper, and say what came out.",
)
reproduce_app.command("figure-1", short_help="The penalty and the stable basin.")(figure_1_command)
reproduce_app.command("figure-2", short_help="Two markers under a shift of site.")(figure_2_command)
reproduce_app.command("figure-s1", short_help="One bound for five models.")(figure_s1_command)
reproduce_app.command("table", short_help="Main and cost table, for any two hospitals.")(
    table_command
)
reproduce_app.command("camelyon", short_help="The tables of CAMELYON16/17, from slides.")(
    camelyon_command
)
reproduce_app.command("mimic-ecg", short_help="The tables of MIMIC-IV-ECG, from records.")(
    mimic_ecg_command
)

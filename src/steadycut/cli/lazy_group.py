"""A group of commands whose modules are imported only when a command is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from steadycut.cli.option_groups import as_command


class LazyGroup(TyperGroup):
    """Commands by name, each as ``module:function`` with its one-line help.

    The help of the group is written from this table alone. So ``--help`` is fast, and a command
    does not pay for the imports of the others.
    """

    table: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        names: Any = dict.fromkeys(self.table)
        self.commands = names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import one command, or one group of commands; None if there is no such command."""
        del ctx
        if cmd_name not in self.table:
            return None
        found = load(self.table[cmd_name][0])
        if isinstance(found, typer.Typer):
            return typer.main.get_group(found)
        return as_command(cmd_name, found)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write names and one-line helps, without importing any command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in self.table.items()])


def load(place: str) -> Any:
    """Return what a text of the form ``module:name`` points to.

    Examples
    --------
    >>> load("math:sqrt")(9.0)
    3.0
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)

"""How functions become commands: groups of options, help in panels, imports only when called.

A command is a function whose parameters are groups of options (frozen dataclasses), or single
options. On the command line it has the options of all its groups, one after the other. In
``--help`` each group is a panel, and the first line of its docstring is the heading.
"""

import gc
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from steadycut.errors import SteadycutError
from steadycut.io.log import open_log, this_run

SHORT = 2
# Arguments of Python, and the option that does the same.
IN_PYTHON = dict.fromkeys(("y", "labels", "labelled"), "label")
IN_PYTHON |= {"sites": "site", "patients": "patient"}
HELP = {"help_option_names": ["-h", "--help"]}

# Where the field of a group keeps what typer must know of it.
OPTION = "option"


LOG: Any = field(
    default=None,
    metadata={
        OPTION: typer.Option(
            metavar="FILE",
            help="Append one line about this run: time, command, versions, hash of the rule, "
            "warnings, error, exit code. It has no patients.",
        )
    },
)


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
        self.completing = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import one command; None if there is no such command."""
        del ctx
        if cmd_name not in self.table:
            return None
        if self.completing:
            return TyperCommand(cmd_name, help=self.table[cmd_name][1])
        function = load(self.table[cmd_name][0])
        if not gc.isenabled():
            # What was imported stays to the end; do not search it when the process ends.
            gc.freeze()
            gc.enable()
        return as_command(cmd_name, function)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the name of a command, without importing any command."""
        self.completing = True
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write names and one-line helps, without importing any command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in self.table.items()])


def places(package: str, table: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the place of each command, given its module: the function is named after it.

    Examples
    --------
    >>> places("steadycut", {"score-ecg": ("cli.score.ecg", "Score ECGs.")})
    {'score-ecg': ('steadycut.cli.score.ecg:score_ecg_command', 'Score ECGs.')}
    """
    return {
        name: (f"{package}.{module}:{name.replace('-', '_')}_command", help_)
        for name, (module, help_) in table.items()
    }


def load(place: str) -> Any:
    """Return what a text of the form ``module:name`` points to.

    Examples
    --------
    >>> load("math:sqrt")(9.0)
    3.0
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def heading(kind: Any) -> str:
    """Return the heading of a group's panel: the first line of its docstring."""
    return (inspect.getdoc(kind) or "").partition("\n")[0].rstrip(".")


def parameters_of(function: Callable[..., Any]) -> dict[inspect.Parameter, str | None]:
    """Return all options of a command, each with the heading of its group, if it has one.

    Every command has ``--log``.
    """
    hints = get_type_hints(function, include_extras=True)
    options: dict[inspect.Parameter, str | None] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = hints[name]
        if is_dataclass(kind):
            own = (_parameter(part.name, part.type, part) for part in fields(kind))
            options |= dict.fromkeys(own, heading(kind))
        else:
            options[_parameter(name, kind, parameter.default)] = None
    return options | {_parameter("log", Path | None, LOG): None}


def _parameter(name: str, kind: Any, given: Any) -> inspect.Parameter:
    """Return an option as typer takes it; ``given`` is its default, or a field that declares it."""
    plain, declared = get_args(kind) if get_origin(kind) is Annotated else (kind, given)
    default = given.default if isinstance(given, Field) else given
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if default is MISSING else default,
        annotation=Annotated[plain, declared.metadata[OPTION]],
    )


def flatten(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes the options of all groups one by one, as typer wants it."""
    hints = get_type_hints(function)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @wraps(function)
    def flat(**given: Any) -> Any:
        this_run().brief = given.get("small_cells") is not None
        this_run().names = tuple(_files(given))
        name = function.__name__.removesuffix("_command").replace("_", "-")
        open_log(given.pop("log", None), name, given.get("out"))
        made = {
            name: kind(**{member.name: given.pop(member.name) for member in fields(kind)})
            for name, kind in groups.items()
        }
        return function(**made, **given)

    parameters = list(parameters_of(function))
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {member.name: member.annotation for member in parameters}
    return flat


def _files(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of files and folders among the options."""
    for name, value in given.items():
        for item in value if isinstance(value, list) else [value]:
            # A short name, such as a dot, would be found everywhere.
            if (isinstance(item, Path) or name == "tables") and len(str(item)) > SHORT:
                yield str(item)


class Refusal(Exception):  # noqa: N818
    """An error of the library, with its arguments spelled as options, or marked for the app."""


class PanelCommand(TyperCommand):
    """A command whose help shows each group of options under its heading, as plain text."""

    headings: dict[str, str | None]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; errors name its options instead of Python's arguments."""
        this_run().context = ctx
        try:
            return super().invoke(ctx)
        except SteadycutError as error:
            flags = {str(param.name): param.opts[0] for param in self.params}
            flags = {name: flags[own] for name, own in IN_PYTHON.items() if own in flags} | flags
            by_app = this_run().by_app
            raise Refusal(error.renamed(flags) if by_app else error.spelled(flags)) from error

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then one panel per group, then the other options."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            is_argument = param.param_type_name == "argument"
            title = "Arguments" if is_argument else self.headings.get(str(param.name)) or "Options"
            if record is not None:
                panels.setdefault(title, []).append(record)
        panels["Options"] = panels.pop("Options")
        for title, records in panels.items():
            with formatter.section(title):
                formatter.write_dl(records)


@cache
def as_command(name: str, function: Callable[..., Any]) -> PanelCommand:
    """Return a function that takes groups of options as a command of this name."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name, cls=PanelCommand, context_settings=HELP)(flatten(function))
    command = typer.main.get_command(app)
    assert isinstance(command, PanelCommand)  # noqa: S101
    command.headings = {param.name: title for param, title in parameters_of(function).items()}
    return command

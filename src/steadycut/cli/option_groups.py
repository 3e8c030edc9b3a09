"""Groups of options: frozen dataclasses that several commands take.

A command is a function whose parameters are such groups, or single options. On the command line it
has the options of all its groups, one after the other. In ``--help`` each group is a panel, and the
first line of its docstring is the heading.
"""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand

from steadycut.errors import SteadycutError


def option(
    metavar: str, help_: str, *flags: str, parser: Callable[[str], Any] | None = None
) -> Any:
    """Declare an option; without flags it is called like its field."""
    return typer.Option(*flags, metavar=metavar, parser=parser, help=help_)


def number(metavar: str, help_: str, *flags: str) -> Any:
    """Declare an option that takes a number."""
    return option(metavar, help_, *flags, parser=as_number)


def whole(metavar: str, help_: str, *flags: str) -> Any:
    """Declare an option that takes a whole number."""
    return option(metavar, help_, *flags, parser=as_whole_number)


def switch(flag: str, help_: str) -> Any:
    """Declare an option that is on or off."""
    return typer.Option(flag, help=help_)


def as_number(text: str) -> float:
    """Read a number; unlike typer's own message, this one repeats what was given."""
    try:
        return float(text)
    except ValueError:
        msg = f"it must be a number; got {text!r}."
        raise typer.BadParameter(msg) from None


def as_whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        msg = f"it must be a whole number; got {text!r}."
        raise typer.BadParameter(msg) from None


def heading(kind: Any) -> str:
    """Return the heading of a group's panel: the first line of its docstring."""
    return (inspect.getdoc(kind) or "").partition("\n")[0].rstrip(".")


def parameters_of(function: Callable[..., Any]) -> dict[inspect.Parameter, str | None]:
    """Return all options of a command, each with the heading of its group, if it has one."""
    hints = get_type_hints(function, include_extras=True)
    found: dict[inspect.Parameter, str | None] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = hints[name]
        if is_dataclass(kind):
            members = inspect.signature(kind).parameters.values()  # type: ignore[arg-type]
            found |= dict.fromkeys(members, heading(kind))
        else:
            found[parameter.replace(annotation=kind, kind=parameter.KEYWORD_ONLY)] = None
    return found


def flatten(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes the options of all groups one by one, as typer wants it."""
    hints = get_type_hints(function)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @wraps(function)
    def flat(**given: Any) -> Any:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        return function(**made, **given)

    parameters = list(parameters_of(function))
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {one.name: one.annotation for one in parameters}
    return flat


class Refusal(Exception):  # noqa: N818
    """An error of the library, with its arguments spelled as options."""


class PanelCommand(TyperCommand):
    """A command whose help shows each group of options under its heading, as plain text."""

    headings: dict[str, str | None]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; errors name its options instead of Python's arguments."""
        try:
            return super().invoke(ctx)
        except SteadycutError as error:
            flags = {str(param.name): param.opts[0] for param in self.params}
            raise Refusal(error.spelled(flags)) from error

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


def as_command(name: str, function: Callable[..., Any]) -> PanelCommand:
    """Return a function that takes groups of options as a command of this name."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name, cls=PanelCommand)(flatten(function))
    command = typer.main.get_command(app)
    assert isinstance(command, PanelCommand)  # noqa: S101
    command.headings = {one.name: title for one, title in parameters_of(function).items()}
    return command

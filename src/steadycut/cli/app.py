"""``steadycut app``: choose, audit, use and watch a cut-off in a page on this machine."""

import inspect
from collections.abc import Callable
from typing import Annotated, get_args

from typer.models import OptionInfo

from steadycut.app.fields import Field
from steadycut.app.words import RULES
from steadycut.app.works import WORKS
from steadycut.cli.commands import load, parameters_of
from steadycut.cli.main import Commands
from steadycut.cli.options import choices, option, switch, whole
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.checks import check_count
from steadycut.core.select import SELECTORS
from steadycut.io.packages import optional_package

with optional_package("steadycut app", "starlette", "app"):
    from steadycut.app.serve import serve

# The values to pick from, where the placeholder of an option does not list them.
CHOICES = {"bound": ("auto", *BOUNDS), "select": tuple(SELECTORS), "rule": tuple(RULES)}


def app_command(
    port: int = whole("N", "Port; 0 takes any free port.", default=0),
    host: str = option(
        "HOST",
        "Where to listen. Other machines can reach any address but loopback.",
        default="127.0.0.1",
    ),
    browser: Annotated[bool, switch("--browser/--no-browser", "Open a browser.")] = True,
    limit: int = whole("MB", "Largest upload, in MB.", default=2048),
) -> None:
    """Choose, audit, use and watch a cut-off in a page on this machine.

    Nothing leaves the machine. When the app is closed, everything is removed except what was
    downloaded.
    """
    check_count("port", port, at_least=0)
    check_count("limit", limit)
    serve(all_fields(), host=host, port=port, limit=limit, browser=browser)


def all_fields() -> dict[str, list[Field]]:
    """Return the fields of every command that the app runs."""
    return {name: fields_of(load(Commands.table[name][0])) for name in WORKS}


def fields_of(command: Callable[..., None]) -> list[Field]:
    """Return the options of a command as fields of a form."""
    found = []
    for parameter in parameters_of(command):
        kind, told = get_args(parameter.annotation)[:2]
        if isinstance(told, OptionInfo):
            flag = _flag(parameter.name, told)
            name = flag.removeprefix("--").replace("-", "_")
            field = Field(
                name=name,
                option=flag,
                default=_default(parameter.default),
                choices=CHOICES.get(name, choices(told.metavar or "")),
                is_switch=kind is bool,
                needed=parameter.default is inspect.Parameter.empty,
                help=told.help or "",
            )
            found.append(field)
            if name == "rule":
                found.append(Field(name="rule_other", option=flag))
    return found


def _flag(name: str, told: OptionInfo) -> str:
    """Return how an option is written; typer keeps a given flag in the place of the default."""
    return told.default if isinstance(told.default, str) else f"--{name.replace('_', '-')}"


def _default(value: object) -> str:
    if value is None or value is False or value is inspect.Parameter.empty:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)

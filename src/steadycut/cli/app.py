"""``steadycut app``: choose, audit, use and watch a cut-off in a page on this machine."""

import inspect
from collections.abc import Callable
from typing import Annotated, get_args

from typer.models import OptionInfo

from steadycut.app.fields import Field
from steadycut.app.works import WORKS
from steadycut.cli.commands import load, parameters_of
from steadycut.cli.main import Commands
from steadycut.cli.options import choices, option, switch, whole
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.checks import check_count
from steadycut.core.select import SELECTORS
from steadycut.io.packages import optional_package
from steadycut.show.words.fields import RULES

with optional_package("steadycut app", "starlette", "app"):
    from steadycut.app.serve import serve

# The values to pick from, where the placeholder of an option does not list them.
CHOICES = {"bound": ("auto", *BOUNDS), "selector": tuple(SELECTORS), "rule": tuple(RULES)}


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
    """Choose, audit, use and watch a cut-off in a page on this machine (experimental).

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
    made = []
    for parameter in parameters_of(command):
        kind, declared = get_args(parameter.annotation)[:2]
        if isinstance(declared, OptionInfo):
            flag = _flag(parameter.name, declared)
            name = flag.removeprefix("--").replace("-", "_")
            field = Field(
                name=name,
                option=flag,
                default=_default(parameter.default),
                choices=CHOICES.get(name, choices(declared.metavar or "")),
                is_switch=kind is bool,
                needed=parameter.default is inspect.Parameter.empty,
                help=declared.help or "",
            )
            made.append(field)
            if name == "rule":
                made.append(Field(name="rule_other", option=flag))
    return made


def _flag(name: str, declared: OptionInfo) -> str:
    """Return how an option is written; typer keeps a given flag in the place of the default."""
    return declared.default if isinstance(declared.default, str) else f"--{name.replace('_', '-')}"


def _default(value: object) -> str:
    if value is None or value is False or value is inspect.Parameter.empty:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)

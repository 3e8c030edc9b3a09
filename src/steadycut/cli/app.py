"""``steadycut app``: fit and audit in a page on this machine, without writing commands."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args

import typer
from typer.models import OptionInfo

from steadycut.cli import options as opt
from steadycut.cli.audit import audit_command
from steadycut.cli.fit import fit_command
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.checks import check_count
from steadycut.core.rules.registry import rule_names
from steadycut.core.select import SELECTORS
from steadycut.io.packages import optional_package

# What the texts of options leave open.
CHOICES = {"bound": ("auto", *BOUNDS), "select": tuple(SELECTORS)}

Port = Annotated[
    int,
    typer.Option(metavar="N", parser=opt.whole_number, help="Port; 0 takes any that is free."),
]
Host = Annotated[
    str, typer.Option(metavar="HOST", help="Where to listen; others can reach all but loopback.")
]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")]
Limit = Annotated[
    int, typer.Option(metavar="MB", parser=opt.whole_number, help="Largest upload, in MB.")
]


def app_command(
    port: Port = 0, host: Host = "127.0.0.1", browser: Browser = True, limit: Limit = 2048
) -> None:
    """Fit and audit in a page on this machine.

    Choose files, map columns, fit, read the report and audit. Nothing leaves the machine. When the
    page is closed, everything is removed except what was downloaded.
    """
    check_count("--port", port, at_least=0)
    check_count("--limit", limit)
    with optional_package("steadycut app", "starlette", "app"):
        from steadycut.app.serve import serve
    commands = {"fit": fields_of(fit_command), "audit": fields_of(audit_command)}
    serve(commands, host=host, port=port, limit=limit, browser=browser)


def fields_of(command: Callable[..., None]) -> list[Any]:
    """Return the options of a command as fields of a form."""
    from steadycut.app.fields import Field

    found = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind, told = get_args(parameter.annotation)[:2]
        if isinstance(told, OptionInfo):
            field = Field(
                name=name,
                option=_option(name, told),
                help=told.help or "",
                default=_default(parameter.default),
                choices=CHOICES.get(name, _choices(told.metavar or "")),
                suggestions=tuple(rule_names()) if name == "rule" else (),
                is_switch=kind is bool,
            )
            found.append(field)
    return found


def _option(name: str, told: OptionInfo) -> str:
    """Return how an option is written; typer keeps the first name given in the default's place."""
    given = told.default if isinstance(told.default, str) else f"--{name}"
    return given.replace("_", "-")


def _default(value: object) -> str:
    if value is None or value is False or value is inspect.Parameter.empty:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _choices(metavar: str) -> tuple[str, ...]:
    """Return the allowed values where a placeholder lists them all.

    Examples
    --------
    >>> _choices("ge|le"), _choices("N|exact")
    (('ge', 'le'), ())
    """
    several = metavar.split("|")
    return tuple(several) if len(several) > 1 and metavar.islower() else ()

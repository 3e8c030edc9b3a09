"""The ``steadycut`` command; exit code 2 for a mistake of the user, 1 for a fault of steadycut.

Commands that read raw files (slides, ECGs) exit with 3 if they worked but skipped some files. With
``--strict``, `apply`, `audit` and `monitor` exit with 4, 5 or 6 (`steadycut.cli.rule_options`).
"""

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, ClassVar

import typer
from typer.core import TyperOption

from steadycut._version import __version__
from steadycut.cli import COMMANDS
from steadycut.cli.commands import HELP, LazyGroup, Refusal, places
from steadycut.errors import SteadycutError, SteadycutWarning, argument
from steadycut.io.early import INTERRUPTED, STOPPED, catch_early_interrupts
from steadycut.io.log import begin_run, this_run
from steadycut.io.process import check_memory, end_with_app, guard_streams, interruptible

# typer contains a copy of click; this is the UsageError of that copy.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
# What the options of typer that are about completion do, in full.
COMPLETION = {
    "install_completion": "Let your shell complete commands: adds lines to its start file.",
    "show_completion": "Print these lines, to add them yourself.",
}
# The longest error line, in characters. Longer lines contain long values that the user gave.
LONGEST = 1000


class Commands(LazyGroup):
    """Every command of steadycut."""

    table: ClassVar = places("steadycut", COMMANDS)


app = typer.Typer(
    cls=Commands,
    name="steadycut",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP,
    help="Choose one patient-level cut-off, certify it, and check it at the next hospital.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"steadycut {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    del version


def main(argv: Sequence[str] | None = None, program: typer.Typer = app) -> None:
    """Run one command of a program and exit with its code."""
    # Looking for garbage often would take a tenth of a small fit. Imports leave none at all:
    # `LazyGroup` switches the search on when they are done.
    gc.disable()
    gc.set_threshold(50_000)
    catch_early_interrupts()
    guard_streams()
    sys.exit(run(argv, program, by_app=end_with_app()))


def run(
    argv: Sequence[str] | None = None, program: typer.Typer = app, *, by_app: bool = False
) -> int:
    """Run one command, write its line in the log, and return its exit code."""
    this = begin_run(__version__)
    this.by_app = by_app
    code = _run(argv, program)
    try:
        this.write(code)
    except OSError as error:
        why = error.strerror or error
        print(
            f"steadycut: cannot write --log {this.path}: {why}. The run is done.", file=sys.stderr
        )
    return code


def _run(argv: Sequence[str] | None, program: typer.Typer) -> int:
    try:
        with interruptible() as was_interrupted:
            try:
                result = _call(argv, program)
            except Exception as error:  # noqa: BLE001 (each kind has its line in _failed)
                if not was_interrupted() and not isinstance(error, typer.Abort):
                    return _failed(error)
                result = INTERRUPTED
    except KeyboardInterrupt:
        result = INTERRUPTED
    if result == INTERRUPTED:
        sys.stderr.write(STOPPED)
    return result if isinstance(result, int) else 0


def _call(argv: Sequence[str] | None, program: typer.Typer) -> object:
    check_memory()
    command = typer.main.get_command(program)
    for option in command.params:
        if isinstance(option, TyperOption) and option.name in COMPLETION:
            option.help = COMPLETION[option.name]
    arguments = list(sys.argv[1:] if argv is None else argv)
    with warnings.catch_warnings():
        # A command prints them itself.
        warnings.simplefilter("ignore", SteadycutWarning)
        if not os.environ.get("STEADYCUT_DEBUG"):
            # What numpy notices in numbers of an extreme size has the path of a file in its text.
            warnings.simplefilter("ignore", RuntimeWarning)
        result = command.main(args=arguments, prog_name=program.info.name, standalone_mode=False)
    sys.stdout.flush()
    return result


def _failed(error: Exception) -> int:
    """Say in one line what is wrong, and return the exit code."""
    this_run().error_kind = type(error.__cause__ or error).__name__
    if isinstance(error, USAGE_ERROR):
        return _refuse(_usage(error))
    if isinstance(error, Refusal | SteadycutError):
        return _refuse(str(error))
    if isinstance(error, BrokenPipeError):
        return 1
    if isinstance(error, MemoryError):
        return _refuse("there is not enough memory. Close other programs, or use a larger machine.")
    if os.environ.get("STEADYCUT_DEBUG"):
        raise error
    if isinstance(error, OSError) and error.filename is not None:
        return _refuse(f"{error.strerror}: {error.filename}. Check the path, or name another.")
    return _admit(error)


def _refuse(text: str) -> int:
    line = " ".join(text.split())
    short = line if len(line) <= LONGEST else line[:LONGEST] + "..."
    this_run().error = short
    print(f"steadycut: {short}", file=sys.stderr)
    return 2


def _admit(error: Exception) -> int:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    this_run().error = type(error).__name__
    hint = "This is a fault of steadycut; run again with STEADYCUT_DEBUG=1 and report it."
    print(f"steadycut: {text}. {hint}", file=sys.stderr)
    return 1


def _usage(error: Exception) -> str:
    """Say what is wrong with what was typed, or with a field of the app."""
    option = getattr(error, "param", None)
    name = option and option.opts[0].lstrip("-").replace("-", "_")
    if name is None or not this_run().by_app:
        text = str(getattr(error, "format_message", lambda: str(error))())
        end = "" if text.endswith((".", "?")) else "."
        place = getattr(getattr(error, "ctx", None), "command_path", "steadycut")
        return f"{text}{end} See '{place} --help'."
    why = getattr(error, "message", "")
    return f"{argument(name)} {f'is wrong: {why}' if why else 'must be filled in; it is empty.'}"


if __name__ == "__main__":
    main()

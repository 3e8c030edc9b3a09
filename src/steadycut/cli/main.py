"""The ``steadycut`` command: exit 0, 2 for a user's mistake, 1 for a fault of ours.

Commands that read raw files (slides, ECGs) exit with 3 where they did their work but had to leave
some files out.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from steadycut._version import __version__
from steadycut.cli.app import app_command
from steadycut.cli.apply import apply_command
from steadycut.cli.audit import audit_command
from steadycut.cli.compare import compare_command
from steadycut.cli.covariate import covariate_command
from steadycut.cli.demo import demo_command
from steadycut.cli.error_text import as_options
from steadycut.cli.fit import fit_command
from steadycut.cli.monitor import monitor_command
from steadycut.cli.plan import plan_command
from steadycut.cli.report import report_command
from steadycut.cli.rules import rules_command
from steadycut.cli.score_ecg import score_ecg_command
from steadycut.cli.score_slides import score_slides_command
from steadycut.cli.sign import keygen_command, sign_command, verify_command
from steadycut.cli.strata import strata_command
from steadycut.errors import SteadycutError
from steadycut.reproduce.commands.group import reproduce_app

# typer carries its own copy of click; this is that copy's UsageError.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
INTERRUPTED = 130
# Signs of a refusal; longer ones repeat what was given.
LONGEST = 1000

app = typer.Typer(
    name="steadycut",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="One patient-level cut-off that still works at the next hospital, with a certificate.",
)
app.command("demo", short_help="Run everything on two simulated hospitals.")(demo_command)
app.command("fit", short_help="Choose, freeze and certify one cut-off.")(fit_command)
app.command("apply", short_help="Decide for every patient of a table.")(apply_command)
app.command("audit", short_help="Judge a frozen rule at another hospital.")(audit_command)
app.command("report", short_help="Write the page of a study or an audit again.")(report_command)
app.command("strata", short_help="Choose ordered risk strata, all at once.")(strata_command)
app.command("compare", short_help="Choose by every rule here, judge them there.")(compare_command)
app.command("covariate", short_help="Choose cut-offs by group, or along a number.")(
    covariate_command
)
app.command("plan", short_help="Say how many patients a certificate needs.")(plan_command)
app.command("monitor", short_help="Watch a frozen rule in use.")(monitor_command)
app.command("score-slides", short_help="Score the tiles of whole-slide images.")(
    score_slides_command
)
app.command("score-ecg", short_help="Score segments of 12-lead ECGs.")(score_ecg_command)
app.command("app", short_help="Fit and audit in a page on this machine.")(app_command)
app.command("keygen", short_help="Make a pair of keys for signatures.")(keygen_command)
app.command("sign", short_help="Sign a frozen file with your key.")(sign_command)
app.command("verify", short_help="Check whose a frozen file is.")(verify_command)
app.command("rules", short_help="List the rules that choose a cut-off.")(rules_command)
app.add_typer(reproduce_app, name="reproduce", short_help="Rebuild the paper's figures and tables.")


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


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    sys.exit(run(argv))


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    command = typer.main.get_command(app)
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        result = command.main(args=arguments, prog_name="steadycut", standalone_mode=False)
    except USAGE_ERROR as error:
        return _refuse(f"{_message(error)} See '{_command_path(error)} --help'.")
    except SteadycutError as error:
        return _refuse(as_options(error))
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        return 1
    except Exception as error:
        if os.environ.get("STEADYCUT_DEBUG"):
            raise
        if isinstance(error, OSError) and error.filename is not None:
            return _refuse(f"{error.strerror}: {error.filename}. Check the path, or name another.")
        return _admit(error)
    if result == INTERRUPTED:
        print("steadycut: interrupted; no result was written.", file=sys.stderr)
    return result if isinstance(result, int) else 0


def _refuse(text: str) -> int:
    line = " ".join(text.split())
    print(f"steadycut: {line if len(line) <= LONGEST else line[:LONGEST] + '...'}", file=sys.stderr)
    return 2


def _admit(error: Exception) -> int:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    hint = "This is a fault of steadycut; run again with STEADYCUT_DEBUG=1 and report it."
    print(f"steadycut: {text}. {hint}", file=sys.stderr)
    return 1


def _message(error: BaseException) -> str:
    text = str(getattr(error, "format_message", lambda: str(error))())
    return text if text.endswith((".", "?")) else text + "."


def _command_path(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context is not None else "steadycut"


if __name__ == "__main__":
    main()

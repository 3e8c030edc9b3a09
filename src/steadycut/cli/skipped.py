"""What a command says when files had to be left out, and the exit code that tells it."""

from collections.abc import Sequence

import typer

from steadycut.cli.output import note
from steadycut.pipelines.skipped import LEFT_OUT_CODE, LeftOut


def note_left_out(problems: Sequence[LeftOut]) -> None:
    """Name every file that was left out, on stderr."""
    for problem in problems:
        note(problem.text)


def exit_if_left_out(problems: Sequence[LeftOut]) -> None:
    """End with exit code 3 if anything was left out; the rest is done and written."""
    if problems:
        raise typer.Exit(LEFT_OUT_CODE)

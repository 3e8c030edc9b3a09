"""How a command ends that read raw files: its summary, the skipped files and the exit code."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from steadycut.cli.output import note, show, to_json, write_folder
from steadycut.pipelines.skipped import SKIPPED_CODE, SkippedFile
from steadycut.show.columns import aligned


def finish_scoring(
    out: Path,
    name: str,
    content: Mapping[str, Any],
    rows: Sequence[tuple[str, str]],
    skipped: Sequence[SkippedFile],
    *,
    as_json: bool,
) -> None:
    """Write ``NAME.json``, show it as JSON or as ``rows``, and name the skipped files."""
    summary = {
        "schema": f"steadycut.{name}/1",
        **content,
        "skipped": [asdict(one) for one in skipped],
    }
    write_folder(out, {f"{name}.json": to_json(summary)})
    note_skipped(skipped)
    lines = [*rows, ("files skipped", str(len(skipped)))]
    show(
        summary, f"{aligned(lines)}\n\nWrote {name}.json and the tables to {out}/", as_json=as_json
    )
    exit_if_skipped(skipped)


def note_skipped(skipped: Sequence[SkippedFile]) -> None:
    """Name every skipped file on stderr."""
    for one in skipped:
        note(one.text)


def exit_if_skipped(skipped: Sequence[SkippedFile]) -> None:
    """End with exit code 3 if any file was skipped; the results of the others are written."""
    if skipped:
        raise typer.Exit(SKIPPED_CODE)

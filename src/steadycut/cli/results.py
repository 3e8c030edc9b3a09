"""How commands end: a page as files and on the terminal, or the summary of scored files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer

from steadycut.cli.options import OptionalOutputOptions, OutputOptions
from steadycut.cli.output import note, note_warnings, show, show_text, to_json, write_folder
from steadycut.cli.reading import Reading
from steadycut.cli.tables import Use, note_dropped
from steadycut.cli.typed import next_commands
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import Part
from steadycut.ingest import PatientTable
from steadycut.io.log import this_run
from steadycut.pipelines.skipped import SKIPPED_CODE, SkippedFile
from steadycut.show.pages.kinds import page_of
from steadycut.show.pages.page import Page
from steadycut.show.render.html import render_page
from steadycut.show.render.terminal import aligned, terminal
from steadycut.show.words.next_step import NO_BREAK


def page_files(page: Page) -> dict[str, bytes]:
    """Return the JSON file with the numbers of a page, and the page as an HTML file."""
    held = page.files[0]
    return {held.name: held.text.encode(), f"{page.name}.html": render_page(page).encode()}


def show_page(page: Page, *more: str, as_json: bool, verbose: bool = False) -> None:
    """Print the warnings on stderr, and one JSON object, or the page and ``more``, on stdout."""
    note_warnings(page.warnings)
    if as_json:
        show_text(page.files[0].text, as_json=True)
    else:
        space = "\n\n" if verbose else "\n"
        show_text(space.join([terminal(page, verbose=verbose), *more]) + "\n")


def finish_page(
    document: Part,
    output: OptionalOutputOptions,
    reading: Reading | None = None,
    table: PatientTable | None = None,
    files: Mapping[str, bytes] | None = None,
    use: Use | None = None,
    frozen: FrozenFile[Any] | None = None,
) -> None:
    """Write ``files``, a document and its page, and show the page.

    ``use`` is the frozen file that the command was given, ``frozen`` one that it made.
    """
    page, wrote, places = page_of(document), [], dict([use.named] if use else [])
    if output.out is not None:
        written = {**(files or {}), **page_files(page)}
        write_folder(output.out, written, overwrite=output.overwrite)
        if reading is not None:
            reading.remove_checkpoint()
        wrote.append(f"Wrote {', '.join(written)} to {output.out}/")
        places |= {made: output.out / made for made in files or ()}
    # Commands to copy; the files themselves name no folder.
    if frozen is None and use is not None:
        frozen = use.frozen
    spelling = next_commands(places, output.out, frozen, table)
    page = replace(page, spelling=replace(spelling, space=NO_BREAK))
    if table is not None:
        note_dropped(table, page.warnings)
    show_page(page, *wrote, as_json=output.as_json, verbose=output.verbose)


def finish_study(
    document: Part,
    frozen: FrozenFile[Any],
    output: OutputOptions,
    reading: Reading,
    table: PatientTable,
) -> None:
    """Write the frozen file of a study with its page, and show the page."""
    this_run().rule_sha256 = frozen.document.sha256
    files = {frozen.file_name: frozen.to_bytes()}
    finish_page(document, output, reading, table, files, frozen=frozen)


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
    named = [asdict(file) for file in skipped]
    summary = {"schema": f"steadycut.{name}/1", **content, "skipped": named}
    write_folder(out, {f"{name}.json": to_json(summary)})
    note_skipped(skipped)
    lines = [*rows, ("files skipped", str(len(skipped)))]
    text = f"{aligned(lines)}\n\nWrote {name}.json and the tables to {out}/"
    show(summary, text, as_json=as_json)
    exit_if_skipped(skipped)


def note_skipped(skipped: Sequence[SkippedFile]) -> None:
    """Name every skipped file on stderr."""
    for file in skipped:
        note(file.text)


def exit_if_skipped(skipped: Sequence[SkippedFile]) -> None:
    """End with exit code 3 if any file was skipped; the results of the others are written."""
    if skipped:
        raise typer.Exit(SKIPPED_CODE)

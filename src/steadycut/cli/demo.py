"""``steadycut demo``: the story of a cut-off at three simulated hospitals, offline."""

import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from shlex import split
from tempfile import TemporaryDirectory

import typer

from steadycut.cli.main import run
from steadycut.cli.options import AsJson, OutFolder, Overwrite, Verbose
from steadycut.cli.output import check_folder, show, write_folder
from steadycut.datasets.two_hospitals import story_tables
from steadycut.documents.parts import Part
from steadycut.documents.reading import read_document
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.render.html import render_story
from steadycut.show.render.terminal import WIDTH, columns, terminal
from steadycut.show.words.story import STORY

INDEX = "index.html"


def demo_command(
    out: OutFolder = Path("steadycut-demo"),
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Run everything on three simulated hospitals.

    Chooses a cut-off at A, audits it at B, adapts it there with 50 labels, audits and watches it,
    and audits it at C. Writes the tables, all results, and index.html, which links their pages.
    """
    check_folder(out)
    with TemporaryDirectory() as folder:
        documents = list(story(Path(folder)))
        paths = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    lines = [step.line(document) for step, document in zip(STORY, documents, strict=True)]
    files[INDEX] = render_story(STORY, lines, str(out)).encode()
    write_folder(out, files, overwrite=overwrite)
    keys, titles, _ = zip(*STORY, strict=True)
    texts = [columns(list(zip(titles, lines, strict=True)), "tt", WIDTH)]
    if verbose:
        texts += ["", *(terminal(page_of(document), verbose=True) for document in documents)]
    contents = dict(zip(keys, (document.to_plain() for document in documents), strict=True))
    show(contents, "\n".join([*texts, f"Open {out / INDEX}"]), as_json=as_json)


def story(folder: Path) -> Iterator[Part]:
    """Run the commands of the story in a folder, and yield what each wrote."""
    write_folder(folder, story_tables())
    for step in STORY:
        printed, noted = StringIO(), StringIO()
        with redirect_stdout(printed), redirect_stderr(noted):
            code = run([*split(step.typed(str(folder)))[1:], "--json"])
        if code:
            sys.stderr.write(noted.getvalue())
            raise typer.Exit(code)
        content = json.loads(printed.getvalue())
        yield read_document(kind_of(content).document, content, step.key)

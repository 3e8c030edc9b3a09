"""Run the code on the pages under docs/, and put what it prints into them.

A ``python`` block is run in the namespace of its page; with ``>>>`` it is a doctest. A block that
starts with ``$``, indented or fenced as ``console``, holds commands and what they print; where
nothing is shown nothing is compared. Dots stand for anything. A comment ``<!-- python ... -->`` is
run too, and no reader sees it. All of it happens in a folder with the output of the demo. Nothing
else is run.

Run: python scripts/write_pages.py [--check] [PAGE...]
"""

import doctest
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any

from markdown_it import MarkdownIt

from steadycut.cli.main import run

REPOSITORY = Path(__file__).resolve().parent.parent
DOCS = REPOSITORY / "docs"
# Made by Sphinx out of docstrings and of the gallery, which it runs itself.
MADE = ("_build", "api", "examples")
HIDDEN = re.compile(r"<!-- python\n(.*?)-->", re.DOTALL)
Raised = tuple[type[BaseException], BaseException, TracebackType]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class PageError(Exception):
    """Code on a page that fails or prints something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Code on a page: its language, its text, and its lines (from, up to) on the page."""

    language: str
    text: str
    start: int
    stop: int


def pages() -> list[Path]:
    """Return every page that somebody wrote."""
    found = sorted(DOCS.rglob("*.md"))
    return [path for path in found if path.relative_to(DOCS).parts[0] not in MADE]


def notes() -> list[Path]:
    """Return what stands beside the code for the people who continue it."""
    return [
        REPOSITORY / "DECISIONS.md",
        REPOSITORY / "paper" / "rerun.md",
        *sorted((REPOSITORY / "benchmarks" / "notes").glob("*.md")),
    ]


def blocks(text: str) -> Iterator[Block]:
    """Yield the code of a page in its order."""
    for token in MarkdownIt("commonmark").parse(text):
        start, stop = token.map or (0, 0)
        if token.type == "fence":
            language = token.info.strip() or "text"
            yield Block(language=language, text=token.content, start=start + 1, stop=stop - 1)
        elif token.type == "code_block":
            language = "console" if token.content.startswith("$ ") else "text"
            length = len(token.content.splitlines())
            yield Block(language=language, text=token.content, start=start, stop=start + length)
        elif token.type == "html_block" and (hidden := HIDDEN.match(token.content)):
            yield Block(language="python", text=hidden[1], start=start + 1, stop=stop - 1)


def executed(text: str) -> str:
    """Return a page with the output of its code made anew; the folder is the current one."""
    lines = text.splitlines()
    names: dict[str, Any] = {"__name__": "page"}
    changed = []
    for block in blocks(text):
        if block.language == "python":
            changed.append((block, run_python(block, names)))
        elif block.language == "console":
            changed.append((block, run_console(block)))
    for block, shown in reversed(changed):
        if shown != block.text.rstrip("\n"):
            first = lines[block.start]
            margin = first[: len(first) - len(first.lstrip())]
            lines[block.start : block.stop] = [(margin + s).rstrip() for s in shown.splitlines()]
    return "\n".join(lines) + "\n"


class Recorder(doctest.DocTestRunner):
    """Keeps what examples print where that is not what is shown."""

    def __init__(self) -> None:
        super().__init__(optionflags=FLAGS)
        self.printed: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self, out: object, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        """Keep it."""
        del out, test
        self.printed.append((example, got))

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: Raised
    ) -> None:
        """Stop here."""
        del out, test
        msg = f"{example.source}raised {exc_info[1]!r}"
        raise PageError(msg) from exc_info[1]


def run_python(block: Block, names: dict[str, Any]) -> str:
    """Run a Python block in the names of its page; return it with what its examples print now."""
    lines = block.text.rstrip("\n").splitlines()
    if not block.text.startswith(">>> "):
        exec(compile(block.text, f"line {block.start + 1} of the page", "exec"), names)  # noqa: S102
        return "\n".join(lines)
    test = doctest.DocTestParser().get_doctest(block.text, {}, "page", "page", block.start)
    test.globs = names
    recorder = Recorder()
    recorder.run(test, clear_globs=False)
    for example, got in reversed(recorder.printed):
        start = example.lineno + example.source.count("\n")
        lines[start : start + example.want.count("\n")] = got.splitlines()
    return "\n".join(lines)


def run_console(block: Block) -> str:
    """Return a console block with what its commands print now, where it shows that at all."""
    parts = []
    for command, shown in commands(block.text):
        printed = output_of(command)
        as_it_is = not shown or doctest.OutputChecker().check_output(shown, printed, FLAGS)
        parts += [f"$ {command}", *([shown] if as_it_is and shown else [])]
        parts += [] if as_it_is else [with_gaps(shown, printed)]
    return "\n".join(part.rstrip("\n") for part in parts)


def with_gaps(shown: str, printed: str) -> str:
    """Return what is printed, with dots where the page had lines of dots, if the parts are found.

    A part is found by its first line, where only numbers may differ, and keeps its length.
    """
    found: list[str] = []
    lines, place = printed.splitlines(), 0
    for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
        wanted = part.strip("\n").splitlines()
        if wanted and found:
            matches = [i for i in range(place, len(lines)) if shape(lines[i]) == shape(wanted[0])]
            if not matches:
                return printed
            place = matches[0]
        found.append("\n".join(lines[place : place + len(wanted)]))
        place += len(wanted)
    return "\n...\n".join(found).strip("\n") if len(found) > 1 else printed


def shape(line: str) -> str:
    """Return a line without the differences that new numbers make."""
    return re.sub(r"[\s\d.]+", " ", line)


def commands(text: str) -> list[tuple[str, str]]:
    """Return each command of a console block, with what is shown as its output."""
    found = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.rstrip("\n").splitlines()
        last = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        shown = "\n".join(lines[last + 1 :])
        found.append(("\n".join(lines[: last + 1]), shown + "\n" if shown else ""))
    return found


def output_of(command: str) -> str:
    """Return what a command prints; steadycut is run inside of this process."""
    name, *arguments = shlex.split(command.replace("\\\n", " "), comments=True)
    if name != "steadycut":
        done = subprocess.run([name, *arguments], capture_output=True, text=True, check=True)  # noqa: S603
        return done.stdout
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    if code:
        msg = f"{command}\nended with {code}: {err.getvalue()}"
        raise PageError(msg)
    return out.getvalue()


def make_demo(folder: str | Path) -> None:
    """Put the output of the demo into a folder."""
    with chdir(folder):
        output_of("steadycut demo --out demo-output")


@contextmanager
def beside(demo: str | Path) -> Iterator[None]:
    """Work in a new folder that holds what the folder of the demo holds."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        shutil.copytree(demo, folder, dirs_exist_ok=True)
        yield


def main() -> int:
    """Write the pages anew, or with --check say which are not current."""
    named = [Path(name).resolve() for name in sys.argv[1:] if name != "--check"]
    stale = 0
    with tempfile.TemporaryDirectory() as demo:
        make_demo(demo)
        for page in named or pages():
            before = page.read_text(encoding="utf-8")
            with beside(demo):
                after = executed(before)
            if before != after:
                stale += 1
                print(f"{page.name} did not show what its code prints")
                if "--check" not in sys.argv:
                    page.write_text(after, encoding="utf-8")
    return int(stale > 0 and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())

"""What a command writes: files, and text or one JSON object on stdout."""

import json
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from steadycut.documents.canonical_json import json_text
from steadycut.documents.parts import Part
from steadycut.documents.same_study import refuse_other_study
from steadycut.errors import BadOption, refusing
from steadycut.io.files import try_folder, write_together
from steadycut.io.log import this_run


def refuse(text: str) -> NoReturn:
    """Refuse what was typed, with a text that says what is wrong and what to type."""
    raise BadOption(text) from None


def check_folder(folder: Path | None) -> None:
    """Refuse a folder that cannot be made or written to, before any work is done."""
    if folder is None:
        return
    nearest = next(path for path in (folder, *folder.parents) if _exists(path))
    if not os.path.isdir(nearest):  # noqa: PTH112
        refuse(f"--out must be a folder; {nearest} is a file. Choose another --out.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        refuse(f"--out must be a folder that you may write to; {nearest} is not. Choose another.")
    _try_folder(folder)


def check_file(out: Path) -> None:
    """Refuse a name that a folder has, or that no file can have."""
    msg = f"cannot write {out}: {{why}}. Choose another place."
    with refusing(BadOption, msg, OSError), suppress(FileNotFoundError):
        if stat.S_ISDIR(out.stat().st_mode):
            refuse(f"--out must be a file; {out} is a folder. Name a file in it.")


def _try_folder(folder: Path) -> None:
    """Make a folder and a file in it, and remove them: permissions alone are not enough to know."""
    made = _make_folder(folder)
    msg = f"cannot write to the folder {folder}: {{why}}. Choose another."
    try:
        with refusing(BadOption, msg, OSError):
            try_folder(folder)
    finally:
        _remove(made)


def write_folder(folder: Path, files: Mapping[str, bytes], *, overwrite: bool = False) -> None:
    """Write files into a folder, which is made if needed, and removed again if that fails.

    Results of another study are not replaced, unless ``overwrite`` says so.
    """
    if not overwrite:
        refuse_other_study(folder, files)
    made = [path for name in files for path in _make_folder((folder / name).parent)]
    try:
        write_together({folder / name: content for name, content in files.items()})
    except BaseException:
        _remove(sorted(made, reverse=True))
        raise


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder and its parents; return those that were made, the innermost first."""
    missing = [path for path in (folder, *folder.parents) if not _exists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _remove(missing)
        refuse(f"cannot make the folder {folder}: {error.strerror or error}. Choose another --out.")
    return missing


def _remove(folders: Iterable[Path]) -> None:
    """Remove folders, except those into which another process has put something."""
    for path in folders:
        with suppress(OSError):
            path.rmdir()


def _exists(path: Path) -> bool:
    """Whether a path can be seen; unlike Path.exists, no error without permission."""
    return os.path.exists(path)  # noqa: PTH110


def to_json(content: Part | Mapping[str, Any]) -> bytes:
    """Return the bytes of a JSON file."""
    return json_text(content.to_plain() if isinstance(content, Part) else content).encode()


def show(content: Part | Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print one JSON object, or the text."""
    show_text(to_json(content).decode() if as_json else f"{text}\n", as_json=as_json)


def show_text(text: str, *, as_json: bool = False) -> None:
    """Print a text, or the text of a JSON object, in the characters that the terminal has."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.encode(encoding, "replace").decode(encoding)
        text = json.dumps(json.loads(text), indent=1) + "\n" if as_json else plain
    sys.stdout.write(text)


def note_warnings(warnings: Iterable[str]) -> None:
    """Write every warning to stderr, and into the log."""
    for warning in warnings:
        this_run().warnings.append(warning)
        note(f"warning: {warning}")


def note(text: str) -> None:
    """Write a line to stderr, apart from the result on stdout."""
    print(f"steadycut: {text}", file=sys.stderr)

"""What a command leaves behind: files, and text or one JSON object on stdout."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadycut.errors import BadOption
from steadycut.files import write_together


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder, which is made if needed; a failure removes what was new."""
    made = _make_folder(folder)
    fresh = [folder / name for name in files if not (folder / name).exists()]
    try:
        write_together({folder / name: content for name, content in files.items()})
    except BaseException:
        for path in fresh:
            path.unlink(missing_ok=True)
        for path in made:
            path.rmdir()
        raise


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder and its parents; return those that were made, the innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot make the folder {folder}: {error.strerror or error}. Choose another --out."
        raise BadOption(msg) from None
    return missing


def to_json(content: Mapping[str, Any]) -> bytes:
    """Return the bytes of a JSON file."""
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def show(content: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print one JSON object, or the text."""
    sys.stdout.write(to_json(content).decode() if as_json else text + "\n")


def note(text: str) -> None:
    """Say something on stderr, where it does not disturb the result."""
    print(f"steadycut: {text}", file=sys.stderr)

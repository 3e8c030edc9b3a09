"""Files that appear whole or not at all."""

import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from steadycut.errors import BadOption

# A part of this age, in seconds, is no longer being written: its run was killed.
STALE = 3600.0
PARTS = ".steadycut-*.part"


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``: next to it first, then moved into its place.

    A run that is stopped in the middle leaves the old file, or none.
    """
    write_together({path: content})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write several files: all of them next to their places first, then each moved into its own.

    Whatever fails before the last is written (a full disk, say) leaves all old files as they are.
    """
    for folder in {path.parent for path in files}:
        _remove_stale_parts(folder)
    parts = {_part_beside(path): path for path in files}
    try:
        for part, path in parts.items():
            _write(part, path, files[path])
        for part, path in parts.items():
            _move(part, path)
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _part_beside(path: Path) -> Path:
    return path.with_name(f".steadycut-{secrets.token_hex(8)}.part")


def _remove_stale_parts(folder: Path) -> None:
    """Remove what killed runs have left in a folder."""
    with suppress(OSError):
        for part in folder.glob(PARTS):
            if time.time() - part.lstat().st_mtime > STALE:
                part.unlink()


def _write(part: Path, path: Path, content: bytes) -> None:
    try:
        if path.is_dir():
            raise IsADirectoryError(None, "Is a directory")
        # Plain opening gives the file the permissions that the user's umask asks for.
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _refusal(path, error) from None


def _move(part: Path, path: Path) -> None:
    try:
        part.replace(path)
    except OSError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: OSError) -> BadOption:
    return BadOption(f"cannot write {path}: {error.strerror or error}. Choose another place.")

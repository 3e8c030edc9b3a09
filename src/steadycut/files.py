"""Files that appear whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from steadycut.errors import BadOption


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``: next to it first, then moved into its place.

    A run that is stopped in the middle leaves the old file, or none.
    """
    try:
        _write_and_move(path, content)
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror or error}. Choose another place."
        raise BadOption(msg) from None


def _write_and_move(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise

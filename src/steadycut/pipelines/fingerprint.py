"""Hashes of options, models and files, to see whether anything has changed."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CHUNK = 1 << 20


def digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of plain data, whatever the order of its keys.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a whole file, read in pieces."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            found.update(piece)
    return found.hexdigest()


def file_fingerprint(path: Path) -> str:
    """Return a fingerprint of a large file, and of the folder of the same name beside it.

    A slide may have gigabytes, so only sizes, modification times and both ends of the file are
    read. An MRXS slide keeps its pixels in the folder.
    """
    folder = path.with_suffix("")
    parts = sorted(folder.rglob("*")) if folder != path and folder.is_dir() else []
    return digest(
        {
            "ends": _hash_ends(path),
            "files": [_size_and_time(part) for part in [path, *parts] if part.is_file()],
        }
    )


def _hash_ends(path: Path) -> str:
    with path.open("rb") as file:
        found = hashlib.sha256(file.read(CHUNK))
        file.seek(max(path.stat().st_size - CHUNK, 0))
        found.update(file.read(CHUNK))
    return found.hexdigest()


def _size_and_time(path: Path) -> list[int]:
    state = path.stat()
    return [state.st_size, state.st_mtime_ns]

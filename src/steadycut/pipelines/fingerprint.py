"""Hashes of files, to see whether anything has changed."""

import hashlib
from pathlib import Path

from steadycut.documents.canonical_json import content_hash
from steadycut.io.files import open_plain

# Bytes that are read at each end of a large file.
END = 1 << 20


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a whole file."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_fingerprint(path: Path) -> str:
    """Return a fingerprint of a large file, and of the folder of the same name beside it.

    A slide may have gigabytes, so only sizes, modification times and both ends of the file are
    read. An MRXS slide keeps its pixels in the folder.
    """
    folder = path.with_suffix("")
    parts = sorted(folder.rglob("*")) if folder != path and folder.is_dir() else []
    states = [part.stat() for part in [path, *parts] if part.is_file()]
    files = [[state.st_size, state.st_mtime_ns] for state in states]
    return content_hash({"ends": _hash_ends(path), "files": files})


def _hash_ends(path: Path) -> str:
    with open_plain(path) as file:
        found = hashlib.sha256(file.read(END))
        file.seek(max(path.stat().st_size - END, 0))
        found.update(file.read(END))
    return found.hexdigest()

"""Hashes of files, to see whether anything has changed."""

from pathlib import Path

from steadycut.documents.canonical_json import content_hash
from steadycut.io.files import hash_file


def file_fingerprint(path: Path) -> str:
    """Return a fingerprint of a file, and of the folder of the same name beside it.

    All bytes are read: a copy can keep the size and the time of another slide, and its ends. An
    MRXS slide keeps its pixels in the folder.
    """
    folder = path.with_suffix("")
    parts = sorted(folder.rglob("*")) if folder != path and folder.is_dir() else []
    inside = {str(part.relative_to(folder)): hash_file(part) for part in parts if part.is_file()}
    return content_hash({"file": hash_file(path), "folder": inside})

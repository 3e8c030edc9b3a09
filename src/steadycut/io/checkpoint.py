"""Results of finished steps on disk, so an interrupted run can go on from there."""

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.errors import BadCheckpoint, refusing
from steadycut.io.files import PARTS, lock, open_plain, write_atomically

SCHEMA = "steadycut.checkpoint/1"
HEADER = "checkpoint.json"
LOCK = ".steadycut-lock"
# In the order of their removal: the last ones show that the folder is a checkpoint.
OWN_FILES = ("*.npz", PARTS, HEADER, LOCK)
STEP_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
# Errors of a file that is cut short or damaged; its step is then done again.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder with one file of arrays for each finished step."""

    folder: Path

    def save(self, step: str, **arrays: ArrayLike) -> None:
        """Save the result of a step; the file appears whole or not at all."""
        content = io.BytesIO()
        # As np.savez does; but below numpy 2.1 that cannot be told to refuse objects.
        with zipfile.ZipFile(content, "w") as packed:
            for name, values in arrays.items():
                with packed.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, np.asarray(values), allow_pickle=False)
        write_atomically(self._path(step), content.getvalue())

    def load(self, step: str) -> dict[str, NDArray[Any]] | None:
        """Return the result of a step; None if it is not finished or its file is damaged."""
        try:
            content = io.BytesIO(_plain_bytes(self._path(step)))
            with np.load(content, allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except UNREADABLE:
            return None

    def remove(self) -> None:
        """Remove the files of the checkpoint, and its folder if it is empty then."""
        for pattern in OWN_FILES:
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _path(self, step: str) -> Path:
        assert STEP_NAME.fullmatch(step), step  # noqa: S101
        return self.folder / f"{step}.npz"


@contextmanager
def open_checkpoint(
    folder: str | os.PathLike[str], study: Mapping[str, str]
) -> Iterator[Checkpoint]:
    """Open the checkpoint of a study in a folder, or begin one there.

    Parameters
    ----------
    folder
        A new or empty folder, or the checkpoint of the same study. One run may use it at a time.
    study
        Everything that the results depend on, by name: options and versions as texts, data as
        digests (see `digest`). It is written to a file, so it must not hold identifiers of
        patients.

    Examples
    --------
    >>> import tempfile
    >>> study = {"data": digest(np.arange(3)), "options": "mean"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_checkpoint(folder, study) as checkpoint:
    ...         checkpoint.save("bucket-1", scores=[0.5, 0.25])
    ...     with open_checkpoint(folder, study) as checkpoint:
    ...         checkpoint.load("bucket-1"), checkpoint.load("bucket-2")
    ({'scores': array([0.5 , 0.25])}, None)
    """
    path = Path(folder)
    _check_ours(path)
    with _locked(path):
        # This run has the lock, so these parts are from a killed run.
        for part in path.glob(PARTS):
            part.unlink(missing_ok=True)
        _check_same_study(path, study)
        yield Checkpoint(path)


def digest(*contents: str | bytes | NDArray[Any]) -> str:
    """Return one hexadecimal digest of texts, bytes and arrays; types and shapes count.

    Examples
    --------
    >>> digest("a", "b") == digest("ab"), digest(np.arange(3)) == digest(np.arange(3.0))
    (False, False)
    """
    total = hashlib.sha256()
    for content in contents:
        if isinstance(content, np.ndarray):
            total.update(f"{content.dtype.str}{content.shape}".encode())
            total.update(hashlib.sha256(np.ascontiguousarray(content).tobytes()).digest())
        else:
            text = content.encode() if isinstance(content, str) else content
            total.update(type(content).__name__.encode() + hashlib.sha256(text).digest())
    return total.hexdigest()


def _check_ours(folder: Path) -> None:
    """Make the folder; refuse a folder with other files."""
    msg = f"cannot keep a checkpoint in {folder}: {{why}}. Choose another folder."
    with refusing(BadCheckpoint, msg, OSError):
        folder.mkdir(parents=True, exist_ok=True)
        present = {path.name for path in folder.iterdir()}
    if present and HEADER not in present and LOCK not in present:
        raise BadCheckpoint(
            f"a checkpoint needs a separate folder; {folder} holds {len(present)} other files. "
            "Name a new or an empty folder."
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder for this run; the system releases the lock however the run ends."""
    msg = f"cannot keep a checkpoint in {folder}: {LOCK}: {{why}}. Choose another."
    with refusing(BadCheckpoint, msg, OSError):
        opened = open_plain(folder / LOCK, "ab", follow=False)
    with opened as file:
        # Without locks on this system, two runs are not detected.
        if lock(file) is False:
            raise BadCheckpoint(
                f"the checkpoint in {folder} is in use by another run. Wait until it ends, or "
                "name another folder."
            )
        yield


def _plain_bytes(path: Path) -> bytes:
    with open_plain(path, follow=False) as file:
        return file.read()


def _check_same_study(folder: Path, study: Mapping[str, str]) -> None:
    """Write the study into a new checkpoint; refuse the checkpoint of another study."""
    header = folder / HEADER
    if not header.exists():
        content = json.dumps({"schema": SCHEMA, "study": dict(study)}, indent=2, sort_keys=True)
        write_atomically(header, content.encode() + b"\n")
        return
    stored = _read_header(header)
    differ = [name for name in {**stored, **study} if stored.get(name) != study.get(name)]
    if differ:
        raise BadCheckpoint(
            f"the checkpoint in {folder} is of another study: {', '.join(differ)} "
            f"{'differs' if len(differ) == 1 else 'differ'}. Use the same options and data as "
            "before, name another folder, or remove this one."
        )


def _read_header(header: Path) -> dict[str, str]:
    try:
        content = json.loads(_plain_bytes(header))
        known = content["schema"] == SCHEMA
        study: dict[str, str] = dict(content["study"])
    except (OSError, ValueError, TypeError, KeyError):
        known = False
    if not known:
        raise BadCheckpoint(
            f"{header} is not a checkpoint of this version of steadycut ({SCHEMA}). Remove its "
            "folder, or name another one."
        )
    return study

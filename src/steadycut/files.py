"""Files that appear whole or not at all, and nothing left behind by runs that were killed.

What a run has not finished carries a lock, and the system takes that away however the run ends.
The next run therefore knows at once what nobody works on any more, and removes it.
"""

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from steadycut.errors import BadOption

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

# Where there are no locks: what is of this age, in seconds, is no longer being written.
STALE = 3600.0
PARTS = ".steadycut-*.part"
NEW_PARTS = ".steadycut-*.new"
WORK = "steadycut-work-"
LOCK = ".lock"


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
        _remove_abandoned_parts(folder)
    parts = {_part_beside(path): path for path in files}
    with ExitStack() as held:
        try:
            for part, path in parts.items():
                held.enter_context(_written(part, path, files[path]))
            for part, path in parts.items():
                _move(part, path)
        finally:
            for left in (*parts, *map(_unlocked, parts)):
                with suppress(OSError):
                    left.unlink(missing_ok=True)


@contextmanager
def work_folder() -> Iterator[Path]:
    """Give an empty folder for work in progress, and remove it in the end.

    Folders of runs that were killed are removed first.
    """
    place = Path(tempfile.gettempdir())
    for folder in place.glob(f"{WORK}*"):
        if _is_abandoned(folder / LOCK):
            shutil.rmtree(folder, ignore_errors=True)
    # Under another name until it is locked: a folder of that name without a lock is abandoned.
    new = Path(tempfile.mkdtemp(prefix="steadycut-new-"))
    with (new / LOCK).open("wb") as lock:
        _hold(lock)
        folder = new.rename(place / f"{WORK}{secrets.token_hex(8)}")
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _part_beside(path: Path) -> Path:
    return path.with_name(f".steadycut-{secrets.token_hex(8)}.part")


def _unlocked(part: Path) -> Path:
    return part.with_suffix(".new")


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove what killed runs have left in a folder."""
    with suppress(OSError):
        for part in folder.glob(PARTS):
            if _is_abandoned(part):
                part.unlink(missing_ok=True)
        for new in folder.glob(NEW_PARTS):
            if _is_stale(new):
                new.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    """Whether nobody holds a file any more; where that cannot be told, whether it is old."""
    with suppress(OSError), path.open("rb") as file:
        return _hold(file) or _is_stale(path)
    return False


def _is_stale(path: Path) -> bool:
    return time.time() - path.lstat().st_mtime > STALE


def _hold(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed; False if somebody else has, or there are no locks."""
    if fcntl is None:  # pragma: no cover - Windows
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _written(part: Path, path: Path, content: bytes) -> Iterator[None]:
    """Write a part; it stays locked until the context is left."""
    try:
        if path.is_dir():
            raise IsADirectoryError(None, "Is a directory")
        # Plain opening gives the file the permissions that the user's umask asks for.
        with _locked_file(part) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:  # pragma: no cover - Windows moves no open file
                file.close()
            yield
    except OSError as error:
        raise _refusal(path, error) from None


@contextmanager
def _locked_file(part: Path) -> Iterator[IO[bytes]]:
    """Open a new file that has its name only once it is locked."""
    new = part if fcntl is None else _unlocked(part)
    with new.open("xb") as file:
        _hold(file)
        new.rename(part)
        yield file


def _move(part: Path, path: Path) -> None:
    try:
        part.replace(path)
    except OSError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: OSError) -> BadOption:
    return BadOption(f"cannot write {path}: {error.strerror or error}. Choose another place.")

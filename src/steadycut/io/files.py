"""Files that appear whole or not at all, and work folders that killed runs do not leave behind.

Unfinished files are locked, and the system releases the lock however the run ends. So the next run
knows which files no run is working on any more, and removes them.
"""

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from steadycut.errors import BadOption

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

# Where there are no locks, a file of this age, in seconds, is no longer being written.
STALE = 3600.0
PARTS = ".steadycut-*.part"
WORK = "steadycut-work-"
LOCK = ".lock"
LARGEST_SMALL = 256_000_000


def read_small(path: Path, most: int = LARGEST_SMALL) -> bytes:
    """Return the bytes of a small file, or raise an OSError with the reason.

    Pipes and devices are not opened: reading them may never begin or never end.
    """
    if path.is_fifo() or path.is_char_device():
        raise OSError(None, "It is a pipe or a device")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(None, f"It has more than {most // 10**6} MB")
    return content


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to a file next to ``path``, then move it there.

    A run that is stopped in the middle leaves the old file, or none.
    """
    write_together({path: content})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write several files next to their places, then move them all.

    If anything fails, such as a full disk, all old files stay as they are. Two runs into one folder
    do not mix. Only a kill in the middle of the moves can leave new files beside old ones. The
    first of ``files`` is moved last: if it is new, all are.
    """
    folders = sorted({path.parent for path in files})
    parts = {_part_beside(path): path for path in files}
    with ExitStack() as held:
        try:
            with _alone_in(folders):
                for folder in folders:
                    _remove_abandoned_parts(folder)
            for part, path in parts.items():
                held.enter_context(_written(part, path, files[path]))
            with _alone_in(folders):
                _move_all(parts)
        finally:
            for part in parts:
                with suppress(OSError):
                    part.unlink(missing_ok=True)


@contextmanager
def work_folder() -> Iterator[Path]:
    """Yield an empty folder for work in progress, and remove it at the end.

    Folders of killed runs are removed first.
    """
    place = Path(tempfile.gettempdir())
    for folder in place.glob(f"{WORK}*"):
        if _is_abandoned(folder / LOCK):
            shutil.rmtree(folder, ignore_errors=True)
    # It has another name until it is locked: a work folder without a lock counts as abandoned.
    new = Path(tempfile.mkdtemp(prefix="steadycut-new-"))
    with (new / LOCK).open("wb") as file:
        lock(file)
        folder = new.rename(place / f"{WORK}{secrets.token_hex(8)}")
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _part_beside(path: Path) -> Path:
    return path.with_name(f".steadycut-{secrets.token_hex(8)}.part")


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove the parts that killed runs have left in a folder."""
    with suppress(OSError):
        for part in folder.glob(PARTS):
            if _is_abandoned(part):
                part.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    """Whether no run holds a file any more; where there are no locks, whether it is old."""
    with suppress(OSError), path.open("rb") as file:
        locked = lock(file)
        return time.time() - path.lstat().st_mtime > STALE if locked is None else locked
    return False


def lock(file: IO[bytes]) -> bool | None:
    """Lock an open file until it is closed.

    Returns
    -------
    bool or None
        False if another run holds the lock; None if there are no locks on this system.
    """
    if fcntl is None:  # pragma: no cover - Windows
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def check_place(path: Path) -> None:
    """Refuse what is not a plain file; the root user would replace /dev/null by a file."""
    if path.is_dir():
        raise IsADirectoryError(None, "Is a directory")
    if path.exists() and not path.is_file():
        raise OSError(None, "It is a pipe or a device")


@contextmanager
def _written(part: Path, path: Path, content: bytes) -> Iterator[None]:
    """Write a part; it stays locked until the context is left."""
    with _refusing(path):
        check_place(path)
        # Opened plainly, the file gets the permissions of the user's umask.
        with _locked_file(part) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:  # pragma: no cover - Windows cannot move an open file
                file.close()
            yield


@contextmanager
def _locked_file(part: Path) -> Iterator[IO[bytes]]:
    """Open a new file; no other run sees it before it is locked."""
    with ExitStack() as held:
        with _alone_in([part.parent]):
            file = held.enter_context(part.open("xb"))
            lock(file)
        yield file


@contextmanager
def _alone_in(folders: Sequence[Path]) -> Iterator[None]:
    """Wait until no other run moves files in these folders, and make other runs wait."""
    with ExitStack() as held:
        for folder in folders:
            # If a folder cannot be opened or locked, writing into it works or gives the reason.
            with suppress(OSError):
                opened = os.open(folder, os.O_RDONLY)
                held.callback(os.close, opened)
                if fcntl is not None:
                    fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def _move_all(parts: Mapping[Path, Path]) -> None:
    """Move parts to their places, the first one last; if a move fails, put the old files back."""
    kept: dict[Path, Path] = {}
    try:
        for path in parts.values():
            if path.exists():
                kept[path] = _keep(path)
        for part, path in reversed(list(parts.items())):
            with _refusing(path):
                part.replace(path)
    except BaseException:
        for part, path in parts.items():
            with suppress(OSError):
                if path in kept:
                    kept[path].replace(path)
                elif not part.exists():
                    path.unlink(missing_ok=True)
        raise
    finally:
        for old in kept.values():
            old.unlink(missing_ok=True)


def _keep(path: Path) -> Path:
    """Give an old file a second name until the new one is in its place."""
    old = _part_beside(path)
    try:
        old.hardlink_to(path)
    except OSError:  # not every file system has links
        with _refusing(path, unfinished=old):
            shutil.copy2(path, old)
    return old


@contextmanager
def _refusing(path: Path, unfinished: Path | None = None) -> Iterator[None]:
    """Say in one line that a file cannot be written, and remove what is unfinished."""
    try:
        yield
    except OSError as error:
        if unfinished:
            unfinished.unlink(missing_ok=True)
        msg = f"cannot write {path}: {error.strerror or error}. Choose another place."
        raise BadOption(msg) from None

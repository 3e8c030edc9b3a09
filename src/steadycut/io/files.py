"""Files that appear whole or not at all, and work folders that killed runs do not leave behind.

Unfinished files are locked, and the system releases the lock however the run ends. So the next run
knows which files no run is working on any more, and removes them. A file is closed before it is
moved or removed, because Windows refuses to move or remove an open one.
"""

import hashlib
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from filelock import lock_descriptor

from steadycut.errors import BadOption, SteadycutError, refusing
from steadycut.rule_reader import check_plain, is_own, link_target, take_permissions
from steadycut.rule_reader import open_plain as open_plain  # noqa: PLC0414 (for all of io)

# Where there are no locks, a file of this age, in seconds, is no longer being written.
STALE = 3600.0
PARTS = ".steadycut-*.part"
WORK = "steadycut-work-"
LOCK = ".lock"
# Locked instead of the folder where a system does not open folders (Windows).
FOLDER_LOCK = ".steadycut.lock"
LARGEST_SMALL = 256_000_000
# How the names of results end.
RESULTS = frozenset({".json", ".html", ".csv", ".parquet", ".md", ".sig", ".npz", ".onnx"})
# Files that no result of this run may replace, and why: what it reads, and its log.
RESERVED: ContextVar[Mapping[tuple[int, int], str] | None] = ContextVar("reserved", default=None)
# Seconds that a run waits for others that move files into the same folder.
LONGEST_WAIT = 30.0


def read_small(path: Path, most: int = LARGEST_SMALL) -> bytes:
    """Return the bytes of a small regular file, or raise an OSError with the reason."""
    with open_plain(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(None, f"It has more than {most // 10**6} MB")
    return content


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a whole file."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_or_refuse(
    path: Path, what: str, kind: type[SteadycutError], most: int = LARGEST_SMALL
) -> bytes:
    """Read a small file; an error of this kind says why it cannot be read."""
    with refusing(kind, f"cannot read {what} {path}: {{why}}.", OSError, ValueError):
        return read_small(path, most)


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

    A file that is replaced keeps its permissions, and one that may not be written is not replaced.
    A link stays, and the file that it leads to is replaced.
    """
    files = {_target(path): content for path, content in files.items()}
    refuse_reserved(files)
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
                held.close()
                _move_all(parts)
        finally:
            for part in parts:
                with suppress(OSError):
                    part.unlink(missing_ok=True)


def reserve(paths: Iterable[Path], why: str = "is one of the files that are read") -> None:
    """Let no result of this run take the place of these files, whatever they are called."""
    RESERVED.set({**(RESERVED.get() or {}), **dict.fromkeys(_identities(paths), why)})


def refuse_reserved(paths: Iterable[Path]) -> None:
    """Refuse results in the place of what is read, or of the log."""
    for path in paths:
        for own in _identities([path]):
            if why := (RESERVED.get() or {}).get(own):
                raise BadOption(f"{path} {why}; choose another name.")


def _identities(paths: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Yield what tells each file that is there from all others."""
    for path in paths:
        with suppress(OSError):
            state = path.stat()
            yield state.st_dev, state.st_ino


@contextmanager
def work_folder() -> Iterator[Path]:
    """Yield an empty folder for work in progress, and remove it at the end.

    Only this user can look into it. Folders of this user's killed runs are removed first.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{WORK}*"):
        if _is_left(folder):
            shutil.rmtree(folder, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=WORK))
    try:
        with (folder / LOCK).open("wb") as file:
            lock(file)
            # A byte says that it is locked; until then other runs go by its age.
            file.truncate(1)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether a killed run of ours left a work folder; one whose lock has no byte may be new."""
    with suppress(OSError):
        state, held = folder.lstat(), folder / LOCK
        if stat.S_ISDIR(state.st_mode) and is_own(state):
            locked = held.exists() and held.stat().st_size
            return _is_abandoned(held) if locked else _is_stale(folder)
    return False


def _target(path: Path) -> Path:
    """Return the file that links lead to."""
    with _refusing(path):
        return Path(link_target(path))


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
    with suppress(OSError), open_plain(path, follow=False) as file:
        locked = lock(file)
        return _is_stale(path) if locked is None else locked
    return False


def _is_stale(path: Path) -> bool:
    return time.time() - path.lstat().st_mtime > STALE


def lock(file: IO[bytes] | int) -> bool | None:
    """Lock an open file or folder until it is closed; do not wait for it.

    Returns
    -------
    bool or None
        False if another run holds the lock; None if there are no locks on this system.
    """
    try:
        return lock_descriptor(file if isinstance(file, int) else file.fileno(), blocking=False)
    except OSError:
        return None


def try_folder(folder: Path) -> None:
    """Make a file in a folder and remove it, or raise an OSError with the reason."""
    part = _part_beside(folder / "any")
    try:
        with _locked_file(part):
            pass
        part.unlink(missing_ok=True)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def _written(part: Path, path: Path, content: bytes) -> Iterator[None]:
    """Write a part; it stays locked until the context is left."""
    with _refusing(path):
        check_plain(path)
        with _locked_file(part) as file:
            if path.exists():
                take_permissions(path, file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
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
                _wait_for(held.enter_context(_opened_folder(folder)), folder)
        yield


@contextmanager
def _opened_folder(folder: Path) -> Iterator[int]:
    """Open a folder so that it can be locked, or a file in it that goes with the last run."""
    is_folder = hasattr(os, "O_DIRECTORY")
    path = folder if is_folder else folder / FOLDER_LOCK
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY if is_folder else os.O_RDWR | os.O_CREAT)
    try:
        yield opened
    finally:
        os.close(opened)
        if not is_folder:
            with suppress(OSError):
                path.unlink()


def _wait_for(opened: int, folder: Path) -> None:
    """Lock an open folder; whoever may read it could hold its lock for ever, so do not wait long.

    A run holds it for the moment of its moves only.
    """
    until = time.monotonic() + LONGEST_WAIT
    while lock(opened) is False:
        if time.monotonic() > until:
            raise BadOption(
                f"cannot write into {folder}: another process has locked it for more than "
                f"{LONGEST_WAIT:g} seconds. Choose another folder."
            )
        time.sleep(0.02)


def _move_all(parts: Mapping[Path, Path]) -> None:
    """Move parts to their places, the first one last; if a move fails, put the old files back."""
    kept: dict[Path, Path] = {}
    try:
        for path in parts.values():
            with _refusing(path):
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
        try:
            shutil.copy2(path, old)
        except OSError:
            old.unlink(missing_ok=True)
            raise
    return old


def _refusing(path: Path) -> AbstractContextManager[None]:
    """Say in one line that a file cannot be written."""
    return refusing(BadOption, f"cannot write {path}: {{why}}. Choose another place.", OSError)

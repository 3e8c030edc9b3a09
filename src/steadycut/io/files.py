"""Files that appear whole or not at all, and nothing left behind by runs that were killed.

What a run has not finished carries a lock, and the system takes that away however the run ends.
The next run therefore knows at once what nobody works on any more, and removes it.
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

# Where there are no locks: what is of this age, in seconds, is no longer being written.
STALE = 3600.0
PARTS = ".steadycut-*.part"
WORK = "steadycut-work-"
LOCK = ".lock"
LARGEST_SMALL = 256_000_000


def read_small(path: Path, most: int = LARGEST_SMALL) -> bytes:
    """Return the bytes of a file that cannot be large; an OSError says why there are none.

    A pipe may never begin and a device never end, so that neither is opened.
    """
    if path.is_fifo() or path.is_char_device():
        raise OSError(None, "It is a pipe or a device")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(None, f"It has more than {most // 10**6} MB")
    return content


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``: next to it first, then moved into its place.

    A run that is stopped in the middle leaves the old file, or none.
    """
    write_together({path: content})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write several files: all of them next to their places first, then each moved into its own.

    Whatever fails (a full disk, say) leaves all old files as they are, and two runs into one folder
    do not mix. Only a kill in the middle of the moves can leave some of the new files beside old
    ones; the first of ``files`` is moved last, so that where it is new all are.
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


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove what killed runs have left in a folder."""
    with suppress(OSError):
        for part in folder.glob(PARTS):
            if _is_abandoned(part):
                part.unlink(missing_ok=True)


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


def _check_place(path: Path) -> None:
    """Refuse what is no file; whoever may do everything would put one in the place of /dev/null."""
    if path.is_dir():
        raise IsADirectoryError(None, "Is a directory")
    if path.exists() and not path.is_file():
        raise OSError(None, "It is a pipe or a device")


@contextmanager
def _written(part: Path, path: Path, content: bytes) -> Iterator[None]:
    """Write a part; it stays locked until the context is left."""
    try:
        _check_place(path)
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
    """Open a new file; nobody sees it before it is locked."""
    with ExitStack() as held:
        with _alone_in([part.parent]):
            file = held.enter_context(part.open("xb"))
            _hold(file)
        yield file


@contextmanager
def _alone_in(folders: Sequence[Path]) -> Iterator[None]:
    """Wait until no other run moves files in these folders, and keep others waiting."""
    with ExitStack() as held:
        for folder in folders:
            # Where a folder cannot be opened or locked, writing into it will say so, or works.
            with suppress(OSError):
                opened = os.open(folder, os.O_RDONLY)
                held.callback(os.close, opened)
                if fcntl is not None:
                    fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def _move_all(parts: Mapping[Path, Path]) -> None:
    """Move parts into their places, the first one last; what fails puts the old files back."""
    kept: dict[Path, Path] = {}
    try:
        for path in parts.values():
            if path.exists():
                kept[path] = _keep(path)
        for part, path in reversed(list(parts.items())):
            _move(part, path)
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
    """Give an old file a second name, until the new one is there."""
    old = _part_beside(path)
    try:
        old.hardlink_to(path)
    except OSError:  # not every file system has links
        _copy(path, old)
    return old


def _copy(path: Path, copy: Path) -> None:
    try:
        shutil.copy2(path, copy)
    except OSError as error:
        copy.unlink(missing_ok=True)
        raise _refusal(path, error) from None


def _move(part: Path, path: Path) -> None:
    try:
        part.replace(path)
    except OSError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: OSError) -> BadOption:
    return BadOption(f"cannot write {path}: {error.strerror or error}. Choose another place.")

"""A disk that fails at a chosen file operation, inside this process.

Opening for writing, writing, syncing, linking and moving a file below a folder each count as one
operation; the one with the chosen number raises an error of the system, or kills the process.
"""

import os
import signal
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch


class Disk:
    """Counts operations below a folder; fails at number ``at`` with an errno, or a kill."""

    def __init__(self, folder, at=None, error=None):
        self.folder, self.at, self.error, self.count = folder, at, error, 0

    def touch(self, path):
        if self.folder not in Path(path).parents:
            return
        self.count += 1
        if self.count != self.at:
            return
        if self.error is None:
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(self.error, os.strerror(self.error))


class Written:
    """An open file whose writes and syncs count."""

    def __init__(self, file, disk, path):
        self._file, self._disk, self._path = file, disk, path

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def write(self, content):
        self._disk.touch(self._path)
        return self._file.write(content)

    def flush(self):
        # What a real disk has no room for often shows only here.
        self._disk.touch(self._path)
        self._file.flush()


@contextmanager
def failing_disk(folder, at=None, error=None):
    disk = Disk(folder, at, error)
    opened, plain = Path.open, {name: getattr(Path, name) for name in MOVES}

    def open_counted(path, mode="r", *more, **named):
        if not set(mode) & set("wxa"):
            return opened(path, mode, *more, **named)
        disk.touch(path)
        return Written(opened(path, mode, *more, **named), disk, path)

    def counted(name):
        def move(path, *more, **named):
            disk.touch(path)
            return plain[name](path, *more, **named)

        return move

    with ExitStack() as patched:
        patched.enter_context(patch.object(Path, "open", open_counted))
        for name in MOVES:
            patched.enter_context(patch.object(Path, name, counted(name)))
        yield disk


MOVES = ("rename", "replace", "hardlink_to")

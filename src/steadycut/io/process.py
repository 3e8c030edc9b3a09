"""What surrounds a command: Ctrl-C, the standard streams, and the app that may have started it."""

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn

from steadycut.errors import BadOption
from steadycut.io.early import INTERRUPTED, stop_at_once

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]

LEAST_SPACE = 2 << 30
# Seconds until a Ctrl-C that Python ignored is sent again.
AGAIN = 0.02
# In a command that the app has started: it ends when the app does, however that ends.
STARTED_BY_APP = "STEADYCUT_STARTED_BY_APP"


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into KeyboardInterrupt, and yield whether it was pressed.

    Libraries may turn a KeyboardInterrupt into another error. A second Ctrl-C ends the process at
    once. After a command, Ctrl-C is ignored: the result is there, and only exits are left. Where
    Python ignores exceptions, as in callbacks of weak references, Ctrl-C is sent again later.
    """
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    seen: list[int] = []
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def interrupt(number: int, _frame: object) -> None:
        if seen:
            stop_at_once()
        seen.append(number)
        raise KeyboardInterrupt

    def ignored(error: Any) -> None:  # noqa: ANN401
        if not isinstance(error.exc_value, KeyboardInterrupt):
            hook(error)
            return
        seen.clear()
        # Not at once: it would be ignored here as well.
        threading.Timer(AGAIN, _press_ctrl_c).start()

    sys.unraisablehook = ignored
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: bool(seen)
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGINT, signal.SIG_IGN if before is stop_at_once else before)


def _press_ctrl_c() -> None:
    if hasattr(signal, "pthread_kill"):
        # It wakes the main thread if that waits.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # pragma: no cover - Windows
        signal.raise_signal(signal.SIGINT)


def check_memory() -> None:
    """Refuse to start in less address space than the libraries need: they hang or crash there."""
    if resource is None:  # pragma: no cover - Windows
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_SPACE:
        raise BadOption(
            f"this shell allows {allowed >> 20} MiB of address space; steadycut needs "
            f"{LEAST_SPACE >> 20} MiB or more. Raise it with: ulimit -v unlimited"
        )


def guard_streams() -> None:
    """Let closed standard streams lead nowhere, and say in one line that stdout is full.

    A file that is opened would otherwise take the number of a closed stream, and get what is
    printed.
    """
    encoding = getattr(sys.stdout, "encoding", "utf-8")
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Stream(1)), encoding, line_buffering=os.isatty(1)
    )
    sys.stderr = io.TextIOWrapper(_Stream(2), encoding, "backslashreplace", write_through=True)


class _Stream(io.RawIOBase):
    """A standard stream: once it has failed, whatever is written to it leads nowhere.

    A failure of stdout is an error; if stderr fails, only the exit code can tell what happened.
    """

    def __init__(self, number: int) -> None:
        self.number, self.failed = number, False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return os.isatty(self.number)

    def fileno(self) -> int:
        return self.number

    def write(self, content: Any) -> int:  # noqa: ANN401
        whole = left = memoryview(content)
        try:
            while left and not self.failed:
                left = left[os.write(self.number, left) :]
        except OSError as error:
            self.failed = True
            if self.number == 1:
                self._refuse(error)
        return len(whole)

    def _refuse(self, error: OSError) -> NoReturn:
        if isinstance(error, BrokenPipeError):
            raise error
        raise BadOption(
            f"cannot write to the standard output: {error.strerror}. Lead it to another place. "
            "Files of --out are complete."
        ) from None


def end_with_app() -> bool:
    """End this process when the app that started it is gone; return whether one did."""
    by_app = bool(os.environ.pop(STARTED_BY_APP, None))
    if by_app:
        threading.Thread(target=_wait_for_end, daemon=True).start()
    return by_app


def _wait_for_end() -> None:
    # The app holds the other end open and writes nothing.
    os.read(0, 1)
    os._exit(INTERRUPTED)


@cache
def end_with(parent: int) -> None:
    """End this process, a worker, soon after the process that started it has ended.

    Nothing is done in the process itself, or where another program started the worker.
    """
    if os.getppid() == parent:
        threading.Thread(target=_watch, args=[parent], daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(INTERRUPTED)

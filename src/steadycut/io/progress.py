"""How far a long run is: one line that is updated on a terminal, plain lines in a log."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

# Seconds. A run that ends before the first plain line leaves none in the log.
FIRST_LINE, NEXT_LINE = 10.0, 30.0
BETWEEN_DRAWINGS = 0.1
ERASE = "\r\x1b[K"
MINUTE, HOUR = 60, 3600
# With this value of the environment variable, progress is written as on a terminal.
SETTING, ALWAYS = "STEADYCUT_PROGRESS", "always"


@dataclass(slots=True)
class ProgressOnStream:
    """Write progress when called with a text, the number of steps done, and of all steps.

    The remaining time is estimated from the steps that this run has done. Steps that a resumed run
    found finished do not count.

    Examples
    --------
    >>> ticks = iter([0.0, 20.0])
    >>> tell = ProgressOnStream(sys.stdout, clock=lambda: next(ticks))
    >>> tell("refits", 40, 200)
    >>> tell("refits", 60, 200)
    steadycut: refits: 60 of 200, about 2 min left
    """

    stream: TextIO
    clock: Callable[[], float] = time.monotonic
    _text: str = field(default="", init=False)
    _began: float = field(default=0.0, init=False)
    _done_before: int = field(default=0, init=False)
    _due: float | None = field(default=None, init=False)
    _drawn: bool = field(default=False, init=False)

    def __call__(self, text: str, done: int, total: int) -> None:
        """Write how far the run is, if it is time for it."""
        now = self.clock()
        if text != self._text or done < self._done_before:
            self._text, self._began, self._done_before = text, now, done
        if self._due is None:
            self._due = now if self._redraws else now + FIRST_LINE
        if now >= self._due:
            self._write(f"{text}: {done} of {total}{self._left(now, done, total)}", now)

    @property
    def _redraws(self) -> bool:
        """Whether one line is drawn again and again, as on a terminal."""
        return self.stream.isatty() or os.environ.get(SETTING) == ALWAYS

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if self._drawn:
            self.stream.write(ERASE)
            self.stream.flush()

    def _left(self, now: float, done: int, total: int) -> str:
        seen = done - self._done_before
        if seen <= 0 or done >= total:
            return ""
        return f", about {in_words((now - self._began) * (total - done) / seen)} left"

    def _write(self, line: str, now: float) -> None:
        if self._redraws:
            self._drawn, self._due = True, now + BETWEEN_DRAWINGS
            self.stream.write(ERASE + line)
        else:
            self._due = now + NEXT_LINE
            self.stream.write(f"steadycut: {line}\n")
        self.stream.flush()


@contextmanager
def progress_on_stderr() -> Iterator[ProgressOnStream]:
    """Yield a callback that writes to stderr, and clear its line at the end."""
    display = ProgressOnStream(sys.stderr)
    try:
        yield display
    finally:
        display.clear()


def in_words(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> in_words(41.6), in_words(150), in_words(5000)
    ('42 s', '2 min', '1 h 23 min')
    """
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds // HOUR:.0f} h {seconds % HOUR // MINUTE:.0f} min"

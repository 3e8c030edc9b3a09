"""Run a call under a watchdog and say how it ended: an answer, a refusal, or a failure."""

import signal
import sys
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager

from benchmarks.trust.row import Row
from steadycut.errors import SteadycutError, SteadycutWarning
from steadycut.ingest.sources import files

ANSWER, REFUSED = "answer", "refused"
WRONG, TRACEBACK, HANG, LINES = "wrong answers", "tracebacks", "hangs", "refusals of many lines"
PATIENCE = 60
LONGEST_LINE = 2_000


class Hang(BaseException):
    """The watchdog barked; no handler of ordinary errors may catch it."""


@contextmanager
def watchdog(seconds=PATIENCE):
    """Interrupt what takes longer; at most one at a time, in the main thread."""

    def bark(*_):
        raise Hang

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(call):
    """Return how a call ended, and its answer or the text of its refusal.

    A warning of another library than ours is a failure: users would see it.
    """
    try:
        with watchdog(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", SteadycutWarning)
            return ANSWER, call()
    except SteadycutError as error:
        text = str(error)
        is_line = 0 < len(text) <= LONGEST_LINE and text.isprintable()
        return (REFUSED, text) if is_line else (LINES, text)
    except Hang:
        return HANG, ""
    except Exception as error:  # noqa: BLE001
        return TRACEBACK, "".join(traceback.format_exception(error)[-4:])


@contextmanager
def one_database():
    """Read all tables through one database in memory: to open one takes most of the time."""
    before = files.connect_duckdb
    with before() as shared:
        files.connect_duckdb = lambda **_: shared.cursor()
        try:
            yield
        finally:
            files.connect_duckdb = before


class Tally:
    """Counts outcomes of one entry, and shows each failure."""

    def __init__(self, what):
        self.what, self.tried, self.failures = what, 0, Counter()

    def add(self, kind, about, text=""):
        """Count one input; ``kind`` is an outcome or the way in which it failed."""
        self.tried += 1
        if kind not in {ANSWER, REFUSED}:
            self.failures[kind] += 1
            print(f"{self.what}: {kind}: {about!r:.300}\n{text}", file=sys.stderr)

    def row(self):
        ways = (WRONG, TRACEBACK, HANG, LINES)
        return Row(self.what, self.tried, {way: self.failures[way] for way in ways})

"""Ctrl-C while modules are imported; this module imports next to nothing itself."""

# The module signal would import enum, and be interrupted in it.
import _signal  # type: ignore[import-not-found]
import os

INTERRUPTED = 130
STOPPED = "steadycut: interrupted; no result was written.\n"


def stop_at_once(*_: object) -> None:
    """Say in one line that the command was interrupted, and end without any clean-up."""
    try:
        os.write(2, STOPPED.encode())
    finally:
        os._exit(INTERRUPTED)


def catch_early_interrupts() -> None:
    """Let Ctrl-C end the process in one line while modules are imported, without a traceback."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, stop_at_once)

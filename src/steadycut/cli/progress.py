"""How far a command is, on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager

from steadycut.io.progress import progress_on_stderr
from steadycut.study.fit import Progress as Callback


@contextmanager
def progress_on_terminal() -> Iterator[Callback]:
    """Give a callback: a line that rewrites itself on a terminal, plain lines now and then else."""
    with progress_on_stderr() as progress:
        yield progress

"""A progress bar on stderr, where stderr is a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from steadycut.study import Progress as Callback


@contextmanager
def progress_on_terminal() -> Iterator[Callback | None]:
    """Give a callback that draws a bar; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (*Progress.get_default_columns()[:3], TimeElapsedColumn(), TextColumn(""))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def advance(text: str, done: int, total: int) -> None:
            bar.update(task, description=text, completed=done, total=total)

        yield advance

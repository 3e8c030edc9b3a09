"""What every engine can do."""

from collections.abc import Callable
from typing import Protocol

from steadycut.ingest.finish import Finished
from steadycut.ingest.layout import Layout
from steadycut.ingest.survey import Survey

Advance = Callable[[int], None]


class Engine(Protocol):
    """A table that is open, and the request that it was opened for."""

    @property
    def rows_at_once(self) -> int:
        """How many rows, of all score columns, one call of `finish` may bring together."""
        ...

    def survey(self) -> Survey:
        """Return what a scan of the needed columns tells, group by group."""
        ...

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of consecutive patients of the layout, in its order.

        ``advance`` may be told now and then how many of their rows have been read.
        """
        ...

    def close(self) -> None:
        """Let go of files and memory; remove what was put on disk."""
        ...

"""The interface of all engines."""

import sys
from collections.abc import Callable
from typing import Protocol

from steadycut.ingest.finish import Finished
from steadycut.ingest.layout import Layout
from steadycut.ingest.survey import Survey

Advance = Callable[[int], None]


class Engine(Protocol):
    """An open table, and the request that it was opened for."""

    @property
    def rows_at_once(self) -> int:
        """How many rows, of all score columns, one call of `finish` may bring together."""
        return sys.maxsize

    def survey(self) -> Survey:
        """Return the survey of a scan over the needed columns."""

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of consecutive patients of the layout, in its order.

        The engine may call ``advance`` with the number of their rows that it has read so far.
        """

    def close(self) -> None:
        """Release files and memory, and remove what was put on disk."""

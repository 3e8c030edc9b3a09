"""All rows in numpy."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from steadycut.core.aggregate.aggregators import offsets_of
from steadycut.ingest.engines.engine import Advance
from steadycut.ingest.finish import Finished, Part, finish_part
from steadycut.ingest.layout import Layout
from steadycut.ingest.raw import RawTable
from steadycut.ingest.request import Request
from steadycut.ingest.survey import Survey, survey_rows


@dataclass(slots=True, eq=False)
class MemoryEngine:
    """A table that fits in memory; it is read when it is surveyed."""

    request: Request
    read: Callable[[Request], RawTable]
    raw: RawTable | None = field(default=None, init=False)

    @property
    def rows_at_once(self) -> int:
        """All rows are there, so that one part holds them."""
        return np.iinfo(np.int64).max

    def survey(self) -> Survey:
        """Return a survey in which each row is a group of its own."""
        self.raw = self.read(self.request)
        return survey_rows(self.raw)

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of consecutive patients."""
        del advance
        assert self.raw is not None  # noqa: S101
        scores = {name: column.values for name, column in self.raw.scores.items()}
        leaves = layout.leaves(patients)
        usable = np.logical_and.reduce([np.isfinite(values) for values in scores.values()])
        mine = usable & (layout.leaf_of >= leaves.start) & (layout.leaf_of < leaves.stop)
        rows = np.flatnonzero(mine)
        rows = rows[np.argsort(layout.leaf_of[rows], kind="stable")]
        part = Part(
            offsets=offsets_of(layout.sizes[leaves]),
            steps=layout.steps_of(patients),
            scores={name: values[rows] for name, values in scores.items()},
        )
        return finish_part(part, self.request)

    def close(self) -> None:
        """Forget the rows."""
        self.raw = None

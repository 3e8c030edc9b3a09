"""All rows in numpy."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steadycut.core.aggregate.aggregators import offsets_of
from steadycut.ingest.engines.engine import Advance, Engine
from steadycut.ingest.finish import Finished, Part, finish_part
from steadycut.ingest.layout import Layout
from steadycut.ingest.request import ROW, Request
from steadycut.ingest.sources.dispatch import read_table
from steadycut.ingest.survey import Survey, survey_rows
from steadycut.ingest.table import Table, row_numbers


@dataclass(slots=True, eq=False)
class MemoryEngine(Engine):
    """A table that fits in memory; `survey` reads it."""

    request: Request
    source: Any
    table: Table | None = field(default=None, init=False)

    def survey(self) -> Survey:
        """Return a survey in which each row is a group of its own."""
        self.table = read_table(self.source, self.request)
        if self.request.rows_are_patients:
            n_rows = self.table.scores[self.request.scores[0]].values.size
            keys = {**self.table.keys, ROW: row_numbers(n_rows)}
            self.table = replace(self.table, keys=keys)
        return survey_rows(self.table)

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of consecutive patients."""
        del advance
        assert self.table is not None  # noqa: S101
        scores = {name: column.values for name, column in self.table.scores.items()}
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
        self.table = None

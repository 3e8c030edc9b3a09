"""All rows in numpy."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steadycut.core.aggregate.aggregators import offsets_of
from steadycut.core.checks import IntArray
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
    group_of: IntArray = field(init=False)

    def survey(self) -> Survey:
        """Return the survey of the rows with the same keys."""
        self.table = read_table(self.source, self.request)
        if self.request.rows_are_patients:
            n_rows = self.table.scores[self.request.scores[0]].values.size
            keys = {**self.table.keys, ROW: row_numbers(n_rows)}
            self.table = replace(self.table, keys=keys)
        survey, self.group_of = survey_rows(self.table).grouped()
        return survey

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of consecutive patients."""
        del advance
        assert self.table is not None  # noqa: S101
        scores = {name: column.values for name, column in self.table.scores.items()}
        leaves = layout.leaves(patients)
        leaf_of = layout.leaf_of[self.group_of]
        usable = np.logical_and.reduce([np.isfinite(values) for values in scores.values()])
        rows = np.flatnonzero(usable & (leaf_of >= leaves.start) & (leaf_of < leaves.stop))
        rows = rows[np.argsort(leaf_of[rows], kind="stable")]
        part = Part(
            offsets=offsets_of(layout.sizes[leaves]),
            steps=layout.steps_of(patients),
            scores={name: values[rows] for name, values in scores.items()},
        )
        return finish_part(part, self.request)

    def close(self) -> None:
        """Forget the rows."""
        self.table = None

"""Apache Spark: rows stay on the cluster, and one row per patient comes to the driver."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from steadycut.errors import BadTable
from steadycut.ingest.column_names import check_columns
from steadycut.ingest.engines import spark_tasks as tasks
from steadycut.ingest.engines.engine import Advance, Engine
from steadycut.ingest.engines.spark_session import told_in_one_line
from steadycut.ingest.engines.spark_tables import check_text_rows, spark_frame
from steadycut.ingest.finish import Finished, from_arrays
from steadycut.ingest.layout import Layout
from steadycut.ingest.request import Request
from steadycut.ingest.survey import Survey, survey_of
from steadycut.ingest.table import key_column

# One executor task brings about this many rows together, unless a patient has more.
ROWS_PER_PARTITION = 250_000


@dataclass(slots=True, eq=False)
class SparkEngine(Engine):
    """A Spark DataFrame, or files that Spark can read, and the request.

    The executors read keys and aggregate rows with the same Python functions as every other
    engine; steadycut must be installed there. Rows are shuffled once, by patient. The numbers are
    therefore the same to the last bit, however the rows are partitioned.
    """

    request: Request
    source: Any
    frame: Any = field(default=None, init=False)

    def survey(self) -> Survey:
        """Return what the executors count, group by group."""
        self.frame = spark_frame(self.source, self.request.separator)
        # Only now: without pyspark the line above says what to install.
        from pyspark.sql import functions as f

        schema = tasks.survey_schema(self.request)
        keys = [name for name in schema if name.startswith("k")]
        facts = [_joined(f, name).alias(name) for name in schema if name not in keys]
        with told_in_one_line():
            check_columns(self.request.columns, self.frame.columns)
            groups = self._map(self._needed(), tasks.survey_batches, schema)
            table = groups.groupBy(*keys).agg(*facts).toArrow()
        survey = _as_survey(table, self.request)
        check_text_rows(self.source, survey.total, self.request.separator)
        return survey

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of all patients; Spark shows the progress of its executors itself."""
        del advance
        n_parts = math.ceil(int(layout.sizes.sum()) / ROWS_PER_PARTITION)
        with told_in_one_line():
            rows = self._map(self._needed(), tasks.plain_batches, tasks.plain_schema(self.request))
            together = rows.repartition(n_parts, "k0")
            table = self._map(
                together, tasks.finish_batches, tasks.finish_schema(self.request)
            ).toArrow()
        return _as_finished(table, self.request, layout, patients)

    def close(self) -> None:
        """Leave the session open: whoever started it ends it."""

    def _needed(self) -> Any:
        """Return the needed columns under plain names: Spark interprets dots and backticks."""
        names = list(self.frame.columns)
        plain = self.frame.toDF(*(f"column_{i}" for i in range(len(names))))
        return plain.select(*(f"column_{names.index(name)}" for name in self.request.columns))

    def _map(self, frame: Any, task: Callable[..., Any], schema: tasks.Schema) -> Any:
        columns = ", ".join(f"{name} {kind}" for name, kind in schema.items())
        return frame.mapInArrow(partial(task, request=self.request), columns)


def _joined(f: Any, name: str) -> Any:
    """Return how the facts of several batches become one."""
    if name.startswith("texts"):
        return f.slice(
            f.sort_array(f.array_distinct(f.flatten(f.collect_list(name)))), 1, tasks.EXAMPLES
        )
    return (f.max if name.startswith("largest") else f.sum)(name)


def _as_survey(table: Any, request: Request) -> Survey:
    # Spark gives groups in any order.
    table = table.sort_by([(f"k{i}", "ascending") for i in range(len(request.keys))])
    keys = {
        name: key_column(np.array(table[f"k{i}"].to_pylist(), dtype=object))
        for i, name in enumerate(request.keys)
    }
    numbers = [name for name in table.column_names if name.startswith(("n_", "largest"))]
    counts = {name: table[name].to_numpy() for name in numbers}
    texts = {name: _examples(table[f"texts{i}"]) for i, name in enumerate(request.scores)}
    return survey_of(keys, counts, texts, np.arange(table.num_rows))


def _examples(column: Any) -> dict[int, frozenset[str]]:
    return {group: frozenset(some) for group, some in enumerate(column.to_pylist()) if some}


def _as_finished(table: Any, request: Request, layout: Layout, patients: range) -> Finished:
    place = {name: row for row, name in enumerate(table["patient"].to_pylist())}
    wanted = layout.patients[patients.start : patients.stop].tolist()
    rows = np.array([place.get(name, -1) for name in wanted], dtype=np.int64)
    names = (name for name in table.column_names if name != "patient")
    arrays = {name: table[name].to_numpy()[rows] for name in names}
    expected = layout.n_instances[patients.start : patients.stop]
    if (rows < 0).any() or not np.array_equal(arrays["n_rows"], expected):
        msg = "the table changed between two reads by Spark. Write it to a file or cache it first."
        raise BadTable(msg)
    return from_arrays(arrays, request)

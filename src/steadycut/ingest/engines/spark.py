"""Apache Spark: rows stay where they are, one row a patient comes to the driver."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from steadycut.core.aggregate.clusters import ClusterSums
from steadycut.errors import BadTable
from steadycut.ingest.columns import check_columns
from steadycut.ingest.engines.arrow_tasks import (
    EXAMPLES,
    Schema,
    finish_batches,
    finish_schema,
    plain_batches,
    plain_schema,
    survey_batches,
    survey_schema,
)
from steadycut.ingest.engines.spark_session import told_in_one_line
from steadycut.ingest.engines.spark_tables import spark_frame
from steadycut.ingest.finish import Finished
from steadycut.ingest.layout import Layout
from steadycut.ingest.raw import KeyColumn, key_column
from steadycut.ingest.request import Request
from steadycut.ingest.survey import ScoreFacts, Survey

# A partition of so many rows is what one executor task brings together, unless a patient has more.
ROWS_A_PARTITION = 250_000

Advance = Callable[[int], None]


@dataclass(slots=True, eq=False)
class SparkEngine:
    """A Spark DataFrame, or files that Spark can see, and what is asked of them.

    Keys are read and counted, and rows aggregated, by the same Python functions as in every other
    engine, on the executors; steadycut must be installed there. Between the two rows are shuffled
    once, by patient. The numbers are therefore the same to the last bit, however the rows are
    partitioned.
    """

    request: Request
    source: Any
    frame: Any = field(default=None, init=False)

    @property
    def rows_at_once(self) -> int:
        """Spark deals patients to partitions itself."""
        return np.iinfo(np.int64).max

    def survey(self) -> Survey:
        """Return what the executors count, group by group."""
        self.frame = spark_frame(self.source)
        # After that: without pyspark it says what to do.
        from pyspark.sql import functions as f

        schema = survey_schema(self.request)
        keys = [name for name in schema if name.startswith("key_")]
        facts = [_joined(f, name).alias(name) for name in schema if name not in keys]
        with told_in_one_line():
            check_columns(self.request.columns, self.frame.columns)
            groups = self._map(self._needed(), survey_batches, schema)
            found = groups.groupBy(*keys).agg(*facts).toArrow()
        return _as_survey(found, self.request)

    def finish(self, layout: Layout, patients: range, advance: Advance | None = None) -> Finished:
        """Return the numbers of all patients, aggregated on the executors; Spark tells how far."""
        del advance
        n_parts = math.ceil(int(layout.sizes.sum()) / ROWS_A_PARTITION)
        with told_in_one_line():
            rows = self._map(self._needed(), plain_batches, plain_schema(self.request))
            together = rows.repartition(n_parts, "key_0")
            found = self._map(together, finish_batches, finish_schema(self.request)).toArrow()
        return _as_finished(found, self.request, layout, patients)

    def close(self) -> None:
        """Leave the session alone: whoever made it ends it."""

    def _needed(self) -> Any:
        """Return the needed columns under plain names: Spark reads dots and backticks in names."""
        names = list(self.frame.columns)
        plain = self.frame.toDF(*(f"column_{i}" for i in range(len(names))))
        return plain.select(*(f"column_{names.index(name)}" for name in self.request.columns))

    def _map(self, frame: Any, task: Callable[..., Any], schema: Schema) -> Any:
        columns = ", ".join(f"{name} {kind}" for name, kind in schema.items())
        return frame.mapInArrow(partial(task, request=self.request), columns)


def _joined(f: Any, name: str) -> Any:
    """Return how a fact of several batches becomes one."""
    if name.startswith("texts_"):
        return f.slice(f.sort_array(f.array_distinct(f.flatten(f.collect_list(name)))), 1, EXAMPLES)
    return (f.max if name.startswith("largest_") else f.sum)(name)


def _as_survey(found: Any, request: Request) -> Survey:
    # Spark gives groups in any order.
    found = found.sort_by([(f"key_{i}", "ascending") for i in range(len(request.keys))])
    return Survey(
        keys={name: _key(found[f"key_{i}"]) for i, name in enumerate(request.keys)},
        n_rows=_numbers(found["n_rows"]),
        n_usable=_numbers(found["n_usable"]),
        scores={
            name: ScoreFacts(
                n_finite=_numbers(found[f"n_finite_{i}"]),
                largest=_numbers(found[f"largest_{i}"]),
                n_texts=_numbers(found[f"n_texts_{i}"]),
                texts={
                    group: frozenset(texts)
                    for group, texts in enumerate(found[f"texts_{i}"].to_pylist())
                    if texts
                },
            )
            for i, name in enumerate(request.scores)
        },
        group=np.arange(found.num_rows),
    )


def _as_finished(found: Any, request: Request, layout: Layout, patients: range) -> Finished:
    place = {name: row for row, name in enumerate(found["patient"].to_pylist())}
    wanted = layout.patients[patients.start : patients.stop].tolist()
    rows = np.array([place.get(name, -1) for name in wanted], dtype=np.int64)
    keys = [(name, how.name) for name in request.scores for how in request.aggregators]
    sizes = _numbers(found["n_rows"])[rows]
    finished = Finished(
        scores={key: _numbers(found[f"number_{i}"])[rows] for i, key in enumerate(keys)},
        n_units=_numbers(found["n_units"])[rows],
        clusters={
            name: ClusterSums(
                sizes=sizes,
                means=_numbers(found[f"mean_{i}"])[rows],
                squares=_numbers(found[f"squares_{i}"])[rows],
            )
            for i, name in enumerate(request.scores)
            if request.clusters
        },
    )
    if (rows < 0).any() or not np.array_equal(
        sizes, layout.n_instances[patients.start : patients.stop]
    ):
        msg = (
            "the table changed between two reads of it by Spark. Write it to a file or cache it "
            "first."
        )
        raise BadTable(msg)
    return finished


def _key(column: Any) -> KeyColumn:
    return key_column(np.array(column.to_pylist(), dtype=object))


def _numbers(column: Any) -> Any:
    return column.to_numpy()

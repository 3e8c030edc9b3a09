"""DuckDB scans the rows, and scores are collected part by part, within a memory limit."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate.aggregators import offsets_of
from steadycut.core.checks import FloatArray, IntArray
from steadycut.errors import BadTable
from steadycut.ingest.engines.duckdb_scans import Scan, open_scans
from steadycut.ingest.engines.engine import Advance
from steadycut.ingest.finish import Finished, Part, finish_part, join_finished
from steadycut.ingest.layout import Layout
from steadycut.ingest.request import Request
from steadycut.ingest.sources.files import one_line
from steadycut.ingest.survey import Survey, survey_of
from steadycut.ingest.table import key_column, stack_keys
from steadycut.io.packages import optional_package
from steadycut.io.parquet import connect_duckdb

# What Python and the libraries need before any row is read.
BASE = 192 << 20
BYTES = 8
SMALL = 1 << 16
# What one thread of DuckDB needs to turn text into Parquet.
THREAD = 24 << 20
# A part is finished in pieces of about this many rows, several at a time.
PIECE = 1 << 20
MOST_TEXTS = 10_000


@dataclass(slots=True, eq=False)
class DuckDBEngine:
    """Tables that DuckDB scans, and a work folder for what must be put on disk.

    A fixed part of ``memory`` (in bytes) is for Python itself. Of the rest DuckDB may use a third,
    and the scores of a part a little more than half.
    """

    request: Request
    source: Any
    memory: int
    work: Path
    connection: Any = field(init=False)
    scans: list[Scan] = field(init=False, default_factory=list)
    first_group: IntArray = field(init=False)
    has_leaves: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        limit = (self.memory - BASE) // 3
        settings = {
            "memory_limit": f"{limit >> 20}MiB",
            "threads": max(min(limit // THREAD, os.cpu_count() or 1), 1),
            "temp_directory": str(self.work / "spilled"),
            "preserve_insertion_order": False,
        }
        self.connection = connect_duckdb(**settings)

    @property
    def rows_at_once(self) -> int:
        """How many rows of all score columns fit in the memory for a part."""
        room = (self.memory - BASE) * 11 // 20
        return max(room // (BYTES * len(self.request.scores)), 1)

    def survey(self) -> Survey:
        """Return the survey of all scans, one after the other."""
        self.scans = open_scans(self.connection, self.source, self.request, self.work)
        facts = [self._groups(j, scan) for j, scan in enumerate(self.scans)]
        sizes = np.array([part["n_rows"].size for part in facts])
        self.first_group = offsets_of(sizes)
        keys = {
            name: stack_keys([key_column(part[f"k{i}"]) for part in facts])
            for i, name in enumerate(self.request.keys)
        }
        counts = {
            name: np.concatenate([np.ma.getdata(part[name]) for part in facts])
            for name in facts[0]
            if not name.startswith("k")
        }
        texts = {name: self._texts(i, facts) for i, name in enumerate(self.request.scores)}
        group = counts["number"].astype(np.int64) + np.repeat(self.first_group[:-1], sizes)
        return survey_of(keys, counts, texts, group)

    def finish(self, layout: Layout, patients: range, advance: Advance) -> Finished:
        """Return the numbers of consecutive patients."""
        if not self.has_leaves:
            self._make_leaves(layout)
        part = self._collect(layout, patients, advance)
        pieces = list(_pieces(part, layout, patients))
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            parts = list(threads.map(lambda piece: finish_part(piece, self.request), pieces))
        return join_finished(parts, self.request)

    def close(self) -> None:
        """Close the database; the work folder belongs to the caller."""
        self.connection.close()

    # One scan ----------------------------------------------------------------------------

    def _groups(self, j: int, scan: Scan) -> dict[str, NDArray[Any]]:
        """Return the keys and facts of the groups of a scan, and DuckDB's number of each group."""
        keys = ", ".join(f"k{i}" for i in range(len(self.request.keys)))
        n_scores = len(self.request.scores)
        every = " AND ".join(f"isfinite(s{i})" for i in range(n_scores))
        facts = ", ".join(_facts(i, has_text=f"u{i}" in scan.columns) for i in range(n_scores))
        with one_line(scan.place):
            self.connection.execute(
                f"CREATE TEMP TABLE groups{j} AS SELECT {keys}, count(*) AS n_rows, "  # noqa: S608
                f"count(*) FILTER ({every}) AS n_usable, {facts} FROM {scan.view} GROUP BY {keys}"
            )
            query = f"SELECT *, rowid AS number FROM groups{j}"  # noqa: S608
            groups: dict[str, NDArray[Any]] = self.connection.execute(query).fetchnumpy()
        return groups

    def _texts(self, i: int, facts: Sequence[dict[str, NDArray[Any]]]) -> dict[int, frozenset[str]]:
        """Return by group the texts in a score that are not numbers, if any."""
        texts: dict[int, frozenset[str]] = {}
        same = " AND ".join(
            f"t.k{k} IS NOT DISTINCT FROM g.k{k}" for k in range(len(self.request.keys))
        )
        for j, (scan, groups) in enumerate(zip(self.scans, facts, strict=True)):
            if not groups[f"n_texts{i}"].any():
                continue
            numbered = enumerate(groups["number"].tolist(), start=int(self.first_group[j]))
            place = {number: group for group, number in numbered}
            with one_line(scan.place):
                rows = self.connection.execute(
                    f"SELECT g.rowid, list(DISTINCT u{i}) FROM {scan.view} t JOIN groups{j} g "  # noqa: S608
                    f"ON {same} WHERE u{i} IS NOT NULL GROUP BY g.rowid LIMIT {MOST_TEXTS}"
                ).fetchall()
            texts |= {place[number]: frozenset(cells) for number, cells in rows}
        return texts

    def _make_leaves(self, layout: Layout) -> None:
        """Tell DuckDB the leaf of each combination of patient and levels."""
        for j in range(len(self.scans)):
            of_group = layout.leaf_of[self.first_group[j] : self.first_group[j + 1]]
            # Plain arrays: for an Arrow table DuckDB would import pandas, if it is installed.
            numbers = {"number": np.arange(of_group.size), "leaf": of_group}
            self.connection.register("numbers", numbers)
            columns = ", ".join(self._leaf_keys())
            self.connection.execute(
                f"CREATE TEMP TABLE leaves{j} AS SELECT DISTINCT {columns}, leaf "  # noqa: S608
                f"FROM groups{j} g JOIN numbers n ON g.rowid = n.number WHERE leaf >= 0"
            )
            self.connection.unregister("numbers")
        self.has_leaves = True

    def _leaf_keys(self) -> list[str]:
        wanted = self.request.leaf_keys
        return [f"k{i}" for i, name in enumerate(self.request.keys) if name in wanted]

    def _collect(self, layout: Layout, patients: range, advance: Advance) -> Part:
        """Return the scores of some patients, each at a place within its leaf."""
        leaves = layout.leaves(patients)
        offsets = offsets_of(layout.sizes[leaves])
        names = self.request.scores
        scores = {name: np.empty(int(offsets[-1])) for name in names}
        free, done = offsets[:-1].copy(), 0
        for j, scan in enumerate(self.scans):
            with one_line(scan.place):
                for batch in self._batches(j, scan, leaves):
                    leaf, *numbers = (np.asarray(part.buffer(1)) for part in batch.view().children)
                    order, places = _places(leaf, free)
                    _check_same(bool((free <= offsets[1:]).all()))
                    for name, some in zip(names, numbers, strict=True):
                        scores[name][places] = some[order]
                    done += leaf.size
                    advance(done)
        _check_same(np.array_equal(free, offsets[1:]))
        return Part(offsets=offsets, steps=layout.steps_of(patients), scores=scores)

    def _batches(self, j: int, scan: Scan, leaves: slice) -> Iterator[Any]:
        """Yield leaf (from 0) and scores of the rows in a range of leaves, in any order."""
        n_scores = len(self.request.scores)
        kind = "USMALLINT" if leaves.stop - leaves.start <= SMALL else "UINTEGER"
        picked = ", ".join(f"s{i}" for i in range(n_scores))
        usable = " AND ".join(f"isfinite(s{i})" for i in range(n_scores))
        relation = self.connection.sql(
            f"SELECT (leaf - {leaves.start})::{kind} AS leaf, {picked} FROM {scan.view} "  # noqa: S608
            f"JOIN leaves{j} USING ({', '.join(self._leaf_keys())}) "
            f"WHERE leaf >= {leaves.start} AND leaf < {leaves.stop} AND {usable}"
        )
        with optional_package("The duckdb engine", "nanoarrow", "duckdb"):
            import nanoarrow
        yield from nanoarrow.c_array_stream(relation)


def _check_same(same: bool) -> None:  # noqa: FBT001
    if not same:
        msg = "the table changed while it was read. Read it again when nobody is writing to it."
        raise BadTable(msg)


def _facts(i: int, *, has_text: bool) -> str:
    n_texts = f"count(u{i})" if has_text else "0::BIGINT"
    return (
        f"count(*) FILTER (isfinite(s{i})) AS n_finite{i}, "
        f"coalesce(max(abs(s{i})) FILTER (isfinite(s{i})), 0) AS largest{i}, "
        f"{n_texts} AS n_texts{i}"
    )


def _places(leaf: NDArray[Any], free: IntArray) -> tuple[IntArray, IntArray]:
    """Return rows in the order of their leaves, and a free place for each; mark it as taken."""
    order = _order(leaf)
    counts = np.bincount(leaf, minlength=free.size)
    places = np.repeat(free - (np.cumsum(counts) - counts), counts) + np.arange(leaf.size)
    free += counts
    return order, places


def _order(leaf: NDArray[Any]) -> IntArray:
    """Sort by leaf; numpy sorts integers of two bytes by radix, and wider ones much slower."""
    if leaf.dtype == np.uint16:
        return np.argsort(leaf, kind="stable")
    order = np.argsort((leaf % SMALL).astype(np.uint16), kind="stable")
    return order[np.argsort((leaf[order] // SMALL).astype(np.uint16), kind="stable")]


def _pieces(part: Part, layout: Layout, patients: range) -> Iterator[Part]:
    """Cut a part into pieces of whole patients that share its memory."""
    first = layout.leaves(patients).start
    for some in layout.parts(PIECE, patients):
        leaves = layout.leaves(some)
        offsets = part.offsets[leaves.start - first : leaves.stop - first + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        scores: dict[str, FloatArray] = {name: values[rows] for name, values in part.scores.items()}
        yield Part(offsets=offsets - offsets[0], steps=layout.steps_of(some), scores=scores)

"""A source as views in DuckDB that all have the same columns: keys k0, ... and scores s0, ....

Sources that are slow to scan are first copied to a Parquet file in the work folder. Text is parsed
once, S3 is read once, and a lazy frame is run once; only the needed columns are kept. No table is
loaded into memory as a whole, unless it was in memory before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.ingest.column_names import check_columns
from steadycut.ingest.request import Request
from steadycut.ingest.sources.arrow import open_dataset
from steadycut.ingest.sources.dispatch import is_dataset, is_paths, lazy_frame, read_table
from steadycut.ingest.sources.files import (
    IN_MEMORY,
    Opened,
    merge_opened,
    one_line,
    open_file,
    read_file,
    select_list,
)
from steadycut.ingest.sources.find import TableFile, find_files
from steadycut.ingest.table import KeyColumn, Table, refuse_duration
from steadycut.io.parquet import copy_columns, quote_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A view that can be scanned many times, its columns, and its name in messages."""

    view: str
    columns: frozenset[str]
    place: str


def open_scans(connection: Any, source: Any, request: Request, work: Path) -> list[Scan]:
    """Open every table of a source; those that are slow to scan are put on disk first.

    Local Parquet files are scanned where they are. Files with the same columns of the same types
    are one scan.
    """
    if is_paths(source):
        return _scan_files(connection, find_files(source), request, work)
    staged = work / "staged.parquet"
    if is_dataset(source):
        check_columns(request.columns, source.schema.names)
        _stage_dataset(source, request, staged)
    elif (lazy := lazy_frame(source)) is not None:
        schema = lazy.collect_schema()
        check_columns(request.columns, list(schema.names()))
        _refuse_durations({name: schema[name] for name in request.keys})
        lazy.select(*request.columns).sink_parquet(staged)
    else:
        _stage_table(connection, read_table(source, request), request, staged)
        return [_staged_view(connection, 0, staged, "the table")]
    opened = open_file(connection, TableFile(str(staged)), work, request)
    return [_view(connection, 0, opened, request)]


def _scan_files(
    connection: Any, files: Sequence[TableFile], request: Request, work: Path
) -> list[Scan]:
    opened, others = [], []
    for file in files:
        if file.kind in {"text", "parquet"}:
            with one_line(file.place):
                opened.append(open_file(connection, file, work, request))
        else:
            others.append(file)
    # Each row has the name of its file: files are not brought together.
    merged = opened if request.file_column else merge_opened(opened)
    tables: list[Opened | TableFile] = [*merged, *others]
    return [_scan(connection, number, table, request, work) for number, table in enumerate(tables)]


def _scan(
    connection: Any, number: int, table: Opened | TableFile, request: Request, work: Path
) -> Scan:
    staged = work / f"staged-{number}.parquet"
    if isinstance(table, Opened) and not table.is_text:
        return _view(connection, number, table, request)
    with one_line(table.place):
        if isinstance(table, Opened):
            _stage_text(connection, table, request, staged)
        elif table.kind in IN_MEMORY:
            _stage_table(connection, read_file(connection, table, request, work), request, staged)
        else:
            dataset = open_dataset(table)
            check_columns(request.columns, dataset.schema.names, f"{table.place!r}")
            _stage_dataset(dataset, request, staged)
            opened = open_file(connection, TableFile(str(staged)), work, request)
            named = replace(opened.files[0], place=table.place)
            return _view(connection, number, replace(opened, files=(named,)), request)
    return _staged_view(connection, number, staged, table.place)


def _staged_view(connection: Any, number: int, staged: Path, place: str) -> Scan:
    return _make_view(connection, number, f"FROM read_parquet({quote_text(str(staged))})", place)


def _view(connection: Any, number: int, opened: Opened, request: Request) -> Scan:
    query = f"SELECT {select_list(opened, request)} FROM {opened.source}"  # noqa: S608
    return _make_view(connection, number, query, opened.place)


def _make_view(connection: Any, number: int, query: str, place: str) -> Scan:
    view = f"scan{number}"
    connection.execute(f"CREATE TEMP VIEW {view} AS {query}")
    described = connection.execute(f"DESCRIBE {view}").fetchall()
    return Scan(view=view, columns=frozenset(row[0] for row in described), place=place)


# Copies on disk ---------------------------------------------------------------------------


def _stage_text(connection: Any, opened: Opened, request: Request, target: Path) -> None:
    """Copy text files; refuse them if rows got lost."""
    picked = select_list(opened, request)
    copied = connection.execute(
        f"COPY (SELECT {picked} FROM {opened.source}) "  # noqa: S608
        f"TO {quote_text(str(target))} (FORMAT parquet)"
    )
    opened.check_rows(copied.fetchall()[0][0])
    for file in opened.files:
        if Path(file.path).parent == target.parent:
            Path(file.path).unlink()


def _stage_dataset(dataset: Any, request: Request, target: Path) -> None:
    """Copy the needed columns of a pyarrow dataset, batch by batch."""
    from pyarrow import parquet

    batches = dataset.scanner(columns=list(request.columns)).to_reader()
    _refuse_durations({name: batches.schema.field(name).type for name in request.keys})
    with parquet.ParquetWriter(target, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _refuse_durations(types: Mapping[str, object]) -> None:
    """Refuse durations before they are staged: Parquet stores them as plain numbers."""
    for name, kind in types.items():
        if str(kind).casefold().startswith("duration"):
            refuse_duration(name)


def _stage_table(connection: Any, table: Table, request: Request, target: Path) -> None:
    """Copy a table that is in memory, with the column names of `select_list`."""
    columns = {f"k{i}": _texts(table.keys[name]) for i, name in enumerate(request.keys)}
    for i, name in enumerate(request.scores):
        column = table.scores[name]
        texts = np.full(column.values.size, None, dtype=object)
        texts[list(column.unreadable)] = list(column.unreadable.values())
        columns |= {f"s{i}": column.values, f"u{i}": texts}
    copy_columns(connection, columns, target)


def _texts(column: KeyColumn) -> NDArray[Any]:
    # A missing key has the code -1.
    return np.array([*column.texts, None], dtype=object)[column.codes]

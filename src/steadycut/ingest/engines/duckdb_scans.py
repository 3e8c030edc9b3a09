"""A source as views in DuckDB that all have the same columns: keys k0, ... and scores s0, ...."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadycut.ingest.column_names import check_columns
from steadycut.ingest.engines.duckdb_staging import (
    stage_dataset,
    stage_lazy,
    stage_table,
    stage_text,
)
from steadycut.ingest.request import Request
from steadycut.ingest.sources.arrow import open_dataset
from steadycut.ingest.sources.dispatch import is_dataset, is_paths, lazy_frame, read_table
from steadycut.ingest.sources.files import (
    Opened,
    check_ending,
    is_arrow,
    is_local_parquet,
    is_text,
    merge_opened,
    one_line,
    open_file,
    quote_text,
    read_file,
    select_list,
)
from steadycut.ingest.sources.find import TableFile, find_files


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
        stage_dataset(source, request, staged)
    elif (lazy := lazy_frame(source)) is not None:
        check_columns(request.columns, list(lazy.collect_schema().names()))
        stage_lazy(lazy, request, staged)
    else:
        stage_table(read_table(source, request), request, staged)
        return [_staged_view(connection, 0, staged, "the table")]
    opened = open_file(connection, TableFile(str(staged)), request.columns)
    return [_view(connection, 0, opened, request)]


def _scan_files(
    connection: Any, files: Sequence[TableFile], request: Request, work: Path
) -> list[Scan]:
    opened, others = [], []
    for file in files:
        check_ending(file)
    for file in files:
        if is_text(file) or is_local_parquet(file):
            with one_line(file.place):
                opened.append(open_file(connection, file, request.columns))
        else:
            others.append(file)
    tables: list[Opened | TableFile] = [*merge_opened(opened), *others]
    return [_scan(connection, number, one, request, work) for number, one in enumerate(tables)]


def _scan(
    connection: Any, number: int, table: Opened | TableFile, request: Request, work: Path
) -> Scan:
    staged = work / f"staged-{number}.parquet"
    if isinstance(table, Opened) and not table.is_text:
        return _view(connection, number, table, request)
    with one_line(table.place):
        if isinstance(table, Opened):
            stage_text(connection, table, request, staged)
        elif not is_arrow(table):
            stage_table(read_file(connection, table, request), request, staged)
        else:
            dataset = open_dataset(table)
            check_columns(request.columns, dataset.schema.names, f"{table.place!r}")
            stage_dataset(dataset, request, staged)
            opened = open_file(connection, TableFile(str(staged)), request.columns)
            return _view(connection, number, opened, request)
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

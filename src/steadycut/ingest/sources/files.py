"""CSV, TSV, Parquet, Arrow, AnnData and Excel files as a table; only needed columns are read."""

import glob
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.errors import BadTable, argument
from steadycut.ingest import table
from steadycut.ingest.column_names import check_columns
from steadycut.ingest.request import Request
from steadycut.ingest.sources import csv_files
from steadycut.ingest.sources.anndata import open_anndata, read_anndata
from steadycut.ingest.sources.arrow import arrow_errors, open_dataset
from steadycut.ingest.sources.containers import READERS, container_columns
from steadycut.ingest.sources.excel import excel_columns, read_excel
from steadycut.ingest.sources.find import FileName, TableFile, find_files, stem
from steadycut.ingest.sources.frames import read_arrays, read_frame
from steadycut.ingest.sources.records import check_rows, count_records, is_gzip, unpack
from steadycut.io.files import work_folder
from steadycut.io.parquet import connect_duckdb, load_duckdb, quote_name, quote_text

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = frozenset({"BOOLEAN", "FLOAT", "DOUBLE", *WHOLE, *(f"U{name}" for name in WHOLE)})
# Whole numbers that numpy would turn into floats.
TOO_WIDE = frozenset({"HUGEINT", "UHUGEINT"})
MOMENT, HALF = "TIMESTAMP WITH TIME ZONE", "HALF"
# What str.strip() removes.
BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())


# Files that are read into memory as a whole, by their kind.
IN_MEMORY: dict[str | None, Callable[[TableFile, Request], table.Table]] = {
    "anndata": lambda file, request: read_anndata(file.path, request),
    "excel": read_excel,
    **dict.fromkeys(READERS, lambda file, request: read_arrays(container_columns(file), request)),
}
# Of these all columns are read at once, by name.
WHOLE_COLUMNS = {"excel": excel_columns, **dict.fromkeys(READERS, container_columns)}


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The name of a file in messages, the path that is read, and how many records text has."""

    place: str
    path: str
    records: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Files with the same columns: ``names`` in them, ``aliases`` and ``types`` in DuckDB.

    ``reader`` is the table function that reads them, with FILES where their list goes.
    """

    names: tuple[str, ...]
    aliases: tuple[str, ...]
    types: tuple[str, ...]
    reader: str
    files: tuple[OpenedFile, ...]

    @property
    def is_text(self) -> bool:
        """Whether the files are text, which must be parsed."""
        return self.reader.startswith("read_csv")

    @property
    def place(self) -> str:
        """The name of the files in a message."""
        more = len(self.files) - 1
        first = self.files[0].place
        return f"{first} (or one of {more} others)" if more else first

    @property
    def source(self) -> str:
        """What a query selects from."""
        listed = ", ".join(quote_text(glob.escape(file.path)) for file in self.files)
        return self.reader.replace("FILES", f"[{listed}]")

    def check_rows(self, rows: int) -> None:
        """Refuse text of which not every record became a row."""
        if self.is_text:
            check_rows(self.place, sum(file.records for file in self.files), rows)


def read_files(paths: FileName | Sequence[FileName], request: Request) -> table.Table:
    """Return the needed columns of one or several files, as one table.

    Parameters
    ----------
    paths
        A path, several paths, a pattern such as ``"scores/*.parquet"``, or a folder of Parquet
        files. For the formats see `steadycut.ingest.sources.find.KINDS`.
    request
        Which columns are needed. Every file must have them all.

    Notes
    -----
    CSV cells are read as text and only scores become numbers, so an identifier such as 001 stays
    as it is. The separator of a CSV file is the one of ``, ; tab |`` that splits its header into
    the most columns, unless the request states it.
    """
    files = find_files(paths)
    with connect_duckdb() as connection, work_folder() as work:
        return table.stack([read_file(connection, file, request, work) for file in files])


def read_file(connection: Any, file: TableFile, request: Request, work: Path) -> table.Table:
    """Return the needed columns of one file; a compressed one is unpacked into ``work``."""
    read = _read_file(connection, file, request, work)
    if request.file_column not in request.keys or request.file_column in read.keys:
        return read
    rows = next(iter(read.scores.values())).values.size
    column = table.KeyColumn(codes=np.zeros(rows, dtype=np.int64), texts=(stem(file.place),))
    return table.Table(keys={**read.keys, str(request.file_column): column}, scores=read.scores)


def _read_file(connection: Any, file: TableFile, request: Request, work: Path) -> table.Table:
    with one_line(file.place):
        if file.kind == "arrow":
            dataset = open_dataset(file)
            check_columns(request.columns, dataset.schema.names, f"{file.place!r}")
            return read_frame(dataset.to_table(columns=list(request.columns)), request)
        if file.kind in IN_MEMORY:
            return IN_MEMORY[file.kind](file, request)
        opened = open_file(connection, file, work, request)
        query = f"SELECT {select_list(opened, request)} FROM {opened.source}"  # noqa: S608
        columns = connection.execute(query).fetchnumpy()
        opened.check_rows(next(iter(columns.values())).size)
    return table.Table(
        keys={name: table.key_column(columns[f"k{i}"]) for i, name in enumerate(request.keys)},
        scores={
            name: table.score_column(columns[f"s{i}"], columns.get(f"u{i}"))
            for i, name in enumerate(request.scores)
        },
    )


def read_names(file: TableFile, separator: str | None, work: Path) -> tuple[str, ...]:
    """Return the names of the columns of a file, and little else is read."""
    with one_line(file.place), connect_duckdb() as connection:
        if file.kind == "arrow":
            return tuple(open_dataset(file).schema.names)
        if file.kind in WHOLE_COLUMNS:
            return tuple(WHOLE_COLUMNS[file.kind](file))
        if file.kind == "anndata":
            with open_anndata(file.path) as data:
                return tuple(map(str, data.obs.columns))
        if file.kind == "parquet":
            return _open_parquet(connection, file).names
        if is_gzip(file.path):
            return open_text(file, work, separator).names
        delimiters = csv_files.delimiters_of(file.name, separator)
        return csv_files.read_header(file.path, file.place, delimiters)[0]


def open_file(
    connection: Any, file: TableFile, work: Path, request: Request | None = None
) -> Opened:
    """Return the columns of a file that DuckDB reads; refuse it if one of the request is missing.

    A compressed file is unpacked into ``work``: its checksum is verified, and what is counted are
    the bytes that are read.
    """
    wanted, separator = (request.columns, request.separator) if request else ((), None)
    is_text = file.kind == "text"
    opened = open_text(file, work, separator) if is_text else _open_parquet(connection, file)
    check_columns(wanted, opened.names, f"{file.place!r}")
    return opened


def merge_opened(several: Sequence[Opened]) -> list[Opened]:
    """Merge files that have the same columns."""
    merged: dict[Opened, list[OpenedFile]] = {}
    for opened in several:
        merged.setdefault(replace(opened, files=()), []).extend(opened.files)
    return [replace(opened, files=tuple(files)) for opened, files in merged.items()]


def select_list(opened: Opened, request: Request) -> str:
    """Select keys as k0, k1, ..., scores as s0, ... and texts that are not numbers as u0, ..."""
    where = {name: position for position, name in enumerate(opened.names)}
    if request.file_column is not None:
        check_columns([], [*opened.names, request.file_column], f"{opened.place!r}")
    picked = [
        f"{quote_text(stem(opened.place))} AS k{i}"
        if name == request.file_column
        else _pick_key(opened, where[name], f"k{i}")
        for i, name in enumerate(request.keys)
    ]
    picked += [
        _pick_score(opened, where[name], i, request.decimal)
        for i, name in enumerate(request.scores)
    ]
    return ", ".join(picked)


def _pick_key(opened: Opened, position: int, alias: str) -> str:
    column, kind = quote_name(opened.aliases[position]), opened.types[position]
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
        table.refuse_nested(opened.names[position])
    if kind == "INTERVAL":
        table.refuse_duration(opened.names[position])
    if kind == HALF:
        # Floats of 16 bits arrive as floats of 32 bits, so their smaller limit is checked here.
        large = f"abs({column}) >= 2048 AND NOT isnan({column})"
        return f"CASE WHEN {large} THEN 'infinity'::FLOAT ELSE {column} END AS {alias}"
    if kind == MOMENT:
        # Not as text, which depends on the time zone of the machine.
        return f"make_timestamp(epoch_us({column})) AS {alias}"
    if kind in NUMBERS - TOO_WIDE or kind.startswith("TIMESTAMP"):
        return f"{column} AS {alias}"
    return f"{f'decode({column})' if kind == 'BLOB' else f'{column}::VARCHAR'} AS {alias}"


def _pick_score(opened: Opened, position: int, index: int, decimal: str) -> str:
    """Select a score as a number and, in columns of text, the texts that are not numbers."""
    column, kind = quote_name(opened.aliases[position]), opened.types[position]
    if kind in NUMBERS | {HALF} or kind.startswith("DECIMAL"):
        return f"{column}::DOUBLE AS s{index}"
    # DuckDB would read 1_0 as 10, and +-3 as -3.
    number_like = f"NOT contains({column}, '_') AND NOT contains({column}, '+-')"
    plain = f"CASE WHEN {number_like} THEN {column} END"
    if decimal == ",":
        # A point would be a separator of thousands, or another decimal sign.
        number_like += f" AND NOT contains({column}, '.')"
        plain = f"replace(CASE WHEN {number_like} THEN {column} END, ',', '.')"
    number = f"TRY_CAST({plain} AS DOUBLE)" if kind == "VARCHAR" else "NULL::DOUBLE"
    gaps = ", ".join(map(quote_text, sorted(table.NO_SCORE)))
    is_text = f"{number} IS NULL AND lower(trim({column}::VARCHAR, '{BLANKS}')) NOT IN ({gaps})"
    return f"{number} AS s{index}, CASE WHEN {is_text} THEN {column}::VARCHAR END AS u{index}"


# One function per format -----------------------------------------------------------------


def open_text(file: TableFile, work: Path, separator: str | None = None) -> Opened:
    """Return the columns of a text file, and how many records it has."""
    path = Path(file.absolute)
    if is_gzip(path):
        path = work / f"unpacked-{secrets.token_hex(8)}"
        unpack(file.path, path)
    header = partial(csv_files.read_header, path, file.place)
    names, delimiter = header(csv_files.delimiters_of(file.name, separator))
    if separator and len(names) == 1 and len(header(csv_files.DELIMITERS)[0]) > 1:
        raise BadTable(
            f"the first line of {file.place!r} is not separated by {separator!r}. Leave out "
            f"{argument('delimiter')}, or state another one."
        )
    records = count_records(path, delimiter, file.place)
    aliases = tuple(f"c{position}" for position in range(len(names)))
    columns = ", ".join(f"'{alias}': 'VARCHAR'" for alias in aliases)
    # Nothing is left to detection, so a cell cannot change how others are read.
    reader = (
        f"read_csv(FILES, auto_detect=false, header=true, delim='{delimiter}', quote='\"', "
        f"escape='\"', nullstr='', compression='none', buffer_size={csv_files.CSV_BUFFER}, "
        f"new_line='{records.ends.encode('unicode_escape').decode()}', columns={{{columns}}})"
    )
    types = ("VARCHAR",) * len(names)
    opened = OpenedFile(file.place, str(path), records.rows(len(names)))
    return Opened(names=names, aliases=aliases, types=types, reader=reader, files=(opened,))


def _open_parquet(connection: Any, file: TableFile) -> Opened:
    hive = str(file.hive).lower()
    reader = f"read_parquet(FILES, hive_partitioning={hive}, hive_types_autocast=false)"
    files = (OpenedFile(file.place, file.absolute),)
    opened = Opened(names=(), aliases=(), types=(), reader=reader, files=files)
    described = connection.execute(f"DESCRIBE FROM {opened.source}").fetchall()
    # DuckDB renames columns that only differ in case; the schema has the original names.
    own = _parquet_columns(connection, file)
    aliases = tuple(row[0] for row in described)
    names = (*(name for name, _ in own), *aliases[len(own) :])
    halves = [half for _, half in own] + [False] * (len(aliases) - len(own))
    types = (HALF if half else row[1] for row, half in zip(described, halves, strict=True))
    return replace(opened, names=names, aliases=aliases, types=tuple(types))


def _parquet_columns(connection: Any, file: TableFile) -> list[tuple[str, bool]]:
    """Return the names of the columns, and whether they hold floats of 16 bits."""
    query = "SELECT name, coalesce(num_children, 0), logical_type FROM parquet_schema(?)"
    _root, *nodes = connection.execute(query, [glob.escape(file.absolute)]).fetchall()
    names, inside = [], 0
    for name, n_children, kind in nodes:
        names += [] if inside else [(name, str(kind).casefold().startswith("float16"))]
        inside += n_children - (1 if inside else 0)
    return names


def count_rows(files: Sequence[TableFile]) -> list[int]:
    """Return how many rows each of some local Parquet files has, by its metadata."""
    if not files:
        return []
    query, counts = "SELECT num_rows FROM parquet_file_metadata(?)", []
    with connect_duckdb() as connection:
        for file in files:
            with one_line(file.place):
                rows = connection.execute(query, [glob.escape(file.absolute)]).fetchall()
                counts.append(int(rows[0][0]))
    return counts


@contextmanager
def one_line(place: str) -> Iterator[None]:
    """Turn errors of DuckDB, pyarrow or the system into one line; other lines may show cells."""
    try:
        yield
    except UnicodeDecodeError:
        raise BadTable(f"{place!r} is not UTF-8 text. Save it as UTF-8.") from None
    except load_duckdb().OutOfMemoryException:
        msg = f"{place!r} needs more memory than is allowed. Allow more with {argument('memory')}."
        raise BadTable(msg) from None
    except (OSError, EOFError, zlib.error, load_duckdb().Error, *arrow_errors()) as error:
        text = str(error).strip().replace(TableFile(place).absolute, place)
        reason = csv_files.csv_reason(text) or _printable(
            text.partition("\n")[0].partition(" (b")[0].rstrip(".")
        )
        msg = f"{place!r} cannot be read: {reason}. Check the file, or write it again."
        raise BadTable(msg) from None


def _printable(text: str) -> str:
    """Return a text with ? for the characters that cannot be printed."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)

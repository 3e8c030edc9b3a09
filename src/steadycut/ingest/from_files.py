"""CSV, TSV and Parquet files -> raw columns, through DuckDB, only the columns that are needed."""

import csv
import glob
import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.errors import BadTable, MissingPackage
from steadycut.ingest.columns import check_columns
from steadycut.ingest.raw import (
    RawTable,
    ScoreColumn,
    key_column,
    score_column,
    stack,
    unreadable_texts,
)
from steadycut.ingest.request import Request

FileName = str | os.PathLike[str]
Query = tuple[str, list[object]]

DELIMITERS = ",;\t|"
GLOB_SIGNS = frozenset("*?[")
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = frozenset({"BOOLEAN", "FLOAT", "DOUBLE", *WHOLE, *(f"U{name}" for name in WHOLE)})
# Whole numbers that numpy would round to floats.
TOO_WIDE = frozenset({"HUGEINT", "UHUGEINT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A file whose columns are known: ``names`` in it, ``aliases`` and ``types`` in DuckDB."""

    names: tuple[str, ...]
    aliases: tuple[str, ...]
    types: tuple[str, ...]
    source: Query


def read_files(paths: FileName | Sequence[FileName], request: Request) -> RawTable:
    """Return the needed columns of one or several files, as one table.

    Parameters
    ----------
    paths
        A path, several, or a pattern such as ``"scores/*.parquet"``. Endings: see `ENDINGS`.
    request
        Which columns are needed. Every file must have them all.

    Notes
    -----
    CSV cells are read as text and only scores become numbers, so that an identifier such as
    001 stays as it is. The separator of a CSV file is the one of ``, ; tab |`` that splits
    its header into the most columns.
    """
    files = find_files(paths)
    openers = [_opener(file) for file in files]
    connection = _duckdb().connect(":memory:")
    try:
        both = zip(files, openers, strict=True)
        return stack([_read_file(connection, file, opener, request) for file, opener in both])
    finally:
        connection.close()


def find_files(paths: FileName | Sequence[FileName]) -> list[Path]:
    """Return every file that is meant, patterns spelled out, in the order of their names.

    Examples
    --------
    >>> find_files("nowhere/*.csv")
    Traceback (most recent call last):
        ...
    steadycut.errors.BadTable: no file matches 'nowhere/*.csv'. Check the pattern and the folder.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not several:
        msg = "at least one file must be given; got none."
        raise BadTable(msg)
    return [file for path in several for file in _expand(_path_text(path))]


def _path_text(path: Any) -> str:
    if not isinstance(path, str | os.PathLike):
        msg = f"several tables must all be paths; got an object of type {type(path).__name__!r}."
        raise BadTable(msg)
    return str(os.fspath(path))


def _expand(path: str) -> list[Path]:
    if os.path.isfile(path):  # noqa: PTH113
        return [Path(path)]
    if os.path.isdir(path):  # noqa: PTH112
        msg = f"{path!r} is a folder. Name its files, such as '{path.rstrip('/')}/*.parquet'."
        raise BadTable(msg)
    if not GLOB_SIGNS & set(path):
        msg = f"there is no file {path!r}. Check the path."
        raise BadTable(msg)
    return _match(path)


def _match(pattern: str) -> list[Path]:
    found = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207
    files = [path for path in found if path.is_file()]
    if not files:
        msg = f"no file matches {pattern!r}. Check the pattern and the folder."
        raise BadTable(msg)
    return files


def _opener(file: Path) -> Callable[[Any, Path], Opened]:
    name = file.name.casefold()
    for ending, opener in ENDINGS.items():
        if name.endswith(ending):
            return opener
    msg = f"a table must end in one of {', '.join(ENDINGS)}; got {str(file)!r}. Convert it first."
    raise BadTable(msg)


def _read_file(
    connection: Any, file: Path, opener: Callable[[Any, Path], Opened], request: Request
) -> RawTable:
    with _one_line(file):
        opened = opener(connection, file)
        check_columns(request.columns, opened.names, f"{str(file)!r}")
        columns = _fetch(connection, opened, request)
    return RawTable(
        keys={name: key_column(columns[f"k{i}"]) for i, name in enumerate(request.keys)},
        scores={name: _scores(columns, i) for i, name in enumerate(request.scores)},
    )


def _fetch(connection: Any, opened: Opened, request: Request) -> dict[str, Any]:
    where = {name: position for position, name in enumerate(opened.names)}
    picked = [_pick_key(opened, where[name], f"k{i}") for i, name in enumerate(request.keys)]
    picked += [_pick_score(opened, where[name], i) for i, name in enumerate(request.scores)]
    source, parameters = opened.source
    query = f"SELECT {', '.join(picked)} FROM {source}"  # noqa: S608
    fetched: dict[str, Any] = connection.execute(query, parameters).fetchnumpy()
    return fetched


def _pick_key(opened: Opened, position: int, alias: str) -> str:
    column = _quote(opened.aliases[position])
    as_it_is = opened.types[position] in NUMBERS - TOO_WIDE
    return f"{column if as_it_is else f'{column}::VARCHAR'} AS {alias}"


def _pick_score(opened: Opened, position: int, index: int) -> str:
    """Select a score as a number and, for texts, beside it what is not one."""
    column = _quote(opened.aliases[position])
    number = f"TRY_CAST({column} AS DOUBLE)"
    if opened.types[position] != "VARCHAR":
        return f"{number if _is_number(opened.types[position]) else column} AS s{index}"
    unreadable = f"CASE WHEN {number} IS NULL THEN {column} END AS u{index}"
    return f"{number} AS s{index}, {unreadable}"


def _scores(columns: dict[str, Any], index: int) -> ScoreColumn:
    column = score_column(columns[f"s{index}"])
    if f"u{index}" not in columns:
        return column
    texts = columns[f"u{index}"]
    rows = np.flatnonzero(~np.ma.getmaskarray(texts))
    found = zip(rows.tolist(), np.ma.getdata(texts)[rows].tolist(), strict=True)
    return ScoreColumn(values=column.values, unreadable=unreadable_texts(found))


def _is_number(duckdb_type: str) -> bool:
    return duckdb_type in NUMBERS or duckdb_type.startswith("DECIMAL")


# One function a format -------------------------------------------------------------------


def _open_text(file: Path, delimiters: str) -> Opened:
    names, delimiter = _header(file, delimiters)
    aliases = tuple(f"c{position}" for position in range(len(names)))
    columns = ", ".join(f"'{alias}': 'VARCHAR'" for alias in aliases)
    compression = "gzip" if _is_gzip(file) else "none"
    # Nothing is left to detection, so that a cell cannot change how others are read.
    source = (
        f"read_csv(?, auto_detect=false, header=true, delim=?, quote='\"', escape='\"', "
        f"nullstr='', compression='{compression}', columns={{{columns}}})"
    )
    types = ("VARCHAR",) * len(names)
    parameters: list[object] = [glob.escape(str(file)), delimiter]
    return Opened(names=names, aliases=aliases, types=types, source=(source, parameters))


def _open_csv(_connection: Any, file: Path) -> Opened:
    return _open_text(file, DELIMITERS)


def _open_tsv(_connection: Any, file: Path) -> Opened:
    return _open_text(file, "\t")


def _open_parquet(connection: Any, file: Path) -> Opened:
    parameters: list[object] = [glob.escape(str(file))]
    described = connection.execute("DESCRIBE FROM read_parquet(?)", parameters).fetchall()
    # DuckDB renames columns that differ in case only; the file's own names are in its schema.
    return Opened(
        names=_parquet_names(connection, parameters),
        aliases=tuple(row[0] for row in described),
        types=tuple(row[1] for row in described),
        source=("read_parquet(?)", parameters),
    )


def _parquet_names(connection: Any, parameters: list[object]) -> tuple[str, ...]:
    query = "SELECT name, coalesce(num_children, 0) FROM parquet_schema(?)"
    _root, *nodes = connection.execute(query, parameters).fetchall()
    names, inside = [], 0
    for name, n_children in nodes:
        names += [] if inside else [name]
        inside += n_children - (1 if inside else 0)
    return tuple(names)


ENDINGS: dict[str, Callable[[Any, Path], Opened]] = {
    ".csv": _open_csv,
    ".csv.gz": _open_csv,
    ".tsv": _open_tsv,
    ".tsv.gz": _open_tsv,
    ".parquet": _open_parquet,
}


def _header(file: Path, delimiters: str) -> tuple[tuple[str, ...], str]:
    """Return the column names of a text file and the separator that gives the most of them."""
    rows = [(_first_row(file, delimiter), delimiter) for delimiter in delimiters]
    names, delimiter = max(rows, key=lambda row: len(row[0]))
    if not any(name.strip() for name in names):
        msg = f"{str(file)!r} is empty or its first line is. Its first line must name the columns."
        raise BadTable(msg)
    return tuple(names), delimiter


def _first_row(file: Path, delimiter: str) -> list[str]:
    opener: Any = gzip.open if _is_gzip(file) else open
    with opener(file, "rt", encoding="utf-8-sig", newline="") as lines:
        return next(csv.reader(lines, delimiter=delimiter), [])


def _is_gzip(file: Path) -> bool:
    return file.name.casefold().endswith(".gz")


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _one_line(file: Path) -> Iterator[None]:
    """Say in one line what an engine or the system says in many; later lines quote cells."""
    try:
        yield
    except UnicodeDecodeError:
        msg = f"{str(file)!r} is not UTF-8 text. Save it as UTF-8."
        raise BadTable(msg) from None
    except (OSError, EOFError, csv.Error, zlib.error, _duckdb().Error) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        msg = f"{str(file)!r} cannot be read: {reason}. Check the file, or write it again."
        raise BadTable(msg) from None


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        msg = 'Reading files requires duckdb. Install it with pip install "steadycut[duckdb]".'
        raise MissingPackage(msg) from None
    return duckdb

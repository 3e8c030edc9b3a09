"""DuckDB, and the Parquet files that it writes and reads here, without pyarrow."""

import glob
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.io.files import open_plain, work_folder, write_atomically
from steadycut.io.packages import optional_package

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTE = "steadycut"


def load_duckdb() -> Any:
    """Return duckdb, or say how to install it."""
    with optional_package("Reading files", "duckdb", "duckdb"):
        import duckdb
    return duckdb


def connect_duckdb(**settings: Any) -> Any:
    """Return a database in memory that never reaches for the network."""
    never = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return load_duckdb().connect(":memory:", config={**settings, **never})


def quote_name(name: str) -> str:
    """Return the name of a column with the quotes of SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return a text with the quotes of SQL."""
    return "'" + text.replace("'", "''") + "'"


def write_parquet(path: Path, columns: Mapping[str, Any], note: Mapping[str, Any]) -> None:
    """Write columns (arrays of numbers; or texts and None) and a note of plain data."""
    write_atomically(path, parquet_bytes(columns, note))


def parquet_bytes(columns: Mapping[str, Any], note: Mapping[str, Any] | None = None) -> bytes:
    """Return columns, and a note if there is one, as a Parquet file."""
    with connect_duckdb() as connection, work_folder() as work:
        copy_columns(connection, columns, work / "table.parquet", note)
        return (work / "table.parquet").read_bytes()


def copy_columns(
    connection: Any, columns: Mapping[str, Any], target: Path, note: Mapping[str, Any] | None = None
) -> None:
    """Write columns to a new Parquet file."""
    given: dict[str, NDArray[Any]] = {}
    picked = []
    for i, (name, values) in enumerate(columns.items()):
        if isinstance(values, np.ndarray) and values.dtype.kind not in "OU":
            # DuckDB takes NaN in an array as missing.
            is_float = values.dtype.kind == "f"
            given[f"c{i}"], cell = values, f"coalesce(c{i}, 'nan')" if is_float else f"c{i}"
        else:
            # Older versions of DuckDB need pandas if the first texts of a column are missing.
            texts = ["" if text is None else str(text) for text in values]
            given[f"n{i}"] = np.array([text is None for text in values], dtype=bool)
            given[f"c{i}"] = np.array([*texts, None], dtype=object)[:-1]
            cell = f"CASE WHEN NOT n{i} THEN c{i}::VARCHAR END"
        picked.append(f"{cell} AS {quote_name(name)}")
    kept = f", KV_METADATA {{{NOTE}: {quote_text(json.dumps(note, sort_keys=True))}}}"
    connection.register("given", given)
    connection.execute(
        f"COPY (SELECT {', '.join(picked)} FROM given) "  # noqa: S608
        f"TO {quote_text(str(target))} (FORMAT parquet{'' if note is None else kept})"
    )
    connection.unregister("given")


def read_note(path: Path) -> dict[str, Any] | None:
    """Return the note of a Parquet file; None if there is no such file or it has no note."""
    query = f"SELECT value FROM parquet_kv_metadata(?) WHERE key = '{NOTE}'"  # noqa: S608
    try:
        return dict(json.loads(_query(path, query)[0][0]))
    except (OSError, IndexError, ValueError):
        return None


def first_row(path: Path) -> dict[str, Any] | None:
    """Return the first row of a Parquet file, if it has one; an OSError says why it has none."""
    names = [row[0] for row in _query(path, "DESCRIBE FROM read_parquet(?)")]
    rows = _query(path, "FROM read_parquet(?) LIMIT 1")
    return dict(zip(names, rows[0], strict=True)) if rows else None


def _query(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what DuckDB finds in a regular file, or raise an OSError with the reason."""
    duckdb = load_duckdb()
    with open_plain(path), connect_duckdb() as connection:
        try:
            rows: list[tuple[Any, ...]] = connection.execute(
                query, [glob.escape(str(path.absolute()))]
            ).fetchall()
        except duckdb.Error as error:
            raise OSError(None, str(error).partition("\n")[0]) from None
    return rows

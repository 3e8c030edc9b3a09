"""Parquet files that are written whole or not at all, and carry a note on how they were made."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadycut.io.files import open_plain, write_atomically
from steadycut.io.packages import optional_package

NOTE = b"steadycut"


def write_parquet(path: Path, columns: Mapping[str, Any], note: Mapping[str, Any]) -> None:
    """Write columns (arrays, or lists of texts and None) and a note of plain data."""
    arrow, parquet = _pyarrow()
    table = arrow.table({name: _typed(arrow, values) for name, values in columns.items()})
    sink = arrow.BufferOutputStream()
    parquet.write_table(
        table.replace_schema_metadata({NOTE: json.dumps(note, sort_keys=True).encode()}), sink
    )
    write_atomically(path, sink.getvalue().to_pybytes())


def read_note(path: Path) -> dict[str, Any] | None:
    """Return the note of a Parquet file; None if there is no such file or it has no note."""
    arrow, parquet = _pyarrow()
    try:
        with open_plain(path) as file:
            found = parquet.read_schema(file).metadata or {}
        return dict(json.loads(found[NOTE]))
    except (OSError, KeyError, ValueError, arrow.ArrowException):
        return None


def read_parquet(path: Path) -> dict[str, Any]:
    """Return the columns of a Parquet file as arrays."""
    _, parquet = _pyarrow()
    # Read as a single file: otherwise pyarrow takes folder names such as a=1 as columns.
    with open_plain(path) as file:
        table = parquet.ParquetFile(file).read()
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}


def _typed(arrow: Any, values: Any) -> Any:
    return arrow.array(values, arrow.string()) if isinstance(values, list) else arrow.array(values)


def _pyarrow() -> tuple[Any, Any]:
    with optional_package("Writing Parquet files", "pyarrow", "frames"):
        import pyarrow as pa
        from pyarrow import parquet
    return pa, parquet

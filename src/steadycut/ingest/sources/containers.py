"""Files that hold named columns: arrays, JSON, stores of annotations, and statistics packages."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any

import numpy as np

from steadycut.errors import BadTable, SteadycutError
from steadycut.ingest.sources.archives import open_zip
from steadycut.ingest.sources.find import TableFile
from steadycut.io.packages import optional_package

Columns = dict[str, Any]
# How pyreadstat reads each kind. Values are those that are stored, not the labels of values.
STATISTICS = ("sav", "dta", "sas7bdat", "xport")
# An array with more columns has no scores: they are features.
MOST_WIDE = 100


def container_columns(file: TableFile) -> Columns:
    """Return all columns of a container, by name; the columns of an array are ``NAME:0``, ..."""
    try:
        return READERS[str(file.kind)](file)
    except (SteadycutError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (each library has its own errors)
        # Its text may quote a cell.
        reason = f"{type(error).__name__}: it is damaged, or no table is in it"
        msg = f"{file.place!r} cannot be read ({reason}). Write it again, or save it as CSV."
        raise BadTable(msg) from None


def _flat(arrays: Iterable[tuple[str, Any]]) -> Columns:
    columns: Columns = {}
    for name, array in arrays:
        if array.ndim == 1:
            columns[name] = np.asarray(array)
        elif array.ndim == 2 and array.shape[1] <= MOST_WIDE:  # noqa: PLR2004
            columns |= {f"{name}:{at}": part for at, part in enumerate(np.asarray(array).T)}
    return columns


def _npz(file: TableFile) -> Columns:
    with (
        open_zip(file.path, file.place, "save it as CSV"),
        np.load(file.path, allow_pickle=False) as opened,
    ):
        return _flat((name, opened[name]) for name in opened.files)


def _zarr(file: TableFile) -> Columns:
    with optional_package("Reading .zarr", "zarr", "anndata"):
        import zarr
    return _flat(zarr.open_group(file.absolute, mode="r").arrays())


def _json(file: TableFile) -> Columns:
    """Read JSON lines, a list of records, a record of lists, or GeoJSON, such as QuPath's."""
    text = file.path.read_text("utf-8-sig")
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        content = [json.loads(line) for line in text.split("\n") if line.strip()]
    if isinstance(content, Mapping):
        if "features" not in content:
            lists = all(isinstance(column, list) for column in content.values())
            return dict(content) if lists else _columns([content])
        content = [feature["properties"] for feature in content["features"]]
    return _columns(content)


def _annotations(file: TableFile) -> Columns:
    """Read the properties of annotations, as TIAToolbox stores them in SQLite."""
    with closing(sqlite3.connect(file.absolute)) as store:
        rows = store.execute("SELECT properties FROM annotations ORDER BY rowid").fetchall()
    return _columns([json.loads(row[0]) for row in rows])


def _columns(records: Iterable[Mapping[str, Any]]) -> Columns:
    rows = [dict(_named("", record)) for record in records]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _named(before: str, record: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Yield what a record has; measurements by their names, other records as ``name.part``."""
    for name, value in record.items():
        if name == "measurements":
            pairs = value.items() if isinstance(value, Mapping) else map(dict.values, value)
            yield from ((str(key), number) for key, number in pairs)
        elif isinstance(value, Mapping):
            yield from _named(f"{before}{name}.", value)
        else:
            yield f"{before}{name}", value


def _statistics(file: TableFile) -> Columns:
    with optional_package("Reading files of SPSS, Stata and SAS", "pyreadstat", "stats"):
        import pyreadstat
    read = getattr(pyreadstat, f"read_{file.kind}")
    return dict(read(file.absolute, output_format="dict")[0])


READERS: dict[str, Callable[[TableFile], Columns]] = {
    "arrays": _npz,
    "zarr": _zarr,
    "json": _json,
    "annotations": _annotations,
    **dict.fromkeys(STATISTICS, _statistics),
}

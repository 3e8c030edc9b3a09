"""What kind of source it is, and which module reads it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.ingest.request import Request
from steadycut.ingest.sources.anndata import is_anndata, read_anndata
from steadycut.ingest.sources.files import read_files, read_names
from steadycut.ingest.sources.find import find_files
from steadycut.ingest.sources.frames import read_arrays, read_frame, wrap_frame
from steadycut.ingest.table import Table

# A frame of so many rows is read in less time than DuckDB needs to start.
SMALL_FRAME = 200_000


def read_table(source: Any, request: Request) -> Table:
    """Return the needed columns of any source, in memory."""
    if is_paths(source):
        return read_files(source, request)
    if isinstance(source, np.ndarray) and source.dtype.names is not None:
        return read_arrays({name: source[name] for name in source.dtype.names}, request)
    if isinstance(source, Mapping):
        return read_arrays(source, request)
    if is_anndata(source):
        return read_anndata(source, request)
    return read_frame(source.scanner().to_table() if is_dataset(source) else source, request)


def names_of(source: Any, separator: str | None, work: Path) -> tuple[str, ...]:
    """Return the names of the columns of any source; of several files those of the first one."""
    if is_paths(source):
        return read_names(find_files(source)[0], separator, work)
    if isinstance(source, np.ndarray) and source.dtype.names is not None:
        return source.dtype.names
    if isinstance(source, Mapping):
        return tuple(map(str, source))
    if is_anndata(source):
        return tuple(map(str, source.obs.columns))
    if is_dataset(source):
        return tuple(source.schema.names)
    return tuple(wrap_frame(source).collect_schema().names())


def is_paths(source: Any) -> bool:
    """Whether a source is a path or several paths."""
    return isinstance(source, str | os.PathLike | list | tuple)


def is_dataset(source: Any) -> bool:
    """Whether a source is a pyarrow dataset: files that are not read yet."""
    return type(source).__module__.startswith("pyarrow") and hasattr(source, "scanner")


def lazy_frame(source: Any) -> Any | None:
    """Return a frame that need not be held as Python objects, wrapped by narwhals, or None.

    It is not computed yet, or it is a large one of polars, and none of its columns has objects.
    """
    if isinstance(source, Mapping | np.ndarray) or is_anndata(source):
        return None
    frame = wrap_frame(source)
    if not hasattr(frame, "collect"):
        if not frame.implementation.is_polars() or len(frame) <= SMALL_FRAME:
            return None
        frame = frame.lazy()
    return None if "Object" in map(str, frame.collect_schema().values()) else frame

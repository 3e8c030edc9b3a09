"""Frames of any library, and dicts of arrays, as a table."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import check_same_order
from steadycut.errors import BadTable, MissingPackage
from steadycut.ingest.column_names import check_columns
from steadycut.ingest.request import Request
from steadycut.ingest.table import Table, key_column, moment, refuse_nested, score_column
from steadycut.io.packages import optional_package


def read_frame(frame: Any, request: Request) -> Table:
    """Return the needed columns of a frame: pandas, polars (lazy as well), Arrow, DuckDB, ...

    Parameters
    ----------
    frame
        Anything that narwhals reads. Of a lazy frame only the needed columns are computed.
    request
        Which columns are needed.
    """
    table = wrap_frame(frame)
    check_columns(request.columns, list(table.collect_schema().names()))
    picked = table.select(*request.columns)
    eager = picked.collect() if hasattr(picked, "collect") else picked
    return _table({name: _column(name, eager[name]) for name in request.columns}, request)


def read_arrays(arrays: Mapping[str, Any], request: Request) -> Table:
    """Return the needed columns of a dict of arrays or lists, one entry per row.

    Examples
    --------
    >>> table = read_arrays({"id": [1, 2], "s": [0.5, 0.7]}, Request(patient="id", scores=("s",)))
    >>> table.keys["id"].texts, table.scores["s"].values
    (('1', '2'), array([0.5, 0.7]))
    """
    check_columns(request.columns, [str(name) for name in arrays])
    check_same_order({name: arrays[name] for name in request.columns})
    columns = {name: _one_dimension(name, arrays[name]) for name in request.columns}
    lengths = {name: column.size for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise BadTable(f"all columns must have one entry per row; got lengths {listed}.")
    return _table(columns, request)


def _table(columns: Mapping[str, NDArray[Any]], request: Request) -> Table:
    return Table(
        keys={name: key_column(columns[name]) for name in request.keys if name in columns},
        scores={
            name: score_column(columns[name], decimal=request.decimal) for name in request.scores
        },
    )


def _column(name: str, series: Any) -> NDArray[Any]:
    """Return a column with its missing values masked, however its library marks them."""
    try:
        missing = series.is_null().to_numpy()
        values = _values(series, any_missing=bool(missing.any()))
    except MissingPackage:
        raise
    except Exception as error:  # noqa: BLE001 (each library has its own errors)
        # Its text may quote a cell.
        kind = type(error).__name__
        msg = f"column {name!r} cannot be read ({kind}). Turn it into texts or plain numbers."
        raise BadTable(msg) from None
    if values.ndim != 1:
        refuse_nested(name)
    return np.ma.masked_array(values, mask=missing)


def _values(series: Any, *, any_missing: bool) -> NDArray[Any]:
    """Return the values of a column, unchanged.

    numpy has no whole numbers with gaps: they would become floats, and two large identifiers could
    become equal. It has no integers of 128 bits, and it would cut off NUL at the end of texts.
    """
    narwhals = _narwhals()
    kind = series.dtype
    if kind in {narwhals.Int128, narwhals.UInt128}:
        return _values(series.cast(narwhals.String), any_missing=any_missing)
    if kind == narwhals.Time:
        # As objects, times would lose their nanoseconds.
        with optional_package("A column of times", "pyarrow", "arrow"):
            import pyarrow  # noqa: F401, ICN001
        texts = series.to_arrow().cast("string").to_pylist()
        return np.array([text and moment(text) for text in texts], dtype=object)
    if kind == narwhals.String:
        return np.array([*series.to_list(), None], dtype=object)[:-1]
    if any_missing and kind.is_integer():
        return np.asarray(series.fill_null(0).to_numpy())
    return np.asarray(series.to_numpy())


def _one_dimension(name: str, values: Any) -> NDArray[Any]:
    # As objects: numpy would turn all entries of a mixed list into texts.
    mixed = object if isinstance(values, list | tuple) else None
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=mixed)
    if array.ndim != 1:
        raise BadTable(
            f"column {name!r} must be one-dimensional, one entry per row; got shape {array.shape}."
        )
    return array


def wrap_frame(frame: Any) -> Any:
    """Return a frame of any library, wrapped by narwhals."""
    narwhals = _narwhals()
    try:
        return narwhals.from_native(frame)
    except narwhals.exceptions.DuplicateError:
        names = frame.column_names if hasattr(frame, "column_names") else frame.columns
        check_columns((), [str(name) for name in names])
        raise
    except TypeError:
        raise BadTable(
            "a table must be a path, several paths, a dict of arrays or a frame (pandas, polars, "
            f"Arrow, DuckDB, ...); got an object of type {type(frame).__name__!r}."
        ) from None


def collected(source: Any) -> Any:
    """Return the table of an Arrow stream, which can be read only once; others as they are."""
    streams = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    if not streams or (hasattr(source, "columns") and type(source).__name__ != "RecordBatch"):
        return source
    with optional_package("Reading an Arrow stream", "pyarrow", "arrow"):
        import pyarrow  # noqa: ICN001
    # A column alone is no table; what reads tables says so.
    with suppress(TypeError, pyarrow.ArrowException):
        return pyarrow.table(source)
    return source


def _narwhals() -> Any:
    with optional_package("Reading a frame", "narwhals", "frames"):
        import narwhals
        import narwhals.exceptions
    return narwhals

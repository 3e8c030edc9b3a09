"""AnnData as a table: cells are rows, ``obs`` has the keys, and genes may be scores."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.errors import BadTable, MissingColumn, SteadycutError
from steadycut.ingest.column_names import check_columns
from steadycut.ingest.request import Request
from steadycut.ingest.sources.frames import read_arrays
from steadycut.ingest.table import Table
from steadycut.io.packages import optional_package

MATRIX, LAYER = GENES = "X:", "layer:"


def read_anndata(source: Any, request: Request) -> Table:
    """Return the needed columns of an AnnData object or an ``.h5ad`` file.

    A column is a column of ``obs``. A score may also be ``X:GENE`` (a gene of the matrix) or
    ``layer:NAME:GENE`` (a gene of a layer). Only these columns of a file, or of an object in
    backed mode, are read.
    """
    with open_anndata(source) as data:
        names = [str(name) for name in data.obs.columns]
        plain = [name for name in request.columns if name in names or not name.startswith(GENES)]
        check_columns(plain, names, "obs")
        columns = {name: _column(data, name, in_obs=name in plain) for name in request.columns}
    return read_arrays(columns, request)


def is_anndata(source: Any) -> bool:
    """Whether an object is an AnnData; the package anndata need not be installed."""
    return type(source).__name__ == "AnnData" and type(source).__module__.startswith("anndata")


def _column(data: Any, name: str, *, in_obs: bool) -> NDArray[Any]:
    if in_obs:
        values = data.obs[name]
        # As objects, all floats would have 64 bits.
        kind = values.to_numpy().dtype if getattr(values.dtype, "kind", "") == "f" else object
        return np.ma.masked_array(values.to_numpy(dtype=kind), mask=values.isna().to_numpy())
    return _gene(*_matrix(data, name), data, name)


def _matrix(data: Any, name: str) -> tuple[Any, str]:
    """Return the matrix of a score, and the gene."""
    if name.startswith(MATRIX):
        return data.X, name.removeprefix(MATRIX)
    layer, _, gene = name.removeprefix(LAYER).partition(":")
    check_columns([layer], [str(known) for known in data.layers], "the layers")
    return data.layers[layer], gene


def _gene(matrix: Any, gene: str, data: Any, name: str) -> NDArray[Any]:
    if gene not in data.var_names or matrix is None:
        msg = f"{name!r}: there is no gene {gene!r} in var_names. Check its spelling."
        raise MissingColumn(msg)
    places = np.flatnonzero(data.var_names == gene)
    if places.size > 1:
        msg = f"{name!r}: {places.size} genes have this name. Make the names in var_names differ."
        raise BadTable(msg)
    column = matrix[:, places]
    dense = column.toarray() if hasattr(column, "toarray") else np.asarray(column)
    return np.asarray(dense, dtype=np.float64).ravel()


@contextmanager
def open_anndata(source: Any) -> Iterator[Any]:
    """Yield an AnnData object, or open an ``.h5ad`` file without reading its matrix."""
    if not isinstance(source, Path):
        yield source
        return
    with optional_package("Reading .h5ad", "anndata", "anndata"):
        import anndata
    try:
        with warnings.catch_warnings():
            # Such as that names of genes are not unique; the genes that are used are checked.
            warnings.simplefilter("ignore")
            data = anndata.read_h5ad(source, backed="r")
        try:
            yield data
        finally:
            data.file.close()
    except (SteadycutError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (anything may be wrong in such a file)
        # The text of the error may hold identifiers.
        raise BadTable(
            f"{str(source)!r} cannot be read as AnnData ({type(error).__name__}): a part of it is "
            "missing or damaged. Write it again."
        ) from None

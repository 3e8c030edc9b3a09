"""Sources that are slow to scan are copied to a Parquet file in the work folder.

Text is parsed once, S3 is read once, and a lazy frame is run once; only the needed columns are
kept. No table is loaded into memory as a whole, unless it was in memory before.
"""

from pathlib import Path
from typing import Any

import numpy as np

from steadycut.ingest.request import Request
from steadycut.ingest.sources.files import Opened, quote_text, select_list
from steadycut.ingest.table import KeyColumn, Table


def stage_text(connection: Any, opened: Opened, request: Request, target: Path) -> None:
    """Copy text files."""
    picked = select_list(opened, request)
    connection.execute(
        f"COPY (SELECT {picked} FROM {opened.source}) "  # noqa: S608
        f"TO {quote_text(str(target))} (FORMAT parquet)"
    )


def stage_dataset(dataset: Any, request: Request, target: Path) -> None:
    """Copy the needed columns of a pyarrow dataset, batch by batch."""
    from pyarrow import parquet

    batches = dataset.scanner(columns=list(request.columns)).to_reader()
    with parquet.ParquetWriter(target, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def stage_lazy(frame: Any, request: Request, target: Path) -> None:
    """Run a lazy frame (narwhals) for the needed columns."""
    frame.select(*request.columns).sink_parquet(target)


def stage_table(table: Table, request: Request, target: Path) -> None:
    """Copy a table that is in memory, with the column names of `select_list`."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = {f"k{i}": _texts(table.keys[name]) for i, name in enumerate(request.keys)}
    for i, name in enumerate(request.scores):
        column = table.scores[name]
        texts = np.full(column.values.size, None, dtype=object)
        texts[list(column.unreadable)] = list(column.unreadable.values())
        columns |= {f"s{i}": pa.array(column.values), f"u{i}": pa.array(texts, type=pa.string())}
    parquet.write_table(pa.table(columns), target)


def _texts(column: KeyColumn) -> Any:
    import pyarrow as pa

    indices = pa.array(column.codes, mask=column.codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(column.texts, type=pa.string()))

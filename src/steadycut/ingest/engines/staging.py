"""Sources that cannot be scanned twice at little cost -> a Parquet file in the work folder.

Text is parsed once, S3 is read once, and a lazy frame is run once; only the needed columns are
kept. Nothing is ever whole in memory, except what was so before.
"""

from pathlib import Path
from typing import Any

import numpy as np

from steadycut.ingest.raw import KeyColumn, RawTable
from steadycut.ingest.request import Request
from steadycut.ingest.sources.files import Opened, quote_text, select_list


def stage_text(connection: Any, opened: Opened, request: Request, target: Path) -> None:
    """Parse text files once."""
    picked = select_list(opened, request)
    connection.execute(
        f"COPY (SELECT {picked} FROM {opened.source}) "  # noqa: S608
        f"TO {quote_text(str(target))} (FORMAT parquet)"
    )


def stage_dataset(dataset: Any, request: Request, target: Path) -> None:
    """Read the needed columns of a pyarrow dataset once, batch by batch."""
    from pyarrow import parquet

    batches = dataset.scanner(columns=list(request.columns)).to_reader()
    with parquet.ParquetWriter(target, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def stage_lazy(frame: Any, request: Request, target: Path) -> None:
    """Run a lazy frame (narwhals) once, for the needed columns."""
    frame.select(*request.columns).sink_parquet(target)


def stage_raw(raw: RawTable, request: Request, target: Path) -> None:
    """Write columns that are in memory, named as a `select_list` names them."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = {f"k{i}": _texts(raw.keys[name]) for i, name in enumerate(request.keys)}
    for i, name in enumerate(request.scores):
        column = raw.scores[name]
        texts = np.full(column.values.size, None, dtype=object)
        texts[list(column.unreadable)] = list(column.unreadable.values())
        columns |= {f"s{i}": pa.array(column.values), f"u{i}": pa.array(texts, type=pa.string())}
    parquet.write_table(pa.table(columns), target)


def _texts(column: KeyColumn) -> Any:
    import pyarrow as pa

    indices = pa.array(column.codes, mask=column.codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(column.texts, type=pa.string()))

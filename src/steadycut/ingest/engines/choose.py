"""Which engine reads a source, and how much memory it may use."""

import gzip
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from steadycut.core.checks import check_choice, refuse, shown
from steadycut.errors import BadOption, argument
from steadycut.ingest.engines.duckdb import DuckDBEngine
from steadycut.ingest.engines.engine import Engine
from steadycut.ingest.engines.memory import MemoryEngine
from steadycut.ingest.engines.spark import SparkEngine
from steadycut.ingest.engines.spark_tables import is_spark
from steadycut.ingest.request import Request
from steadycut.ingest.sources.dispatch import is_dataset, is_paths, lazy_frame
from steadycut.ingest.sources.files import count_rows, one_line
from steadycut.ingest.sources.find import TableFile, find_files
from steadycut.ingest.sources.records import is_gzip, unpacked_size

AUTO = "auto"
# Files of at most this many bytes are read in less time than DuckDB needs to start.
SMALL_FILES = 16 << 20
# A Parquet file of equal values holds any number of rows in a few bytes.
BYTES_PER_ROW = 4
# In memory a cell takes 40 to 60 bytes.
BYTES_PER_CELL = 50
LEAST_MEMORY = 256 << 20
MOST_MEMORY = 1 << 60
USUAL_MEMORY = 2 << 30
UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
UNITS |= {f"{unit}i": 1024.0**power for power, unit in enumerate("kmgt", start=1)}

SIZE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]i?|)b?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine: what it is good for, in a few words, and how to open it.

    ``open`` takes the request, the source, the memory in bytes and a work folder.
    """

    about: str
    open: Callable[[Request, Any, int, Path], Engine]


ENGINES = {
    "memory": Choice("numpy", lambda request, source, *_: MemoryEngine(request, source)),
    "duckdb": Choice("any size", DuckDBEngine),
    "spark": Choice("a cluster", lambda request, source, *_: SparkEngine(request, source)),
}


def open_engine(name: str, request: Request, source: Any, memory: int, work: Path) -> Engine:
    """Return the named engine.

    ``auto`` is DuckDB for large files and for frames that are not computed yet, and Spark for its
    own DataFrames.
    """
    if name == "memory" and is_paths(source):
        _check_fits(find_files(source), request, memory)
    return ENGINES[_best(source) if name == AUTO else name].open(request, source, memory, work)


def check_engine(name: str) -> None:
    """Refuse an engine that does not exist.

    Examples
    --------
    >>> check_engine("abacus")
    Traceback (most recent call last):
        ...
    steadycut.errors.BadOption: engine must be one of auto, memory, duckdb, spark; got
    'abacus'.
    """
    check_choice("engine", name, (AUTO, *ENGINES))


def parse_memory(size: str | int | None) -> int:
    """Return a size such as ``"1.5GB"`` or ``"800 MiB"`` in bytes; by default 2 GiB.

    Examples
    --------
    >>> parse_memory("1.5GB"), parse_memory("512 MiB")
    (1500000000, 536870912)
    """
    if size is None:
        return USUAL_MEMORY
    parts = SIZE.fullmatch(size.casefold() if isinstance(size, str) else shown(size))
    n_bytes = float(parts[1]) * UNITS[parts[2]] if parts else 0.0
    if not LEAST_MEMORY <= n_bytes <= MOST_MEMORY:
        refuse("memory", "be a size of at least 256MiB, such as 800MB or 2GiB", size)
    return int(n_bytes)


def _best(source: Any) -> str:
    if is_spark(source):
        return "spark"
    if is_dataset(source):
        return "duckdb"
    if is_paths(source):
        files = find_files(source)
        remote = any(file.is_remote for file in files)
        return "duckdb" if remote or _bytes_of(files) > SMALL_FILES else "memory"
    return "memory" if lazy_frame(source) is None or find_spec("duckdb") is None else "duckdb"


def _bytes_of(files: Sequence[TableFile]) -> int:
    """Return how many bytes files hold; of a packed one no more than it takes to decide."""
    columnar = [file for file in files if file.kind == "parquet"]
    sizes = [
        max(file.path.stat().st_size, BYTES_PER_ROW * rows)
        for file, rows in zip(columnar, count_rows(columnar), strict=True)
    ]
    for file in files:
        if file.kind == "text" and is_gzip(file.path):
            with one_line(file.place):
                sizes.append(unpacked_size(file.path, SMALL_FILES + 1))
        elif file.kind != "parquet":
            sizes.append(file.path.stat().st_size)
    return sum(sizes)


def _check_fits(files: Sequence[TableFile], request: Request, memory: int) -> None:
    """Refuse files of which all rows together need more memory than is allowed."""
    rows = sum(_rows_of(file, memory) for file in files)
    needed = rows * BYTES_PER_CELL * len(request.columns)
    if needed > memory:
        raise BadOption(
            f"{argument('engine', 'memory')} holds all rows at once; these are about {rows:,} and "
            f"need about {needed >> 20:,} MiB, but {argument('memory')} allows {memory >> 20:,} "
            f"MiB. Name the column of patients and leave out {argument('engine')}, or allow more."
        )


def _rows_of(file: TableFile, most: int) -> int:
    """Estimate the number of rows in a file, from at most ``most`` bytes of it."""
    if file.kind == "parquet":
        return count_rows([file])[0]
    if file.kind != "text":
        return 0
    packed = is_gzip(file.path)
    with one_line(file.place), gzip.open(file.path) if packed else file.path.open("rb") as opened:
        first = opened.read(1 << 20)
        size = unpacked_size(file.path, most) if packed else file.path.stat().st_size
    lines = max(first.count(b"\n"), first.count(b"\r"), 1)
    return size * lines // max(len(first), 1)

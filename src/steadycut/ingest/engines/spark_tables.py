"""A source as a Spark DataFrame: a DataFrame itself, or files that Spark can read.

Spark interprets the paths: it expands patterns and folders, and its executors read ``hdfs://``,
``s3a://`` and the like.
"""

import os
from collections.abc import Sequence
from typing import Any

from steadycut.errors import BadOption, BadTable
from steadycut.ingest.engines.spark_session import spark_session, told_in_one_line
from steadycut.ingest.sources.csv_files import delimiters_of, split_header
from steadycut.ingest.sources.files import IN_MEMORY, open_text
from steadycut.ingest.sources.find import PLAIN, TableFile
from steadycut.ingest.sources.records import check_rows
from steadycut.io.files import work_folder

TEXT_ENDINGS = PLAIN


def is_spark(source: Any) -> bool:
    """Whether a source is a DataFrame of Spark or of Spark Connect."""
    return type(source).__module__.startswith("pyspark.sql.")


def spark_frame(source: Any, separator: str | None = None) -> Any:
    """Return a source as a DataFrame of Spark; ``separator`` is that of text, if it is stated."""
    if is_spark(source):
        return source
    several = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(several, list | tuple) or not several:
        raise BadOption(
            "the spark engine reads a DataFrame of Spark, a path or several paths; got an object "
            f"of type {type(source).__name__!r}."
        )
    paths = [str(os.fspath(path)) for path in several]
    if any(TableFile(path).kind in {*IN_MEMORY, "zip"} for path in paths):
        raise BadOption("the spark engine reads CSV, TSV and Parquet files. Leave out the engine.")
    endings = {_ending(path) for path in paths}
    if len(endings) > 1:
        raise BadOption(
            "the spark engine reads files of one kind at a time: CSV, TSV or Parquet; got several "
            "kinds. Write them as Parquet first."
        )
    with told_in_one_line():
        return _read(paths, endings.pop(), separator)


def check_text_rows(source: Any, rows: int, separator: str | None = None) -> None:
    """Refuse text files on this machine if Spark found another number of rows than they have."""
    if is_spark(source):
        return
    several = [source] if isinstance(source, str | os.PathLike) else source
    files = [TableFile(str(os.fspath(path))) for path in several]
    if all(file.kind == "text" and file.path.is_file() for file in files):
        with work_folder() as work:
            records = [open_text(file, work, separator).files[0].records for file in files]
        check_rows(", ".join(file.place for file in files), sum(records), rows)


def _read(paths: Sequence[str], ending: str, separator: str | None) -> Any:
    session = spark_session()
    if ending in TEXT_ENDINGS:
        return _read_text(session, paths, delimiters_of(ending, separator))
    return session.read.parquet(*paths)


def _read_text(session: Any, paths: Sequence[str], delimiters: str) -> Any:
    """Return all cells as texts, so an identifier such as 001 stays as it is."""
    first = session.read.text(list(paths)).first()
    line = "" if first is None else first[0].removeprefix("\ufeff")
    names, delimiter = split_header(line, delimiters)
    if not any(name.strip() for name in names):
        msg = "the table or its first line is empty. The first line must name the columns."
        raise BadTable(msg)
    schema = ", ".join(f"`{name.replace('`', '``')}` string" for name in names)
    # A file with another header, or a line with another number of cells, is refused.
    strict = {"enforceSchema": False, "mode": "FAILFAST", "columnPruning": False}
    quoted = {"quote": '"', "escape": '"'}
    reader = session.read.options(header=True, sep=delimiter, **strict, **quoted)
    return reader.schema(schema).csv(list(paths))


def _ending(path: str) -> str:
    """Return the ending of a path; a folder has none, and its files are Parquet."""
    plain = path.casefold().rstrip("/").removesuffix(".gz")
    ending = os.path.splitext(plain)[1]  # noqa: PTH122
    return ending if ending in TEXT_ENDINGS else ""

"""CSV and TSV files: their first line, compression, and what is wrong in them."""

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Any

from steadycut.errors import BadTable

DELIMITERS = ",;\t|"
# DuckDB's default of 32 MiB would not fit in the smallest memory limit. A row may take half of it.
CSV_BUFFER = 4 << 20
LONGEST_ROW = CSV_BUFFER // 2
# A gzipped table unpacks to 3 to 30 times its size, a zip bomb to 1,000 times.
MOST_TIMES = 200
LOOKED_AT = 16 << 20


def read_header(file: Path) -> tuple[tuple[str, ...], str]:
    """Return the column names of a text file and the separator that gives the most of them."""
    check_unpacked(file)
    start = _start(file)
    is_tsv = file.name.casefold().removesuffix(".gz").endswith(".tsv")
    names, delimiter = split_header(start, "\t" if is_tsv else DELIMITERS)
    first, *more = re.split(r"[\r\n]", start, maxsplit=1)
    if first.strip() and (not names or (not more and len(start) == LONGEST_ROW)):
        msg = (
            f"the first line of {str(file)!r} must name the columns, in at most "
            f"{LONGEST_ROW >> 20} MiB and {csv.field_size_limit()} characters per name; it is "
            "longer. Is it a table?"
        )
        raise BadTable(msg)
    if not any(name.strip() for name in names):
        msg = f"{str(file)!r} or its first line is empty. The first line must name the columns."
        raise BadTable(msg)
    if any("\0" in name for name in names):
        msg = f"{str(file)!r} has NUL bytes: it is UTF-16, or not text. Save it as UTF-8."
        raise BadTable(msg)
    return tuple(names), delimiter


def split_header(start: str, delimiters: str) -> tuple[list[str], str]:
    """Return the cells of the first row, and the separator that gives the most of them."""
    rows = [(_first_row(start, delimiter), delimiter) for delimiter in delimiters]
    return max(rows, key=lambda row: len(row[0]))


def is_gzip(file: Path) -> bool:
    """Whether a file is gzipped, by its name."""
    return file.name.casefold().endswith(".gz")


def unpacked_size(file: Path, at_most: int = LOOKED_AT) -> tuple[int, int]:
    """Return how many bytes a gzipped file unpacks to, up to a limit, and how many were read.

    The size that is written in the file itself may be wrong.
    """
    with file.open("rb") as packed, gzip.open(packed) as lines:
        unpacked = 0
        while unpacked < at_most and (piece := lines.read(1 << 20)):
            unpacked += len(piece)
        return unpacked, packed.tell()


def check_unpacked(file: Path) -> None:
    """Refuse a gzipped file that unpacks to far more than a table can."""
    if not is_gzip(file):
        return
    unpacked, packed = unpacked_size(file)
    if unpacked >= LOOKED_AT and unpacked > MOST_TIMES * packed:
        msg = (
            f"{str(file)!r} must unpack to at most {MOST_TIMES} times its size; its first {packed} "
            f"bytes become {unpacked}. If that is right, unpack it and name the unpacked file."
        )
        raise BadTable(msg)


def csv_reason(text: str) -> str | None:
    r"""Return in a few words what is wrong in a CSV file, from DuckDB's text; None if unknown.

    Examples
    --------
    >>> csv_reason("CSV Error on Line: 7\nExpected Number of Columns: 3 Found: 2")
    'line 7 has 2 cells and the header 3'
    """
    if "state machine reached an invalid state" in text:
        return "its lines end in different ways, or a quote is where none is allowed"
    found = re.search(r"CSV Error on Line: (\d+)", text)
    if not found:
        return None
    line, rest = f"line {found[1]}", text[found.end() :]
    if cells := re.search(r"^Expected Number of Columns: (\d+) Found: (\d+)", rest, re.MULTILINE):
        return f"{line} has {cells[2]} cells and the header {cells[1]}"
    if "Invalid unicode" in rest:
        return f"{line} is not UTF-8 text"
    if "unterminated quote" in rest:
        return f"{line} has a quote that is not closed, or text after a closed one"
    return f"{line} is not a row of the table, or longer than {LONGEST_ROW >> 20} MiB"


def _start(file: Path) -> str:
    opener: Any = gzip.open if is_gzip(file) else open
    with opener(file, "rt", encoding="utf-8-sig", newline="") as lines:
        return str(lines.read(LONGEST_ROW))


def _first_row(start: str, delimiter: str) -> list[str]:
    """Return the cells of the first row; none if this separator does not fit."""
    try:
        return next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []

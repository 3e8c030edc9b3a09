"""Files that cannot be read: one clear line each."""

import builtins
import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from pyarrow.feather import write_feather

from steadycut.errors import BadTable, MissingColumn, MissingPackage, SteadycutError
from steadycut.ingest import aggregate
from steadycut.ingest.engines.choose import SMALL_FILES, _best
from steadycut.ingest.sources.find import find_files
from steadycut.io.parquet import connect_duckdb

TEXT = "id,s\nsecret-1,0.5\nsecret-2,0.25\n"


def refused(source, error, text, **asked):
    with pytest.raises(SteadycutError, match=text) as caught:
        aggregate(source, **({"patient": "id", "score": "s"} | asked))
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("t.ods", b"", "a table must end in one of .csv, .csv.gz, .tsv, .*; got '.*t.ods'"),
        ("t.xls", b"", "got '.*t.xls'. Open it in Excel and save it as .xlsx"),
        ("t.csv", b"", "or its first line is empty. The first line must name the columns"),
        ("t.csv", b"\n\n", "or its first line is empty"),
        ("t.csv", b"id,s\n", "the table has no rows"),
        ("t.csv", b"id,s\nsecret-1,0.5,9\n", "line 2 has 3 cells and the header 2. Check the file"),
        ("t.csv", b"id,s\nsecret-1\n", "line 2 has 1 cells and the header 2. Check the file"),
        ("t.csv", b"id,s,s\nsecret-1,1,2\n", "column names must differ; in '.*' some are equal"),
        ("t.csv", b"id,s,\xe9\nsecret-1,1,2\n", "is not UTF-8 text. Save it as UTF-8"),
        ("t.csv", b"id,s,t\nsecret-1,1,2\nsecret-\xe9,1,2\n", "UTF-8|utf-8|unicode"),
        ("t.csv", b'id,s\nsecret-1,"1\nsecret-2,2\n', "line 2 has a quote that is not closed"),
        ("t.csv", b"id,s\r\nsecret-1,1\nsecret-2,2\n", "its lines end in different ways"),
        ("t.csv", "id,s\nsecret,1\n".encode("utf-16-le"), "has NUL bytes: it is UTF-16"),
        ("t.csv", b"id,s" * (1 << 19) + b"x\n", "the first line of .* it is longer"),
        ("t.csv", b"id" * (1 << 17) + b"\n", "131072 characters per name; it is longer"),
        ("t.csv.gz", gzip.compress(b"id,s\n" + bytes(1 << 25)), "at most 200 times its size"),
        ("t.csv.gz", b"id,s\n", "the table has no rows"),
        ("t.csv.gz", gzip.compress(TEXT.encode() * 99, mtime=0)[:-20], "cannot be read"),
        ("t.csv.gz", gzip.compress(TEXT.encode(), mtime=0)[:10] + b"\xff" * 50, "cannot be read"),
        ("t.parquet", b"secret", "cannot be read: .*Check the file"),
        ("t.parquet", b"PAR1" + b"\x00" * 40 + b"PAR1", "cannot be read: .*Check the file"),
        (
            "t.csv",
            b'id,s\nsecret-1,"1,5"\nsecret-2,0.5\nsecret-2,"2,5"\n',
            "scores in 's' must be numbers with a decimal point; 2 of 3 .* such as '9,9'",
        ),
    ],
)
def test_refused_files(name, content, text, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    refused(path, BadTable, text)


def test_missing_column_names_the_file_and_the_closest(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    refused(
        path, MissingColumn, r"'.*t\.csv' has no column 'ids'; did you mean 'id'", patient="ids"
    )


def test_every_file_must_have_the_columns(tmp_path):
    (tmp_path / "a.csv").write_text(TEXT)
    (tmp_path / "b.csv").write_text("id,score\nsecret-3,1\n")
    refused(str(tmp_path / "*.csv"), MissingColumn, r"'.*b\.csv' has no column 's'")


def test_missing_file_folder_and_pattern(tmp_path):
    refused(tmp_path / "none.csv", BadTable, "there is no file '.*none.csv'. Check the path")
    refused(
        tmp_path,
        BadTable,
        "is a folder without Parquet files. Name its files, such as '.*/\\*.csv'",
    )
    refused(str(tmp_path / "*.csv"), BadTable, "no file matches '.*'. Check the pattern")
    refused([], BadTable, "at least one file must be given; got none")
    refused([{"id": [1]}], BadTable, "several tables must all be paths; got .* 'dict'")


def test_scores_in_missing_words_and_unreadable_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,s\nsecret-1,NA\nsecret-2,\nsecret-3,none\nsecret-3,0.5\nsecret-4,NaN\n")
    with pytest.warns(match="4 of 5 rows without a finite score were dropped, and with them 3"):
        found = aggregate(path, patient="id", score="s", missing="drop")
    assert found.scores.tolist() == [0.5]


def test_repeated_names_in_parquet(tmp_path):
    table = pa.table([pa.array(["a"]), pa.array([0.5]), pa.array([0.5])], names=["id", "s", "s"])
    pq.write_table(table, tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", BadTable, "column names must differ; .* some are equal")


def test_dates_as_scores_in_parquet(tmp_path):
    table = pa.table({"id": ["a"], "s": pa.array([1], type=pa.date32())})
    pq.write_table(table, tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", BadTable, "1 of 1 is other text")


def test_dates_as_identifiers_in_parquet(tmp_path):
    table = pa.table({"id": pa.array([0], type=pa.date32()), "s": [0.5]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = aggregate(tmp_path / "t.parquet", patient="id", score="s")
    assert found.patients.tolist() == ["1970-01-01"]


def test_patterns_are_sorted_and_skip_folders(tmp_path):
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "c.csv").mkdir()
    assert [path.name for path in find_files(str(tmp_path / "*.csv"))] == ["a.csv", "b.csv"]


def test_duckdb_is_asked_for_when_it_is_missing(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(TEXT)
    forbid(monkeypatch, "duckdb")
    refused(tmp_path / "t.csv", MissingPackage, r'pip install "steadycut\[duckdb\]"')


def test_narwhals_is_asked_for_when_it_is_missing(monkeypatch):
    forbid(monkeypatch, "narwhals")
    refused(pa.table({"id": ["a"], "s": [0.5]}), MissingPackage, r"steadycut\[frames\]")


def forbid(monkeypatch, package):
    original = builtins.__import__

    def guarded(name, *args, **kwargs):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", guarded)


def test_pipes_and_devices_are_no_tables(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    for path in (tmp_path / "t.csv", tmp_path / "zero.csv"):
        refused(path, BadTable, "is a pipe or a device. Copy it first")


@pytest.mark.parametrize("name", ["t.feather", "t.arrow"])
@pytest.mark.parametrize("content", [b"", b"secret", b"ARROW1" + bytes(40)])
def test_damaged_arrow_files(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, BadTable, "cannot be read: .*Check the file")


def test_many_columns_are_too_long_for_no_separator(tmp_path):
    names = [f"column{i}" for i in range(20_000)]
    path = tmp_path / "t.csv"
    path.write_text(",".join(["id", "s", *names]) + "\na,1" + ",0" * len(names) + "\n", "utf-8")
    assert aggregate(path, patient="id", score="s").scores.tolist() == [1.0]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_bytes_and_lists_as_identifiers_in_parquet(engine, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": [b"a", b"b"], "l": [[1], [2]], "s": [1.0, 2.0]}), path)
    found = aggregate(path, patient="id", score="s", engine=engine)
    assert found.patients.tolist() == ["a", "b"]
    refused(
        path, BadTable, "column 'l' must be one plain value per row", patient="l", engine=engine
    )


def test_auto_looks_into_what_is_packed(tmp_path):
    packed, rows = tmp_path / "t.csv.gz", tmp_path / "t.parquet"
    packed.write_bytes(gzip.compress(b"id,s\n" + b"a,1\n" * (SMALL_FILES // 4)))
    pq.write_table(pa.table({"id": np.zeros(5_000_000, dtype=np.int8)}), rows)
    assert packed.stat().st_size < SMALL_FILES
    assert rows.stat().st_size < SMALL_FILES
    assert [_best(str(path)) for path in (packed, rows)] == ["duckdb", "duckdb"]


@pytest.mark.parametrize("folder", ["~", "http:", "https:/x.org", "hf:", "gcs:/b"])
@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_folder_is_never_taken_for_an_address(tmp_path, monkeypatch, folder, name, engine):
    monkeypatch.chdir(tmp_path)
    Path(folder).mkdir(parents=True)
    table = pa.table({"id": ["a", "b"], "s": [0.5, 1.5]})
    write = {"t.csv": csv.write_csv, "t.parquet": pq.write_table, "t.feather": write_feather}[name]
    write(table, str(tmp_path / folder / name))
    address = folder.replace(":/", "://") + f"/{name}"
    found = aggregate(address, patient="id", score="s", engine=engine)
    assert found.scores.tolist() == [0.5, 1.5]


def test_duckdb_never_installs_anything():
    with connect_duckdb() as connection:
        query = "SELECT value FROM duckdb_settings() WHERE name LIKE 'auto%_known_extensions'"
        assert connection.execute(query).fetchall() == [("false",), ("false",)]

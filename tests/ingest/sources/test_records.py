"""Records are counted by a reader of our own, and every one of them becomes a row."""

import csv
import gzip
import io

import numpy as np
import pytest

from benchmarks.trust import records as generated
from steadycut import aggregate, rule_reader
from steadycut.errors import BadTable
from steadycut.ingest.sources import records
from steadycut.ingest.sources.records import count_records

ENDS = ["\n", "\r", "\r\n"]


def write(path, name, end, inside, prefix):
    lines = [f'p,"a{inside}b",s', *(f"{prefix}{i},x,-0.{i}5" for i in range(1, 4))]
    (path / name).write_bytes(end.join([*lines, ""]).encode())
    return str(path / name)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("inside", ENDS)
def test_a_line_break_in_a_column_name_loses_no_row(tmp_path, end, inside, engine):
    first = write(tmp_path, "a.csv", end, inside, "a")
    second = write(tmp_path, "b.csv", "\n", "\n", "b")
    found = aggregate([first, second], patient="p", score="s", engine=engine)
    assert found.patients.tolist() == ["a1", "a2", "a3", "b1", "b2", "b3"]
    assert found.scores.tolist() == [-0.15, -0.25, -0.35] * 2


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("found", [0, 2, 4])
def test_a_table_of_which_rows_are_lost_is_refused(tmp_path, monkeypatch, engine, found):
    place = write(tmp_path, "a.csv", "\n", "\n", "a")
    monkeypatch.setattr(records.Records, "rows", lambda *_: found)
    with pytest.raises(BadTable, match=f"a.csv' has {found} records, but 3 rows were read. Nothin"):
        aggregate(place, patient="p", score="s", engine=engine)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_checksum_of_a_large_gzipped_table_is_verified(tmp_path, engine):
    scores = np.random.default_rng(0).normal(size=900_000).round(9).tolist()
    text = "p,s\n" + "".join(f"p{i % 9},{score!r}\n" for i, score in enumerate(scores))
    text += "p1,0.5\n" * 900_000
    assert len(text) > records.LOOKED_AT
    packed = bytearray(gzip.compress(text.encode(), 1))
    packed[-8] ^= 1  # the checksum itself
    (tmp_path / "t.csv.gz").write_bytes(packed)
    with pytest.raises(BadTable, match="cannot be read: CRC check failed"):
        aggregate(tmp_path / "t.csv.gz", patient="p", score="s", engine=engine)


def test_a_bomb_behind_a_plain_beginning_is_refused_while_it_unpacks(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "BLOCK", 1 << 12)
    monkeypatch.setattr(records, "LOOKED_AT", 1 << 14)
    monkeypatch.setattr(records, "MOST_TIMES", 20)
    scores = np.random.default_rng(0).normal(size=5000).tolist()
    text = "p,s\n" + "".join(f"p{i},{score!r}\n" for i, score in enumerate(scores))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode() + b"p,1\n" * 10**6))
    with pytest.raises(BadTable, match="must unpack to at most 20 times its size"):
        aggregate(tmp_path / "t.csv.gz", patient="p", score="s", engine="duckdb")


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_the_count_is_that_of_the_csv_module(tmp_path, monkeypatch, block, name):
    monkeypatch.setattr(records, "BLOCK", block)
    rng, path = np.random.default_rng(block), tmp_path / name
    for _ in range(40):
        rows, lines, delimiter = generated.draw(rng, name)
        end = str(rng.choice(ENDS))
        lines.insert(int(rng.integers(1, len(lines) + 1)), "")
        path.write_bytes(end.join(lines).encode())
        found = count_records(path, delimiter, name)
        text = path.read_bytes().decode()
        read = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row
        ]
        assert found.count == len(read) - 1 == len(rows)
        assert found.ends == end


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('p,s\n "p1",1\n', "line 2 has a blank before a quote"),
        ('p,s,n\np1,1,x\n"p1" ,2,y\n', "line 3 has a quote where none is allowed"),
        ('p,s\n"p1"x,1\n', "line 2 has a quote where none is allowed"),
        ("p,s\np1,1\r\np2,2\n", "its lines end in different ways"),
        ('p,s,n\np1,1,5" x\r\np2,2,z\n', "its lines end in different ways"),
    ],
)
def test_what_two_readers_could_take_differently_is_refused(tmp_path, text, why):
    (tmp_path / "t.csv").write_bytes(text.encode())
    with pytest.raises(BadTable, match=f"cannot be read: {why}"):
        aggregate(tmp_path / "t.csv", patient="p", score="s")


def test_a_quote_inside_a_cell_is_a_character(tmp_path):
    (tmp_path / "t.csv").write_text('p,s,n\np1,1,5" x\np2,2,"y ""z"", u"\n', encoding="utf-8")
    assert aggregate(tmp_path / "t.csv", patient="p", score="s").patients.tolist() == ["p1", "p2"]


def test_a_separator_inside_quoted_names_is_not_that_of_the_table(tmp_path):
    text = '"p"|"\t|x"|"s"|"\t""\ty"\n"p0"|"ab"|0.5|""\n'
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert aggregate(tmp_path / "t.csv", patient="p", score="s").scores.tolist() == [0.5]
    steps = [{"level": "p", "how": "max"}]
    rule = {"columns": {"patient": "p", "score": "s"}, "aggregation": steps}
    assert rule_reader.read_table(str(tmp_path / "t.csv"), rule) == {"p": ["p0"], "s": ["0.5"]}

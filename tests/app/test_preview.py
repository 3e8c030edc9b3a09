"""Columns are described; nothing that may identify a patient is shown."""

import anndata
import numpy as np
import pandas as pd
import pytest

from steadycut.errors import BadTable
from steadycut.ingest.column import Column
from steadycut.ingest.guess import guess_decimal
from steadycut.ingest.preview import MOST_SHOWN, describe, preview, separators
from steadycut.ingest.sources.find import KINDS
from tests.cli.commands import MARK, make_rows, write_rows

COLUMNS = ["site", "patient", "slide", "score", "other", "label"]


def written(table, path):
    frame = pd.read_csv(table, dtype={"patient": str})
    ending = path.name.partition(".")[2]
    writers = {
        "csv.gz": lambda: frame.to_csv(path, index=False),
        "csv.zip": lambda: frame.to_csv(path, index=False),
        "xlsx": lambda: frame.to_excel(path, index=False),
        "tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        "parquet": lambda: frame.to_parquet(path),
        "feather": lambda: frame.to_feather(path),
        "h5ad": lambda: anndata.AnnData(
            X=np.zeros((len(frame), 2)),
            obs=frame.set_axis([str(i) for i in frame.index]),
            var=pd.DataFrame(index=["CD3", "P16"]),
        ).write_h5ad(path),
    }
    writers[ending]()
    return path


def test_the_columns_of_a_table(table):
    found = {one.name: (one.kind, one.summary) for one in preview([table])}
    assert list(found) == COLUMNS
    assert found["site"] == ("text", "north, south")
    assert found["patient"] == ("text", "90 different, not shown")
    assert found["slide"] == ("text", "s0, s1")
    assert found["label"] == ("whole numbers", "0, 1")
    assert found["score"][0] == "numbers"


@pytest.mark.parametrize(
    "ending", ["csv.gz", "csv.zip", "tsv", "xlsx", "parquet", "feather", "h5ad"]
)
def test_every_format_tells_the_same(table, tmp_path, ending):
    found = preview([written(table, tmp_path / f"table.{ending}")])
    wanted = {one.name: (one.kind, one.shown) for one in preview([table])}
    assert {one.name: (one.kind, one.shown) for one in found if not one.is_gene} == wanted
    genes = [one.name for one in found if one.is_gene]
    assert genes == (["X:CD3", "X:P16"] if ending == "h5ad" else [])


@pytest.mark.parametrize(
    ("ending", "wanted"), [("tsv", "\t"), ("csv.gz", ""), ("csv.zip", ""), ("parquet", "")]
)
def test_separators_are_those_of_plain_text(table, tmp_path, ending, wanted):
    path = written(table, tmp_path / f"table.{ending}")
    assert separators([path]) == wanted
    # What a file holds decides, not what it is called.
    other = path.rename(tmp_path / "table.csv") if ending != "tsv" else path
    assert separators([other]) == wanted
    assert separators([table, other]) == "".join(sorted({",", *wanted}))


def test_a_single_column_has_no_separator(tmp_path):
    (tmp_path / "t.csv").write_text("patient\na\n", encoding="utf-8")
    assert separators([tmp_path / "t.csv"]) == ""


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        ((["0,5", "1"], ["63"]), ","),
        ((["0.5", "1"], ["63"]), "."),
        ((["0,5", "1"], ["1.5"]), "."),
        ((["5", "1"], ["a,b"]), "."),
        ((["5", "1"], []), "."),
    ],
)
def test_the_decimal_sign_is_guessed(texts, wanted):
    columns = [Column(name=f"c{i}", values=frozenset(part)) for i, part in enumerate(texts)]
    assert guess_decimal(columns) == wanted


def test_no_identifier_is_shown(table):
    assert MARK not in "".join(one.summary + repr(one) for one in preview([table]))


def test_a_sample_sees_all_of_a_sorted_table(tmp_path):
    rows = [["A", i, 0.5] for i in range(20_000)] + [["B", i, 0.5] for i in range(20_000)]
    path = write_rows(tmp_path / "t.csv", rows, ["site", "patient", "score"])
    assert preview([path])[0].shown == ("A", "B")


def test_several_files_are_one_table(tmp_path):
    rows = make_rows()
    north = write_rows(tmp_path / "north.csv", [row for row in rows if row[0] == "north"])
    south = write_rows(tmp_path / "south.csv", [row for row in rows if row[0] == "south"])
    assert preview([north, south])[0].shown == ("north", "south")


@pytest.mark.parametrize(
    ("name", "cells", "shown"),
    [
        ("grade", ["1", "2", "1", "2"], True),
        # Each of these belongs to one patient.
        ("case", ["x", "x", "y", "y"], False),
        ("first_name", ["Ann", "Bob", "Ann", "Bob"], False),
        ("DateOfBirth", ["1950", "1960", "1950", "1960"], False),
    ],
)
def test_values_of_single_patients_and_of_identifiers_are_not_shown(name, cells, shown):
    found = describe({"patient": ["a", "a", "b", "b"], name: cells})[1]
    assert bool(found.shown) is shown


def test_without_patients_no_value_is_shown():
    assert describe({"x": ["1", "2"], "z": ["a", "a"]})[1].shown == ()


def test_many_values_are_not_shown():
    values = [str(i) for i in range(MOST_SHOWN + 1)]
    found = describe({"patient": ["a"] * 13 + ["b"] * 13, "age": [*values, *values]})[1]
    assert (found.shown, found.summary) == ((), "13 different, not shown")


def test_gaps_are_counted():
    found = describe({"score": ["0.5", None, "NA", " "]})[0]
    assert (found.kind, found.summary, found.n_missing) == ("numbers", "0.5 to 0.5", 2)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.xlsx", b"x"),
        ("t.csv", b""),
        ("t.csv", b"a,a\n1,2\n"),
        ("t.csv", b"\xff\xfe\xfa"),
        ("t.parquet", b"no parquet"),
        ("t.csv.gz", b"\x1f\x8b no gzip"),
        ("t.csv", b"a,b\n1\n"),
        ("t.h5ad", b"no hdf5"),
    ],
)
def test_wrong_files_are_refused_in_one_line(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadTable) as told:
        preview([path])
    assert "\n" not in str(told.value)


def test_what_is_refused_here_is_refused_there(tmp_path):
    """Same line as from a command that reads the file."""
    from steadycut.ingest import aggregate

    path = tmp_path / "t.ods"
    path.write_bytes(b"x")
    told = []
    for read in (lambda: preview([path]), lambda: aggregate(path, patient="a", score="b")):
        with pytest.raises(BadTable) as error:
            read()
        told.append(str(error.value))
    assert told[0] == told[1]
    assert all(ending in told[0] for ending in KINDS)

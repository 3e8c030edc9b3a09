"""Frames: names that repeat, objects that are no table, missing values of each library."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from steadycut.errors import BadTable, MissingColumn, MissingScores
from steadycut.ingest import aggregate, make_request, read_patients

NAMES = ["id", "s", "s"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["a", 0.5, 0.5]], columns=NAMES),
        pa.table([pa.array(["a"]), pa.array([0.5]), pa.array([0.5])], names=NAMES),
    ],
    ids=["pandas", "pyarrow"],
)
def test_repeated_names(frame):
    with pytest.raises(BadTable, match="column names must differ; in the table some are equal"):
        aggregate(frame, patient="id", score="s")


@pytest.mark.parametrize("thing", [3, object(), None])
def test_no_table(thing):
    with pytest.raises(BadTable, match=r"a table must be a path, .*; got an object of type"):
        aggregate(thing, patient="id", score="s")


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_missing_columns_and_values(library):
    columns = {"id": ["a", None], "s": [0.5, None]}
    with pytest.raises(MissingColumn, match="the table has no column 't'"):
        aggregate(library(columns), patient="id", score="t")
    with pytest.raises(BadTable, match="column 'id' must be filled in every row; 1 of 2"):
        aggregate(library(columns), patient="id", score="s")
    with pytest.raises(MissingScores, match="1 of 2 in 's'"):
        aggregate(library(columns | {"id": ["a", "b"]}), patient="id", score="s")


def test_nan_in_polars_is_missing_too():
    frame = pl.DataFrame({"id": [1.0, float("nan")], "s": [0.5, 0.5]})
    with pytest.raises(BadTable, match="column 'id' must be filled in every row; 1 of 2"):
        aggregate(frame, patient="id", score="s")


def test_text_scores_in_a_frame():
    frame = pl.DataFrame({"id": ["a", "b"], "s": ["0.5", "1,5"]})
    with pytest.raises(BadTable, match="1 of 2 is other text, such as '9,9'"):
        aggregate(frame, patient="id", score="s")


def test_times_are_identifiers_and_no_numbers():
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    found = aggregate(pd.DataFrame({"id": days, "s": [0.5, 0.5]}), patient="id", score="s")
    assert [patient[:10] for patient in found.patients.tolist()] == ["2020-01-01", "2020-01-02"]
    gap = pd.DataFrame({"id": days.where([True, False]), "s": [0.5, 0.5]})
    with pytest.raises(BadTable, match="column 'id' must be filled in every row; 1 of 2"):
        aggregate({"id": gap["id"].to_numpy(), "s": [0.5, 0.5]}, patient="id", score="s")


BIG = 2**53


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"id": [BIG, BIG + 1, None], "s": [1.0, 2.0, 3.0], "at": ["A", "A", "B"]}),
        pl.DataFrame({"id": [BIG, BIG + 1, None], "s": [1.0, 2.0, 3.0], "at": ["A", "A", "B"]}),
        pd.DataFrame(
            {
                "id": pd.array([BIG, BIG + 1, None], dtype="Int64"),
                "s": [1.0, 2.0, 3.0],
                "at": ["A", "A", "B"],
            }
        ),
    ],
    ids=["arrow", "polars", "pandas"],
)
def test_a_gap_does_not_make_two_large_identifiers_one(frame, engine):
    request = make_request(patient="id", score="s", site="at", sites=["A"])
    table = read_patients(request, frame, engine=engine)
    assert table.patients["s", "mean"].patients.tolist() == [str(BIG), str(BIG + 1)]


@pytest.mark.parametrize("identifier", [float(BIG + 2), -1e300, np.inf])
@pytest.mark.parametrize("as_objects", [False, True])
def test_floats_that_may_be_several_patients_are_refused(identifier, as_objects):
    identifiers = ["a", identifier] if as_objects else [1.0, identifier]
    with pytest.raises(BadTable, match=r"must be below 2\^53 in absolute value"):
        aggregate({"id": identifiers, "s": [1.0, 2.0]}, patient="id", score="s")


def test_whole_numbers_of_128_bits_are_identifiers():
    frame = pl.DataFrame({"id": [2**64, 2**64 + 1], "s": [1.0, 2.0]})
    found = aggregate(frame, patient="id", score="s")
    assert found.patients.tolist() == [str(2**64), str(2**64 + 1)]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ([{"a": 1}, {"a": 2}], "one plain value per row"),
        (np.zeros((2, 2)), "one plain value per row"),
        ([b"a", b"\xff"], "bytes that are not UTF-8"),
        (["a\0", "b"], "hold NUL"),
    ],
)
def test_what_is_no_identifier(column, text):
    with pytest.raises(BadTable, match=text):
        aggregate(pl.DataFrame({"id": column, "s": [1.0, 2.0]}), patient="id", score="s")


def test_half_of_a_surrogate_pair_is_no_identifier():
    with pytest.raises(BadTable, match="characters that no file can hold"):
        aggregate({"id": ["\ud800", "b"], "s": [1.0, 2.0]}, patient="id", score="s")


def test_a_library_that_cannot_read_its_own_column():
    frame = pd.DataFrame({"id": ["a", "b"], "s": [Decimal("sNaN"), Decimal(1)]})
    with pytest.raises(
        BadTable, match=r"column 's' cannot be read \(InvalidOperation\)\. Turn it into texts"
    ):
        aggregate(frame, patient="id", score="s")


@pytest.mark.parametrize("score", [1 + 0j, np.complex128(1), "1_0", b"1", [1.0], 10**400])
def test_what_is_no_score(score):
    with pytest.raises(BadTable, match=r"must be numbers|must have a finite score"):
        aggregate({"id": ["a", "b"], "s": [score, "2"]}, patient="id", score="s")


def test_objects_without_a_text_are_no_identifiers():
    """They would be known by their place in memory."""
    pl = pytest.importorskip("polars")
    objects = [object(), object()]
    for ids in (objects, pl.Series(objects, dtype=pl.Object)):
        frame = (
            {"id": ids, "s": [1.0, 2.0]} if ids is objects else pl.DataFrame({"id": ids, "s": 1.0})
        )
        with pytest.raises(BadTable, match="must be one plain value per row"):
            aggregate(frame, patient="id", score="s")


@pytest.mark.parametrize("lazy", [False, True])
def test_objects_in_a_large_or_lazy_polars_frame_are_refused_in_one_line(lazy, monkeypatch):
    monkeypatch.setattr("steadycut.ingest.sources.dispatch.SMALL_FRAME", 0)
    frame = pl.DataFrame({"id": pl.Series([object()], dtype=pl.Object), "s": [0.5]})
    with pytest.raises(BadTable, match="one plain value per row"):
        aggregate(frame.lazy() if lazy else frame, patient="id", score="s")

"""Frames: names that repeat, objects that are no table, missing values of each library."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from steadycut.errors import BadTable, MissingColumn, MissingScores
from steadycut.ingest import aggregate

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
    with pytest.raises(BadTable, match="column names must differ; the table has s more than once"):
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
    with pytest.raises(BadTable, match="1 of 2 is other text, such as '1,5'"):
        aggregate(frame, patient="id", score="s")


def test_times_are_identifiers_and_no_numbers():
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    found = aggregate(pd.DataFrame({"id": days, "s": [0.5, 0.5]}), patient="id", score="s")
    assert [patient[:10] for patient in found.patients.tolist()] == ["2020-01-01", "2020-01-02"]
    gap = pd.DataFrame({"id": days.where([True, False]), "s": [0.5, 0.5]})
    with pytest.raises(BadTable, match="column 'id' must be filled in every row; 1 of 2"):
        aggregate({"id": gap["id"].to_numpy(), "s": [0.5, 0.5]}, patient="id", score="s")

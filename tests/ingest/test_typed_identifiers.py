"""Identifiers of every type: nobody is merged, and every library gives the same texts."""

import os
import time
from datetime import UTC, datetime, timedelta

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from steadycut import aggregate
from steadycut.errors import BadTable

ENGINES = ["memory", "duckdb"]


def as_anndata(table, folder):
    del folder
    frame = table.to_pandas()
    return anndata.AnnData(obs=frame.set_index(frame.index.astype(str)))


def as_parquet(table, folder):
    parquet.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def as_feather(table, folder):
    feather.write_feather(table, str(folder / "t.feather"))
    return folder / "t.feather"


FORMS = {
    "dict": lambda table, _: {name: table[name].to_numpy() for name in table.column_names},
    "pandas": lambda table, _: table.to_pandas(),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars lazy": lambda table, _: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table, _: table,
    "AnnData": as_anndata,
    "Parquet": as_parquet,
    "Feather": as_feather,
}


def with_scores(patients):
    return pa.table({"p": patients, "s": np.arange(len(patients)) / 8})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("kind", "digits"), [(np.float16, 11), (np.float32, 24), (np.float64, 53)])
def test_floats_that_merge_patients_are_refused(tmp_path, kind, digits, form, engine):
    small = np.arange(2**digits - 40, 2**digits, dtype=np.int64)
    found = aggregate(
        FORMS[form](with_scores(small.astype(kind)), tmp_path),
        patient="p",
        score="s",
        engine=engine,
    )
    assert found.patients.tolist() == sorted(map(str, small.tolist()))
    merged = FORMS[form](with_scores((small + 40).astype(kind)), tmp_path)
    with pytest.raises(BadTable, match=r"-bit floating-point numbers must be below 2\^"):
        aggregate(merged, patient="p", score="s", engine=engine)


def test_a_float_of_few_bits_among_objects_is_refused():
    patients = np.array([np.float32(2**24), "a"], dtype=object)
    with pytest.raises(BadTable, match=r"32-bit floating-point numbers must be below 2\^24"):
        aggregate({"p": patients, "s": [0.5, 0.5]}, patient="p", score="s")


@pytest.fixture
def new_york(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    os.environ.pop("TZ")
    time.tzset()


@pytest.mark.usefixtures("new_york")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_moments_have_one_text_everywhere(tmp_path, zone, unit, form, engine):
    moments = [datetime(2020, 3, 1, tzinfo=UTC), datetime(2020, 3, 1, 2, 3, 4, 500_000, tzinfo=UTC)]
    plain = moments if zone else [one.replace(tzinfo=None) for one in moments]
    table = with_scores(pa.array(plain, type=pa.timestamp(unit, zone)))
    found = aggregate(FORMS[form](table, tmp_path), patient="p", score="s", engine=engine)
    assert found.patients.tolist() == ["2020-03-01", "2020-03-01T02:03:04.5"]


def test_moments_among_objects_have_the_same_text():
    moment = datetime(2020, 3, 1, 5, tzinfo=UTC)
    patients = [moment, pd.Timestamp(moment).tz_convert("Asia/Tokyo"), np.datetime64("2020-03-02")]
    found = aggregate({"p": patients, "s": [0.5, 0.5, 0.5]}, patient="p", score="s")
    assert found.patients.tolist() == ["2020-03-01T05:00:00", "2020-03-02"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_times_of_day_have_one_text_everywhere(tmp_path, unit, form, engine):
    if unit == "ns" and form in {"dict", "pandas", "AnnData"}:
        pytest.skip("numpy and pandas have no such times")
    last = 1 if unit == "ns" else 1000
    since = [0, 3_600_000_000_000, 3_600_500_000_000, 3_600_500_000_000 + last]
    times = pa.array([one // (1 if unit == "ns" else 1000) for one in since], pa.time64(unit))
    found = aggregate(
        FORMS[form](with_scores(times), tmp_path), patient="p", score="s", engine=engine
    )
    first = ["00:00:00", "01:00:00", "01:00:00.5"]
    assert found.patients.tolist() == [*first, f"01:00:00.50000{'0001' if unit == 'ns' else '1'}"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", [form for form in FORMS if form != "Parquet"])
@pytest.mark.parametrize("unit", ["s", "us"])
def test_durations_are_refused(tmp_path, unit, form, engine):
    table = with_scores(pa.array([1000, 2000], pa.duration(unit)))
    with pytest.raises(BadTable, match=r"must not be a duration\. Store it as text"):
        aggregate(FORMS[form](table, tmp_path), patient="p", score="s", engine=engine)


def test_a_duration_among_objects_is_refused():
    for one in (timedelta(seconds=1), np.timedelta64(1, "s"), pd.Timedelta(1)):
        with pytest.raises(BadTable, match="must not be a duration"):
            aggregate({"p": ["a", one], "s": [0.5, 0.5]}, patient="p", score="s")

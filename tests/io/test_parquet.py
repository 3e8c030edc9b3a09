"""Parquet files with notes, and fingerprints of the files that they were made from."""

import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from steadycut.io.parquet import first_row, parquet_bytes, read_note, write_parquet
from steadycut.pipelines.fingerprint import file_fingerprint
from tests.pipelines.tables import read_parquet


def test_parquet_note(tmp_path):
    path = tmp_path / "t.parquet"
    assert read_note(path) is None
    write_parquet(path, {"slide": ["a", None]}, {"n": 2, "it's": '{"ü"}'})
    assert read_note(path) == {"n": 2, "it's": '{"ü"}'}
    assert read_parquet(path)["slide"].tolist() == ["a", None]
    assert first_row(path) == {"slide": "a"}
    write_parquet(path, {"slide": []}, {})
    assert read_parquet(path)["slide"].size == 0
    assert first_row(path) is None
    path.write_bytes(b"PAR1")
    assert read_note(path) is None
    with pytest.raises(OSError, match=r"PAR1|parquet|Parquet|small"):
        first_row(path)


def test_every_value_arrives_as_it_was():
    columns = {
        "texts": ["", "7", "ü\0", None],
        "late": np.array([None, None, None, "x"], dtype=object),
        "never": [None] * 4,
        "fixed": np.array(["a", "bb", "", "c"]),
        "double": np.array([0.1, np.nan, np.inf, -np.inf]),
        "float": np.array([0.1, np.nan, 2, 3], dtype=np.float32),
        "whole": np.array([1, -1, 2**62, 0]),
        "small": np.array([1, -1, 127, 0], dtype=np.int8),
        'a "name"': np.array([True, False, True, False]),
    }
    table = parquet.read_table(pa.BufferReader(parquet_bytes(columns)))
    assert table.column_names == list(columns)
    kinds = [pa.string()] * 4 + [pa.float64(), pa.float32(), pa.int64(), pa.int8(), pa.bool_()]
    assert table.schema.types == kinds
    for name, values in columns.items():
        found = table[name].to_pylist()
        assert str(found) == str(np.asarray(values, dtype=object).tolist()) or np.array_equal(
            np.array(found, dtype=np.float32), values, equal_nan=True
        )


def test_the_same_columns_give_the_same_bytes():
    rng = np.random.default_rng(0)
    columns = {"s": rng.normal(size=300_000), "t": [str(i) for i in range(300_000)]}
    assert parquet_bytes(columns, {"n": 1}) == parquet_bytes(columns, {"n": 1})


def test_fingerprint_sees_the_folder_of_an_mrxs_slide(tmp_path):
    slide, data = tmp_path / "a.mrxs", tmp_path / "a"
    slide.write_bytes(b"head")
    data.mkdir()
    (data / "Data0000.dat").write_bytes(b"pixels")
    before = file_fingerprint(slide)
    (data / "Data0000.dat").write_bytes(b"other pixels")
    assert file_fingerprint(slide) != before


def test_a_pipe_in_the_place_of_a_result_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.parquet")
    assert read_note(tmp_path / "a.parquet") is None

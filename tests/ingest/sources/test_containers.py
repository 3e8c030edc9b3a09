"""Arrays, JSON, stores of annotations, statistics packages and Arrow streams; content decides."""

import gzip
import json
import shutil
import sqlite3
import zipfile

import numpy as np
import pandas as pd
import pytest

from steadycut import aggregate
from steadycut.errors import BadTable, MissingColumn
from tests.ingest.test_join import write

ROWS = {"id": ["007", "007", "7", "8"], "s": [0.25, 0.75, 1.0, 0.5], "ill": [1, 1, 0, 0]}
ASKED = {"patient": "id", "score": "s", "label": "ill"}
TEXT = "id,s,ill\n007,0.25,1\n007,0.75,1\n7,1.0,0\n8,0.5,0\n"


def records():
    return [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]


def write_json(path, content):
    path.write_text(json.dumps(content), "utf-8")


def write_lines(path):
    path.write_text("\n".join(map(json.dumps, records())) + "\n\n", "utf-8")


def write_npz(path):
    with path.open("wb") as file:
        np.savez(file, **{name: np.array(values) for name, values in ROWS.items()})


def write_zarr(path):
    import zarr

    group = zarr.open_group(str(path), mode="w", zarr_format=2)
    for name, values in ROWS.items():
        array = np.array(values)
        group.create_array(name, data=array.astype("S" if array.dtype.kind == "U" else array.dtype))


def write_store(path):
    """As TIAToolbox's SQLiteStore has its annotations, with their properties as JSON."""
    with sqlite3.connect(path) as store:
        store.execute(
            "CREATE TABLE annotations (id INTEGER PRIMARY KEY, key TEXT, properties TEXT)"
        )
        rows = [(str(at), json.dumps(record)) for at, record in enumerate(records())]
        store.executemany("INSERT INTO annotations (key, properties) VALUES (?, ?)", rows)
    store.close()


def write_stream(path):
    import pyarrow as pa

    table = pa.table(ROWS)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)


def features(measured):
    """As QuPath writes GeoJSON: measurements by name, or as pairs of a name and a value."""
    return {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "geometry": None, "properties": measured(record)}
            for record in records()
        ],
    }


def as_pairs(record):
    pairs = [{"name": name, "value": record[name]} for name in ("s", "ill")]
    return {"id": record["id"], "measurements": pairs}


FILES = {
    "t.txt": lambda p: write(p, ROWS, delimiter="\t"),
    "t.tab": lambda p: write(p, ROWS, delimiter="\t"),
    "t.txt.gz": lambda p: p.write_bytes(gzip.compress(TEXT.encode())),
    "plain.csv.gz": lambda p: p.write_text(TEXT, "utf-8"),
    "packed.csv": lambda p: p.write_bytes(gzip.compress(TEXT.encode())),
    "t.parquet.gzip": lambda p: pd.DataFrame(ROWS).to_parquet(p, compression="gzip"),
    "parquet.csv": lambda p: pd.DataFrame(ROWS).to_parquet(p),
    "t.xlsx": lambda p: pd.DataFrame(ROWS).to_excel(p, index=False),
    "t.npz": write_npz,
    "arrays.zip": write_npz,
    "t.zarr": write_zarr,
    "t.jsonl": write_lines,
    "list.json": lambda p: write_json(p, records()),
    "lists.json": lambda p: write_json(p, ROWS),
    "t.geojson": lambda p: write_json(p, features(lambda r: {"measurements": r})),
    "pairs.geojson": lambda p: write_json(p, features(as_pairs)),
    "t.db": write_store,
    "t.arrows": write_stream,
    "stream.arrow": write_stream,
}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("name", FILES)
def test_every_container_gives_the_patients_of_the_text(name, engine, tmp_path):
    (tmp_path / "t.csv").write_text(TEXT, "utf-8")
    expected = aggregate(tmp_path / "t.csv", **ASKED)
    FILES[name](tmp_path / name)
    patients = aggregate(tmp_path / name, engine=engine, **ASKED)
    assert patients.fingerprint() == expected.fingerprint()
    assert patients.patients.tolist() == ["007", "7", "8"]


def test_an_excel_workbook_is_known_by_what_is_inside(tmp_path):
    pd.DataFrame(ROWS).to_excel(tmp_path / "t.xlsx", index=False)
    shutil.copy(tmp_path / "t.xlsx", tmp_path / "book.csv")
    assert aggregate(tmp_path / "book.csv", **ASKED).n_patients == 3


def test_the_columns_of_an_array_have_numbers_and_names_of_files_identify(tmp_path):
    for name, share in (("a_1", 0.25), ("a_2", 0.75), ("b_1", 0.5)):
        probabilities = np.array([[1 - share, share], [share, 1 - share]])
        wide, deep = np.zeros((2, 200)), np.zeros((2, 2, 2))
        np.savez(tmp_path / f"{name}.npz", probabilities=probabilities, wide=wide, deep=deep)
    asked = {"patient": None, "file_column": "slide", "patient_from": "^(.)"}
    with pytest.warns(UserWarning, match="patients are named in 'slide'"):
        patients = aggregate(str(tmp_path / "*.npz"), score="probabilities:1", how="max", **asked)
    assert patients.scores.tolist() == [0.75, 0.5]
    with pytest.raises(MissingColumn, match="'wide:0'"):
        aggregate(str(tmp_path / "a_1.npz"), patient="probabilities:0", score="wide:0")


def test_nested_records_have_names_with_points(tmp_path):
    rows = [{"classification": {"name": label}, "s": at} for at, label in enumerate("ab")]
    write_json(tmp_path / "t.json", rows)
    patients = aggregate(tmp_path / "t.json", patient="classification.name", score="s")
    assert patients.patients.tolist() == ["a", "b"]
    write_json(tmp_path / "one.json", rows[0])
    assert (
        aggregate(tmp_path / "one.json", patient="classification.name", score="s").n_patients == 1
    )


SIMPLE = {"patient": [1.0, 2.0, 2.0], "score": [0.5, 0.25, 0.75], "ill": [1.0, 0.0, 0.0]}


@pytest.mark.parametrize("kind", ["sav", "dta", "xport"])
def test_files_of_statistics_packages(kind, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="the extra stats is not installed")
    path = tmp_path / f"t.{'xpt' if kind == 'xport' else kind}"
    getattr(pyreadstat, f"write_{kind}")(pd.DataFrame(SIMPLE), str(path))
    for named in (path, tmp_path / "renamed.csv"):
        shutil.copy(path, tmp_path / "renamed.csv")
        patients = aggregate(named, patient="patient", score="score", label="ill")
        assert patients.patients.tolist() == ["1", "2"]
        assert patients.scores.tolist() == [0.5, 0.5]


DAMAGED = {
    "t.npz": b"PK\x03\x04 no archive",
    "t.json": b"{ no json",
    "scalar.json": b"3",
    "t.db": b"SQLite format 3\0 and no more",
    "t.zarr": None,
    "t.arrows": b"\xff\xff\xff\xff and no more",
    "t.sav": b"$FL2 and no more",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_is_refused_in_one_line(name, tmp_path):
    path = tmp_path / name
    path.mkdir() if DAMAGED[name] is None else path.write_bytes(DAMAGED[name])
    with pytest.raises(BadTable if name != "t.sav" else Exception) as refused:
        aggregate(path, **ASKED)
    assert "\n" not in str(refused.value)
    assert "cannot be read" in str(refused.value) or "requires pyreadstat" in str(refused.value)


def test_arrays_of_python_objects_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "t.npz", id=np.array(["a", None], dtype=object), s=np.zeros(2))
    with pytest.raises(BadTable, match="cannot be read"):
        aggregate(tmp_path / "t.npz", patient="id", score="s")


def test_a_zip_of_arrays_that_unpacks_to_too_much_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("s.npy", bytes(1 << 25))
    with pytest.raises(BadTable, match="at most 200 times"):
        aggregate(tmp_path / "t.npz", patient="id", score="s")


class OnlyStream:
    """What another library may hand over: a stream of Arrow, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_streams_and_batches_of_arrow_are_read_once(tmp_path):
    import pyarrow as pa

    table = pa.table(ROWS)
    expected = aggregate(table, **ASKED).fingerprint()
    batch = table.to_batches()[0]
    for source in (table.to_reader(), batch, OnlyStream(table)):
        assert aggregate(source, **ASKED).fingerprint() == expected
    rows = pa.table({"id": ROWS["id"], "s": ROWS["s"]}).to_reader()
    sheet = pa.table({"id": ["007", "7", "8"], "ill": [1, 0, 0]}).to_reader()
    with pytest.warns(UserWarning, match="joined by 'id'"):
        assert aggregate(rows, sheet=sheet, **ASKED).fingerprint() == expected
    with pytest.raises(BadTable, match="got an object of type 'Series'"):
        aggregate(pd.Series([1.0]), **ASKED)

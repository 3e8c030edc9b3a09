"""One cohort from every kind of source: identical bytes."""

import csv
import gzip

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steadycut.errors import SteadycutWarning
from steadycut.ingest import aggregate, read_patients
from steadycut.ingest.request import make_request

ASKED = {
    "patient": "patient",
    "score": ["score", "second: score"],
    "label": "label",
    "positive": "sick",
    "site": "site",
    "levels": ["slide:max"],
    "how": ["mean", "quantile:0.9", "noisy-or"],
}


def cohort(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    patients = rng.integers(0, 20, n_rows)
    return {
        "patient": [f"{patient:03d}" for patient in patients],
        "slide": rng.integers(1, 4, n_rows).tolist(),
        "score": rng.random(n_rows).tolist(),
        "second: score": np.round(rng.random(n_rows), 1).tolist(),
        "label": ["sick" if patient % 3 == 0 else "well" for patient in patients],
        "site": ["Nørre, Hospital" if patient % 2 else "B" for patient in patients],
        "unused": ["x"] * n_rows,
    }


def part(columns, rows):
    return {name: [values[row] for row in rows] for name, values in columns.items()}


def write_csv(columns, path, delimiter=","):
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def write_parquet(columns, path):
    pq.write_table(pa.table(columns), path)
    return path


def several_files(columns, folder):
    rows = list(range(len(columns["patient"])))
    flipped = dict(reversed(part(columns, rows[90:]).items()))
    return [
        write_parquet(part(columns, rows[:50]), folder / "a.parquet"),
        write_csv(part(columns, rows[50:90]), folder / "b.csv"),
        write_csv(flipped, folder / "c.tsv.gz", delimiter="\t"),
    ]


def pattern(columns, folder):
    write_parquet(part(columns, range(100, 300)), folder / "part-1.parquet")
    write_parquet(part(columns, range(100)), folder / "part-2.parquet")
    return str(folder / "part-*.parquet")


def strange_name(columns, folder):
    return write_csv(columns, folder / "what's [this]*.csv")


SOURCES = {
    "dict": lambda columns, _: columns,
    "dict of arrays": lambda columns, _: {k: np.array(v) for k, v in columns.items()},
    "csv": lambda columns, folder: write_csv(columns, folder / "t.csv"),
    "csv text": lambda columns, folder: str(write_csv(columns, folder / "t.CSV")),
    "csv semicolon": lambda columns, folder: write_csv(columns, folder / "t.csv", delimiter=";"),
    "csv.gz": lambda columns, folder: write_csv(columns, folder / "t.csv.gz"),
    "tsv": lambda columns, folder: write_csv(columns, folder / "t.tsv", delimiter="\t"),
    "strange name": strange_name,
    "parquet": lambda columns, folder: write_parquet(columns, folder / "t.parquet"),
    "several files": several_files,
    "pattern": pattern,
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "pandas categories": lambda columns, _: pd.DataFrame(columns).astype(
        {"patient": "category", "label": "category", "site": "string"}
    ),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars lazy": lambda columns, _: pl.LazyFrame(columns),
    "pyarrow": lambda columns, _: pa.table(columns),
    "pyarrow dictionary": lambda columns, _: pa.table(
        columns | {"patient": pa.array(columns["patient"]).dictionary_encode()}
    ),
    "duckdb relation": lambda columns, folder: duckdb.read_parquet(
        str(write_parquet(columns, folder / "t.parquet"))
    ),
}


def snapshot(found):
    return {
        key: (
            patients.fingerprint(),
            patients.scores.tobytes(),
            patients.n_instances.tobytes(),
            patients.recipe,
        )
        for key, patients in found.items()
    }


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_bytes(source, tmp_path):
    columns = cohort()
    expected = snapshot(aggregate(columns, **ASKED))
    assert len(expected) == 6
    assert snapshot(aggregate(SOURCES[source](columns, tmp_path), **ASKED)) == expected


@pytest.mark.parametrize("source", ["dict", "csv", "parquet", "polars lazy"])
@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_rows_changes_no_bit(source, seed, tmp_path):
    columns = cohort()
    shuffled = part(columns, np.random.default_rng(seed).permutation(300))
    expected = snapshot(aggregate(columns, **ASKED))
    assert snapshot(aggregate(SOURCES[source](shuffled, tmp_path), **ASKED)) == expected


def test_against_plain_loops():
    columns = cohort()
    found = aggregate(columns, **ASKED)["score", "mean"]
    rows = list(
        zip(*(columns[name] for name in ("patient", "slide", "score", "label")), strict=True)
    )
    for position, patient in enumerate(found.patients.tolist()):
        mine = [row for row in rows if row[0] == patient]
        peaks = [max(x for _, s, x, _ in mine if s == slide) for slide in {row[1] for row in mine}]
        assert found.scores[position] == pytest.approx(np.mean(peaks), rel=1e-15)
        assert found.labels[position] == (mine[0][3] == "sick")
        assert found.n_instances[position] == len(mine)


WHOLE = {"patient": [7, 10, 7], "score": [0.5, 0.25, 1.0]}


@pytest.mark.parametrize(
    "source",
    [
        WHOLE,
        {"patient": ["7", "10", "7"], "score": ["0.5", " 0.25", "1"]},
        {"patient": [7.0, 10.0, 7.0], "score": [0.5, 0.25, 1]},
        pd.DataFrame(WHOLE),
        pd.DataFrame(WHOLE).astype({"patient": float}),
        pd.DataFrame(WHOLE).astype({"patient": "Int64"}),
        pl.DataFrame(WHOLE).with_columns(pl.col("patient").cast(pl.UInt16)),
        pa.table(WHOLE),
    ],
    ids=lambda source: type(source).__module__,
)
def test_whole_numbers_become_plain_texts(source, tmp_path):
    found = aggregate(source, patient="patient", score="score")
    assert found.patients.tolist() == ["10", "7"]
    assert found.scores.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.float64(), pa.string()])
def test_whole_numbers_in_parquet(kind, tmp_path):
    table = pa.table({"patient": pa.array([7, 10, 7]).cast(kind), "score": [0.5, 0.25, 1.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = aggregate(tmp_path / "t.parquet", patient="patient", score="score")
    assert found.patients.tolist() == ["10", "7"]


def test_wide_and_decimal_columns_in_parquet(tmp_path):
    wide = 2**63 + 11
    duckdb.sql(
        f"COPY (SELECT {wide}::UBIGINT AS patient, 0.5::DECIMAL(4, 2) AS score, true AS label) "
        f"TO '{tmp_path}/t.parquet'"
    )
    found = aggregate(tmp_path / "t.parquet", patient="patient", score="score", label="label")
    assert (found.patients.tolist(), found.scores.tolist()) == ([str(wide)], [0.5])
    assert found.labels.tolist() == [1]


def test_text_ids_stay_as_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('id,s\n007,1\n7,2\n"a ""b"", c",3\nNAN-2,4\n', encoding="utf-8")
    with pytest.warns(SteadycutWarning, match="those of 2 of 4 patients differ"):
        found = aggregate(path, patient="id", score="s")
    assert found.patients.tolist() == ["007", "7", "NAN-2", 'a "b", c']


def test_names_that_differ_in_case_only(tmp_path):
    columns = {"id": ["a", "b"], "Score": [0.1, 0.2], "score": [0.3, 0.4]}
    paths = [write_csv(columns, tmp_path / "t.csv"), write_parquet(columns, tmp_path / "t.parquet")]
    for path in paths:
        assert aggregate(path, patient="id", score="score").scores.tolist() == [0.3, 0.4]
        assert aggregate(path, patient="id", score="Score").scores.tolist() == [0.1, 0.2]


def test_nested_columns_in_parquet_do_not_hide_others(tmp_path):
    nested = {"box": [{"x": 1, "score": 9.0}], "list": [[1, 2]], "id": ["a"], "score": [0.5]}
    path = write_parquet(nested, tmp_path / "t.parquet")
    assert aggregate(path, patient="id", score="score").scores.tolist() == [0.5]


def test_windows_line_ends_byte_mark_and_trailing_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("id,s,,\r\na,0.5,,\r\nb,0.25,,\r\n".encode("utf-8-sig"))
    assert aggregate(path, patient="id", score="s").scores.tolist() == [0.5, 0.25]


def test_one_how_several_hows_several_scores():
    table = {"id": ["a", "a"], "s": [0.25, 0.75], "u": [1.0, 3.0]}
    assert aggregate(table, patient="id", score="s").scores.tolist() == [0.5]
    by_how = aggregate(table, patient="id", score="s", how=["max", np.ptp])
    assert {how: found.scores.tolist() for how, found in by_how.items()} == {
        "max": [0.75],
        "callable:ptp": [0.5],
    }
    by_both = aggregate(table, patient="id", score=["s", "u"])
    assert list(by_both) == [("s", "mean"), ("u", "mean")]
    assert by_both["u", "mean"].recipe.name == "u: patient mean"


def test_a_function_as_level():
    table = {"id": ["a", "a", "a"], "slide": [1, 1, 2], "s": [0.25, 0.75, 0.5]}
    found = aggregate(table, patient="id", score="s", levels=[("slide", np.ptp)], how="max")
    assert found.scores.tolist() == [0.5]
    assert found.recipe.levels == (("slide", "callable:ptp"),)


def test_without_label_and_site():
    found = aggregate({"id": [1], "s": [0.5]}, patient="id", score="s")
    assert found.labels is None
    assert found.sites is None


def test_read_patients_counts_rows():
    request = make_request(patient="id", score="s", missing="drop")
    table = read_patients(request, {"id": ["a", "a", "b"], "s": [0.5, np.inf, None]})
    assert (table.n_rows, table.dropped.rows, table.dropped.patients) == (3, 2, 1)
    assert table.patients["s", "mean"].patients.tolist() == ["a"]

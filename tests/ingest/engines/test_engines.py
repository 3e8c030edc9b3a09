"""Every engine, source, cut into parts and order of rows: the same bits, the same refusals."""

import gzip
import math
from contextlib import suppress
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

from steadycut.errors import BadOption, SteadycutError
from steadycut.ingest import aggregate, read_patients
from steadycut.ingest.engines import duckdb as engine_module
from steadycut.ingest.engines.choose import _best, parse_memory
from steadycut.ingest.engines.duckdb import DuckDBEngine
from steadycut.ingest.request import make_request

HOWS = [
    "mean",
    "median",
    "max",
    "min",
    "quantile:0.9",
    "quantile:0.123",
    "top-k:3",
    "fraction-above:0.5",
    "noisy-or",
    "trimmed-mean:0.2",
]
ASKED = {
    "patient": "patient",
    "score": ["score", "tied"],
    "label": "label",
    "positive": "sick",
    "site": "site",
    "levels": ["slide:quantile:0.8", "block:mean"],
    "how": HOWS,
    "attributes": ["scanner", "age"],
    "missing": "drop",
    "clusters": True,
}


def cohort(n_rows=400, seed=0):
    """Ties, patients of one instance, missing scores, and slides that repeat across patients."""
    rng = np.random.default_rng(seed)
    patients = np.concatenate((rng.integers(0, 12, n_rows - 3), [12, 13, 14]))
    scores = rng.random(n_rows)
    scores[rng.integers(0, n_rows - 3, 20)] = np.nan
    return {
        "patient": [f"{patient:03d}" for patient in patients],
        "slide": rng.integers(1, 4, n_rows).tolist(),
        "block": [f"b{block}" for block in rng.integers(1, 3, n_rows)],
        "score": scores.tolist(),
        "tied": np.round(rng.random(n_rows), 1).tolist(),
        "label": ["sick" if patient % 3 == 0 else "well" for patient in patients],
        "site": ["Nørre, Hospital" if patient % 2 else "B" for patient in patients],
        "scanner": ["new" if patient % 5 else "old" for patient in patients],
        "age": [40.5 + patient for patient in patients],
        "unused": ["x"] * n_rows,
    }


def blank_nan(columns):
    return columns | {"score": [None if math.isnan(x) else x for x in columns["score"]]}


def hive(columns, folder):
    frame = pd.DataFrame(columns)
    for site, part in frame.groupby("site"):
        inside = folder / "table" / f"site={site}"
        inside.mkdir(parents=True)
        pq.write_table(pa.Table.from_pandas(part.drop(columns="site")), inside / "0.parquet")
    return folder / "table"


def mixed(columns, folder):
    table = pa.table(columns)
    pq.write_table(table.slice(0, 100), folder / "a.parquet")
    pq.write_table(table.slice(100, 50), folder / "b.parquet")
    pd.DataFrame(columns)[150:300].to_csv(folder / "c.csv", index=False)
    feather.write_feather(table.slice(300), folder / "d.feather")
    return [folder / name for name in ("a.parquet", "b.parquet", "c.csv", "d.feather")]


def saved(write, name):
    def source(columns, folder):
        write(columns, folder / name)
        return folder / name

    return source


def structured(columns, _):
    return pd.DataFrame(columns).to_records(index=False)


def annotated(columns, _=None):
    import anndata

    obs = pd.DataFrame(columns).drop(columns=["tied"])
    obs.index = obs.index.astype(str)
    matrix = np.column_stack((columns["tied"], np.zeros(len(obs))))
    data = anndata.AnnData(X=matrix, obs=obs, var=pd.DataFrame(index=["GENE", "other"]))
    data.layers["counts"] = matrix
    return data


SOURCES = {
    "dict": lambda columns, _: columns,
    "structured array": structured,
    "csv": saved(lambda c, path: pd.DataFrame(c).to_csv(path, index=False), "t.csv"),
    "csv.gz": saved(lambda c, path: pd.DataFrame(c).to_csv(path, index=False), "t.csv.gz"),
    "tsv": saved(lambda c, path: pd.DataFrame(c).to_csv(path, sep="\t", index=False), "t.tsv"),
    "parquet": saved(lambda c, path: pq.write_table(pa.table(c), path), "t.parquet"),
    "feather": saved(lambda c, path: feather.write_feather(pa.table(c), path), "t.feather"),
    "hive folder": hive,
    "hive pattern": lambda c, folder: str(hive(c, folder) / "*" / "*.parquet"),
    "mixed": mixed,
    "semicolons": saved(
        lambda c, path: pd.DataFrame(c).to_csv(path, sep=";", index=False), "t.csv"
    ),
    "excel": saved(lambda c, path: pd.DataFrame(c).to_excel(path, index=False), "t.xlsx"),
    "zip": saved(lambda c, path: pd.DataFrame(c).to_csv(path, index=False), "t.csv.zip"),
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars lazy": lambda columns, _: pl.LazyFrame(columns),
    "arrow": lambda columns, _: pa.table(blank_nan(columns)),
    "arrow dataset": lambda columns, folder: ds.dataset(pa.table(columns)),
    "duckdb relation": lambda columns, folder: duckdb.read_parquet(
        str(saved(lambda c, path: pq.write_table(pa.table(c), path), "t.parquet")(columns, folder))
    ),
}


def snapshot(table):
    return {
        **{
            key: (
                one.fingerprint(),
                one.scores.tobytes(),
                one.n_instances.tobytes(),
                None if one.n_units is None else one.n_units.tolist(),
                {name: values.tolist() for name, values in one.attributes.items()},
            )
            for key, one in table.patients.items()
        },
        "clusters": table.clusters,
        "dropped": (table.n_rows, table.dropped),
        "order": None if table.order is None else table.order.tolist(),
    }


@pytest.fixture(scope="module")
def expected():
    return snapshot(read_patients(make_request(**ASKED), cohort(), engine="memory"))


def test_the_dropped_counts_are_right(expected):
    gaps = int(np.isnan(cohort()["score"]).sum())
    n_rows, dropped = expected["dropped"]
    assert (n_rows, dropped.rows, dropped.patients) == (400, gaps, 0)


@pytest.mark.parametrize("engine", ["memory", "duckdb", "auto"])
@pytest.mark.parametrize("source", SOURCES)
def test_the_same_bits(source, engine, expected, tmp_path):
    given = SOURCES[source](cohort(), tmp_path)
    assert snapshot(read_patients(make_request(**ASKED), given, engine=engine)) == expected


@pytest.mark.parametrize("rows_at_once", [1, 40, 100])
@pytest.mark.parametrize("source", ["parquet", "mixed"])
def test_parts_change_no_bit(source, rows_at_once, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(DuckDBEngine, "rows_at_once", rows_at_once)
    monkeypatch.setattr(engine_module, "PIECE", 30)
    given = SOURCES[source](cohort(), tmp_path)
    calls = []
    table = read_patients(
        make_request(**ASKED), given, engine="duckdb", progress=lambda *call: calls.append(call)
    )
    assert snapshot(table) == expected
    done = [rows for _, rows, _ in calls]
    assert done == sorted(done)
    assert calls[-1] == ("aggregating rows", 400 - table.dropped.rows, 400 - table.dropped.rows)


@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_rows_changes_no_bit(seed, expected, tmp_path):
    order = np.random.default_rng(seed).permutation(400)
    shuffled = pa.table(cohort()).take(order)
    pq.write_table(shuffled, tmp_path / "t.parquet", row_group_size=50)
    table = read_patients(make_request(**ASKED), tmp_path / "t.parquet", engine="duckdb")
    assert snapshot(table) == expected


def test_many_leaves_in_a_batch(monkeypatch, tmp_path):
    monkeypatch.setattr(engine_module, "SMALL", 16)
    rng = np.random.default_rng(3)
    columns = {"id": rng.integers(0, 200, 3000).tolist(), "s": rng.normal(size=3000).tolist()}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    request = make_request(patient="id", score="s", how=["mean", "median"])
    found = read_patients(request, tmp_path / "t.parquet", engine="duckdb")
    assert snapshot(found) == snapshot(read_patients(request, columns))


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c d", "é"]),
            st.integers(0, 2),
            st.one_of(st.floats(0, 1), st.sampled_from([0.0, -0.0, 0.5, 1e-300])),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_any_small_table(rows):
    columns = dict(zip(("id", "slide", "s"), map(list, zip(*rows, strict=True)), strict=True))
    request = make_request(patient="id", score="s", levels=["slide:mean"], how=HOWS)
    found = [read_patients(request, columns, engine=one) for one in ("memory", "duckdb")]
    assert snapshot(found[0]) == snapshot(found[1])


@pytest.mark.parametrize("how", ["mean", "quantile:0.9", "top-k:10", "trimmed-mean:0.1"])
def test_close_to_numpy(how, tmp_path):
    rng = np.random.default_rng(5)
    columns = {"id": rng.integers(0, 5, 9000), "s": rng.lognormal(size=9000)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    found = aggregate(tmp_path / "t.parquet", patient="id", score="s", how=how, engine="duckdb")
    for patient, score in zip(found.patients.tolist(), found.scores.tolist(), strict=True):
        values = np.sort(columns["s"][columns["id"] == int(patient)])
        cut = int(0.1 * values.size)
        by_numpy = {
            "mean": values.mean(),
            "quantile:0.9": np.quantile(values, 0.9),
            "top-k:10": values[-10:].mean(),
            "trimmed-mean:0.1": values[cut : values.size - cut].mean(),
        }
        assert score == pytest.approx(by_numpy[how], rel=1e-12)


# Refusals --------------------------------------------------------------------------------

GOOD = {
    "id": ["secret-1", "secret-1", "secret-2"],
    "slide": ["x", "y", "x"],
    "site": ["A", "A", "B"],
    "y": ["1", "1", "0"],
    "sex": ["f", "f", "m"],
    "day": ["2", "3", "1"],
    "s": ["0.25", "0.75", "0.5"],
}
ALL = {"patient": "id", "score": "s", "label": "y", "site": "site", "levels": ["slide:max"]}
ALL |= {"attributes": ["sex"]}
WRONG = {
    "no rows": {name: [] for name in GOOD},
    "patient": {"id": ["secret-1", "", " "]},
    "label": {"y": ["1", "1", ""]},
    "site": {"site": ["A", "A", ""]},
    "level": {"slide": ["x", "", "x"]},
    "gap": {"s": ["0.5", "NA", "inf"]},
    "text": {"s": ["0,5", "1,5", "secret-1"]},
    "huge": {"s": ["0.5", "1e301", "0.5"]},
    "two labels": {"y": ["1", "0", "0"]},
    "two sites": {"site": ["A", "B", "B"]},
    "labels": {"y": ["a", "a", "b"]},
    "attribute": {"sex": ["f", "", ""]},
    "two values": {"sex": ["f", "m", "m"]},
    "order": {"day": ["2", "", "1"]},
    "no order": {"day": ["2", "soon", "1"]},
}


@pytest.mark.parametrize("sites", [None, ["A"], ["C"]])
@pytest.mark.parametrize("missing", ["refuse", "drop"])
@pytest.mark.parametrize("wrong", WRONG)
def test_the_same_refusals(wrong, missing, sites, tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame(GOOD | WRONG[wrong]).to_csv(path, index=False)
    request = replace(make_request(**ALL, missing=missing, sites=sites), order="day")
    by_memory, by_duckdb = (answer(request, path, engine) for engine in ("memory", "duckdb"))
    assert by_memory == by_duckdb
    assert "secret" not in str(by_memory)


def answer(request, path, engine):
    """The patients, or the refusal."""
    try:
        table = read_patients(request, path, engine=engine)
    except SteadycutError as error:
        return type(error), str(error)
    return {key: value for key, value in snapshot(table).items() if key != "patients"}


def test_no_folder_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "work"))
    (tmp_path / "work").mkdir()
    path = tmp_path / "t.csv"
    for columns in (GOOD, GOOD | WRONG["two labels"]):
        pd.DataFrame(columns).to_csv(path, index=False)
        with suppress(SteadycutError):
            read_patients(make_request(**ALL), path, engine="duckdb")
        assert list((tmp_path / "work").iterdir()) == []


def test_a_table_that_changes_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "s": [0.5, 0.25]}), path)
    original = DuckDBEngine._make_leaves

    def change(self, layout):
        pq.write_table(pa.table({"id": ["a", "b", "b"], "s": [0.5, 0.25, 1.0]}), path)
        original(self, layout)

    monkeypatch.setattr(DuckDBEngine, "_make_leaves", change)
    with pytest.raises(SteadycutError, match=r"changed while it was read|cannot be read"):
        aggregate(path, patient="id", score="s", engine="duckdb")


# Choosing --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["", "much", "-1GB", "100MB", 5, "1.5.2GB"])
def test_memory_is_refused(size):
    with pytest.raises(BadOption, match="memory must be a size of at least 256MiB"):
        parse_memory(size)


def test_the_least_memory_is_enough_for_a_packed_text(tmp_path):
    """A packed file does not tell its size, so that DuckDB takes a whole buffer at once."""
    rows = "".join(f"p{i % 9},{i}\n" for i in range(100))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(f"id,s\n{rows}".encode()))
    least = aggregate(path, patient="id", score="s", engine="duckdb", memory="256MiB")
    assert np.array_equal(least.scores, aggregate(path, patient="id", score="s").scores)


@pytest.mark.parametrize(("memory", "threads"), [("256MiB", 1), ("300MiB", 1), ("340MiB", 2)])
def test_threads_are_as_many_as_have_room(tmp_path, monkeypatch, memory, threads):
    monkeypatch.setattr(engine_module.os, "cpu_count", lambda: 64)
    request = make_request(patient="id", score="s")
    engine = DuckDBEngine(request=request, source=None, memory=parse_memory(memory), work=tmp_path)
    asked = engine.connection.execute("SELECT current_setting('threads')").fetchone()
    engine.close()
    assert asked == (threads,)


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.csv.gz"])
def test_rows_that_do_not_fit_into_memory_are_refused_at_once(tmp_path, name):
    n, path = 3_000_000, tmp_path / name
    if name == "t.parquet":
        pq.write_table(pa.table({"p": np.zeros(n, np.int8), "s": np.zeros(n)}), path)
    else:
        text = b"p,s\n" + b"p,1\n" * n
        path.write_bytes(gzip.compress(text, 1) if name.endswith("gz") else text)
    refused = r"holds all rows at once; these are about 3,000,0\d\d and need about 286 MiB"
    for asked in ({"patient": "p", "engine": "memory"}, {"patient": None, "label": "p"}):
        with pytest.raises(BadOption, match=refused):
            aggregate(path, score="s", memory="256MiB", **asked)


def test_unknown_engine():
    with pytest.raises(BadOption, match="engine must be one of auto, memory, duckdb"):
        aggregate({"id": [1], "s": [1]}, patient="id", score="s", engine="abacus")


def test_auto_takes_duckdb_for_large_files_and_lazy_frames(tmp_path, monkeypatch):
    pq.write_table(pa.table({"id": ["a"], "s": [0.5]}), tmp_path / "t.parquet")
    assert _best(tmp_path / "t.parquet") == "memory"
    monkeypatch.setattr("steadycut.ingest.engines.choose.SMALL_FILES", 10)
    assert _best(tmp_path / "t.parquet") == "duckdb"
    assert _best(pl.LazyFrame({"id": ["a"]})) == "duckdb"
    assert _best(pl.DataFrame({"id": ["a"]})) == "memory"
    monkeypatch.setattr("steadycut.ingest.sources.dispatch.SMALL_FRAME", 0)
    assert _best(pl.DataFrame({"id": ["a"]})) == "duckdb"
    assert _best(pd.DataFrame({"id": ["a"]})) == "memory"

"""Same patients, same options, same seed: the same bytes of every file, however they were asked.

Everyday tests change everything at once, slow ones one thing after the other, to tell which.
"""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import steadycut
from steadycut import StableThresholdClassifier
from steadycut.cli.main import run
from steadycut.ingest.engines import duckdb as duckdb_engine
from tests.cli.commands import HEADER, make_rows, snapshot

COLUMNS = ["--patient", "patient", "--score", "score", "--label", "label"]
HOME = ["--site", "site", "--internal", "north", "--level", "slide:max", "--bootstrap", "20"]
THERE = ["--label", "label", "--site", "site", "--external", "south"]
COSTS = ["--costs", "0,0.25,1;4,1,0"]
SEX = ["--covariate", "sex"]
FILES = [
    "audit/audit.html",
    "audit/audit.json",
    "covariate/covariate.json",
    "fit/report.html",
    "fit/rule.json",
    "fit/study.json",
    "strata/strata.json",
]


def commands(tables, out, more):
    """Return the four commands that write files, as lists of arguments."""
    tables = [str(table) for table in tables]
    several = ["--score", "other", "--aggregate", "mean", "--aggregate", "quantile:0.9"]
    return [
        ["fit", *tables, *COLUMNS, *several, *HOME, *more, "--out", f"{out}/fit"],
        ["audit", f"{out}/fit/rule.json", *tables, *THERE, *more, "--out", f"{out}/audit"],
        ["strata", *tables, *COLUMNS, *HOME, *COSTS, *more, "--out", f"{out}/strata"],
        ["covariate", *tables, *COLUMNS, *HOME, *SEX, *more, "--out", f"{out}/covariate"],
    ]


def written(tables, out, more=()):
    """Run the commands in this process and return the bytes of all files that they wrote."""
    for command in commands(tables, out, more):
        assert run(command) == 0
    return snapshot(out)


@pytest.fixture(scope="module")
def frame():
    rows = pd.DataFrame(make_rows(n_patients=40), columns=HEADER)
    rows["sex"] = np.where(rows["patient"].str[-1].astype(int) % 3 > 0, "f", "m")
    return rows


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def plain(table, tmp_path_factory):
    """What a plain run of all commands writes."""
    found = written([table], tmp_path_factory.mktemp("plain"))
    assert sorted(name for name in found if name in FILES) == FILES
    return found


# The table in other forms --------------------------------------------------------------------


def shuffled(folder, frame):
    frame.sample(frac=1, random_state=3).to_csv(folder / "t.csv", index=False)
    return [folder / "t.csv"]


def columns_turned(folder, frame):
    frame[frame.columns[::-1]].to_csv(folder / "t.tsv.gz", sep="\t", index=False)
    return [folder / "t.tsv.gz"]


def parquet(folder, frame):
    frame.sample(frac=1, random_state=4).to_parquet(folder / "t.parquet")
    return [folder / "t.parquet"]


def categories(folder, frame):
    kinds = {"patient": "category", "site": "category", "sex": "category"}
    frame.astype(kinds).to_parquet(folder / "t.parquet", row_group_size=17)
    return [folder / "t.parquet"]


def three_files(folder, frame):
    for i in range(3):
        frame[i::3].to_csv(folder / f"part{i}.csv", index=False)
    return [folder / f"part{i}.csv" for i in (2, 0, 1)]


def two_kinds(folder, frame):
    frame[::2].to_parquet(folder / "b.parquet")
    frame[1::2].to_csv(folder / "a.csv", index=False)
    return [folder / "b.parquet", folder / "a.csv"]


def pattern(folder, frame):
    three_files(folder, frame)
    return [folder / "part*.csv"]


def parquet_folder(folder, frame):
    for i in range(2):
        frame[i::2].to_parquet(folder / f"{i}.parquet")
    return [folder]


FORMS = [
    shuffled,
    columns_turned,
    parquet,
    categories,
    three_files,
    two_kinds,
    pattern,
    parquet_folder,
]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_table_leaves_no_trace(form, frame, plain, tmp_path):
    (tmp_path / "in").mkdir()
    assert written(form(tmp_path / "in", frame), tmp_path / "out") == plain


# The way it is read and run ------------------------------------------------------------------


ENGINES = [["memory"], ["duckdb"], ["duckdb", "--memory", "256MiB"]]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_engine_leaves_no_trace(engine, table, plain, tmp_path):
    assert written([table], tmp_path, ["--engine", *engine]) == plain


@pytest.mark.parametrize(
    ("rows_at_once", "processors"), [(50, 8), pytest.param(7, 1, marks=pytest.mark.slow)]
)
def test_neither_parts_nor_threads_leave_a_trace(
    rows_at_once, processors, frame, plain, tmp_path, monkeypatch
):
    """Rows and columns in another order, two kinds of files, many parts, one or eight threads."""
    monkeypatch.setattr(duckdb_engine.DuckDBEngine, "rows_at_once", rows_at_once)
    monkeypatch.setattr(duckdb_engine, "PIECE", 30)
    monkeypatch.setattr(duckdb_engine.os, "cpu_count", lambda: processors)
    (tmp_path / "in").mkdir()
    mixed = frame[frame.columns[::-1]].sample(frac=1, random_state=5)
    tables = two_kinds(tmp_path / "in", mixed)
    assert written(tables, tmp_path / "out", ["--engine", "duckdb"]) == plain


@pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")
@pytest.mark.slow
def test_spark_leaves_no_trace(table, plain, tmp_path):
    fit = commands([table], tmp_path, ["--engine", "spark"])[0]
    subprocess.run([sys.executable, "-m", "steadycut.cli.main", *fit], check=True)
    names = ["rule.json", "study.json", "report.html"]
    found = [(tmp_path / "fit" / name).read_bytes() for name in names]
    assert found == [plain[f"fit/{name}"] for name in names]


@pytest.mark.slow
def test_a_second_run_in_the_same_place_changes_nothing(table, plain, tmp_path):
    assert written([table], tmp_path) == plain
    assert written([table], tmp_path) == plain


PLACES = [
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C", "OMP_NUM_THREADS": "2"},
    pytest.param(
        {
            "PYTHONHASHSEED": "77",
            "TZ": "America/Lima",
            "LANG": "tr_TR.UTF-8",
            "OMP_NUM_THREADS": "8",
        },
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize("place", PLACES)
def test_the_surroundings_leave_no_trace(place, table, plain, tmp_path):
    """Hash seed, time zone, locale, threads, folder, and another process."""
    script = (
        "import json, sys\n"
        "from steadycut.cli.main import run\n"
        "sys.exit(max(run(command) for command in json.loads(sys.argv[1])))"
    )
    asked = json.dumps(commands([table.name], tmp_path, []))
    environment = {**os.environ, **place}
    subprocess.run(
        [sys.executable, "-c", script, asked], cwd=table.parent, env=environment, check=True
    )
    assert snapshot(tmp_path) == plain


def test_the_number_of_processes_leaves_no_trace():
    """Refits in the bootstrap, in this process or in two others."""
    rng = np.random.default_rng(0)
    groups, columns = np.repeat(np.arange(24), 2), rng.normal(size=(48, 2))
    labels = groups % 2
    options = {"cv": 2, "n_bootstrap": 4, "random_state": 0}
    one, two = (
        StableThresholdClassifier(LogisticRegression(), **options, n_jobs=n_jobs).fit(
            columns + labels[:, None], labels, groups=groups
        )
        for n_jobs in (1, 2)
    )
    assert one.study_.freeze().to_bytes() == two.study_.freeze().to_bytes()
    assert json.dumps(one.study_.to_dict()) == json.dumps(two.study_.to_dict())


def test_the_order_of_columns_in_a_mapping_leaves_no_trace(frame):
    asked = {"patient": "patient", "score": "score", "label": "label", "levels": ["slide:max"]}
    columns = {name: frame[name].tolist() for name in frame.columns}
    turned = dict(reversed(columns.items()))
    one, other = (steadycut.fit(steadycut.aggregate(c, **asked)) for c in (columns, turned))
    assert one.freeze().to_bytes() == other.freeze().to_bytes()

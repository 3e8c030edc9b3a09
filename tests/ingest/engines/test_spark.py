"""Spark in local mode: the same bits and refusals as every engine, and only patients come back."""

import gzip
import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from steadycut.cli.main import run
from steadycut.errors import BadOption, BadTable, MissingPackage, SteadycutError
from steadycut.ingest.engines import spark as engine_module
from steadycut.ingest.engines import spark_session
from steadycut.ingest.engines.spark import SparkEngine
from steadycut.ingest.engines.spark_session import told_in_one_line
from steadycut.ingest.engines.spark_tables import check_text_rows, is_spark
from steadycut.ingest.engines.spark_tasks import finish_batches, survey_batches
from steadycut.ingest.patients import build_patients
from steadycut.ingest.read import read_patients
from steadycut.ingest.request import make_request
from tests.ingest.engines.test_engines import ALL, ASKED, GOOD, SOURCES, WRONG, cohort, snapshot

HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
needs_java = pytest.mark.skipif(
    not HAS_JAVA, reason="Spark needs Java: neither java on the PATH nor JAVA_HOME (see .ci/run)"
)


@pytest.fixture(scope="session")
def session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Workers of Spark find what the tests find.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "3",
        # The tests are short: Java need not compile for speed or clean up in several threads.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def expected():
    return snapshot(read_patients(make_request(**ASKED), cohort()))


def on_spark(source, **asked):
    request = make_request(**asked)
    return build_patients(SparkEngine(request, source), request)


def spread(session, columns, n_partitions=2):
    return session.createDataFrame(pd.DataFrame(columns)).repartition(n_partitions)


# The same bits.


@needs_java
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_partitions_change_no_bit(session, expected, adaptive, monkeypatch):
    monkeypatch.setattr(engine_module, "ROWS_PER_PARTITION", 50)
    session.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        assert snapshot(on_spark(spread(session, cohort(), 9), **ASKED)) == expected
    finally:
        session.conf.unset("spark.sql.adaptive.enabled")


@needs_java
def test_one_partition_gives_the_same(session, expected):
    assert snapshot(on_spark(spread(session, cohort(), 1), **ASKED)) == expected


@needs_java
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "parquet", "hive folder"])
def test_files_give_the_same(session, expected, kind, tmp_path):
    assert snapshot(on_spark(SOURCES[kind](cohort(), tmp_path), **ASKED)) == expected


@needs_java
def test_several_files_and_patterns_give_the_same(session, expected, tmp_path):
    table = pa.table(cohort())
    for start in (0, 150, 300):
        pq.write_table(table.slice(start, 150), tmp_path / f"{start}.parquet")
    files = [tmp_path / "0.parquet", str(tmp_path / "150.parquet"), tmp_path / "300.parquet"]
    assert snapshot(on_spark(files, **ASKED)) == expected
    assert snapshot(on_spark(str(tmp_path / "*.parquet"), **ASKED)) == expected


@needs_java
def test_sites_levels_and_functions(session, monkeypatch):
    monkeypatch.setattr(engine_module, "ROWS_PER_PARTITION", 100)
    asked = ASKED | {"sites": ["B"], "levels": ["slide:max"], "how": [np.ptp]}
    here = snapshot(read_patients(make_request(**asked), cohort()))
    assert snapshot(on_spark(spread(session, cohort()), **asked)) == here


@needs_java
def test_identifiers_are_read_as_everywhere(session):
    numbers = {"id": [7.0, 8.0, 7.0, 7.5], "s": [1, 2, 3, 4], "odd. `name`": [1, 1, 1, 1]}
    found = on_spark(spread(session, numbers, 2), patient="id", score=["s", "odd. `name`"])
    here = read_patients(make_request(patient="id", score=["s", "odd. `name`"]), numbers)
    assert snapshot(found) == snapshot(here)


@needs_java
def test_the_command_line_writes_the_same_rule(session, tmp_path, capsys):
    path = SOURCES["csv"](cohort(), tmp_path)
    asked = ["--patient", "patient", "--score", "tied", "--label", "label", "--positive", "sick"]
    rules = []
    for engine in ("memory", "spark"):
        out = tmp_path / engine
        how = ["--aggregate", "quantile:0.9", "--engine", engine, "--out", str(out)]
        assert run(["fit", str(path), *asked, *how]) == 0
        rules.append((out / "rule.json").read_bytes())
    assert rules[0] == rules[1]
    assert sorted(one.name for one in out.iterdir()) == ["report.html", "rule.json", "study.json"]


@needs_java
def test_auto_takes_spark_for_its_own_frames(session, expected):
    found = read_patients(make_request(**ASKED), spread(session, cohort()))
    assert snapshot(found) == expected


@needs_java
def test_one_row_a_patient_comes_to_the_driver(session, monkeypatch):
    monkeypatch.setattr(engine_module, "ROWS_PER_PARTITION", 50)
    frame = spread(session, cohort(), 8)
    fetched, fetch = [], type(frame).toArrow

    def watch(self):
        table = fetch(self)
        fetched.append(table.num_rows)
        return table

    for name in ("collect", "toPandas", "toLocalIterator"):
        monkeypatch.setattr(type(frame), name, None)
    monkeypatch.setattr(type(frame), "toArrow", watch)
    table = on_spark(frame, **ASKED)
    n_patients = next(iter(table.patients.values())).n_patients
    assert fetched == [n_patients, n_patients]


# The same refusals.


@needs_java
@pytest.mark.parametrize(
    ("wrong", "missing"),
    [*((wrong, "refuse") for wrong in WRONG), ("label", "drop"), ("gap", "drop")],
)
def test_the_same_refusals(session, wrong, missing, tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame(GOOD | WRONG[wrong]).to_csv(path, index=False)
    request = make_request(**ALL, missing=missing)
    said = [outcome(request, path, engine) for engine in (None, SparkEngine(request, path))]
    assert said[0] == said[1]
    assert "secret" not in str(said[1])


def outcome(request, path, engine):
    try:
        found = read_patients(request, path) if engine is None else build_patients(engine, request)
    except SteadycutError as error:
        return type(error), str(error)
    return snapshot(found)


@needs_java
@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.csv": "id,s\nsecret,1\n", "b.csv": "s,id\n1,secret\n"}, "Spark could not read"),
        ({"a.csv": "id,s\nsecret,1,2\n"}, "Spark could not read"),
        ({"a.csv": ""}, "first line is empty"),
        ({"a.parquet": "secret"}, "Spark could not read"),
        ({"a.csv": "id,x\na,1\n"}, "the table has no column 's'"),
    ],
)
def test_files_that_cannot_be_read_are_refused_in_one_line(session, files, told, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadTable, match=told) as caught:
        on_spark([tmp_path / name for name in files], patient="id", score="s")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@needs_java
def test_a_path_that_is_not_there_is_refused(session, tmp_path):
    with pytest.raises(BadTable, match="PATH_NOT_FOUND"):
        on_spark(tmp_path / "none.parquet", patient="id", score="s")


@needs_java
def test_a_table_that_changes_between_two_reads_is_refused(session, tmp_path, monkeypatch):
    frame = spread(session, {"id": ["a", "b"], "s": [1.0, 2.0]})
    needed, calls = SparkEngine._needed, []

    def other_rows(self):
        calls.append(self)
        rows = needed(self)
        return rows if len(calls) == 1 else rows.union(rows.limit(1))

    monkeypatch.setattr(SparkEngine, "_needed", other_rows)
    with pytest.raises(BadTable, match="the table changed between two reads"):
        on_spark(frame, patient="id", score="s")


@needs_java
def test_a_session_that_there_is_is_taken(session):
    assert spark_session.spark_session() is session
    assert is_spark(session.range(1))


LISTENING = """
import os
from contextlib import suppress
from pathlib import Path
from steadycut.ingest.engines.spark_session import spark_session

session = spark_session()
print(session.sparkContext.uiWebUrl)
own = {os.getpid(), session.sparkContext._gateway.proc.pid}
for pid in sorted(own):
    own |= {int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
links = []
for one in (one for pid in own for one in list(Path(f"/proc/{pid}/fd").iterdir())):
    with suppress(OSError):
        links.append(os.readlink(one))
for kind in ("tcp", "tcp6"):
    for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]:
        cells = line.split()
        if cells[3] == "0A" and f"socket:[{cells[9]}]" in links:
            print(cells[1].split(":")[0])
"""


@needs_java
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_local_session_listens_to_this_machine_only():
    names = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER", "SPARK_LOCAL_IP")
    rest = {name: value for name, value in os.environ.items() if name not in names}
    rest["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-c", LISTENING]
    ran = subprocess.run(command, env=rest, capture_output=True, text=True, check=True)
    page, *addresses = ran.stdout.split()
    assert page == "None"
    assert addresses
    # 127.0.0.1, and the same as an address of version 6.
    assert set(addresses) <= {"0100007F", "0000000000000000FFFF00000100007F"}


@pytest.mark.parametrize(
    ("name", "value"), [("SPARK_REMOTE", "sc://x"), ("PYSPARK_SUBMIT_ARGS", "--master yarn")]
)
def test_a_named_cluster_is_left_as_it_is(monkeypatch, tmp_path, name, value):
    for one in ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER", "SPARK_HOME", name):
        monkeypatch.delenv(one, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert spark_session._is_alone()
    (tmp_path / "spark-defaults.conf").write_text("spark.master yarn\n")
    assert not spark_session._is_alone()
    (tmp_path / "spark-defaults.conf").unlink()
    monkeypatch.setenv(name, value)
    assert not spark_session._is_alone()


# Without Spark.


@pytest.mark.parametrize("source", [{"id": [1]}, pd.DataFrame({"id": [1]}), 3, []])
def test_what_spark_cannot_read_is_refused(source):
    with pytest.raises(BadOption, match="the spark engine reads a DataFrame of Spark, a path"):
        on_spark(source, patient="id", score="s")


def test_files_of_several_kinds_are_refused():
    with pytest.raises(BadOption, match="files of one kind at a time"):
        on_spark(["a.csv", "b.parquet"], patient="id", score="s")


def test_without_pyspark_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingPackage, match=r'pip install "steadycut\[spark\]"'):
        spark_session.spark_session()


def test_without_java_it_says_what_to_install():
    """In a process of its own: the session of the other tests would be taken."""
    code = (
        "from steadycut.errors import MissingPackage\n"
        "from steadycut.ingest.engines.spark_session import spark_session\n"
        "try:\n    spark_session()\nexcept MissingPackage as error:\n    print(error)\n"
    )
    environment = {"PATH": "/nowhere", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("Spark could not be started. It needs Java 17 or later")


def raised(text, condition=None):
    from pyspark.errors import PySparkException

    error = PySparkException(text)
    error.getCondition = lambda: condition
    with told_in_one_line():
        raise error


def test_errors_of_the_executors_are_told_in_one_line():
    with pytest.raises(BadOption, match=r"^f gave nan\.$"):
        raised("Traceback\nsteadycut.errors.BadOption: f gave nan.\n at java")
    with pytest.raises(
        MissingPackage, match="executors of Spark lack the Python package steadycut"
    ):
        raised("ModuleNotFoundError: No module named 'steadycut'\n")
    with pytest.raises(BadTable, match=r"^Spark could not read the table \(SOME_THING\)"):
        raised("secret row", "SOME_THING")


def test_executors_need_no_spark():
    request = make_request(patient="id", score="s", levels=["slide:max"], how=["mean", "max"])
    table = pa.table({"id": ["a", "b", "a"], "slide": [1, 1, None], "s": [0.5, 0.25, np.nan]})
    [groups] = survey_batches(table.to_batches(), request)
    found = {(row["k0"], row["k1"]): row for row in groups.to_pylist()}
    assert set(found) == {("a", None), ("a", "there"), ("b", "there")}
    assert [row["n_usable"] for row in found.values()].count(1) == 2
    assert found["b", "there"]["largest0"] == 0.25
    for task in (survey_batches, finish_batches):
        assert list(task(iter([]), request)) == []
        assert list(task(table.slice(0, 0).to_batches(), request)) == []


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_rows_that_spark_lost_are_noticed(tmp_path, name):
    text = b'id,s\na,1\n"b\nc",2\n'
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    check_text_rows(tmp_path / name, 2)
    with pytest.raises(BadTable, match="has 2 records, but 3 rows were read"):
        check_text_rows([tmp_path / name], 3)


def test_files_elsewhere_are_not_counted(tmp_path):
    check_text_rows("hdfs://server/t.csv", 3)
    check_text_rows(tmp_path, 3)

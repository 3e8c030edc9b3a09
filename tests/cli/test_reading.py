"""Engines, memory, resuming: options that change nothing in the result."""

import numpy as np
import pandas as pd
import pytest

from steadycut.cli.reading import CHECKPOINT
from steadycut.ingest.engines.duckdb import DuckDBEngine
from tests.cli.commands import run_command


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 5)
    frame = pd.DataFrame(
        {"id": [f"Zq§{p}" for p in patient], "y": patient % 2, "s": rng.normal(patient % 2, 1.0)}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def fit(capsys, table, out, *more):
    names = ("--patient", "id", "--score", "s", "--label", "y", "--bootstrap", "20")
    return run_command(capsys, "fit", table, *names, "--out", out, "--json", *more)


def test_engines_give_the_same_study(capsys, table, tmp_path):
    told = [
        fit(capsys, table, tmp_path / engine, "--engine", engine, "--memory", "300MB")
        for engine in ("memory", "duckdb", "auto")
    ]
    assert [ran.code for ran in told] == [0, 0, 0]
    assert told[0].out == told[1].out == told[2].out


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (("--engine", "abacus"), "--engine must be one of auto, memory, duckdb"),
        (("--memory", "5MB"), "--memory must be a size of at least 256MiB"),
    ],
)
def test_refusals(capsys, table, tmp_path, more, text):
    ran = fit(capsys, table, tmp_path / "out", *more)
    assert ran.code == 2
    assert text in ran.err
    assert not (tmp_path / "out").exists()


def test_the_same_file_twice_is_refused(capsys, table, tmp_path):
    ran = run_command(
        capsys, "fit", table, tmp_path / "*.parquet", "--patient", "id", "--score", "s",
        "--label", "y", "--out", tmp_path / "out",
    )  # fmt: skip
    assert ran.code == 2
    assert "is given twice, so its rows would count twice. Name it once" in ran.err


def test_patients_without_a_label_are_counted(capsys, table, tmp_path):
    frame = pd.read_parquet(table).astype({"y": "Int64"})
    frame.loc[frame.id == "Zq§7", "y"] = pd.NA
    frame.loc[0, "y"] = pd.NA
    frame.to_parquet(table)
    assert "column 'y' must be filled in every row; 6 of 300" in fit(capsys, table, tmp_path).err
    ran = fit(capsys, table, tmp_path / "out", "--missing", "drop")
    assert ran.code == 0
    assert "1 patient without a label in any row was dropped, 5 rows in all." in ran.err
    assert "1 row without a label took the one of the same patient's other rows." in ran.err
    assert ran.json["data"]["dropped_incomplete_patients"] == 1


def test_an_interrupted_aggregation_is_resumed_to_the_last_bit(
    capsys, table, tmp_path, monkeypatch
):
    whole = fit(capsys, table, tmp_path / "whole", "--engine", "duckdb")
    monkeypatch.setattr(DuckDBEngine, "rows_at_once", 50)
    original, calls = DuckDBEngine.finish, []

    def stop_in_the_third(self, layout, patients, advance):
        calls.append(patients)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(self, layout, patients, advance)

    monkeypatch.setattr(DuckDBEngine, "finish", stop_in_the_third)
    out = tmp_path / "out"
    stopped = fit(capsys, table, out, "--engine", "duckdb")
    assert stopped.code == 130
    assert f"kept in {out / CHECKPOINT}; add --resume" in stopped.err
    assert len(list((out / CHECKPOINT).glob("*.npz"))) == 2
    other = fit(capsys, table, out, "--engine", "duckdb", "--resume", "--aggregate", "max")
    assert other.code == 2
    assert "is of another study: request differs" in other.err
    resumed = fit(capsys, table, out, "--engine", "duckdb", "--resume")
    assert resumed.out == whole.out
    assert len(calls) == 3 + 4
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "rule.json", "study.json"]


def test_a_new_run_does_not_use_an_old_checkpoint(capsys, table, tmp_path, monkeypatch):
    monkeypatch.setattr(DuckDBEngine, "rows_at_once", 100)
    original, calls = DuckDBEngine.finish, []

    def count(self, layout, patients, advance):
        calls.append(patients)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(self, layout, patients, advance)

    monkeypatch.setattr(DuckDBEngine, "finish", count)
    assert fit(capsys, table, tmp_path / "out", "--engine", "duckdb").code == 130
    assert fit(capsys, table, tmp_path / "out", "--engine", "duckdb").code == 0
    assert len(calls) == 2 + 3

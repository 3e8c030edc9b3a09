"""``fit`` and ``audit`` of survival at a horizon, from the command line."""

import csv
import json

import numpy as np
import pytest

from tests.cli.commands import run_command

COLUMNS = ["--patient", "id", "--score", "s", "--time", "months", "--event", "status"]


@pytest.fixture
def tables(tmp_path):
    """Two tables with other patients; an event is written as 2, as in R."""
    paths = []
    for seed, names in ((1, ["id", "s", "months", "status"]), (2, ["id", "s", "weeks", "status"])):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=200).round(4)
        event, lost = rng.exponential(10 * np.exp(-1.2 * scores)), rng.exponential(60, 200)
        rows = [
            (f"{seed}{i:03d}", s, round(min(e, c), 3), 2 if e <= c else 1)
            for i, (s, e, c) in enumerate(zip(scores, event, lost, strict=True))
        ]
        paths.append(tmp_path / f"{seed}.csv")
        with paths[-1].open("w", newline="") as file:
            csv.writer(file).writerows([names, *rows])
    return paths


def test_a_rule_with_a_horizon_travels(tables, tmp_path, capsys):
    here, there = tables
    asked = [*COLUMNS, "--positive", "2", "--horizon", "5", "--out", tmp_path / "fit"]
    ran = run_command(capsys, "fit", here, *asked)
    assert ran.code == 0, ran.err
    assert "unknown fate" in ran.out
    assert "approximate" in ran.out
    assert "--label" not in ran.out
    rule = json.loads((tmp_path / "fit" / "rule.json").read_text())
    assert rule["columns"]["horizon"] == 5.0
    assert rule["provenance"]["patients"]["certify_unknown"] > 0
    named = ["--column", "months=weeks", "--out", tmp_path / "audit"]
    ran = run_command(capsys, "audit", tmp_path / "fit" / "rule.json", there, *named)
    assert ran.code == 0, ran.err
    found = json.loads((tmp_path / "audit" / "audit.json").read_text())
    assert found["survival"]["unknown"] > 0
    assert found["survival"]["weighted"]["approximate"] is True
    assert "Survival at 5" in (tmp_path / "audit" / "audit.html").read_text(encoding="utf-8")


def test_without_the_columns_an_audit_works_without_labels(tables, tmp_path, capsys):
    here, there = tables
    asked = [*COLUMNS, "--positive", "2", "--horizon", "5", "--out", tmp_path / "fit"]
    run_command(capsys, "fit", here, *asked)
    rule = tmp_path / "fit" / "rule.json"
    ran = run_command(capsys, "audit", rule, there, "--out", tmp_path / "audit")
    assert ran.code == 0, ran.err
    assert json.loads((tmp_path / "audit" / "audit.json").read_text())["labelled"] is False


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "--horizon"),
        (["--horizon", "soon"], "'soon'"),
        (["--horizon", "0"], "horizon"),
        (["--horizon", "5", "--label", "status"], "twice"),
        (["--horizon", "5"], "--positive"),
        (["--horizon", "5", "--positive", "2", "--rule", "kappa"], "stable or erm or youden"),
        (["--horizon", "5000", "--positive", "2"], "Take another --horizon"),
        (["--horizon", "5", "--positive", "2", "--small-cells", "5"], "--small-cells"),
    ],
)
def test_wrong_options_are_refused_in_one_line(tables, tmp_path, capsys, more, words):
    ran = run_command(capsys, "fit", tables[0], *COLUMNS, *more, "--out", tmp_path / "out")
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.strip().splitlines()) == 1

"""``steadycut audit``: what it prints and writes, with labels and without."""

import json

import pandas as pd
import pytest

from steadycut import aggregate, audit
from steadycut.ingest import at_sites
from steadycut.rule_file import FrozenRule
from tests.cli.commands import (
    FIT,
    MARK,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)

SOUTH = ["--label", "label", "--site", "site", "--external", "south"]


def test_it_writes_two_files_and_says_so(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", rule, table, *SOUTH, "--out", tmp_path / "a" / "b")
    assert ran.code == 0
    assert ran.err == ""
    assert sorted(snapshot(tmp_path / "a" / "b")) == ["audit.html", "audit.json"]
    assert ran.out.endswith(f"\nWrote audit.json, audit.html to {tmp_path / 'a' / 'b'}/\n")


def test_json_is_one_object_and_equals_audit_json(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", rule, table, *SOUTH, "--json", "--out", tmp_path)
    assert ran.code == 0
    assert ran.err == ""
    assert ran.json == json.loads((tmp_path / "audit.json").read_bytes())
    wanted = {"risk_external", "bound_external", "shift", "base", "base_valid", "augmented"}
    assert wanted | {"flip_rate", "call_rate", "verdict"} <= set(ran.json)
    parts = {"prevalence", "shape_positive", "shape_negative", "total"}
    assert set(ran.json["shift"]) == parts | {"signed", "shapley"}
    assert set(ran.json["shift"]["signed"]) == set(ran.json["shift"]["shapley"]) == parts


def test_it_is_the_library(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", rule, table, *SOUTH, "--json", "--out", tmp_path)
    everybody = aggregate(table, patient="patient", score="score", label="label", site="site")
    expected = audit(FrozenRule.load(rule), at_sites(everybody, "south")).to_dict()
    assert {key: ran.json[key] for key in expected} == expected
    assert ran.json["n_patients"] == 30


def test_the_text_gives_the_verdict_first(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", rule, table, *SOUTH, "--out", tmp_path)
    found = json.loads((tmp_path / "audit.json").read_bytes())
    assert ran.out.splitlines()[0] == f"Audit: {found['verdict_text']}"
    for name in ("Base", "Augmented", "prevalence", "scores of positive patients", "grey zone"):
        assert name in ran.out


def test_without_labels_there_is_no_risk(table, rule, tmp_path, capsys):
    pd.read_csv(table)[["patient", "score"]].to_csv(tmp_path / "t.csv", index=False)
    ran = run_command(capsys, "audit", rule, tmp_path / "t.csv", "--json", "--out", tmp_path / "o")
    assert ran.code == 0
    assert ran.json["verdict"] == "cannot tell"
    assert ran.json["labelled"] is False
    assert "risk_external" not in ran.json
    assert ran.json["n_patients"] == 90
    assert sorted(snapshot(tmp_path / "o")) == ["audit.html", "audit.json"]
    text = run_command(capsys, "audit", rule, tmp_path / "t.csv", "--out", tmp_path / "o")
    assert "without labels the risk here is not known" in text.out
    assert "Base" not in text.out


def test_the_positive_label_is_the_rules_own(tmp_path, capsys):
    rows = column_changed(make_rows(), "label", lambda _, label: ["MSS", "MSI"][label])
    path = write_rows(tmp_path / "t.csv", rows)
    run_command(capsys, "fit", path, *FIT, "--positive", "MSI", "--out", tmp_path / "o")
    ran = run_command(
        capsys,
        *("audit", tmp_path / "o" / "rule.json", path, "--label", "label"),
        *("--json", "--out", tmp_path / "a"),
    )
    assert ran.code == 0
    assert ran.json["operating_point"]["prevalence"] == 0.5


def test_the_label_column_may_have_another_name(table, rule, tmp_path, capsys):
    pd.read_csv(table).rename(columns={"label": "y"}).to_csv(tmp_path / "t.csv", index=False)
    named = run_command(
        capsys, "audit", rule, tmp_path / "t.csv", "--label", "y", "--json", "--out", tmp_path / "a"
    )
    plain = run_command(
        capsys, "audit", rule, table, "--label", "label", "--json", "--out", tmp_path / "b"
    )
    assert named.code == 0
    assert named.json == plain.json


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_enough(rule, tmp_path, capsys, label):
    rows = [row for row in make_rows(seed=1) if row[-1] == label]
    path = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(
        capsys, "audit", rule, path, "--label", "label", "--json", "--out", tmp_path / "o"
    )
    assert ran.code == 0
    missing = "shape_negative" if label else "shape_positive"
    assert ran.json["shift"][missing] is None
    text = run_command(capsys, "audit", rule, path, "--label", "label", "--out", tmp_path / "o")
    assert text.code == 0
    assert "not known" in text.out


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_warnings_go_to_stderr_once_and_are_recorded(rule, tmp_path, capsys, as_json):
    rows = column_changed(make_rows(), "score", lambda _, score: 1000 * score)
    path = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(
        capsys, "audit", rule, path, "--label", "label", "--out", tmp_path / "o", *as_json
    )
    assert ran.code == 0
    found = json.loads((tmp_path / "o" / "audit.json").read_bytes())["warnings"]
    assert len(found) == 2
    assert ran.err.splitlines() == [f"steadycut: warning: {text}" for text in found]
    if not as_json:
        assert not any(text in ran.out for text in found)
    assert MARK not in ran.err + ran.out


def test_the_same_audit_gives_the_same_bytes(table, rule, tmp_path, capsys):
    frame = pd.read_csv(table).sample(frac=1, random_state=1)
    frame.to_parquet(tmp_path / "t.parquet")
    run_command(capsys, "audit", rule, table, *SOUTH, "--out", tmp_path / "a")
    run_command(capsys, "audit", rule, tmp_path / "t.parquet", *SOUTH, "--out", tmp_path / "b")
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "b")


def test_no_patient_is_in_any_file(table, rule, tmp_path, capsys):
    run_command(capsys, "audit", rule, table, *SOUTH, "--out", tmp_path)
    for name, content in snapshot(tmp_path).items():
        assert MARK not in content.decode(), name
        assert "south0" not in content.decode(), name

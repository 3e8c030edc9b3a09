"""``steadycut audit``: what it prints and writes, with labels and without."""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from steadycut import aggregate, audit
from steadycut.documents.rule import FrozenRule
from steadycut.ingest import at_sites
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.terminal import terminal
from steadycut.show.words.next_step import COMMAND_LINE
from tests.cli.commands import (
    FIT,
    MARK,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)
from tests.said import said
from tests.show.documents import document

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
    assert set(ran.json["shift"]) == parts | {"signed", "shapley", "intervals", "distances"}
    assert set(ran.json["shift"]["signed"]) == set(ran.json["shift"]["shapley"]) == parts


def test_it_is_the_library(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", rule, table, *SOUTH, "--json", "--out", tmp_path)
    everybody = aggregate(table, patient="patient", score="score", label="label", site="site")
    expected = audit(FrozenRule.load(rule), at_sites(everybody, "south")).to_dict()
    assert {key: ran.json[key] for key in expected} == expected
    assert ran.json["n_patients"] == 30


def test_the_text_gives_the_verdict_first(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", "--verbose", rule, table, *SOUTH, "--out", tmp_path)
    found = json.loads((tmp_path / "audit.json").read_bytes())
    assert ran.out.splitlines()[0].endswith(f": {found['verdict']['decision']}")
    texts = said(found)
    assert f" with known labels {texts.verdict} Cost " in ran.said
    assert all(f" {name} {value}" in ran.said for name, value in texts.rows.items())
    # The terminal names the rule as the user can type it.
    assert texts.next_step.replace("rule.json", str(rule)) in ran.said
    named = ("= certified risk + shift", "the paper's allowance", "base", "augmented", "prevalence")
    apart = ("total variation", "Kolmogorov, ill patients", "limit of Shift")
    for name in (*named, *apart, "scores of ill patients", "grey zone"):
        assert name in ran.out


def test_without_labels_there_is_no_risk(table, rule, tmp_path, capsys):
    pd.read_csv(table)[["patient", "score"]].to_csv(tmp_path / "t.csv", index=False)
    ran = run_command(capsys, "audit", rule, tmp_path / "t.csv", "--json", "--out", tmp_path / "o")
    assert ran.code == 0
    assert ran.json["verdict"]["decision"] == "label more"
    assert ran.json["labelled"] is False
    assert "risk_external" not in ran.json
    assert ran.json["n_patients"] == 90
    assert sorted(snapshot(tmp_path / "o")) == ["audit.html", "audit.json"]
    text = run_command(capsys, "audit", rule, tmp_path / "t.csv", "--out", tmp_path / "o")
    assert "without labels it is not known whether the rule is useful here." in text.said
    assert "base" not in text.out


def test_the_positive_label_is_the_rules_own(tmp_path, capsys):
    rows = column_changed(make_rows(), "label", lambda _, label: ["MSS", "MSI"][label])
    path = write_rows(tmp_path / "t.csv", rows)
    run_command(capsys, "fit", path, *FIT, "--positive", "MSI", "--out", tmp_path / "o")
    again = run_command(
        capsys, "audit", tmp_path / "o" / "rule.json", path, "--label", "label", "--out", "a"
    )
    assert again.code == 2
    assert "same patients: these are the patients that the rule was made from" in again.err
    ran = run_command(
        capsys,
        *("audit", tmp_path / "o" / "rule.json", path, "--label", "label", "--force"),
        *("--json", "--out", tmp_path / "a"),
    )
    assert ran.code == 0
    assert ran.json["operating_point"]["prevalence"] == 0.5


def test_a_hospital_without_positive_patients_can_be_audited(tmp_path, capsys):
    rows = column_changed(make_rows(), "label", lambda _, label: ["MSS", "MSI"][label])
    path = write_rows(tmp_path / "t.csv", rows)
    run_command(capsys, "fit", path, *FIT, "--positive", "MSI", "--out", tmp_path / "o")
    rule, out = tmp_path / "o" / "rule.json", tmp_path / "a"
    healthy = write_rows(tmp_path / "h.csv", [row for row in rows if row[-1] == "MSS"])
    ran = run_command(capsys, "audit", rule, healthy, "--label", "label", "--json", "--out", out)
    assert ran.code == 0
    assert ran.json["operating_point"]["prevalence"] == 0
    text = "labels: none is 'MSI', so every patient counts as healthy."
    assert ran.json["warnings"][-1] == text
    assert ran.err.splitlines()[-1] == f"steadycut: warning: {text}"
    other = column_changed(rows, "label", lambda _, label: f"{label}-x")
    path = write_rows(tmp_path / "u.csv", other)
    ran = run_command(capsys, "audit", rule, path, "--label", "label", "--out", out)
    assert (ran.code, ran.out) == (2, "")
    assert "no label in 'label' is 'MSI'; 'MSI-x', 'MSS-x' are there" in ran.err
    ran = run_command(capsys, "fit", healthy, *FIT, "--positive", "MSI", "--out", out)
    assert ran.code == 2
    assert "no label in 'label' is 'MSI'; 'MSS' is there" in ran.err


def test_what_is_wrong_at_other_hospitals_does_not_matter(table, rule, tmp_path, capsys):
    rows = make_rows()
    for column in ("score", "label", "patient"):
        rows = column_changed(rows, column, lambda i, old: "" if i < 360 else old)
    path = write_rows(tmp_path / "t.csv", rows)
    broken = run_command(capsys, "audit", rule, path, *SOUTH, "--json", "--out", tmp_path / "a")
    plain = run_command(capsys, "audit", rule, table, *SOUTH, "--json", "--out", tmp_path / "b")
    assert (broken.code, broken.out) == (0, plain.out)
    assert plain.json["data"]["rows"] == 180


def test_the_first_hospital_is_named_where_the_table_names_it(table, rule, tmp_path, capsys):
    at = ["audit", rule, table, "--label", "label", "--out", tmp_path / "a"]
    named = run_command(capsys, *at, "--site", "site", "--external", "others")
    assert "Against north" in named.out
    assert "; at north 0." in named.out
    path = write_rows(tmp_path / "t.csv", [row for row in make_rows() if row[0] == "south"])
    alone = run_command(capsys, "audit", rule, path, *at[3:], "--site", "site")
    assert "Against before" in alone.out
    assert "north" not in alone.out


def test_a_bound_above_the_largest_cost_says_so(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "audit", "--verbose", rule, table, *SOUTH, "--out", tmp_path)
    found = json.loads((tmp_path / "audit.json").read_bytes())
    said = text_of(found | {"augmented": 1.5, "base": 0.5, "base_valid": 1.0})
    assert re.search(r"  augmented +1\.50\n", said)
    assert '\n"augmented" is above the largest possible cost, so it says nothing.\n' in said
    assert said.count("says nothing") == 1
    ours = text_of(found | {"augmented": 0.9, "base": 0.5, "augmented_exact": 1.5})
    assert '\n"with the penalty" is above the largest possible cost, so it says nothing.\n' in ours
    dearer = text_of(found | {"augmented": 1.5, "costs": {"cost_fn": 2.0, "cost_fp": 1.0}})
    assert re.search(r"  augmented +1\.50\n", dearer)
    assert "says nothing" not in dearer
    assert ran.out.startswith(text_of(found, {"rule.json": str(rule)}))


def text_of(content, places=None):
    spelling = replace(COMMAND_LINE, places=places or {})
    return terminal(replace(page_of(document(content)), spelling=spelling), verbose=True)


def test_one_patient_is_no_plural(rule, tmp_path, capsys):
    path = write_rows(tmp_path / "t.csv", make_rows()[:6])
    ran = run_command(capsys, "audit", rule, path, "--label", "label", "--out", tmp_path / "o")
    assert ran.code == 0
    assert "1 patients" not in ran.said
    applied = run_command(capsys, "apply", rule, path, "--out", tmp_path / "d.csv")
    assert " of 1 patient called" in applied.out


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
    given = ["--label", "label", "--no-site", "--out", tmp_path / "o", *as_json]
    ran = run_command(capsys, "audit", rule, path, *given)
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

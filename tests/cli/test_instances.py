"""What the rows of a table are worth, and strata of its patients."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from steadycut import FrozenRule, audit, rule_reader
from steadycut.cli.main import run
from steadycut.core.aggregate.aggregators import sort_segments
from steadycut.core.aggregate.clusters import cluster_sums, clusters_from
from steadycut.errors import BadPatients
from tests.cli.commands import FIT, SITES, make_rows, run_command, write_rows


def expected_clusters(rows, column=3):
    names = sorted({row[1] for row in rows})
    patient = np.array([names.index(row[1]) for row in rows])
    labels = np.zeros(len(names), dtype=np.int8)
    labels[patient] = [row[5] for row in rows]
    return clusters_from(
        cluster_sums(sort_segments(patient, np.array([row[column] for row in rows]))), labels
    )


@pytest.mark.parametrize("levels", [[], ["--level", "slide:max"]])
def test_a_study_says_what_its_rows_are_worth(table, tmp_path, capsys, levels):
    """Levels do not matter: a row is a row."""
    ran = run_command(capsys, "fit", table, *FIT, *SITES, *levels, "--json", "--out", tmp_path)
    north = [row for row in make_rows() if row[0] == "north"]
    assert ran.json["instances"] == asdict(expected_clusters(north))
    assert ran.json["instances"]["rows"] == 360
    assert ran.json["instances"]["icc"] > 0.5


def test_the_order_of_rows_does_not_matter(table, tmp_path, capsys):
    turned = write_rows(tmp_path / "t.csv", make_rows()[::-1])
    plain, other = (
        run_command(capsys, "fit", one, *FIT, "--json", "--out", tmp_path / "o")
        for one in (table, turned)
    )
    assert plain.json["instances"] == other.json["instances"]


def test_one_line_says_it(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", "--verbose", table, *FIT, *SITES, "--out", tmp_path)
    assert "\nInstances: 360 rows of 60 patients are worth " in ran.out
    assert "independent ones (design effect " in ran.said


def test_one_row_a_patient_says_nothing(tmp_path, capsys):
    path = write_rows(tmp_path / "t.csv", make_rows()[::6])
    ran = run_command(capsys, "fit", path, *FIT, "--out", tmp_path / "o")
    assert "Instances" not in ran.out
    ran = run_command(capsys, "fit", path, *FIT, "--json", "--out", tmp_path / "o")
    assert "instances" not in ran.json


def test_strata_change_the_draws_and_nothing_else(table, tmp_path, capsys):
    found = {}
    for option in ("none", "label", "site"):
        given = [] if option == "none" else ["--stratify", option]
        sites = ["--site", "site"]
        out = ["--json", "--out", tmp_path / option]
        ran = run_command(capsys, "fit", table, *FIT, *sites, *given, *out)
        found[option] = ran.json
        assert ran.json["options"]["stratify"] == option
    assert len({study["threshold"] for study in found.values()}) == 1
    assert len({str(study["bootstrap_thresholds"]) for study in found.values()}) == 3


def test_sites_without_a_column_are_refused_before_the_table_is_read(tmp_path, capsys):
    given = ["--stratify", "site", "--out", tmp_path / "o"]
    ran = run_command(capsys, "fit", "no-such.csv", *FIT, *given)
    assert ran.code == 2
    assert "--stratify site needs --site COL" in ran.err
    assert not (tmp_path / "o").exists()


# Labels of instances --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hourly(table, tmp_path_factory):
    """The table with labels of rows: of an ill patient only the last row is positive."""
    frame = pd.read_csv(table)
    last = ~frame.duplicated(["site", "patient"], keep="last")
    frame["hour"] = np.where((frame["label"] == 1) & last, "sick", "well")
    folder = tmp_path_factory.mktemp("hourly")
    frame.to_csv(folder / "hourly.csv", index=False)
    given = [*FIT, *SITES, "--label", "hour", "--positive", "sick", "--label-how", "any"]
    assert run(["fit", str(folder / "hourly.csv"), *given, "--out", str(folder)]) == 0
    return folder


def test_a_study_of_instance_labels_is_that_of_patient_labels(hourly, rule):
    found, plain = (json.loads(path.read_text()) for path in (hourly / "rule.json", rule))
    assert found["columns"]["label_how"] == "any"
    assert "label_how" not in plain["columns"]
    assert found["threshold"] == plain["threshold"]
    assert found["certificate"] == plain["certificate"]
    study = json.loads((hourly / "study.json").read_text())
    assert study["label_how"] == "any"
    assert "counted as sick if any row of the patient" in (hourly / "report.html").read_text()
    assert rule_reader.load_rule(str(hourly / "rule.json"))["columns"]["label_how"] == "any"


def test_an_audit_reads_labels_as_the_study_did(hourly, table, rule, tmp_path, capsys):
    there = ["--site", "site", "--external", "south", "--json"]
    made = hourly / "rule.json", hourly / "hourly.csv"
    found = run_command(capsys, "audit", *made, *there, "--out", tmp_path / "a").json
    plain = run_command(capsys, "audit", rule, table, *there, "--out", tmp_path / "b").json
    assert (found["label_how"], found["risk_external"]) == ("any", plain["risk_external"])
    assert found["warnings"] == plain["warnings"]
    assert "counted as sick if any row" in (tmp_path / "a/audit.html").read_text()


def test_python_reads_labels_as_the_study_did(hourly):
    frozen = FrozenRule.load(hourly / "rule.json")
    frame = pd.read_csv(hourly / "hourly.csv")
    found = audit(frozen, frame[frame["site"] == "south"])
    assert (found.describe().label_how, found.labelled is None) == ("any", False)
    with pytest.raises(BadPatients, match="give label_how='any'"):
        frozen.aggregate(frame, label_how="same")


def test_an_audit_of_other_labels_than_in_the_study_says_so(hourly, rule, tmp_path, capsys):
    there = ["--site", "site", "--external", "south", "--label", "hour", "--positive", "sick"]
    given = ["audit", rule, hourly / "hourly.csv", *there, "--json", "--out", tmp_path / "a"]
    refused = run_command(capsys, *given)
    assert refused.code == 2
    assert refused.err.endswith("If rows have separate labels, give --label-how any.\n")
    found = run_command(capsys, *given, "--label-how", "any").json
    assert found["label_how"] == "any"
    assert any("here a patient is positive if any row is" in text for text in found["warnings"])

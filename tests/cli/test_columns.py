"""Tables of other hospitals: other names of columns, other labels, rows that are patients."""

import csv

import numpy as np
import pandas as pd
import pytest

from steadycut import FrozenRule, aggregate, rule_reader
from steadycut.cli.main import run
from steadycut.errors import BadOption, MissingColumn, RowsAsPatientsWarning
from tests.cli.commands import FIT, SITES, make_rows, run_command, write_rows

NEW = {"patient": "pid", "slide": "block", "score": "prob", "label": "ill", "site": "clinic"}
MAPPED = ["--patient", "pid", "--score", "prob", "--column", "slide=block"]
AT_SOUTH = ["--site", "clinic", "--external", "south"]


@pytest.fixture(scope="module")
def nested(table, tmp_path_factory):
    """A rule with a level, in a folder that also has its table under other names."""
    folder = tmp_path_factory.mktemp("nested")
    given = ["fit", str(table), *FIT, *SITES, "--level", "slide:max", "--out", str(folder)]
    assert run(given) == 0
    frame = pd.read_csv(table).rename(columns=NEW)
    frame["ill"] = frame["ill"].map({0: "well", 1: "sick"})
    frame.to_csv(folder / "renamed.csv", index=False)
    return folder


# Other names -------------------------------------------------------------------------------


def test_apply_takes_other_names(nested, table, tmp_path, capsys):
    rule = nested / "rule.json"
    assert run_command(capsys, "apply", rule, table, "--out", tmp_path / "a.csv").code == 0
    given = ["apply", rule, nested / "renamed.csv", *MAPPED, "--out", tmp_path / "b.csv"]
    assert run_command(capsys, *given).code == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_an_audit_takes_other_names_and_another_label(nested, table, tmp_path, capsys):
    rule = nested / "rule.json"
    same = ["--site", "site", "--external", "south", "--label", "label"]
    a = run_command(capsys, "audit", rule, table, *same, "--json", "--out", tmp_path / "a")
    given = [*MAPPED, *AT_SOUTH, "--label", "ill", "--positive", "sick"]
    renamed = nested / "renamed.csv"
    b = run_command(capsys, "audit", rule, renamed, *given, "--json", "--out", tmp_path / "b")
    assert (a.code, b.code) == (0, 0)
    assert b.json["labelled"]
    for name in ("n_patients", "risk_external", "verdict", "call_rate", "flip_rate", "warnings"):
        assert a.json[name] == b.json[name], name


def test_python_takes_other_names(nested, table):
    rule = FrozenRule.load(nested / "rule.json")
    renamed = str(nested / "renamed.csv")
    expected = rule.decide(str(table))["decision"].tolist()
    for columns in ("slide=block", {"slide": "block"}):
        found = rule.decide(renamed, patient="pid", score="prob", columns=columns)
        assert found["decision"].tolist() == expected
    with pytest.raises(BadOption, match="must name columns of the rule"):
        rule.request(columns={"tile": "block"})
    with pytest.raises(BadOption, match="NAME=COL"):
        rule.request(columns="block")


def test_a_covariate_may_have_another_name(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [[f"p{i}", i % 2, "fm"[i // 2 % 2], rng.normal() + 2 * (i % 2)] for i in range(160)]
    table = write_rows(tmp_path / "t.csv", rows, ["patient", "label", "sex", "score"])
    given = ["--covariate", "sex", "--out", tmp_path / "by"]
    assert run_command(capsys, "covariate", table, *FIT, *given).code == 0
    write_rows(tmp_path / "u.csv", rows, ["patient", "label", "gender", "score"])
    rule, found = tmp_path / "by" / "covariate.json", []
    for name, more in (("t", []), ("u", ["--column", "sex=gender"])):
        out = tmp_path / f"{name}-decided.csv"
        given = ["apply", rule, tmp_path / f"{name}.csv", *more, "--out", out]
        assert run_command(capsys, *given).code == 0
        found.append(out.read_bytes())
    assert found[0] == found[1]


# Errors name the option --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drop", "option"),
    [
        ("patient", "Name it with --patient COL."),
        ("score", "Name it with --score COL."),
        ("slide", "Name it with --column slide=COL."),
    ],
)
def test_an_error_names_the_option(drop, option, nested, table, tmp_path, capsys):
    pd.read_csv(table).drop(columns=drop).to_csv(tmp_path / "t.csv", index=False)
    given = ["apply", nested / "rule.json", tmp_path / "t.csv", "--out", tmp_path / "d.csv"]
    ran = run_command(capsys, *given)
    assert ran.code == 2
    assert f"no column {drop!r}" in ran.err
    assert option in ran.err


def test_fit_names_its_options_too(table, tmp_path, capsys):
    changed = {"label": "tumour", "patient": "pid", "score": "prob"}
    for name, wrong in changed.items():
        given = [
            wrong if word == name and FIT[at - 1] == f"--{name}" else word
            for at, word in enumerate(FIT)
        ]
        ran = run_command(capsys, "fit", table, *given, "--out", tmp_path / "s")
        assert ran.code == 2
        assert f"Name it with --{name} COL." in ran.err
    ran = run_command(capsys, "fit", table, *FIT, "--level", "tile:max", "--out", tmp_path / "s")
    assert "Name it with --level COL:AGG." in ran.err


def test_python_names_its_arguments(table):
    with pytest.raises(MissingColumn, match="Name it with label='COL'"):
        aggregate(str(table), patient="patient", score="score", label="tumour")


# The rule's own label and site -------------------------------------------------------------


def test_an_audit_reads_the_label_and_the_site_of_the_rule(rule, table, tmp_path, capsys):
    named = ["--label", "label", "--site", "site", "--external", "south"]
    a = run_command(capsys, "audit", rule, table, *named, "--json", "--out", tmp_path / "a")
    given = ["--external", "others", "--json", "--out", tmp_path / "b"]
    b = run_command(capsys, "audit", rule, table, *given)
    assert (a.code, b.code, b.json["labelled"]) == (0, 0, True)
    assert a.json["risk_external"] == b.json["risk_external"]


def test_an_audit_without_options_notices_known_sites_and_judges_each(
    rule, table, tmp_path, capsys
):
    ran = run_command(capsys, "audit", rule, table, "--force", "--json", "--out", tmp_path / "a")
    assert ran.code == 0
    assert any(
        text.startswith("site: the rule was made at 1 of the 2 sites here")
        for text in ran.json["warnings"]
    )
    assert [one["value"] for one in ran.json["groups"]] == ["north", "south"]
    assert ran.json["sites"] == ["north", "south"]


def test_labels_and_sites_may_be_left_out(rule, table, tmp_path, capsys):
    given = ["--no-label", "--no-site", "--force", "--json", "--out", tmp_path / "a"]
    ran = run_command(capsys, "audit", rule, table, *given)
    assert (ran.code, ran.json["labelled"]) == (0, False)
    pd.read_csv(table).drop(columns=["label", "site"]).to_csv(tmp_path / "t.csv", index=False)
    out = ["--force", "--json", "--out", tmp_path / "b"]
    ran = run_command(capsys, "audit", rule, tmp_path / "t.csv", *out)
    assert (ran.code, ran.json["labelled"]) == (0, False)


def test_sites_need_a_column_that_somebody_named(table, tmp_path, capsys):
    assert run_command(capsys, "fit", table, *FIT, "--out", tmp_path / "s").code == 0
    for sites in ("south", "others"):
        given = ["--external", sites, "--out", tmp_path / "a"]
        ran = run_command(capsys, "audit", tmp_path / "s" / "rule.json", table, *given)
        assert ran.code == 2
        assert f"--external {sites} needs --site" in ran.err


def test_labels_with_gaps_say_how_to_work_without_them(rule, table, tmp_path, capsys):
    frame = pd.read_csv(table, dtype={"label": object})
    frame.loc[frame["patient"] == frame["patient"].iloc[0], "label"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    ran = run_command(capsys, "audit", rule, tmp_path / "t.csv", "--out", tmp_path / "a")
    assert ran.code == 2
    assert "It is read because the rule names it; --no-label does not." in ran.err


def test_apply_reads_neither(rule, table, tmp_path, capsys):
    frame = pd.read_csv(table, dtype={"label": object})
    frame["label"] = frame["site"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    given = ["apply", rule, tmp_path / "t.csv", "--out", tmp_path / "d.csv"]
    assert run_command(capsys, *given).code == 0


# Rows that are patients --------------------------------------------------------------------

WITHOUT = FIT[2:]


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    """A table with one row per patient."""
    rows = [row for at, row in enumerate(make_rows(120)) if at % 6 == 0]
    return write_rows(tmp_path_factory.mktemp("single") / "t.csv", rows)


def test_fit_counts_rows_if_no_patient_is_named(single, tmp_path, capsys):
    given = ["fit", single, *WITHOUT, "--json", "--out", tmp_path / "s"]
    ran = run_command(capsys, *given)
    assert ran.code == 2
    assert "rows count as patients, and there is a column 'slide'" in ran.err
    ran = run_command(capsys, *given, "--one-per-patient")
    assert ran.code == 0
    assert "warning: rows as patients: no column of patients was named" in ran.err
    assert ran.json["patients"]["total"] == 180
    rule = tmp_path / "s" / "rule.json"
    for name in ("a.csv", "a.parquet"):
        assert run_command(capsys, "apply", rule, single, "--out", tmp_path / name).code == 0
    assert rule_reader.main([str(rule), str(single), "--out", str(tmp_path / "b.csv")]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        names = [row["patient"] for row in csv.DictReader(file)]
    assert names == [f"{number:03}" for number in range(1, 181)]


def test_a_table_without_patients_is_taken_if_those_of_the_rule_had_one_row(
    single, tmp_path, capsys
):
    given = [*FIT, *SITES, "--out", tmp_path / "s"]
    assert run_command(capsys, "fit", single, *given).code == 0
    frame = pd.read_csv(single)
    frame[frame["site"] == "south"].drop(columns="patient").to_csv(tmp_path / "t.csv", index=False)
    rule, table = tmp_path / "s" / "rule.json", tmp_path / "t.csv"
    for command in ("audit", "apply"):
        out = tmp_path / ("a" if command == "audit" else "d.csv")
        given = [command, rule, table, "--strict", "--json", "--out", out]
        ran = run_command(capsys, *given)
        assert ran.code in {4, 5}
        assert any(text.startswith("rows as patients") for text in ran.json["warnings"])
        assert ran.json["n_patients"] == 60


@pytest.mark.parametrize("name", ["Patient", "\ufeffpatient", "patients", "patient_id"])
def test_rows_are_no_patients_if_a_column_of_a_similar_name_is_there(
    single, tmp_path, capsys, name
):
    assert run_command(capsys, "fit", single, *FIT, "--out", tmp_path / "s").code == 0
    frame = pd.read_csv(single).rename(columns={"patient": name})
    pd.concat([frame, frame]).to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "d.csv"
    ran = run_command(capsys, "apply", tmp_path / "s/rule.json", tmp_path / "t.csv", "--out", out)
    assert ran.code == 2
    assert "has no column 'patient'; did you mean" in ran.err
    assert not out.exists()


def test_another_engine_cannot_number_rows(single, tmp_path, capsys):
    given = [*WITHOUT, "--engine", "duckdb", "--out", tmp_path / "s"]
    ran = run_command(capsys, "fit", single, *given)
    assert ran.code == 2
    assert "--engine memory" in ran.err


def test_python_warns_as_well(single):
    with pytest.warns(RowsAsPatientsWarning, match="each of the 180 rows counts as one"):
        patients = aggregate(str(single), patient=None, score="score", label="label")
    assert patients.n_patients == 180

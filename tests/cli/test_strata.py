"""``steadycut strata``, and apply, audit and monitor with what it writes."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from steadycut import StrataRule, audit, monitor
from tests.cli.commands import MARK, run_command, snapshot, write_rows

HEADER = ["site", "patient", "slide", "score", "label", "grade"]
GRADES = ["none", "mild", "severe"]
COLUMNS = ["--patient", "patient", "--score", "score", "--bootstrap", "20"]
GRADED = [*COLUMNS, "--label", "grade", "--order", "none,mild,severe"]
BINARY = [*COLUMNS, "--label", "label"]
SQUARE = ["--costs", "0,1,3;2,0,1;5,2,0"]
GREY = ["--costs", "0, 0.25, 1; 4, 1, 0"]


def make_rows(seed=0):
    """Two hospitals, patients of two slides of two rows."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(150):
        grade = int(rng.integers(0, 3))
        own = rng.normal() + 1.5 * grade
        for row in range(4):
            score = f"{own + 0.3 * rng.normal():.4f}"
            site = "north" if k < 100 else "south"
            name = f"{MARK}{k:03d}"
            rows.append([site, name, f"s{row // 2}", score, int(grade > 1), GRADES[grade]])
    return rows


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("strata") / "t.csv", make_rows(), HEADER)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("other") / "t.csv", make_rows(seed=1), HEADER)


@pytest.fixture(scope="module")
def strata(table, tmp_path_factory):
    from steadycut.cli.main import run

    out = tmp_path_factory.mktemp("out")
    assert run(["strata", str(table), *GRADED, *SQUARE, "--out", str(out)]) == 0
    return out / "strata.json"


def test_it_leaves_three_files_that_agree(table, tmp_path, capsys):
    out = tmp_path / "o"
    ran = run_command(capsys, "strata", table, *GRADED, *SQUARE, "--json", "--out", out)
    assert (ran.code, ran.err) == (0, "")
    assert sorted(snapshot(out)) == ["strata-study.json", "strata.html", "strata.json"]
    assert json.loads((out / "strata-study.json").read_text(encoding="utf-8")) == ran.json
    rule = StrataRule.load(out / "strata.json")
    assert rule.thresholds == ran.json["thresholds"]
    assert rule.document.columns.label == "grade"
    assert ran.json["strata"] == ["low", "intermediate", "high"]
    assert ran.json["grades"] == GRADES
    assert sum(map(sum, ran.json["counts"])) == 75
    assert ran.json["data"]["rows"] == 600
    for name in snapshot(out):
        assert MARK not in (out / name).read_text(encoding="utf-8")


def test_the_text_says_strata_certificates_and_stability(table, tmp_path, capsys):
    ran = run_command(
        capsys, "strata", "--verbose", table, *GRADED, *SQUARE, "--out", tmp_path / "o"
    )
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == 'Risk strata on "score": useful here'
    assert "Useful here: yes. Certified: an average cost of at most " in ran.said
    for word in (
        "low: below ",
        "; high: at least ",
        "The certificate: 90 % confidence, bound betting",
        "low | intermediate",
        "all limits at once",
    ):
        assert word in ran.said
    assert "strata that change" in ran.out
    assert lines[-1].startswith("Wrote strata.json, strata-study.json, strata.html to ")


def test_same_table_same_bytes(table, strata, tmp_path, capsys):
    run_command(capsys, "strata", table, *GRADED, *SQUARE, "--out", tmp_path)
    assert (tmp_path / "strata.json").read_bytes() == strata.read_bytes()


def test_labels_0_and_1_need_no_order(table, tmp_path, capsys):
    first, second = tmp_path / "a", tmp_path / "b"
    ran = run_command(capsys, "strata", table, *BINARY, *GREY, "--json", "--out", first)
    assert ran.code == 0
    assert ran.json["grades"] == ["0", "1"]
    assert ran.json["boundaries"][0]["probability"] == pytest.approx(0.25 / 3.25)
    named = ["--positive", "1", "--strata", "out,watch,in"]
    ran = run_command(capsys, "strata", table, *BINARY, *GREY, *named, "--json", "--out", second)
    assert ran.json["strata"] == ["out", "watch", "in"]
    assert ran.json["grades"] == ["not 1", "1"]


def test_sites_levels_and_direction(table, tmp_path, capsys):
    more = ["--site", "site", "--internal", "north", "--level", "slide:max", "--direction", "le"]
    frame = pd.read_csv(table)
    frame["score"] = -frame["score"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    source, out = tmp_path / "t.csv", tmp_path / "o"
    ran = run_command(capsys, "strata", source, *GRADED, *SQUARE, *more, "--json", "--out", out)
    assert ran.code == 0, ran.err
    assert ran.json["patients"]["total"] == 100
    assert ran.json["thresholds"][0] > ran.json["thresholds"][1]
    rule = StrataRule.load(out / "strata.json")
    assert rule.document.columns.levels == ["slide"]
    assert rule.decide_scores([50.0, -50.0]).tolist() == ["low", "high"]


def test_apply_gives_the_stratum_of_every_patient(table, strata, tmp_path, capsys):
    for name in ("d.csv", "d.parquet"):
        ran = run_command(capsys, "apply", strata, table, "--json", "--out", tmp_path / name)
        assert (ran.code, ran.err) == (0, "")
    expected = StrataRule.load(strata).decide(table)
    text = (tmp_path / "d.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(rows[0]) == [
        "patient",
        "score",
        "stratum",
        "flip_probability",
        "thresholds",
        "outside_range",
        "rule_sha256",
    ]
    assert [row["stratum"] for row in rows] == expected["stratum"].tolist()
    assert [float(row["flip_probability"]) for row in rows] == expected["flip_probability"].tolist()
    parquet = pq.read_table(tmp_path / "d.parquet").to_pydict()
    assert parquet == {key: values.tolist() for key, values in expected.items()}
    assert ran.json["n_patients"] == sum(ran.json["strata"].values()) == 150
    assert ran.json["flip_rate"] == pytest.approx(expected["flip_probability"].mean())
    ran = run_command(capsys, "apply", strata, table, "--out", tmp_path / "d.csv")
    assert ran.out.startswith("150 patients: ")


def test_apply_tells_another_unit(table, strata, tmp_path, capsys):
    frame = pd.read_csv(table)
    frame["score"] = 1000 * frame["score"] + 9000
    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "d.csv"
    ran = run_command(capsys, "apply", strata, tmp_path / "t.csv", "--json", "--out", out)
    assert [text.partition(":")[0] for text in ran.json["warnings"]] == ["score range", "unit"]


# Audit and monitor -------------------------------------------------------------------------


def test_strata_are_audited_by_the_names_of_their_grades(other, strata, tmp_path, capsys):
    out = tmp_path / "o"
    given = [strata, other, "--label", "grade", "--site", "site", "--external", "south"]
    ran = run_command(capsys, "audit", *given, "--json", "--out", out)
    assert (ran.code, ran.err) == (0, "")
    assert sorted(snapshot(out)) == ["audit.html", "audit.json"]
    assert json.loads((out / "audit.json").read_text(encoding="utf-8")) == ran.json
    south = pd.read_csv(other).query("site == 'south'").groupby("patient")
    rule, scores = StrataRule.load(strata), south["score"].mean()
    grades = [GRADES.index(name) for name in south["grade"].first()]
    found = audit(rule, scores.to_numpy(), grades).to_dict()
    same = set(found) - {"warnings", "flip_rate"}
    assert {name: ran.json[name] for name in same} == {name: found[name] for name in same}
    assert ran.json["grades"] == GRADES
    assert np.sum(ran.json["counts"]) == ran.json["n_patients"] == 50
    assert ran.json["frozen_rule"] == rule.to_dict()
    assert ran.json["data"]["rows"] == 200
    for name in snapshot(out):
        assert MARK not in (out / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("label", [["--label", "grade"], [], ["--no-label"]])
def test_the_text_and_the_page_of_an_audit_say_the_same(other, strata, label, tmp_path, capsys):
    out = tmp_path / "o"
    ran = run_command(capsys, "audit", "--verbose", strata, other, *label, "--out", out)
    assert ran.code == 0
    assert ran.out.startswith("An audit of strata.json on ")
    assert "Share of the patients by decision" in ran.out
    assert ("Error rates, with simultaneous limits" in ran.out) == (label != ["--no-label"])
    written = (out / "audit.html").read_bytes()
    assert b"An audit of strata.json on" in written
    assert run_command(capsys, "report", out, "--out", out / "again.html").code == 0
    assert (out / "again.html").read_bytes() == written
    assert run_command(capsys, "report", out, "--format", "md").code == 0


def test_two_grades_are_audited_by_their_labels(table, tmp_path, capsys):
    """Labels are 0 and 1, or the file names the one that counts as positive."""
    frame = pd.read_csv(table)
    frame["ill"] = np.where(frame["label"] == 1, "yes", "no")
    frame.to_csv(tmp_path / "t.csv", index=False)
    n_ill = frame.groupby("patient")["label"].first().sum()
    for more, label in (([], "label"), (["--positive", "yes"], "ill")):
        out = tmp_path / label
        given = [tmp_path / "t.csv", "--label", label]
        made = run_command(capsys, "strata", *given, *COLUMNS, *more, *GREY, "--out", out)
        assert made.code == 0
        given.append("--force")  # the patients of the fit
        ran = run_command(capsys, "audit", out / "strata.json", *given, "--json", "--out", out)
        assert ran.code == 0
        assert sum(ran.json["counts"][1]) == n_ill


def test_strata_are_watched_in_the_order_of_arrival(other, strata, tmp_path, capsys):
    frame = pd.read_csv(other)
    days = np.random.default_rng(0).permutation(150)
    frame["day"] = np.repeat(days, 4)
    frame.to_csv(tmp_path / "t.csv", index=False)
    given = [strata, tmp_path / "t.csv", "--label", "grade", "--order", "day"]
    ran = run_command(capsys, "monitor", *given, "--json", "--out", tmp_path / "o")
    assert ran.code == 0
    assert json.loads((tmp_path / "o/monitor.json").read_text(encoding="utf-8")) == ran.json
    people = frame.groupby("patient")
    grades = [GRADES.index(name) for name in people["grade"].first()]
    scores, order = people["score"].mean().to_numpy(), people["day"].first().to_numpy()
    found = monitor(StrataRule.load(strata), scores, grades, order=order).to_dict()
    for part in ("risk", "call_rate"):
        assert ran.json[part]["trace"]["observed"] == found[part]["trace"]["observed"]
        assert ran.json[part]["first_alarm"] == found[part]["first_alarm"]
    text = run_command(capsys, "monitor", *given)
    assert text.code == 0
    assert '\n  above "low" so far ' in text.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--label", "site"], "every label must be one of the rule's grades, none, mild, severe"),
        (["--label", "nowhere"], "nowhere"),
        (
            ["--label", "grade", "--small-cells", "5"],
            "--small-cells 5 needs one cut-off for all patients",
        ),
        (["--label", "grade", "--unseen", "pooled"], "--unseen pooled is for a covariate.json"),
    ],
)
def test_a_mistake_in_an_audit_is_one_line(other, strata, options, words, tmp_path, capsys):
    ran = run_command(capsys, "audit", strata, other, *options, "--out", tmp_path / "o")
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert MARK not in ran.err
    assert snapshot(tmp_path) == {}


def test_an_audit_asks_for_a_signature_of_strata_too(other, strata, tmp_path, capsys):
    pytest.importorskip("cryptography")
    key = tmp_path / "key"
    assert run_command(capsys, "keygen", key).code == 0
    signed = tmp_path / "strata.json"
    signed.write_bytes(strata.read_bytes())
    asked = [signed, other, "--verify", f"{key}.pub", "--out", tmp_path / "o"]
    assert run_command(capsys, "audit", *asked).code == 2
    assert run_command(capsys, "sign", signed, "--key", key).code == 0
    assert run_command(capsys, "audit", *asked).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([*GRADED, "--costs", "0,1;x,0"], "--costs must hold numbers"),
        ([*GRADED, "--costs", "0,1,2;1,0"], "--costs must hold numbers"),
        ([*GRADED, "--costs", "costs.csv"], "--costs must hold numbers"),
        ([*GRADED, "--costs", "0,1;1,0"], "as many names as costs has rows, 2; got 3"),
        ([*GRADED, *SQUARE, "--strata", "a,b"], "--strata must have as many names"),
        ([*GRADED, *SQUARE, "--positive", "mild"], "give one of them"),
        ([*BINARY, *SQUARE], "--order must name the 3 values"),
        ([*COLUMNS, "--label", "grade", "--order", "none,mild,mild", *SQUARE], "differ"),
        ([*COLUMNS, "--label", "grade", "--order", "1,1.0,2", *SQUARE], "every value once"),
        ([*COLUMNS, "--label", "grade", "--order", "none,mild,dead", *SQUARE], "'severe' is there"),
        ([*COLUMNS, "--label", "stage", "--order", "a,b,c", *SQUARE], "no column 'stage'"),
        (
            [*COLUMNS, "--label", "slide", "--order", "s0,s1,s2", *SQUARE],
            "must have one value; 150 patients have",
        ),
        ([*COLUMNS, "--label", "grade", *GREY], "must be of two classes"),
        ([*GRADED, *SQUARE, "--rule", "youden"], "--rule must be one of stable, erm"),
        ([*GRADED, *SQUARE, "--bound", "dkw"], "--bound must be one of"),
        ([*GRADED, "--costs", "3,1,0;1,0,2;0,2,5"], "--costs must ask for"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_leaves_nothing(
    table, tmp_path, capsys, options, words
):
    ran = run_command(capsys, "strata", table, *options, "--out", tmp_path / "o")
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1
    assert words in ran.err
    assert MARK not in ran.err
    assert snapshot(tmp_path) == {}


def test_values_that_may_be_patients_are_not_shown(table, tmp_path, capsys):
    options = [*COLUMNS, "--label", "patient_grade", "--order", "a,b,c", *SQUARE]
    frame = pd.read_csv(table)
    frame["patient_grade"] = frame["patient"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    ran = run_command(capsys, "strata", tmp_path / "t.csv", *options, "--out", tmp_path / "o")
    assert ran.code == 2
    assert "many others" in ran.err
    assert MARK not in ran.err


def test_a_row_without_a_grade_is_refused_or_left_out(table, tmp_path, capsys):
    frame = pd.read_csv(table)
    frame.loc[:4, "grade"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = [*GRADED, *SQUARE, "--json", "--out", tmp_path / "o"]
    ran = run_command(capsys, "strata", tmp_path / "t.csv", *options)
    assert ran.code == 2
    assert "'grade' must be filled in every row; 5 of 600" in ran.err
    ran = run_command(capsys, "strata", tmp_path / "t.csv", *options, "--missing", "drop")
    assert ran.code == 0
    assert "1 patient without 'grade' in any row was dropped, 4 rows in all." in ran.err
    assert "1 row without 'grade' took the one of the same patient's other rows." in ran.err
    assert ran.json["patients"]["total"] == 149
    assert ran.json["data"]["dropped_incomplete_patients"] == 1


def test_rows_without_a_score_and_patients_without_a_label_can_be_left_out(table, tmp_path, capsys):
    frame = pd.read_csv(table)
    frame.loc[:1, "score"] = None
    frame.loc[4:7, "label"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = [*BINARY, *GREY, "--missing", "drop", "--json", "--out", tmp_path / "o"]
    ran = run_command(capsys, "strata", tmp_path / "t.csv", *options)
    assert ran.code == 0, ran.err
    assert ran.json["patients"]["total"] == 149
    assert ran.json["data"]["dropped_rows"] == 2


def test_the_engine_changes_no_byte(table, strata, tmp_path, capsys):
    engine = ["--engine", "duckdb", "--memory", "300MB"]
    ran = run_command(capsys, "strata", table, *GRADED, *SQUARE, *engine, "--out", tmp_path)
    assert ran.code == 0
    assert (tmp_path / "strata.json").read_bytes() == strata.read_bytes()
    assert not (tmp_path / "steadycut-checkpoint").exists()


TWO = ["--rule-out", "sensitivity:0.9", "--rule-in", "ppv:0.6"]


def test_rule_out_and_rule_in_need_no_costs(table, other, tmp_path, capsys):
    out = tmp_path / "o"
    ran = run_command(capsys, "strata", table, *BINARY, *TWO, "--json", "--out", out)
    assert (ran.code, ran.json["strata"][0]) == (0, "rule out")
    assert [one["rate"] for one in ran.json["sides"]] == ["sensitivity", "ppv"]
    assert ran.json["between"]["n_patients"] == 75
    audited = run_command(
        capsys, "audit", out / "strata.json", other, "--label", "label", "--json", "--force",
        "--out", tmp_path / "a",
    )  # fmt: skip
    assert audited.json["sides"][0]["asked"] == 0.9
    assert audited.json["between"]["n_patients"] == 150


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give --costs, what each stratum costs each grade; or --rule-out and --rule-in"),
        (TWO[:2], "--rule-out needs --rule-in too; give both, such as specificity:0.95"),
        (["--rule-out", "ppv:0.9", *TWO[2:]], "--rule-out must be sensitivity:X or npv:X"),
        (["--rule-out", "npv:9", *TWO[2:]], "the npv of --rule-out must lie strictly between"),
        ([*TWO, "--rule", "erm"], "--rule and --rule-out both say how to choose; leave out --rule"),
        ([*TWO, "--certify", "npv:0.9"], "--certify must name sensitivity or ppv"),
        ([*TWO, *SQUARE], "--costs must have two rows (healthy, ill) and three columns"),
        (["--certify", "npv:0.9", *GREY], "--certify needs --rule-out and --rule-in"),
        ([*TWO[:2], "--rule-in", "ppv:0.99", "--direction", "le"], "has ppv >= 0.99 among the"),
    ],
)
def test_wrong_limits_are_one_line(options, said, table, tmp_path, capsys):
    ran = run_command(capsys, "strata", table, *BINARY, *options, "--out", tmp_path / "o")
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.strip().splitlines()) == 1

"""Patients without a score on the command line: from the table to the decisions of both readers."""

import csv
import json

import numpy as np
import pytest

from steadycut import rule_reader
from steadycut.documents.rule import FrozenRule
from tests.cli.commands import run_command

FIT = ["--patient", "id", "--label", "ill", "--score", "s", "--bootstrap", "20"]


def write(path, prefix="", seed=1, *, with_gap=False):
    """Write three rows per patient; some have no score in any of them, and perhaps one in one."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(120):
        ill = int(rng.integers(2))
        gone = rng.random() < (0.3 if ill else 0.1)
        name = f"{prefix}{number:03d}"
        for _ in range(3):
            score = rng.choice(["", "NA", "inf"]) if gone else round(rng.normal(2 * ill), 3)
            rows.append([name, ill, score, f"{name}{rng.integers(2)}", number])
    scored = next(row for row in rows if row[2] not in {"", "NA", "inf"})
    extra = [[*scored[:2], "", *scored[3:]]] if with_gap else []
    rng.shuffle(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "ill", "s", "slide", "day"], *rows, *extra])
    return len({row[0] for row in rows if row[2] in {"", "NA", "inf"}})


@pytest.fixture
def tables(tmp_path):
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    return here, there, write(here), write(there, "q", seed=2)


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


CHAINS = {
    "mean": [],
    "levels": ["--level", "slide:max"],
    "ensemble": ["--aggregate", "max", "--aggregate", "mean", "--ensemble", "quantile"],
    "low": ["--direction", "le"],
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("policy", ["call", "leave"])
def test_both_readers_decide_alike(capsys, tmp_path, tables, policy, chain):
    here, there, _, gone = tables
    out = tmp_path / "out"
    done = run_command(
        capsys, "fit", here, *FIT, "--unscored", policy, *CHAINS[chain], "--out", out
    )
    assert done.code == 0, done.err
    assert "A patient without a score is" in done.said
    rule = out / "rule.json"
    run_command(capsys, "apply", rule, there, "--out", tmp_path / "ours.csv")
    rule_reader.main([str(rule), str(there), "--out", str(tmp_path / "theirs.csv")])
    capsys.readouterr()
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    rows = rows_of(tmp_path / "ours.csv")
    without = [row for row in rows if not row["score"]]
    assert (len(rows), len(without)) == (120, gone)
    said = {(row["decision"], row["flip_probability"], row["outside_range"]) for row in without}
    assert said == {(str(int(policy == "call")), "0.0", "0")}


def test_the_report_shows_the_flow_of_patients(capsys, tmp_path, tables):
    here, there, gone, gone_there = tables
    out = tmp_path / "out"
    run_command(capsys, "fit", here, *FIT, "--unscored", "call", "--out", out)
    study = json.loads((out / "study.json").read_text())
    assert study["unscored"]["n_patients"] == gone
    assert study["data"]["dropped_rows"] == 0
    text = f"{gone} patients without a score, each called"
    assert text in (out / "report.html").read_text("utf-8")
    found = run_command(
        capsys, "audit", out / "rule.json", there, "--label", "ill", "--out", tmp_path / "a"
    )
    assert f"{gone_there} of 120 had none" in found.said
    watched = run_command(
        capsys, "monitor", out / "rule.json", there, "--label", "ill", "--order", "day", "--json"
    )
    assert watched.json["n_patients"] == 120


def test_the_next_hospital_may_choose_otherwise(capsys, tmp_path, tables):
    here, there, _, _ = tables
    out = tmp_path / "out"
    run_command(capsys, "fit", here, *FIT, "--unscored", "call", "--out", out)
    done = run_command(
        *(capsys, "adapt", out / "rule.json", there, "--label", "ill", "--unscored", "leave"),
        *("--out", tmp_path / "b"),
    )
    assert done.code == 0, done.err
    assert FrozenRule.load(tmp_path / "b" / "rule.json").recipe.unscored == "leave"


def test_dropped_patients_are_in_the_headline(capsys, tmp_path, tables):
    here, _, gone, _ = tables
    done = run_command(capsys, "fit", here, *FIT, "--missing", "drop", "--out", tmp_path / "out")
    study = json.loads((tmp_path / "out" / "study.json").read_text())
    ill = study["data"]["dropped_positive"]
    text = (
        f"This is about patients with a score: {gone} of 120 had none ({ill} ill, {gone - ill} "
        "healthy) and were left out."
    )
    assert text in done.said
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert text in page
    assert f"with them {gone} patients left out" in page


def test_without_small_cells_the_headline_says_it_without_a_number(capsys, tmp_path, tables):
    options = [*FIT, "--missing", "drop", "--small-cells", 3, "--out", tmp_path / "out"]
    done = run_command(capsys, "fit", tables[0], *options)
    assert done.code == 0, done.err
    assert "about patients with a score: those without were left out." in done.said


def test_a_gap_in_a_patient_with_a_score_is_still_refused(capsys, tmp_path):
    here = tmp_path / "here.csv"
    gone = write(here, with_gap=True)
    options = [*FIT, "--unscored", "call", "--out", tmp_path / "out"]
    done = run_command(capsys, "fit", here, *options)
    assert done.code == 2
    assert "every row must have a finite score; 1 of 361 in 's' is missing" in done.err
    done = run_command(capsys, "fit", here, *options, "--missing", "drop")
    assert "1 of 361 rows without a finite score was dropped." in done.err
    assert f"{gone} of 120 had none" in done.said


def test_other_text_and_no_score_at_all_are_refused_by_both_readers(capsys, tmp_path, tables):
    here, _, _, _ = tables
    out, there = tmp_path / "out", tmp_path / "there.csv"
    run_command(capsys, "fit", here, *FIT, "--unscored", "call", "--out", out)
    for score, text in (("failed", "other text"), ("", "score")):
        there.write_text(f"id,ill,s,slide,day\na,1,{score},x,1\nb,1,{score},x,1\n")
        ours = run_command(capsys, "apply", out / "rule.json", there, "--out", tmp_path / "d.csv")
        code = rule_reader.main([str(out / "rule.json"), str(there), "--out", f"{tmp_path}/e.csv"])
        assert (ours.code, code) == (2, 2)
        assert text in ours.err
        assert text in capsys.readouterr().err


def test_wrong_options_are_one_line(capsys, tmp_path, tables):
    here, _, _, _ = tables
    for options in (["--unscored", "drop"], ["--unscored", "call", "--rule", "youden"]):
        done = run_command(capsys, "fit", here, *FIT, *options, "--out", tmp_path / "out")
        assert (done.code, len(done.err.strip().splitlines())) == (2, 1)
    assert not (tmp_path / "out").exists()

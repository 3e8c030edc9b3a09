"""The list of rules, and rules on the command line."""

import pytest

from steadycut.core.rules.registry import rule_names
from tests.cli.commands import FIT, SITES, run_command


def test_every_rule_has_a_line(capsys):
    ran = run_command(capsys, "rules")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()[1:]
    assert [line.split()[0] for line in lines[: len(rule_names())]] == rule_names()
    assert "OC MaxKappa; cp cohens_kappa" in ran.out


def test_json_holds_every_rule(capsys):
    rows = run_command(capsys, "rules", "--json").json["rules"]
    assert [row["rule"] for row in rows] == rule_names()
    assert all(row["meaning"] for row in rows)


@pytest.mark.parametrize("rule", ["kappa", "ppv:0.6", "f1@sensitivity:0.5", "mean-score"])
def test_fit_takes_them(rule, table, tmp_path, capsys):
    ran = run_command(
        capsys, "fit", str(table), *FIT, *SITES, "--rule", rule, "--out", str(tmp_path), "--json"
    )
    assert ran.code == 0, ran.err
    assert ran.json["rule"] == rule


def test_a_constraint_that_cannot_be_met_is_one_line_and_leaves_nothing(table, tmp_path, capsys):
    out = tmp_path / "study"
    rule = ["--rule", "ppv:0.999@sensitivity:0.999"]
    ran = run_command(capsys, "fit", str(table), *FIT, *SITES, *rule, "--out", str(out))
    assert ran.code == 2
    assert "no cut-off of 'score: patient mean' has ppv >= 0.999" in ran.err
    assert ran.err.count("\n") == 1
    assert not out.exists()


def test_fit_says_what_the_rule_made_best(table, tmp_path, capsys):
    ran = run_command(
        capsys, "fit", "--verbose", table, *FIT, *SITES, "--rule", "ppv:0.6", "--out", tmp_path
    )
    lines = [line for line in ran.out.splitlines() if line.startswith("  criterion ")]
    assert [line.rsplit(maxsplit=1)[0].strip() for line in lines] == [
        "criterion ppv",
        "criterion ppv, to check",
        "criterion npv",
        "criterion npv, to check",
    ]
    uniform = [*SITES, "--honesty", "uniform", "--rule", "kappa"]
    ran = run_command(
        capsys, "fit", "--verbose", str(table), *FIT, *uniform, "--out", str(tmp_path / "u")
    )
    assert "criterion kappa" in ran.out
    assert "certifying" not in ran.out
    erm = run_command(
        capsys, "fit", str(table), *FIT, *SITES, "--rule", "erm", "--out", str(tmp_path / "e")
    )
    assert "criterion" not in erm.out

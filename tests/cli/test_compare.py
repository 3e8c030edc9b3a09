"""``steadycut compare``: every rule in one table."""

import json

import pytest

from steadycut.compare import RULES
from tests.cli.commands import (
    FIT,
    SITES,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)

BOTH = [*SITES, "--external", "south"]


def test_every_rule_has_a_row(table, tmp_path, capsys):
    ran = run_command(capsys, "compare", table, *FIT, *BOTH, "--json", "--out", tmp_path / "o")
    assert ran.code == 0
    assert ran.err == ""
    assert [row["rule"] for row in ran.json["rows"]] == list(RULES)
    assert ran.json["patients"] == {"internal": 60, "external": 30}
    assert ran.json == json.loads((tmp_path / "o" / "compare.json").read_bytes())
    assert sorted(snapshot(tmp_path / "o")) == ["compare.json"]


def test_without_out_nothing_is_written(table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_command(capsys, "compare", table, *FIT, *BOTH)
    assert ran.code == 0
    assert snapshot(tmp_path) == {}
    assert all(f"\n  {rule}" in ran.out for rule in RULES)
    assert ran.out.startswith("Comparison: chosen on 60 internal patients, judged on 30 external")
    assert "candidate" not in ran.out


@pytest.mark.parametrize("name", ["stable", "erm", "youden"])
def test_a_row_is_a_fit_and_an_audit(table, tmp_path, capsys, name):
    compared = run_command(capsys, "compare", table, *FIT, *BOTH, "--cost-fn", "2", "--json")
    row = next(row for row in compared.json["rows"] if row["rule"] == name)
    fitted = run_command(
        capsys,
        *("fit", table, *FIT, *SITES, "--rule", name, "--cost-fn", "2"),
        *("--json", "--out", tmp_path),
    )
    audited = run_command(
        capsys,
        *("audit", tmp_path / "rule.json", table, "--label", "label", "--site", "site"),
        *("--external", "south", "--json", "--out", tmp_path / "a"),
    )
    assert row["threshold"] == fitted.json["threshold"]
    assert row["operating_value"] == fitted.json["operating_value"]
    assert row["certificate"] == fitted.json["certificate"]["value"]
    assert row["risk_validation"] == fitted.json["certificate"]["risk"]
    assert row["penalty"] == fitted.json["stability"]["penalty"]
    assert row["risk_external"] == audited.json["risk_external"]
    assert row["risk_external_se"] == audited.json["risk_external_se"]
    assert row["flip_rate"] == audited.json["flip_rate"]
    assert row["sensitivity_external"] == audited.json["operating_point"]["sensitivity"]
    assert row["shift"] == row["risk_external"] - row["risk_validation"]


def test_no_cut_beats_the_best_in_hindsight(table, capsys):
    ran = run_command(capsys, "compare", table, *FIT, *BOTH, "--json")
    for row in ran.json["rows"]:
        assert row["best_external"] <= row["risk_external"] + 1e-12
        assert row["best_external"] <= ran.json["trivial_external"] + 1e-12


def test_rules_that_chose_other_scores_say_which(tmp_path, capsys):
    # Of the two scores one is sharper at its low end, the other at its high end.
    def sharp(keep):
        def change(i, score):
            label = (i // 6) % 2
            return score + (9 if label == 1 and (i // 12) % 4 == keep else 0)

        return change

    rows = column_changed(make_rows(), "score", sharp(0))
    rows = column_changed(rows, "other", sharp(1))
    path = write_rows(tmp_path / "t.csv", rows)
    several = ["--score", "other", "--aggregate", "min", "--aggregate", "max"]
    ran = run_command(capsys, "compare", path, *FIT, *several, *BOTH, "--json")
    chosen = {(row["score"], row["aggregation"][-1]["how"]) for row in ran.json["rows"]}
    text = run_command(capsys, "compare", path, *FIT, *several, *BOTH).out
    assert len(chosen) > 1
    assert text.splitlines()[1].split()[:2] == ["rule", "candidate"]
    for score, how in chosen:
        assert f"[{how} of {score}]" in text

"""``steadycut covariate``, and apply, audit and monitor with what it writes."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from steadycut import CovariateRule, PatientScores, audit, monitor, rule_reader
from tests.cli.commands import DECISIONS, MARK, run_command, snapshot

ASK = ["--patient", "patient", "--score", "score", "--label", "label", "--bootstrap", "20"]
HEADER = ["patient", "score", "label", "sex", "age", "site"]


def rows(n=160, seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        label, code, age = int(rng.integers(2)), int(rng.integers(2)), int(rng.integers(20, 90))
        centre = rng.normal() + 2 * label + 1.5 * code
        site = ["north", "south"][i % 2]
        found += [
            [f"{MARK}{i:03d}", round(centre + d, 4), label, "fm"[code], age, site]
            for d in (-0.1, 0.1)
        ]
    return found


def write(path, given):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *given])
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write(tmp_path_factory.mktemp("table") / "t.csv", rows())


@pytest.fixture(scope="module")
def frozen(table, tmp_path_factory):
    from steadycut.cli.main import run

    out = tmp_path_factory.mktemp("frozen")
    for kind, column in (("groups", "sex"), ("smooth", "age")):
        arguments = ["--covariate", column, "--kind", kind, "--out", str(out / kind)]
        assert run(["covariate", str(table), *ASK, *arguments]) == 0
    return out


def test_it_says_cut_offs_test_and_certificates(table, tmp_path, capsys):
    out = tmp_path / "new"
    ran = run_command(
        capsys, "covariate", "--verbose", table, *ASK, "--covariate", "sex", "--out", out
    )
    assert ran.code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "covariate-study.json",
        "covariate.html",
        "covariate.json",
    ]
    for text in (
        'Cut-offs by group of "sex"',
        "Is one cut-off enough? p = ",
        "Risk on 80 patients who did not choose",
        "pooled cut-off",
    ):
        assert text in ran.said
    assert MARK not in ran.out


def test_a_smooth_cut_off_is_shown_along_the_number(table, tmp_path, capsys):
    options = ["--covariate", "age", "--kind", "smooth", "--out", tmp_path / "o"]
    ran = run_command(capsys, "covariate", "--verbose", table, *ASK, *options)
    assert ran.code == 0
    assert 'Cut-offs by value of "age"' in ran.out
    assert "In between on a line" in ran.out


def test_json_is_the_study(table, tmp_path, capsys):
    options = ["--covariate", "sex", "--json", "--out", tmp_path / "o"]
    ran = run_command(capsys, "covariate", table, *ASK, *options)
    assert ran.json == json.loads((tmp_path / "o" / "covariate-study.json").read_text("utf-8"))
    assert ran.json["schema"] == "steadycut.covariate-study/1"
    assert [cut["at"] for cut in ran.json["cuts"]] == ["f", "m"]
    assert ran.json["data"]["rows"] == 320


def test_sites_may_be_chosen(table, tmp_path, capsys):
    options = ["--covariate", "sex", "--site", "site", "--internal", "north", "--json"]
    ran = run_command(capsys, "covariate", table, *ASK, *options, "--out", tmp_path / "o")
    assert ran.json["patients"]["total"] == 80


@pytest.mark.parametrize("kind", ["groups", "smooth"])
def test_apply_decides_as_the_rule_does(frozen, table, kind, tmp_path, capsys):
    rule = frozen / kind / "covariate.json"
    ran = run_command(capsys, "apply", rule, table, "--out", tmp_path / "d.csv")
    assert ran.code == 0
    assert "at cut-offs by" in ran.out
    lines = (tmp_path / "d.csv").read_text(encoding="utf-8").splitlines()
    found = list(csv.DictReader(lines))
    expected = CovariateRule.load(rule).decide(str(table))
    assert list(found[0]) == DECISIONS
    assert [int(row["decision"]) for row in found] == expected["decision"].tolist()
    flips = [float(row["flip_probability"]) for row in found]
    assert flips == expected["flip_probability"].tolist()


def test_an_unseen_group_is_refused_or_pooled(frozen, tmp_path, capsys):
    rule, out = frozen / "groups" / "covariate.json", tmp_path / "d.csv"
    other = [[*row[:3], "x" if row[3] == "f" else "m", *row[4:]] for row in rows()]
    table = write(tmp_path / "other.csv", other)
    before = snapshot(tmp_path)
    ran = run_command(capsys, "apply", rule, table, "--out", out)
    assert ran.code == 2
    assert "has not seen ('x'); it knows f, m" in ran.err
    assert "--unseen pooled" in ran.err
    assert snapshot(tmp_path) == before
    ran = run_command(capsys, "apply", rule, table, "--unseen", "pooled", "--out", out)
    assert ran.code == 0
    assert "without a cut-off; the pooled one decides" in ran.err
    assert (
        "at cut-offs by sex, 77 patients at the pooled one; a resampled study would reverse"
        in ran.said
    )
    write(table, [[*row[:3], "x", *row[4:]] for row in rows()])
    ran = run_command(capsys, "apply", rule, table, "--unseen", "pooled", "--out", out)
    assert "at the pooled cut-off (no patient is of a group of sex with its own)" in ran.out


def test_groups_do_not_depend_on_the_format_of_the_table(tmp_path, capsys):
    coded = [[*row[:3], float("fm".index(row[3])), *row[4:]] for row in rows()]
    tables = [write(tmp_path / "t.csv", coded), tmp_path / "t.parquet"]
    pd.read_csv(tables[0]).to_parquet(tables[1])
    made = []
    for table in tables:
        out = tmp_path / table.suffix[1:]
        ran = run_command(capsys, "covariate", table, *ASK, "--covariate", "sex", "--out", out)
        assert ran.code == 0
        made.append((out / "covariate.json").read_bytes())
    assert made[0] == made[1]
    outs = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    for table, out in zip(tables, outs, strict=False):
        rule = tmp_path / "csv" / "covariate.json"
        assert run_command(capsys, "apply", rule, table, "--out", out).code == 0
    assert rule_reader.main([str(rule), str(tables[0]), "--out", str(outs[2])]) == 0
    assert len({out.read_bytes() for out in outs}) == 1


def test_a_number_out_of_range_is_warned_about(frozen, tmp_path, capsys):
    table = write(tmp_path / "old.csv", [[*row[:4], 120, row[5]] for row in rows()])
    rule, out = frozen / "smooth" / "covariate.json", tmp_path / "d.csv"
    ran = run_command(capsys, "apply", rule, table, "--out", out)
    assert ran.code == 0
    assert "160 of 160 patients have 'age' outside" in ran.err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--covariate", "sex", "--kind", "lines"], "--kind must be one of groups, smooth"),
        (["--covariate", "sex", "--rule", "youden"], "--rule must be one of stable, erm"),
        (["--covariate", "weight"], "weight"),
        (["--covariate", "label"], "once and in one role; got 'label' twice"),
        (["--covariate", "patient"], "once and in one role"),
        (["--covariate", "sex", "--kind", "smooth"], "covariate of numbers"),
        (["--covariate", "age"], "2 to 50 values"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(table, options, text, tmp_path, capsys):
    ran = run_command(capsys, "covariate", table, *ASK, *options, "--out", tmp_path / "o")
    assert ran.code == 2
    assert text in ran.err
    assert ran.err.count("\n") == 1
    assert snapshot(tmp_path) == {}
    assert MARK not in ran.err


def test_unseen_is_for_covariates_only(table, tmp_path, capsys):
    assert run_command(capsys, "fit", table, *ASK, "--out", tmp_path / "f").code == 0
    rule, out = tmp_path / "f" / "rule.json", tmp_path / "d.csv"
    ran = run_command(capsys, "apply", rule, table, "--unseen", "pooled", "--out", out)
    assert ran.code == 2
    assert "--unseen pooled is for a covariate.json" in ran.err


def test_the_engine_changes_no_byte(table, frozen, tmp_path, capsys):
    engine = ["--engine", "duckdb", "--memory", "300MB"]
    made = ["--covariate", "sex", "--kind", "groups", "--out", tmp_path]
    assert run_command(capsys, "covariate", table, *ASK, *made, *engine).code == 0
    written = (tmp_path / "covariate.json").read_bytes()
    assert written == (frozen / "groups" / "covariate.json").read_bytes()
    outs = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for out, options in zip(outs, ([], engine), strict=True):
        rule = tmp_path / "covariate.json"
        assert run_command(capsys, "apply", rule, table, "--out", out, *options).code == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()
    ran = run_command(capsys, "covariate", table, *ASK, *made, "--engine", "abacus")
    assert (ran.code, "engine must be one of" in ran.err) == (2, True)


# Audit and monitor -------------------------------------------------------------------------


def patients_of(path, rule, column):
    """The patients of a table with the covariate, made without the readers of steadycut."""
    people = pd.read_csv(path, dtype={"patient": str}).groupby("patient")
    means = PatientScores(
        scores=people["score"].mean().to_numpy(),
        labels=people["label"].first().to_numpy(),
        n_instances=people.size().to_numpy(),
    )
    return rule.with_covariate(means, people[column].first().to_numpy())


@pytest.mark.parametrize(("kind", "column"), [("groups", "sex"), ("smooth", "age")])
def test_cut_offs_by_covariate_are_audited(frozen, kind, column, tmp_path, capsys):
    there, out = write(tmp_path / "t.csv", rows(80, seed=4)), tmp_path / "o"
    path = frozen / kind / "covariate.json"
    ran = run_command(
        capsys, "audit", "--verbose", path, there, "--label", "label", "--json", "--out", out
    )
    assert ran.code == 0
    assert json.loads((out / "audit.json").read_text(encoding="utf-8")) == ran.json
    rule = CovariateRule.load(path)
    found = audit(rule, patients_of(there, rule, column)).to_dict()
    same = set(found) - {"warnings", "flip_rate", "operating_point"}
    assert {name: ran.json[name] for name in same} == {name: found[name] for name in same}
    assert ran.json["attributes"] == [column]
    assert {"shift", "operating_point", "boundaries"} <= set(ran.json)
    assert b"An audit of covariate.json on" in (out / "audit.html").read_bytes()
    text = run_command(capsys, "audit", "--verbose", path, there, "--label", "label", "--out", out)
    assert "Where the change of risk comes from" in text.out
    assert MARK not in text.out + text.err


def test_cut_offs_by_covariate_are_watched(frozen, tmp_path, capsys):
    there = write(tmp_path / "t.csv", rows(80, seed=4))
    path = frozen / "groups" / "covariate.json"
    given = [path, there, "--label", "label", "--order", "age", "--json"]
    ran = run_command(capsys, "monitor", *given)
    assert ran.code == 0
    rule = CovariateRule.load(path)
    patients = patients_of(there, rule, "sex")
    age = pd.read_csv(there).groupby("patient")["age"].first().to_numpy()
    found = monitor(rule, patients, order=age).to_dict()
    assert ran.json["risk"]["observed"] == pytest.approx(found["risk"]["observed"])
    assert ran.json["call_rate"]["internal"] == found["call_rate"]["internal"]
    assert run_command(capsys, "monitor", *given[:-1]).code == 0


def test_an_audit_refuses_or_pools_an_unseen_group(frozen, tmp_path, capsys):
    other = [[*row[:3], "x" if k < 4 else row[3], *row[4:]] for k, row in enumerate(rows(60, 5))]
    there = write(tmp_path / "t.csv", other)
    given = [frozen / "groups" / "covariate.json", there, "--label", "label"]
    ran = run_command(capsys, "audit", *given, "--out", tmp_path / "o")
    assert ran.code == 2
    assert "2 of 60 patients are of a group of 'sex' that the rule has not seen (1 value" in ran.err
    pooled = ["--unseen", "pooled", "--out", tmp_path / "o"]
    ran = run_command(capsys, "audit", *given, *pooled)
    assert ran.code == 0
    assert "covariate: 2 of 60 patients" in ran.err


def test_a_table_without_the_covariate_is_refused(frozen, tmp_path, capsys):
    there = write(tmp_path / "t.csv", rows(60, 5))
    pd.read_csv(there).drop(columns="sex").to_csv(there, index=False)
    given = [frozen / "groups" / "covariate.json", there, "--out", tmp_path / "o"]
    ran = run_command(capsys, "audit", *given)
    assert ran.code == 2
    assert "'sex'" in ran.err
    assert len(ran.err.splitlines()) == 1

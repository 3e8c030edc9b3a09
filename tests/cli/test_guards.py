"""What the commands do with patients that a rule was not made for: refuse, or record."""

import csv
import json

import pytest

from tests.cli.commands import FIT, HEADER, SITES, make_rows, run_command, write_rows

LEVEL = ["--level", "slide:max"]


@pytest.fixture(scope="module")
def nested(table, tmp_path_factory):
    """A rule with slides between tiles and patients; not to be changed."""
    from steadycut.cli.main import run

    out = tmp_path_factory.mktemp("nested")
    assert run(["fit", str(table), *FIT, *SITES, *LEVEL, "--out", str(out)]) == 0
    return out / "rule.json"


def without(rows, name):
    at = HEADER.index(name)
    return [row[:at] + row[at + 1 :] for row in rows], HEADER[:at] + HEADER[at + 1 :]


def one_a_patient(rows):
    return list({row[1]: row for row in rows}.values())


STRANGE = {
    "aggregation": lambda: (one_a_patient(make_rows()), HEADER),
    "missing level": lambda: without(make_rows(), "slide"),
}


@pytest.mark.parametrize("check", STRANGE)
def test_apply_refuses_and_with_force_records(nested, tmp_path, capsys, check):
    table = write_rows(tmp_path / "t.csv", *STRANGE[check]())
    arguments = ["apply", nested, table, "--out", tmp_path / "d.csv", "--json"]
    ran = run_command(capsys, *arguments)
    assert (ran.code, ran.out, (tmp_path / "d.csv").exists()) == (2, "", False)
    assert ran.err.startswith(f"steadycut: {check}: ")
    assert (ran.err.count("\n"), "--force" in ran.err) == (1, True)
    forced = run_command(capsys, *arguments, "--force")
    assert (forced.code, forced.json["forced"]) == (0, [check])
    assert f"warning: forced: {check}: " in forced.err
    with (tmp_path / "d.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["forced"] for row in rows} == {check}


@pytest.mark.parametrize("check", STRANGE)
def test_audit_refuses_and_with_force_records(nested, tmp_path, capsys, check):
    table = write_rows(tmp_path / "t.csv", *STRANGE[check]())
    arguments = ["audit", nested, table, "--label", "label", "--out", tmp_path / "a"]
    ran = run_command(capsys, *arguments)
    assert (ran.code, (tmp_path / "a").exists()) == (2, False)
    assert run_command(capsys, *arguments, "--force").code == 0
    content = json.loads((tmp_path / "a" / "audit.json").read_bytes())
    assert content["forced"] == [check]
    assert f"forced: {check}: " in (tmp_path / "a" / "audit.html").read_text("utf-8")


def test_force_records_nothing_where_nothing_was_refused(nested, table, tmp_path, capsys):
    for name, more in (("plain", []), ("forced", ["--force"])):
        ran = run_command(capsys, "apply", nested, table, "--out", tmp_path / f"{name}.csv", *more)
        assert ran.code == 0
        audit = ["audit", nested, table, "--label", "label", "--out", tmp_path / name]
        assert run_command(capsys, *audit, *more).code == 0
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "forced.csv").read_bytes()
    assert (tmp_path / "plain" / "audit.json").read_bytes() == (
        tmp_path / "forced" / "audit.json"
    ).read_bytes()


def test_a_step_that_is_left_out_is_that_of_the_missing_column(nested, table, tmp_path, capsys):
    """Rows that are slides already, without a column of slides: the same decisions."""
    rows, best = make_rows(), {}
    for row in rows:
        best[row[1], row[2]] = max(best.get((row[1], row[2]), row), row, key=lambda one: one[3])
    slides = write_rows(tmp_path / "s.csv", *without(list(best.values()), "slide"))
    for source, name in ((table, "a"), (slides, "b")):
        out = tmp_path / f"{name}.csv"
        assert run_command(capsys, "apply", nested, source, "--out", out, "--force").code == 0
    found = [
        [row[:4] for row in csv.reader((tmp_path / name).read_text("utf-8").splitlines())]
        for name in ("a.csv", "b.csv")
    ]
    assert found[0] == found[1]


def test_a_score_of_another_name_cannot_be_forced(nested, tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", *without(make_rows(), "score"))
    ran = run_command(capsys, "apply", nested, table, "--out", tmp_path / "d.csv", "--force")
    assert (ran.code, "no column 'score'" in ran.err) == (2, True)


@pytest.mark.parametrize("command", ["strata", "covariate"])
def test_other_frozen_files_refuse_too(table, tmp_path, capsys, command):
    more = {"strata": ["--costs", "0,1,2;2,1,0"], "covariate": ["--covariate", "site"]}[command]
    out = tmp_path / "out"
    assert run_command(capsys, command, table, *FIT, *LEVEL, *more, "--out", out).code == 0
    strange = write_rows(tmp_path / "t.csv", *STRANGE["missing level"]())
    arguments = ["apply", out / f"{command}.json", strange, "--out", tmp_path / "d.parquet"]
    assert run_command(capsys, *arguments).err.startswith("steadycut: missing level: ")
    ran = run_command(capsys, *arguments, "--force", "--json")
    assert (ran.code, ran.json["forced"]) == (0, ["missing level"])


def test_patients_are_remembered_by_a_key(table, tmp_path, capsys):
    key, other = tmp_path / "key", tmp_path / "other"
    key.write_text("a secret of this hospital\n", encoding="utf-8")
    other.write_text("a secret of another one\n", encoding="utf-8")
    fit = ["fit", table, *FIT, *SITES, "--out", tmp_path / "s", "--patient-key", key]
    ran = run_command(capsys, *fit)
    assert (ran.code, "--remember-patients" in ran.err) == (2, True)
    assert run_command(capsys, *fit, "--remember-patients").code == 0
    rule = tmp_path / "s" / "rule.json"
    apply = ["apply", rule, table, "--out", tmp_path / "d.csv"]
    ran = run_command(capsys, *apply, "--patient-key", key)
    assert (ran.code, "the rule remembers 60 of these 90 patients" in ran.err) == (2, True)
    ran = run_command(capsys, *apply)
    assert (ran.code, "is not checked" in ran.err) == (0, True)
    south = ["audit", rule, table, "--site", "site", "--external", "south", "--patient-key", key]
    assert run_command(capsys, *south, "--out", tmp_path / "a").code == 0
    monitor = ["monitor", rule, table, "--order", "other", "--patient-key", key, "--json"]
    assert "60 of these 90 patients" in run_command(capsys, *monitor).err
    assert run_command(capsys, *monitor, "--force").json["forced"] == ["patients"]


@pytest.mark.parametrize("command", ["fit", "strata", "covariate"])
def test_a_key_that_would_check_nothing_is_refused_before_the_table_is_read(
    table, tmp_path, capsys, command
):
    key, other = tmp_path / "key", tmp_path / "other"
    key.write_text("a secret of this hospital", encoding="utf-8")
    other.write_text("a secret of another one", encoding="utf-8")
    more = {
        "fit": ["--remember-patients", "--patient-key", key],
        "strata": ["--costs", "0,1,2;2,1,0"],
        "covariate": ["--covariate", "site"],
    }[command]
    assert run_command(capsys, command, table, *FIT, *more, "--out", tmp_path).code == 0
    rule = tmp_path / f"{'rule' if command == 'fit' else command}.json"
    said = {"fit": "this is not the key"}.get(command, "the rule remembers no patients")
    commands = [["apply", "--out", tmp_path / "d.csv"]]
    if command == "fit":
        commands += [["audit", "--out", tmp_path / "a"], ["monitor", "--order", "other"]]
    for name, *rest in commands:
        ran = run_command(capsys, name, rule, "no.csv", *rest, "--patient-key", other)
        assert (ran.code, said in ran.err, ran.err.count("\n")) == (2, True, 1)


@pytest.mark.parametrize(
    ("content", "said"), [(None, "cannot read --patient-key"), ("x", "16 bytes")]
)
def test_a_key_that_is_no_key_is_refused(table, tmp_path, capsys, content, said):
    key = tmp_path / "key"
    if content is not None:
        key.write_text(content, encoding="utf-8")
    arguments = ["--remember-patients", "--patient-key", key, "--out", tmp_path / "s"]
    ran = run_command(capsys, "fit", table, *FIT, *arguments)
    assert (ran.code, said in ran.err, ran.err.count("\n")) == (2, True, 1)

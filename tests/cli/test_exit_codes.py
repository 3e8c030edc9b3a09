"""Exit codes for scripts that run at night, the log of runs, and results that stay."""

import json

import numpy as np
import pandas as pd
import pytest

from steadycut import __version__, rule_reader
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption
from steadycut.io.files import write_atomically
from steadycut.io.log import begin_run, open_log
from tests.cli.commands import (
    FIT,
    HEADER,
    MARK,
    SITES,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)

LABELS = ["--label", "label", "--site", "site", "--external", "south"]


@pytest.fixture
def percent(tmp_path):
    """The table with scores in another unit."""
    rows = column_changed(make_rows(), "score", lambda _, score: 100 * score)
    return write_rows(tmp_path / "percent.csv", rows)


def decided(path):
    return pd.read_csv(path, dtype={"rule_sha256": str}, float_precision="round_trip")


# Decisions ---------------------------------------------------------------------------------


def test_each_decision_outside_the_known_range_is_marked(table, rule, percent, tmp_path, capsys):
    frozen = FrozenRule.load(rule)
    low, high = frozen.document.score_range
    for source, least in ((table, 0), (percent, 50)):
        out = tmp_path / f"{source.stem}-decisions.csv"
        ran = run_command(capsys, "apply", rule, source, "--json", "--out", out)
        assert ran.code == 0
        found = decided(out)
        outside = (found["score"] < low) | (found["score"] > high)
        assert found["outside_range"].tolist() == outside.astype(int).tolist()
        assert ran.json["outside_range"] == outside.sum() >= least
        assert set(found["threshold"]) == {frozen.threshold}
        assert set(found["rule_sha256"]) == {frozen.to_dict()["sha256"]}


def test_strict_ends_with_4_and_still_writes(rule, percent, tmp_path, capsys):
    given = ["apply", rule, percent, "--strict", "--out", tmp_path / "d.csv"]
    ran = run_command(capsys, *given)
    assert ran.code == 4
    assert "score range" in ran.err
    assert len(decided(tmp_path / "d.csv")) == 90


def test_strict_notices_one_patient_outside(rule, tmp_path, capsys):
    low, high = FrozenRule.load(rule).document.score_range
    ids = np.repeat([f"p{number}" for number in range(40)], 6)
    frame = pd.DataFrame({"patient": ids, "score": np.repeat(np.linspace(low, high, 40), 6)})
    frame.loc[120, "score"] += 0.01  # Not all rows are copies, of which a warning would tell.
    for last, code in ((high, 0), (high + 1, 4)):
        frame.loc[frame["patient"] == "p39", "score"] = last
        frame.to_csv(tmp_path / "t.csv", index=False)
        given = ["apply", rule, tmp_path / "t.csv", "--strict", "--out", tmp_path / "d.csv"]
        assert run_command(capsys, *given).code == code


def test_the_reader_has_the_same_code(rule, percent, tmp_path, capsys):
    given = [str(rule), str(percent), "--out", str(tmp_path / "d.csv")]
    assert rule_reader.main(given) == 0
    assert rule_reader.main([*given, "--strict"]) == 4
    assert "outside" in capsys.readouterr().err


# Audits and monitors -----------------------------------------------------------------------


@pytest.fixture
def reversed_labels(tmp_path):
    rows = column_changed(make_rows(200), "label", lambda _, label: 1 - int(label))
    return write_rows(
        tmp_path / "reversed.csv", [[*row, at] for at, row in enumerate(rows)], [*HEADER, "when"]
    )


@pytest.mark.parametrize(
    ("command", "more", "code"),
    [("audit", [], 5), ("monitor", ["--order", "when"], 6)],
)
def test_what_was_found_has_its_own_exit_code(
    command, more, code, rule, reversed_labels, tmp_path, capsys
):
    given = [command, rule, reversed_labels, *LABELS, *more, "--out", tmp_path / "out"]
    assert run_command(capsys, *given).code == 0
    ran = run_command(capsys, *given, "--strict", "--json")
    assert ran.code == code
    assert ran.json == json.loads((tmp_path / "out" / f"{command}.json").read_bytes())


def test_strict_ends_with_0_where_nothing_is_wrong(table, rule, tmp_path, capsys):
    given = ["audit", rule, table, *LABELS, "--out", tmp_path / "a", "--strict", "--json"]
    ran = run_command(capsys, *given)
    assert (ran.code, ran.json["warnings"]) == (0, [])


@pytest.mark.parametrize("command", ["apply", "audit", "monitor"])
def test_the_help_names_the_codes(command, capsys):
    said = run_command(capsys, command, "--help").said
    for text in ("exit code 4 if a check warns", "5 if an audit refuses", "6 if monitor"):
        assert text in said


# Results of another study ------------------------------------------------------------------


def test_another_study_is_not_overwritten(table, tmp_path, capsys):
    given = ["fit", table, *FIT, *SITES, "--out", tmp_path / "study"]
    assert run_command(capsys, *given).code == 0
    assert run_command(capsys, *given).code == 0
    before = snapshot(tmp_path)
    ran = run_command(capsys, *given, "--cost-fn", "3")
    assert ran.code == 2
    assert "rule.json holds results of another study" in ran.err
    assert "Choose another --out, or replace it with --overwrite." in ran.err
    assert snapshot(tmp_path) == before
    assert run_command(capsys, *given, "--cost-fn", "3", "--overwrite").code == 0
    assert snapshot(tmp_path) != before


def test_a_newer_version_of_a_package_makes_no_other_study(table, tmp_path, capsys):
    given = ["fit", table, *FIT, *SITES, "--out", tmp_path / "study"]
    assert run_command(capsys, *given).code == 0
    path = tmp_path / "study" / "rule.json"
    content = FrozenRule.load(path).document
    made = content.provenance.model_copy(update={"versions": {"numpy": "0.1"}})
    older = content.model_copy(update={"provenance": made, "sha256": None})
    FrozenRule(older).save(path)
    assert run_command(capsys, *given).code == 0


def test_a_fit_and_an_audit_of_another_study_do_not_share_a_folder(table, rule, tmp_path, capsys):
    mixed = tmp_path / "mixed"
    assert run_command(capsys, "audit", rule, table, *LABELS, "--out", mixed).code == 0
    other = ["fit", table, *FIT, *SITES, "--seed", "7", "--out", mixed]
    ran = run_command(capsys, *other)
    assert ran.code == 2
    assert "audit.json holds results of another study, and would stand beside these." in ran.err
    assert "Choose another --out." in ran.err
    assert run_command(capsys, *other, "--overwrite").code == 0
    # The other way round: an audit in the folder of another fit.
    (mixed / "audit.json").unlink()
    ran = run_command(capsys, "audit", rule, table, *LABELS, "--out", mixed)
    assert (ran.code, "rule.json holds results of another study" in ran.err) == (2, True)
    own = ["audit", mixed / "rule.json", table, *LABELS, "--site", "site", "--external", "south"]
    assert run_command(capsys, *own, "--out", mixed).code == 0
    assert run_command(capsys, *other).code == 0


def test_an_audit_of_another_rule_is_not_overwritten(table, rule, tmp_path, capsys):
    other = tmp_path / "other"
    assert run_command(capsys, "fit", table, *FIT, *SITES, "--seed", "7", "--out", other).code == 0
    for command in (["audit", *LABELS], ["monitor", *LABELS, "--order", "patient"]):
        name, *more = command
        if name == "monitor":
            rows = [[*row, at] for at, row in enumerate(make_rows())]
            table = write_rows(tmp_path / "when.csv", rows, [*HEADER, "when"])
            more[-1] = "when"
        out = ["--out", tmp_path / name]
        assert run_command(capsys, name, rule, table, *more, *out).code == 0
        assert run_command(capsys, name, rule, table, *more, *out).code == 0
        ran = run_command(capsys, name, other / "rule.json", table, *more, *out)
        assert ran.code == 2
        assert f"{name}.json holds results of another study" in ran.err


@pytest.mark.parametrize("name", ["d.csv", "d.parquet"])
def test_only_decisions_of_the_same_rule_are_replaced(name, table, rule, tmp_path, capsys):
    other, out = tmp_path / "other", tmp_path / name
    assert run_command(capsys, "fit", table, *FIT, *SITES, "--seed", "7", "--out", other).code == 0
    for _ in range(2):
        assert run_command(capsys, "apply", rule, table, "--out", out).code == 0
    before = out.read_bytes()
    ran = run_command(capsys, "apply", other / "rule.json", table, "--out", out)
    assert ran.code == 2
    assert "results of another rule" in ran.err
    assert out.read_bytes() == before
    given = ["apply", other / "rule.json", table, "--out", out, "--overwrite"]
    assert run_command(capsys, *given).code == 0


def test_a_file_that_is_something_else_is_kept(table, rule, tmp_path, capsys):
    out = tmp_path / "patients.csv"
    out.write_bytes(b"patient,phone\na,1\n")
    assert run_command(capsys, "apply", rule, table, "--out", out).code == 2
    assert out.read_bytes() == b"patient,phone\na,1\n"


# The log -----------------------------------------------------------------------------------


def logged(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_run_adds_one_line_to_the_log(table, rule, percent, tmp_path, capsys):
    log, out = tmp_path / "runs.log", tmp_path / "d.csv"
    run_command(capsys, "apply", rule, table, "--out", out, "--log", log)
    run_command(capsys, "apply", rule, percent, "--out", out, "--log", log, "--strict")
    run_command(capsys, "audit", rule, table, "--label", "none", "--out", tmp_path, "--log", log)
    first, second, third = logged(log)
    assert (first["command"], first["exit_code"], first["warnings"]) == ("apply", 0, [])
    assert first["rule_sha256"] == FrozenRule.load(rule).document.sha256
    assert set(first["versions"]) == {"steadycut", "numpy", "python"}
    assert first["versions"]["steadycut"] == __version__
    assert second["exit_code"] == 4
    assert any(text.startswith("score range") for text in second["warnings"])
    assert (third["command"], third["exit_code"]) == ("audit", 2)
    assert "no column 'none'" in third["error"]
    assert MARK not in log.read_text(encoding="utf-8")


def test_a_fit_is_logged_with_the_hash_of_its_rule(table, tmp_path, capsys):
    log = tmp_path / "runs.log"
    given = ["fit", table, *FIT, *SITES, "--out", tmp_path / "s", "--log", log]
    assert run_command(capsys, *given).code == 0
    sha256 = FrozenRule.load(tmp_path / "s" / "rule.json").document.sha256
    assert [(one["command"], one["rule_sha256"]) for one in logged(log)] == [("fit", sha256)]


def test_a_table_is_never_taken_for_a_log(table, rule, tmp_path, capsys):
    before = table.read_bytes()
    out = ["--out", tmp_path / "d.csv"]
    for log, text in ((table, "not a log of steadycut"), (tmp_path, "directory")):
        ran = run_command(capsys, "apply", rule, table, *out, "--log", log)
        assert ran.code == 2
        assert text in ran.err.lower() or text in ran.err
    assert table.read_bytes() == before
    assert not (tmp_path / "d.csv").exists()


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_a_log_never_takes_the_place_of_a_result(table, rule, tmp_path, capsys, linked, there):
    study, out = tmp_path / "study", tmp_path / "d.csv"
    study.mkdir()
    fit, apply = ["fit", table, *FIT, *SITES, "--out", study], ["apply", rule, table, "--out", out]
    for command, place in ((fit, study / "rule.json"), (apply, out)):
        log = place
        if there:
            assert run_command(capsys, *command).code == 0
        before = place.read_bytes() if there else None
        if linked:
            log = tmp_path / f"link-{place.name}"
            log.symlink_to(place)
        ran = run_command(capsys, *command, "--log", log)
        assert (ran.code, "is the place of a result" in ran.err) == (2, True)
        assert (place.read_bytes() if place.exists() else None) == before


def test_a_result_whose_place_is_only_known_later_does_not_replace_the_log(tmp_path):
    begin_run()
    open_log(tmp_path / "runs.log", "fit")
    with pytest.raises(BadOption, match="is the place of a result"):
        write_atomically(tmp_path / "runs.log", b"x")
    begin_run()
    write_atomically(tmp_path / "runs.log", b"x")


def test_with_small_cells_the_log_has_kinds_only(table, tmp_path, capsys):
    log, few = tmp_path / "runs.log", tmp_path / "few.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("label")
    healthy = [line for line in lines[1:] if line.split(",")[place] == "0"]
    ill = next(line for line in lines[1:] if line.split(",")[place] == "1")
    few.write_text("\n".join([lines[0], ill, *healthy]) + "\n", encoding="utf-8")
    given = ["fit", few, *FIT, "--out", tmp_path / "s", "--log", log]
    assert run_command(capsys, *given).code == 2
    assert run_command(capsys, *given, "--small-cells", "10").code == 2
    plain, brief = logged(log)
    assert " " in plain["error"]
    assert brief["error"].isidentifier()


def test_a_log_names_no_path(table, rule, tmp_path, capsys):
    log, named = tmp_path / "runs.log", tmp_path / "Anna Smith.csv"
    named.write_text("a,b\n1,2\n", encoding="utf-8")
    for place in (named, str(tmp_path / "Anna*.csv"), tmp_path / "Smith.csv"):
        assert run_command(capsys, "apply", rule, place, "--out", "d.csv", "--log", log).code == 2
    out = ["--out", tmp_path / "Smith" / "d.csv"]
    assert run_command(capsys, "apply", rule, table, *out, "--log", log).code == 2
    text = log.read_text(encoding="utf-8")
    assert "Smith" not in text
    assert str(tmp_path) not in text


def test_a_log_that_cannot_be_written_in_the_end_is_told(
    table, rule, tmp_path, capsys, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("steadycut.io.log.Run.write", full)
    out = tmp_path / "d.csv"
    ran = run_command(capsys, "apply", rule, table, "--out", out, "--log", tmp_path / "runs.log")
    assert (ran.code, out.exists()) == (0, True)
    assert "cannot write --log" in ran.err

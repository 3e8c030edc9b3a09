"""``steadycut reproduce``: every target end to end, and what is refused."""

import json

import pytest

from tests.cli.commands import make_rows, run_command, snapshot, write_rows

FIGURES = ["figure-1", "figure-2", "figure-s1"]
TABLE = ["--patient", "patient", "--score", "score", "--score", "other", "--label", "label"]
SITES = ["--site", "site", "--internal", "north", "--external", "south", "--bootstrap", "20"]


def run_target(capsys, target, out, *arguments):
    return run_command(capsys, "reproduce", target, "--replicates", "1", "--out", out, *arguments)


@pytest.mark.parametrize("target", FIGURES)
def test_a_figure_end_to_end_and_the_same_bytes_again(target, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    ran = run_target(capsys, target, tmp_path / "one", "--seed", "4")
    assert ran.code == 0
    files = snapshot(tmp_path / "one")
    assert sorted(files) == [f"{target}.{ending}" for ending in ("json", "md", "png", "svg")]
    assert files[f"{target}.png"].startswith(b"\x89PNG")
    assert b"<svg" in files[f"{target}.svg"]
    assert files[f"{target}.md"].decode() == ran.out
    content = json.loads(files[f"{target}.json"])
    assert (content["schema"], content["target"]) == ("steadycut.reproduce/1", target)
    assert content["parameters"]["assumed"]
    assert len(content["claims"]) >= 4
    assert {"as above"} < {row["changed"] for row in content["sensitivity"]}
    again = run_target(capsys, target, tmp_path / "two", "--seed", "4", "--json")
    assert again.json == content
    assert snapshot(tmp_path / "two") == files


def test_the_table_of_the_simulated_hospitals(tmp_path, capsys):
    ran = run_target(capsys, "table", tmp_path / "one", "--bootstrap", "20")
    assert ran.code == 0
    assert "| Our method (Algorithm 1) |" in ran.out
    files = snapshot(tmp_path / "one")
    assert sorted(files) == ["table.json", "table.md"]
    run_target(capsys, "table", tmp_path / "two", "--bootstrap", "20")
    assert snapshot(tmp_path / "two") == files


def test_the_table_of_a_file_with_two_sites(tmp_path, capsys):
    table = write_rows(tmp_path / "table.csv", make_rows())
    options = ["--data", table, *TABLE, *SITES, "--aggregate", "mean", "--aggregate", "max"]
    ran = run_target(capsys, "table", tmp_path / "out", *options, "--json")
    assert ran.code == 0
    assert ran.json["patients"] == {"internal": 60, "external": 30}
    assert ran.json["candidates"] == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["figure-9"], "must be one of figure-1, figure-2, figure-s1"),
        (["figure-1", "--replicates", "0"], "--replicates must be a whole number of at least 1"),
        (["figure-2", "--replicates", "-3"], "--replicates must be a whole number of at least 1"),
        (["figure-s1", "--replicates", "many"], "whole number; got 'many'"),
        (["figure-1", "--seed", "-1"], "--seed must be a whole number of at least 0"),
        (["figure-1", "--data", "x"], "No such option: --data"),
        (["table", "--patient", "p"], "--patient needs --data TABLE"),
        (["table", "--data", "x.csv"], "--data needs --patient, --score, --label, --site"),
        (["table", "--data", "nowhere/*.csv", *TABLE, *SITES], "nowhere"),
        (["table", "--delta", "2"], "--delta must"),
        ([], "Missing command"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(arguments, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_command(capsys, "reproduce", *arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert not snapshot(tmp_path)


@pytest.mark.parametrize(("target", "file"), [("figure-1", "figure-1.md"), ("table", "table.json")])
def test_files_of_an_earlier_run_are_kept(target, file, tmp_path, capsys):
    (tmp_path / file).write_text("mine", encoding="utf-8")
    ran = run_target(capsys, target, tmp_path)
    assert ran.code == 2
    assert f"already holds {file}. Choose another --out, or overwrite" in ran.err
    assert snapshot(tmp_path) == {file: b"mine"}


def test_force_overwrites(tmp_path, capsys):
    (tmp_path / "table.md").write_text("mine", encoding="utf-8")
    table = write_rows(tmp_path / "table.csv", make_rows(20))
    ran = run_target(capsys, "table", tmp_path, "--force", "--data", table, *TABLE, *SITES)
    assert ran.code == 0
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == ran.out


def test_a_patient_is_named_nowhere(tmp_path, capsys):
    path = write_rows(tmp_path / "t.csv", make_rows(20))
    run_target(capsys, "table", tmp_path / "o", "--data", path, *TABLE, *SITES)
    assert all("Zq" not in content.decode() for content in snapshot(tmp_path / "o").values())


def test_help_lists_the_targets(capsys):
    ran = run_command(capsys, "reproduce", "--help")
    assert all(target in ran.out for target in [*FIGURES, "table"])

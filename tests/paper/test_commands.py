"""``python -m paper``: every target end to end, and what is refused."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from paper.commands.group import Targets, run
from tests.cli.commands import make_rows, run_command, snapshot, write_rows

REPOSITORY = Path(__file__).resolve().parents[2]
FIGURES = ["figure-1", "figure-2", "figure-s1"]
TABLE = ["--patient", "patient", "--score", "score", "--score", "other", "--label", "label"]
SITES = ["--site", "site", "--internal", "north", "--external", "south", "--bootstrap", "20"]


def run_target(capsys, target, out, *arguments):
    options = ["--replicates", "1", "--out", out]
    return run_command(capsys, target, *options, *arguments, run=run)


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
    ran = run_command(capsys, *arguments, run=run)
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
    ran = run_command(capsys, "--help", run=run)
    assert ran.said.startswith("Usage: python -m paper [OPTIONS] NAME [OPTIONS]")
    assert "Rebuild the paper's figures and tables." in ran.out
    assert all(target in ran.out for target in Targets.table)


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["figure-9"], 2)])
def test_the_folder_runs_as_a_module(arguments, code):
    command = [sys.executable, "-m", "paper", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == code
    assert ("camelyon" in done.stdout) is (code == 0)
    assert "Traceback" not in done.stderr


def test_a_missing_package_is_named_with_its_extra(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    ran = run_target(capsys, "figure-1", tmp_path / "out")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert 'pip install "steadycut[' in ran.err
    assert not snapshot(tmp_path)


def test_without_the_command_line_one_line_names_its_extra(tmp_path):
    hidden = "import sys; sys.modules['typer'] = None; import runpy; "
    command = [sys.executable, "-c", hidden + "runpy.run_module('paper', run_name='__main__')"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert 'pip install "steadycut[cli]"' in done.stderr


def test_make_runs_every_target_that_needs_no_data():
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    names = re.search(r"^PAPER_NAMES := (.*)$", makefile, re.MULTILINE)[1].split()
    assert names == [name for name in Targets.table if name not in {"camelyon", "mimic-ecg"}]

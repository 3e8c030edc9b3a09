"""``steadycut demo``: the whole story, offline, in a folder."""

import json

import pandas as pd

from steadycut.documents.rule import FrozenRule
from tests.cli.commands import DECISIONS, run_command, snapshot

FILES = [
    "audit.html",
    "audit.json",
    "compare.json",
    "decisions.csv",
    "report.html",
    "rule.json",
    "study.json",
    "two_hospitals.csv",
]


def test_the_short_text_has_the_answers_and_the_next_step(tmp_path, capsys):
    ran = run_command(capsys, "demo", "--out", tmp_path)
    assert len(ran.out.splitlines()) <= 12
    for text in (
        "Hospital A. Cut-off ",
        "Useful here: yes. Certified: ",
        "Hospital B. USE AND WATCH",
        "Next: ",
    ):
        assert text in ran.said


def test_it_writes_everything_and_the_commands_agree(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_command(capsys, "demo", "--verbose")
    folder = tmp_path / "steadycut-demo"
    assert ran.code == 0
    assert ran.err == ""
    assert sorted(snapshot(folder)) == FILES
    for name in (
        "A cut-off on ",
        "The certificate: ",
        "Rules compared",
        "An audit of ",
        "report.html",
    ):
        assert name in ran.out
    # The commands, run by a user on the demo's own table, give the demo's own rule.
    options = ["--patient", "patient", "--score", "score", "--label", "tumour"]
    options += ["--level", "slide:max", "--site", "hospital", "--internal", "A"]
    several = [word for how in ("mean", "max", "quantile:0.9") for word in ("--aggregate", how)]
    table = folder / "two_hospitals.csv"
    fitted = run_command(
        capsys, "fit", "--verbose", table, *options, *several, "--out", tmp_path / "o"
    )
    assert fitted.code == 0
    assert (tmp_path / "o" / "rule.json").read_bytes() == (folder / "rule.json").read_bytes()
    audited = run_command(
        capsys,
        *("audit", folder / "rule.json", table, "--label", "tumour", "--site", "hospital"),
        *("--external", "B", "--out", tmp_path / "a"),
    )
    assert audited.code == 0
    assert (tmp_path / "a" / "audit.json").read_bytes() == (folder / "audit.json").read_bytes()


def test_json_is_one_object_and_equals_the_files(tmp_path, capsys):
    ran = run_command(capsys, "demo", "--json", "--out", tmp_path / "d")
    assert ran.code == 0
    assert ran.err == ""
    assert set(ran.json) == {"study", "comparison", "audit"}
    for key, name in (("study", "study"), ("comparison", "compare"), ("audit", "audit")):
        assert ran.json[key] == json.loads((tmp_path / "d" / f"{name}.json").read_bytes())
    decisions = pd.read_csv(tmp_path / "d" / "decisions.csv")
    assert list(decisions) == DECISIONS
    assert decisions["decision"].mean() == ran.json["audit"]["call_rate"]
    assert FrozenRule.load(tmp_path / "d" / "rule.json").threshold == ran.json["study"]["threshold"]

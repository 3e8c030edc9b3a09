"""Every command that takes a frozen file: it works for a kind, or says in one line why not."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest

from steadycut import _kinds
from steadycut.app.rules import cut_off_of
from tests.cli.commands import run_command

COLUMNS = ["--patient", "patient", "--score", "score"]
CHOSEN = [*COLUMNS, "--bootstrap", "20"]
# One file of every kind; strata of three grades, of two limits, and of two grades and two strata.
MADE = {
    "rule": ["fit", "--label", "ill"],
    "strata": ["strata", "--label", "grade", "--order", "0,1,2", "--costs", "0,1,2;1,0,1;2,1,0"],
    "two limits": [
        *("strata", "--label", "ill"),
        *("--rule-out", "sensitivity:0.9", "--rule-in", "specificity:0.9"),
    ],
    "two strata": ["strata", "--label", "ill", "--costs", "0,1;2,0"],
    "groups": ["covariate", "--label", "ill", "--covariate", "sex"],
    "smooth": ["covariate", "--label", "ill", "--covariate", "age", "--kind", "smooth"],
}
# What needs more than a decision, and why a kind cannot do it.
ONE_CUT_OFF = {
    "strata": "3 decisions",
    "two limits": "3 decisions",
    "two strata": "keeps no scores of its patients",
    "groups": "cut-offs that depend on 'sex'",
    "smooth": "cut-offs that depend on 'age'",
}
SEVERAL = "needs one cut-off for all patients"
VERBS = {
    "apply": (["apply", "{rule}", "{table}", "--out", "{out}.csv"], {}),
    "audit": (["audit", "{rule}", "{table}", "--out", "{out}"], {}),
    "audit at every look": (["audit", "{rule}", "{table}", "--sequential", "--out", "{out}"], {}),
    "audit of groups": (["audit", "{rule}", "{table}", "--group", "sex", "--out", "{out}"], {}),
    "audit without labels": (["audit", "{rule}", "{table}", "--no-label", "--out", "{out}"], {}),
    "monitor": (["monitor", "{rule}", "{table}", "--order", "day", "--out", "{out}"], {}),
    "switch": (
        ["switch", "{rule}", "{table}", "--new", "{table}", "--new-score", "new", "--out", "{out}"],
        {},
    ),
    "report": (["report", "{study}", "--out", "{out}.html"], {}),
    "small cells": (
        ["audit", "{rule}", "{table}", "--small-cells", "5", "--out", "{out}"],
        dict.fromkeys(("strata", "two limits", "groups", "smooth"), SEVERAL),
    ),
    "adapt": (["adapt", "{rule}", "{table}", "--prevalence", "0.4", "--out", "{out}"], ONE_CUT_OFF),
    "labels to plan": (["plan", "--at-site", "{rule}", "--prevalence", "0.4"], ONE_CUT_OFF),
    "plan of changes": (
        [
            *("plan", "--changes", "{rule}", "--range=-9,9", "--labels", "100", "--margin", "0.1"),
            *("--order", "day", "--target", "0.4", "--out", "{out}"),
        ],
        ONE_CUT_OFF,
    ),
}


def write_table(path, seed):
    rng = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient", "score", "grade", "ill", "sex", "age", "day", "new"])
        for k in range(160):
            grade, sex = int(rng.integers(0, 3)), "fm"[k % 2]
            score = rng.normal() + 1.5 * grade + (k % 2) / 2
            new = score + 0.1 * rng.normal()
            day = [f"p{seed}-{k}", f"{score:.4f}", grade, int(grade > 0), sex, 30 + k % 60, k]
            rows.writerow([*day, f"{new:.4f}"])
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A frozen file of every kind, and a table of another hospital."""
    from steadycut.cli.main import run

    folder, files = tmp_path_factory.mktemp("kinds"), {}
    table = write_table(folder / "home.csv", 0)
    for name, (command, *words) in MADE.items():
        assert run([command, str(table), *CHOSEN, *words, "--out", str(folder / name)]) == 0
        kind = next(kind for kind in _kinds.KINDS if kind.command == command)
        files[name] = folder / name / kind.file_name
    return SimpleNamespace(files=files, table=write_table(folder / "here.csv", 1))


def test_every_kind_of_the_registry_is_tried():
    assert {command for command, *_ in MADE.values()} == {kind.command for kind in _kinds.KINDS}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("verb", VERBS)
def test_a_command_works_or_says_in_one_line_why_not(verb, name, made, tmp_path, capsys):
    words, refused = VERBS[verb]
    (study,) = made.files[name].parent.glob("*study.json")
    given = {"rule": made.files[name], "study": study, "table": made.table}
    given["out"] = tmp_path / "out"
    ran = run_command(capsys, *(word.format(**given) for word in words))
    if name not in refused:
        assert ran.code == 0, ran.err
        return
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("steadycut: ")
    assert refused[name] in ran.err
    assert made.files[name].name in ran.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", MADE)
def test_the_app_says_where_a_file_draws_the_line(name, made):
    start = {
        "rule": "Cut-off ",
        "two strata": "Cut-off ",
        "groups": "Cut-offs on ",
        "smooth": "Cut-offs",
    }
    assert cut_off_of(made.files[name]).startswith(start.get(name, "Boundaries "))

"""The way of a user, typed literally: an audit says adapt, and the printed command is run."""

import csv
import json
import re
import shlex

import numpy as np
import pytest

from tests.cli.commands import run_command


def write(path, sizes, seed):
    """Patients of hospitals, each with so many, a prevalence and scores that have moved."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "p", "ill", "hospital"])
        for site, (n, prevalence, moved) in sizes.items():
            for i in range(n):
                ill = int(rng.random() < prevalence)
                score = rng.normal() + 2.2 * ill + moved
                rows.writerow([f"{site}{seed}-{i}", score, "yes" if ill else "no", site])
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The first hospital; the next one in two tables, of which the first has a third hospital."""
    folder = tmp_path_factory.mktemp("path with a blank")
    return (
        write(folder / "home.csv", {"A": (400, 0.35, 0.0)}, 1),
        write(folder / "next.csv", {"B": (200, 0.3, 1.5), "C": (150, 0.3, 0.0)}, 2),
        write(folder / "later.csv", {"B": (300, 0.3, 1.5)}, 3),
    )


@pytest.fixture
def rule(tables, tmp_path, capsys):
    columns = "--patient id --score p --label ill --positive yes --site hospital --bootstrap 20"
    out = tmp_path / "study"
    assert run_command(capsys, "fit", tables[0], *columns.split(), "--out", out).code == 0
    return out / "rule.json"


def next_command(ran, verb):
    """The command of the last sentence, as a shell would split it."""
    (typed,) = re.findall(rf"(steadycut {verb} .+?)(?= Wrote |$)", ran.said)
    words = shlex.split(typed)
    assert words[0] == "steadycut"
    return words[1:]


def test_audit_says_adapt_and_the_printed_command_leads_to_a_certificate_and_an_answer(
    rule, tables, tmp_path, capsys
):
    _, there, later = tables
    here = ("--external", "B", "--out")
    first = run_command(capsys, "audit", rule, there, *here, tmp_path / "audit")
    assert first.code == 0
    adapted = run_command(capsys, *next_command(first, "adapt"))
    assert adapted.code == 0, adapted.err
    found = json.loads((tmp_path / "audit" / "adapted" / "adapt.json").read_text())
    certificate = found["certificate"]
    assert found["n_patients"] + certificate["n_patients"] == 200
    assert certificate["value"] < certificate["trivial_risk"]
    assert "40 of them, drawn at random, made the menu" in adapted.said
    assert f"{int(np.ceil(100 * certificate['value']))} of 100 patients (90 %" in adapted.said

    new = tmp_path / "audit" / "adapted" / "rule.json"
    second = run_command(capsys, "audit", new, later, *here, tmp_path / "again", "--json").json
    assert second["verdict"]["useful"] == "yes"
    assert second["verdict"]["as_before"] != "no"
    assert second["next_step"]["verb"] == "monitor"
    # The patients who adapted it cannot judge it.
    own = run_command(capsys, "audit", new, there, *here, tmp_path / "own")
    assert own.code == 2
    assert "these are the patients that the rule was made from" in own.err


def test_a_rule_that_was_adapted_with_labels_is_not_to_be_adapted_again(
    rule, tables, tmp_path, capsys
):
    out = tmp_path / "adapted"
    ran = run_command(capsys, "adapt", rule, tables[1], "--external", "B", "--out", out)
    assert ran.code == 0, ran.err
    worse = write(tmp_path / "worse.csv", {"B": (400, 0.3, 4.5)}, 7)
    audited = run_command(capsys, "audit", out / "rule.json", worse, "--out", tmp_path / "a")
    assert "steadycut fit" in audited.said
    assert "steadycut adapt" not in audited.said


def test_several_hospitals_need_one_to_be_named(rule, tables, tmp_path, capsys):
    ran = run_command(capsys, "adapt", rule, tables[1], "--out", tmp_path / "x")
    assert ran.code == 2
    assert "these patients are of 2 sites" in ran.err
    assert "--external NAME" in ran.err
    assert len(ran.err.splitlines()) == 1
    both = run_command(
        capsys, "adapt", rule, tables[1], "--external", "B,C", "--out", tmp_path / "x"
    )
    assert both.code == 2
    assert not (tmp_path / "x").exists()


def test_the_patients_of_the_study_are_refused(rule, tables, tmp_path, capsys):
    for more in ([], ["--no-site"], ["--no-label", "--prevalence", "0.2"]):
        ran = run_command(capsys, "adapt", rule, tables[0], *more, "--out", tmp_path / "x")
        assert ran.code == 2
        assert not (tmp_path / "x").exists()

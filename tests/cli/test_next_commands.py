"""Every next step that is printed can be typed: it works, or one line says what is missing."""

import csv
import re
import shlex
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from steadycut.cli.main import run
from tests.cli.commands import run_command

COLUMNS = "--patient id --score p --label ill --positive yes --site hospital --bootstrap 20"
PAGES = Path(__file__).resolve().parents[2]


def write(path, sizes, seed=1):
    """Patients of hospitals, each with so many, and scores that have moved."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "p", "ill", "hospital", "day"])
        for site, (n, moved, sharp) in sizes.items():
            for i in range(n):
                ill = int(rng.random() < 0.35)
                score = round(rng.normal() + sharp * ill + moved, 4)
                rows.writerow([f"{site}{seed}-{i}", score, "yes" if ill else "no", site, i])
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A hospital where the rule is made, and others where it does well, badly, or has few."""
    sizes = {"A": (300, 0, 2.2), "B": (200, 0, 2.2), "C": (200, 1.5, 2.2), "D": (20, 0, 2.2)}
    return write(tmp_path_factory.mktemp("a folder") / "all.csv", sizes)


@pytest.fixture
def fitted(table, tmp_path, capsys):
    out = tmp_path / "my study"
    return out, run_command(capsys, "fit", table, *COLUMNS.split(), "--internal", "A", "--out", out)


def typed(ran):
    """The commands of a text; each stands on one line."""
    found = re.findall(
        r"(steadycut [a-z-]+ .+?)(?= \(| on its own|[.,]? Then |$)", ran.out, re.MULTILINE
    )
    return [shlex.split(text.rstrip("."))[1:] for text in found]


def next_of(ran, verb):
    (words,) = [words for words in typed(ran) if words[0] == verb]
    return words


def test_a_fit_is_audited_at_the_other_hospitals_of_its_table(fitted, capsys):
    out, ran = fitted
    words = next_of(ran, "audit")
    assert words[1] == str(out / "rule.json")
    assert words[-4:] == ["--external", "others", "--out", str(out / "audited")]
    audited = run_command(capsys, *words)
    assert audited.code == 0
    assert "3 hospitals" in audited.said
    assert (out / "audited" / "audit.json").is_file()


def test_a_fit_on_one_table_asks_for_another(tmp_path, capsys):
    path = write(tmp_path / "a.csv", {"A": (300, 0, 2.2)})
    ran = run_command(capsys, "fit", path, *COLUMNS.split(), "--out", tmp_path / "s")
    again = run_command(capsys, *next_of(ran, "audit"))
    assert (again.code, len(again.err.splitlines())) == (2, 1)
    assert "there is no file 'TABLE'" in again.err


@pytest.mark.parametrize(
    ("external", "verb", "code"),
    [("B", "monitor", 2), ("C", "adapt", 0), ("D", "audit", 0), ("others", "adapt", 0)],
)
def test_what_an_audit_says_can_be_typed(fitted, table, capsys, external, verb, code):
    out, _ = fitted
    at = ["--external", external, "--out", out / "x"]
    audited = run_command(capsys, "audit", out / "rule.json", table, *at)
    words = next_of(audited, verb)
    ran = run_command(capsys, *words)
    assert ran.code == code, ran.err
    if code:
        assert "there is no file 'TABLE'" in ran.err
        day = [str(table) if word == "TABLE" else word for word in words[:-1]]
        ran = run_command(capsys, *day, "day", "--site", "hospital", "--external", "B")
        assert ran.code == 0, ran.err


def test_an_adapted_rule_is_audited_on_what_is_left_of_the_table(fitted, table, capsys):
    out, _ = fitted
    at = ["--external", "C", "--out", out / "adapted"]
    ran = run_command(capsys, "adapt", out / "rule.json", table, *at)
    words = next_of(ran, "audit")
    assert words[1] == str(out / "adapted" / "rule.json")
    again = run_command(capsys, *words)
    assert again.code == 0, again.err
    assert "2 hospitals" in again.said


def test_decisions_are_judged_on_the_same_table(fitted, table, tmp_path, capsys):
    out, _ = fitted
    there = write(tmp_path / "there.csv", {"B": (100, 0, 2.2)}, seed=5)
    ran = run_command(capsys, "apply", out / "rule.json", there, "--out", tmp_path / "d.csv")
    assert run_command(capsys, *next_of(ran, "audit")).code == 0


def test_a_comparison_names_the_fit_there(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "two.csv", {"A": (200, 0, 2.2), "E": (200, 0, -2.2)})
    asked = ["compare", path, *COLUMNS.split(), "--internal", "A", "--external", "E"]
    ran = run_command(capsys, *asked)
    again = run_command(capsys, *next_of(ran, "fit"))
    assert again.code == 0, again.err
    assert (tmp_path / "DIR" / "rule.json").is_file()


COMMAND = re.compile(r"steadycut [a-z]+ .*?(?=\.(?: |$)|; or | \(| Wrote |$)")


def steps_on_pages():
    """Every command after Next in the README and on the pages; a line may be broken there."""
    for path in [PAGES / "README.md", *sorted((PAGES / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for step in re.findall(r"Next: .*(?:\n(?!```|\$ |Wrote).+){0,3}", text):
            for words in COMMAND.findall(" ".join(step.split())):
                if "--" in words or "TABLE" in words:
                    yield pytest.param(words, id=f"{path.name}: {words[:40]}")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "demo-output"
    assert run(["demo", "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize("text", list(steps_on_pages()))
def test_a_next_step_on_a_page_can_be_typed(text, demo, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copytree(demo, "demo-output")
    ran = run_command(capsys, *shlex.split(text)[1:])
    assert ran.code in {0, 2}
    if ran.code:
        assert len(ran.err.splitlines()) == 1
        assert not re.search("No such option|unexpected|requires an argument", ran.err)

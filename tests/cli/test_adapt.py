"""The adapt command: from the stated prevalence to a certified rule, and what it refuses."""

import csv
import json

import numpy as np
import pytest

from steadycut.cli.main import run
from steadycut.documents.rule import FrozenRule
from tests.cli.commands import run_command, snapshot

COLUMNS = ["--patient", "patient", "--score", "score", "--label", "label"]


def write(path, n, prevalence, seed, labelled, shift=0.0):
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient", "score", "label", "day"])
        for i in range(n):
            ill = int(rng.random() < prevalence)
            label = ill if i < labelled else ""
            rows.writerow([f"{path.stem}{i}", rng.normal() + 2 * ill + shift, label, i])
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A rule, and a table of the next hospital with labels of the first 60 patients."""
    folder = tmp_path_factory.mktemp("adapt")
    table = write(folder / "home.csv", 300, 0.4, 0, 300)
    assert run(["fit", str(table), *COLUMNS, "--bootstrap", "20", "--out", str(folder / "s")]) == 0
    return folder / "s" / "rule.json", write(folder / "there.csv", 300, 0.15, 1, 60)


def test_a_stated_prevalence_gives_a_new_rule_beside_the_frozen_one(home, tmp_path, capsys):
    rule, table = home
    asked = ["--prevalence", "0.15", "--no-label", "--out", tmp_path / "a"]
    ran = run_command(capsys, "adapt", rule, table, *asked)
    assert ran.code == 0
    assert "nothing is certified here" in ran.said
    assert len(ran.out.splitlines()) <= 12
    new, old = FrozenRule.load(tmp_path / "a" / "rule.json"), FrozenRule.load(rule)
    assert new.document.adapted.parent == old.document.sha256
    assert {path.name for path in (tmp_path / "a").iterdir()} == {
        "adapt.html",
        "adapt.json",
        "rule.json",
    }
    content = json.loads((tmp_path / "a" / "adapt.json").read_text())
    assert content["threshold"] == new.threshold
    applied = run_command(
        capsys, "apply", tmp_path / "a" / "rule.json", table, "--out", tmp_path / "d.csv"
    )
    assert applied.code == 0


def test_labels_of_the_table_certify_and_blank_ones_make_the_menu(home, tmp_path, capsys):
    rule, table = home
    options = ["--label", "label", "--prevalence", "0.1,0.2", "--json", "--out", tmp_path / "a"]
    content = run_command(capsys, "adapt", rule, table, *options).json
    assert content["labels"]["n_patients"] == 60
    assert content["n_patients"] == 240
    assert content["certificate"]["n_patients"] == 60


def test_labels_come_one_at_a_time_by_their_day(home, tmp_path, capsys):
    rule, table = home
    options = ["--label", "label", "--sequential", "--order", "day", "--target", "0.3", "--json"]
    content = run_command(capsys, "adapt", rule, table, *options, "--out", tmp_path / "a").json
    assert content["labels"]["decision"] == "certified"
    assert content["labels"]["stopped_after"] == len(content["path"]["limit"]) < 60


def test_a_worklist_is_filled_in_and_given_back(home, tmp_path, capsys):
    rule, table = home
    ran = run_command(capsys, "adapt", rule, table, "--worklist", "40", "--out", tmp_path / "w")
    assert ran.code == 0
    path = tmp_path / "w" / "worklist.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["purpose"] for row in rows].count("certify") == 20
    blank = run_command(capsys, "adapt", rule, table, "--labels", path, "--out", tmp_path / "x")
    assert blank.code == 2
    assert "no label is filled in" in blank.err
    scores = {
        row["patient"]: float(row["score"])
        for row in csv.DictReader(table.read_text().splitlines())
    }
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "label": int(scores[row["patient"]] > 1.5)})
    done = run_command(
        capsys, "adapt", rule, table, "--labels", path, "--json", "--out", tmp_path / "x"
    )
    assert done.json["labels"]["n_patients"] == 20
    assert done.json["labels"]["n_choosing"] == 20
    assert done.json["n_patients"] == 280


def test_a_worklist_is_not_replaced_unless_asked(home, tmp_path, capsys):
    rule, table = home
    ask = ["adapt", rule, table, "--worklist", "10", "--out", tmp_path]
    assert run_command(capsys, *ask).code == 0
    path = tmp_path / "worklist.csv"
    path.write_text(path.read_text().replace("certify,", "certify,1", 1))
    before = path.read_bytes()
    again = run_command(capsys, *ask)
    assert (again.code, path.read_bytes()) == (2, before)
    assert "perhaps with labels" in again.err
    assert run_command(capsys, *ask, "--overwrite").code == 0
    assert path.read_bytes() != before


def test_a_list_that_was_changed_is_refused(home, tmp_path, capsys):
    rule, table = home
    run_command(capsys, "adapt", rule, table, "--worklist", "10", "--out", tmp_path / "w")
    path = tmp_path / "w" / "worklist.csv"
    filled = path.read_text().replace("certify,", "certify,0")
    for written, says in (
        (filled + filled.splitlines()[1], "names a patient twice"),
        (filled.replace(",", ";"), "separated by commas"),
        (filled.replace("there", "x"), "labelled patients are not in the table"),
    ):
        path.write_text(written)
        ran = run_command(capsys, "adapt", rule, table, "--labels", path, "--out", tmp_path / "x")
        assert (ran.code, says in ran.err) == (2, True), ran.err
        assert not (tmp_path / "x").exists()


def test_identifiers_that_look_like_formulas_come_back(home, tmp_path, capsys):
    rule, table = home
    other = tmp_path / "t.csv"
    other.write_text(table.read_text().replace("there", "=x"))
    run_command(capsys, "adapt", rule, other, "--worklist", "10", "--out", tmp_path / "w")
    path = tmp_path / "w" / "worklist.csv"
    assert "'=x" in path.read_text()
    path.write_text(path.read_text().replace("certify,", "certify,0"))
    ran = run_command(
        capsys, "adapt", rule, other, "--labels", path, "--json", "--out", tmp_path / "x"
    )
    assert ran.json["labels"]["n_patients"] == 5


BAD = {
    "percent": (["--prevalence", "8"], "For 8 % give 0.08"),
    "text": (["--prevalence", "few"], "must be a share such as 0.08"),
    "nothing": (["--no-label"], "--prevalence 0.08"),
    "two labels": (["--label", "label", "--labels", "w.csv"], "exclude each other"),
    "no order": (["--sequential"], "--order COL"),
    "order alone": (["--prevalence", "0.1", "--order", "day"], "--order is for --sequential"),
    "worklist": (["--worklist", "290"], "leaves fewer than 20 of 300 patients"),
    "worklist and label": (["--worklist", "10", "--label", "label"], "without --label"),
    "no file": (["--labels", "nowhere.csv"], "cannot read nowhere.csv: No such file"),
}


@pytest.mark.parametrize(("options", "text"), BAD.values(), ids=BAD)
def test_bad_input_is_one_line_and_nothing_is_written(home, tmp_path, capsys, options, text):
    rule, table = home
    before = snapshot(tmp_path)
    ran = run_command(capsys, "adapt", rule, table, *options, "--out", tmp_path / "a")
    assert ran.code == 2
    assert text in " ".join(ran.err.split())
    assert len(ran.err.splitlines()) == 1
    assert snapshot(tmp_path) == before


def test_a_later_look_has_the_menu_of_the_first_or_is_refused(home, tmp_path, capsys):
    rule, table = home
    asked = ["--sequential", "--order", "day", "--target", "0.05", "--prevalence", "0.2"]
    asked += ["--out", tmp_path / "a", "--overwrite"]
    assert run_command(capsys, "adapt", rule, table, *asked).code == 0
    again = run_command(capsys, "adapt", rule, table, *asked)
    menu = json.loads((tmp_path / "a" / "adapt.json").read_text())["menu_sha256"]
    # A look into another folder cannot be compared, so a person must be able to.
    assert f"must have this menu of cut-offs ({menu[:8]})" in again.said
    before = snapshot(tmp_path / "a")
    # Labels of patients who were among those without: these made the menu.
    more = write(tmp_path / "there.csv", 300, 0.15, 1, 90)
    ran = run_command(capsys, "adapt", rule, more, *asked)
    assert ran.code == 2
    assert "not those of the first look" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert snapshot(tmp_path / "a") == before


@pytest.mark.parametrize(("n", "pool"), [(100, 20), (150, 30)])
def test_patients_who_all_have_labels_are_divided(home, tmp_path, capsys, n, pool):
    rule, _ = home
    # A few patients without a label are too few for the menu.
    table = write(tmp_path / "all.csv", n + 5, 0.2, 3, n)
    content = run_command(capsys, "adapt", rule, table, "--json", "--out", tmp_path / "a").json
    assert content["n_patients"] == pool
    assert content["labels"]["n_patients"] == n - pool
    assert content["labels"]["divided"] == "at random"
    few = write(tmp_path / "few.csv", 15, 0.5, 3, 15)
    ran = run_command(capsys, "adapt", rule, few, "--out", tmp_path / "b")
    assert ran.code == 2
    assert "at least 20 patients without labels, or 21 with; got 15" in ran.err


def test_rows_count_as_patients_with_labels_too_but_no_list_can_name_them(home, tmp_path, capsys):
    rule, _ = home
    table = write(tmp_path / "all.csv", 100, 0.2, 3, 100)
    rows = [line.split(",", 1)[1] for line in table.read_text().splitlines()]
    table.write_text("\n".join(rows) + "\n")
    ran = run_command(capsys, "adapt", rule, table, "--out", tmp_path / "a", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["labels"]["n_patients"] == 80
    assert "each row counts as one patient" in ran.json["warnings"][0]
    listed = run_command(capsys, "adapt", rule, table, "--worklist", "20", "--out", tmp_path / "w")
    assert listed.code == 2
    assert "a list of patients to label needs identifiers" in listed.err


def test_an_empty_column_of_labels_is_none(home, tmp_path, capsys):
    rule, _ = home
    table = write(tmp_path / "none.csv", 100, 0.2, 3, 0)
    ran = run_command(
        capsys, "adapt", rule, table, "--prevalence", "0.2", "--out", tmp_path / "a", "--json"
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["labels"] is None


def test_a_worklist_is_labelled_from_the_top_with_the_same_menu_at_every_look(
    home, tmp_path, capsys
):
    rule, table = home
    run_command(capsys, "adapt", rule, table, "--worklist", "120", "--out", tmp_path / "w")
    path, menus = tmp_path / "w" / "worklist.csv", set()
    rows = list(csv.DictReader(path.read_text().splitlines()))
    for filled in (20, 45):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(
                {**row, "label": place % 4 // 3 if place < filled else ""}
                for place, row in enumerate(rows)
            )
        asked = ["--labels", path, "--sequential", "--target", "0.05", "--json"]
        ran = run_command(capsys, "adapt", rule, table, *asked, "--out", tmp_path / str(filled))
        assert ran.json["labels"]["given"] == filled
        menus.add(ran.json["menu_sha256"])
    assert len(menus) == 1


def test_the_frozen_rule_is_never_replaced_by_its_successor(home, tmp_path, capsys):
    rule, table = home
    own = tmp_path / "rule.json"
    own.write_bytes(rule.read_bytes())
    asked = ("adapt", own, table, "--prevalence", "0.15", "--out", tmp_path, "--overwrite")
    ran = run_command(capsys, *asked)
    assert (ran.code, own.read_bytes()) == (2, rule.read_bytes())
    assert "is one of the files that are read" in ran.err

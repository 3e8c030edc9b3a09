"""Labels by a plan on the command line: draw, label, audit; what is wrong exits 2."""

import csv
import json

import numpy as np
import pytest

from steadycut.cli.main import run
from tests.cli.commands import run_command

COLUMNS = ["--patient", "patient", "--score", "score", "--label", "label"]
N, MARK = 2000, "Zq"


def write(path, rows, header=("patient", "score", "label")):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def patients(seed, n, prevalence, mark):
    rng = np.random.default_rng(seed)
    ill = (rng.random(n) < prevalence).astype(int)
    scores = rng.normal(size=n) + 3 * ill
    return [
        (f"{mark}{i:04d}", round(s, 4), y) for i, (s, y) in enumerate(zip(scores, ill, strict=True))
    ]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A rule, the patients of another hospital, and a plan for them."""
    folder = tmp_path_factory.mktemp("plan")
    write(folder / "home.csv", patients(0, 400, 0.3, "h"))
    fit = ["fit", str(folder / "home.csv"), *COLUMNS, "--bootstrap", "20"]
    assert run([*fit, "--cost-fn", "5", "--out", str(folder / "s")]) == 0
    assert run([*fit, "--cost-fn", "2", "--out", str(folder / "other")]) == 0
    there = patients(1, N, 0.04, MARK)
    write(folder / "there.csv", there)
    write(folder / "scores.csv", [row[:2] for row in there], ("patient", "score"))
    draw = ["audit", str(folder / "s/rule.json"), str(folder / "scores.csv"), "--draw", "400"]
    assert run([*draw, "--prevalence", "0.04", "--out", str(folder / "p")]) == 0
    fill(folder, "filled.csv", lambda _, label: label)
    return folder


def fill(folder, name, label):
    """Fill in the list of patients; ``label`` takes its row and the true label."""
    truth = {row[0]: row[2] for row in patients(1, N, 0.04, MARK)}
    with (folder / "p/label_list.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["patient", "label"]  # Nothing that tells those who label the score.
    filled = [(one["patient"], label(one, truth[one["patient"]])) for one in rows]
    return write(folder / name, filled, ("patient", "label"))


def audit(
    capsys, place, out, *more, table="scores.csv", rule="s/rule.json", plan="p/label_plan.json"
):
    given = ["--label-plan", place / plan, "--out", out, *more]
    return run_command(capsys, "audit", place / rule, place / table, *given)


def test_the_plan_names_nobody_and_the_list_names_the_drawn(place):
    plan = json.loads((place / "p/label_plan.json").read_text())
    rows = list(csv.DictReader((place / "p/label_list.csv").read_text().splitlines()))
    assert MARK not in (place / "p/label_plan.json").read_text()
    assert len(rows) == sum(one["drawn"] for one in plan["strata"])
    assert sorted(path.name for path in (place / "p").iterdir()) == [
        "label_list.csv",
        "label_plan.json",
    ]
    assert {row["label"] for row in rows} == {""}


def test_a_filled_list_and_a_filled_table_give_the_same_limits(capsys, place, tmp_path):
    listed = audit(capsys, place, tmp_path / "a", "--labels", place / "filled.csv", "--json")
    table = audit(capsys, place, tmp_path / "b", "--json", table="there.csv")
    assert listed.code == table.code == 0
    assert listed.json["sampled"]["miss"] == table.json["sampled"]["miss"]
    assert table.json["sampled"]["ignored"] > 1000
    assert "labels are ignored" in table.err
    assert MARK not in listed.out + listed.err + table.out + table.err
    assert MARK not in (tmp_path / "a/audit.html").read_text(encoding="utf-8")


def test_another_order_of_rows_changes_nothing(capsys, place, tmp_path):
    rows = [row[:2] for row in patients(1, N, 0.04, MARK)][::-1]
    write(place / "turned.csv", rows, ("patient", "score"))
    first = audit(capsys, place, tmp_path / "a", "--labels", place / "filled.csv", "--json")
    turned = audit(
        capsys,
        place,
        tmp_path / "b",
        "--labels",
        place / "filled.csv",
        "--json",
        table="turned.csv",
    )
    assert first.json["sampled"] == turned.json["sampled"]


def test_the_page_says_what_the_labels_show(capsys, place, tmp_path):
    found = audit(capsys, place, tmp_path / "a", "--labels", place / "filled.csv", "--verbose")
    assert "Strata of the score" in found.said
    assert "far below" in found.said
    assert "miss rate" in found.said
    page = (tmp_path / "a/audit.html").read_text(encoding="utf-8")
    assert "drawn independently" in page
    assert "without labels" not in page


def test_a_missing_label_is_said_and_counts_as_an_error(capsys, place, tmp_path):
    less = fill(place, "less.csv", lambda row, label: "" if row["patient"][-1] == "7" else label)
    found = audit(capsys, place, tmp_path / "a", "--labels", less, "--json")
    full = audit(capsys, place, tmp_path / "b", "--labels", place / "filled.csv", "--json")
    assert "have no label" in found.err
    assert found.json["sampled"]["miss"]["high"] > full.json["sampled"]["miss"]["high"]


def test_the_plan_can_be_signed_and_a_changed_one_is_refused(capsys, place, tmp_path):
    key, plan = tmp_path / "key", place / "p/label_plan.json"
    assert run(["keygen", str(key)]) == 0
    assert run(["sign", str(plan), "--key", str(key), "--out", str(tmp_path / "sig")]) == 0
    changed = tmp_path / "label_plan.json"
    changed.write_bytes(plan.read_bytes().replace(b'"seed": 0', b'"seed": 3'))
    found = audit(capsys, place, tmp_path / "a", "--labels", place / "filled.csv", plan=changed)
    assert found.code == 2
    assert "changed after it was written" in found.err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"rule": "other/rule.json"}, "another rule"),
        ({"table": "home.csv"}, "2000 patients, and the table has 400"),
        ({"plan": "s/rule.json"}, "not a label_plan.json"),
        ({"plan": "p/nothing.json"}, "nothing.json"),
    ],
)
def test_what_does_not_belong_together_is_refused(capsys, place, tmp_path, more, says):
    found = audit(
        capsys, place, tmp_path / "a", "--labels", place / "filled.csv", "--force", **more
    )
    assert found.code == 2
    assert says in found.err
    assert MARK not in found.err


def test_wrong_lists_are_refused(capsys, place, tmp_path):
    none = fill(place, "none.csv", lambda *_: "")
    plan = json.loads((place / "p/label_plan.json").read_bytes())
    scores = {row[0]: row[1] for row in patients(1, N, 0.04, MARK)}
    edge = plan["edge"]
    far = fill(place, "far.csv", lambda row, one: "" if scores[row["patient"]] < edge else one)
    twice = place / "twice.csv"
    lines = (place / "filled.csv").read_text().splitlines()
    twice.write_text("\n".join([*lines, lines[1]]))
    renamed = place / "renamed.csv"
    renamed.write_text("\n".join(lines).replace(MARK, ""))
    semicolons = place / "semicolons.csv"
    semicolons.write_text("\n".join(lines).replace(",", ";"))
    for path, says in (
        (none, "no label is filled"),
        (far, "'far below' has a label"),
        (twice, "twice"),
        (semicolons, "separated by commas"),
        (renamed, "change identifiers"),
    ):
        found = audit(capsys, place, tmp_path / "a", "--labels", path)
        assert (found.code, says in found.err) == (2, True)
        assert MARK not in found.err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--draw", "5"], "at least 10"),
        (["--draw", "2000"], "Label all of them"),
        (["--probabilities", "1,x"], "numbers such as"),
        (["--probabilities", "0,1"], "above 0 for called"),
        (["--edge", "0.1"], "need --draw"),
        (["--draw", "100", "--label-plan", "x.json"], "give one of them"),
        (["--labels", "x.csv"], "--label-plan label_plan.json"),
        (["--draw", "100", "--probabilities", "1,1"], "give one of them"),
    ],
)
def test_wrong_options_are_refused(capsys, place, tmp_path, more, says):
    found = run_command(
        capsys, "audit", place / "s/rule.json", place / "scores.csv", *more, "--out", tmp_path / "a"
    )
    assert (found.code, says in found.err) == (2, True), found.err


def test_a_list_that_may_have_labels_is_not_replaced(capsys, place):
    again = [
        "audit",
        place / "s/rule.json",
        place / "scores.csv",
        "--draw",
        "100",
        "--out",
        place / "p",
    ]
    found = run_command(capsys, *again)
    assert found.code == 2
    assert "perhaps with labels" in found.err


def test_labels_of_called_patients_only_give_no_miss_rate(capsys, place, tmp_path):
    cut = json.loads((place / "s/rule.json").read_text())["threshold"]
    rows = patients(1, N, 0.04, MARK)
    only = [(name, score, label if score >= cut else "") for name, score, label in rows]
    write(place / "only.csv", only)
    most = [
        (*one[:2], one[2] if one[1] >= cut or i % 20 == 0 else "") for i, one in enumerate(rows)
    ]
    write(place / "most.csv", most)
    start = ["audit", place / "s/rule.json"]
    refused = run_command(
        capsys, *start, place / "only.csv", "--missing", "drop", "--out", tmp_path / "a"
    )
    assert refused.code == 2
    assert "miss rate cannot be known" in refused.err
    assert "--draw N" in refused.err
    warned = run_command(
        capsys, *start, place / "most.csv", "--missing", "drop", "--out", tmp_path / "b"
    )
    assert warned.code == 0
    assert "not of random patients" in warned.err
    # Patients of other sites are counted nowhere.
    sites = [(*one, "there") for one in most]
    sites += [(f"home{name}", score, "", "home") for name, score, _ in rows]
    write(place / "sites.csv", sites, ("patient", "score", "label", "site"))
    at = ["--site", "site", "--external", "there", "--missing", "drop", "--out", tmp_path / "c"]
    again = run_command(capsys, *start, place / "sites.csv", *at)
    called = sum(score >= cut for _, score, _ in rows)
    assert f"{called} of {called} called patients have a label" in again.err
    assert f" of {N - called} others" in again.err


def test_rows_without_identifiers_are_refused(capsys, place, tmp_path):
    rows = [row[1:2] for row in patients(1, N, 0.04, MARK)]
    write(place / "rows.csv", rows, ("score",))
    start = ["audit", place / "s/rule.json", place / "rows.csv", "--draw", "100"]
    found = run_command(capsys, *start, "--out", tmp_path / "a")
    assert found.code == 2
    assert "--patient COL" in found.err


def test_a_probability_of_zero_is_named_on_the_terminal(capsys, place, tmp_path):
    start = ["audit", place / "s/rule.json", place / "scores.csv", "--out", tmp_path / "p"]
    drawn = run_command(capsys, *start, "--probabilities", "1,0")
    assert "none of the" in drawn.err
    found = audit(
        capsys, place, tmp_path / "a", table="there.csv", plan=tmp_path / "p/label_plan.json"
    )
    assert found.code == 0
    assert "the miss rate cannot be known" in found.said

"""Change control on the command line: plan, sign, adapt, verify; what is outside exits 2."""

import csv
import json
import shutil

import numpy as np
import pytest

from steadycut.cli.main import run
from steadycut.documents.rule import FrozenRule
from tests.cli.commands import run_command

COLUMNS = ["--patient", "patient", "--score", "score", "--label", "label"]
POOL, MOST = 60, 200
PLAN = ["--range", "-2,6", "--labels", MOST, "--margin", "0.05", "--order", "day"]


def write(path, seed, labelled, n=300, shift=0.0, first=POOL, gap=None):
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient", "score", "label", "day"])
        for i in range(n):
            ill = int(rng.random() < 0.4)
            known = first <= i < first + labelled and i != gap
            score = rng.normal() + 3 * ill + shift
            rows.writerow([f"q{seed}-{i}", score, ill if known else "", i])
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A rule, its change-control plan in a folder of its own, and a key that signed both."""
    folder = tmp_path_factory.mktemp("control")
    table = write(folder / "home.csv", 0, 400, n=400, first=0)
    fit = ["fit", str(table), *COLUMNS, "--bootstrap", "20", "--out", str(folder / "s")]
    assert run(fit) == 0
    rule = folder / "s" / "rule.json"
    planned = ["plan", "--changes", rule, *PLAN, "--target", "0.2", "--out", folder / "p"]
    events = ["--trigger", "monitor alarm", "--trigger", "new scanner"]
    assert run([str(one) for one in [*planned, *events]]) == 0
    assert run(["keygen", str(folder / "key")]) == 0
    for path in (rule, folder / "p" / "change_plan.json"):
        assert run(["sign", str(path), "--key", str(folder / "key")]) == 0
    write(folder / "moved.csv", 1, MOST, shift=1.0)
    return folder


@pytest.fixture
def place(home, tmp_path):
    shutil.copytree(home, tmp_path / "h")
    return tmp_path / "h"


def adapt(capsys, place, table="moved.csv", *more, rule="s/rule.json", trigger="new scanner"):
    given = ["--plan", place / "p" / "change_plan.json", "--trigger", trigger, "--label", "label"]
    return run_command(
        capsys, "adapt", place / rule, place / table, *given, "--out", place / "o", *more
    )


def test_a_trigger_a_version_and_a_chain_that_verifies(place, capsys):
    ran = adapt(capsys, place, "moved.csv", "--verify", place / "key.pub")
    assert ran.code == 0
    assert "Attempt 1 is accepted after" in ran.said
    made = FrozenRule.load(place / "p" / "rule_001.json")
    plan = json.loads((place / "p" / "change_plan.json").read_text())
    assert made.document.adapted.plan == plan["sha256"]
    assert "change" in json.loads((place / "o" / "adapt.json").read_text())
    verified = run_command(capsys, "verify", "--chain", place / "p", "--key", place / "key.pub")
    assert verified.code == 0
    assert verified.out.count("\n") == 3
    assert verified.out.splitlines()[2].startswith("Not checked, because no file holds a patient")
    assert "version_001.json: attempt 1 (delta 0.0608)" in verified.out


def test_an_open_attempt_goes_on_and_a_failed_one_spends_its_part(place, capsys):
    write(place / "few.csv", 1, 20, shift=1.0)
    first = adapt(capsys, place, "few.csv")
    assert first.code == 0
    assert "Attempt 1 is open after 20 of at most 200" in first.said
    assert not (place / "p" / "rule_001.json").exists()
    assert "Attempt 1 is accepted" in adapt(capsys, place).said
    rows = list(csv.DictReader(write(place / "noise.csv", 5, MOST).read_text().splitlines()))
    with (place / "noise.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, rows[0])
        out.writeheader()
        for i, row in enumerate(rows):
            out.writerow({**row, "label": i % 2 if row["label"] else ""})
    failed = adapt(capsys, place, "noise.csv", "--strict", rule="p/rule_002.json")
    assert failed.code == 5
    assert "Attempt 2 failed" in failed.said
    verified = run_command(capsys, "verify", "--chain", place / "p", "--json")
    assert [one["holds"] for one in verified.json["files"]] == [True] * 4


def test_an_alarm_of_monitor_is_read_from_its_file(place, capsys):
    rule = place / "s" / "rule.json"
    worse = write(place / "worse.csv", 3, 300, shift=2.5, first=0)
    watched = ["monitor", rule, worse, "--order", "day", "--label", "label", "--out", place / "m"]
    assert run_command(capsys, *watched).code == 0
    ran = adapt(capsys, place, trigger=place / "m" / "monitor.json")
    assert ran.code == 0
    version = json.loads((place / "p" / "version_001.json").read_text())
    assert version["trigger"] == "monitor alarm"
    assert len(version["monitor"]) == 64
    quiet = write(place / "quiet.csv", 4, 300, first=0)
    calm = ["monitor", rule, quiet, "--order", "day", "--label", "label", "--out", place / "n"]
    assert run_command(capsys, *calm).code == 0
    refused = adapt(capsys, place, trigger=place / "n" / "monitor.json")
    assert refused.code == 2
    assert "not a monitor.json with an alarm" in refused.err


REFUSED = {
    "no trigger": ([], {"trigger": "because"}, "must be one that the plan names"),
    "alarm in words": ([], {"trigger": "monitor alarm"}, "give its file"),
    "delta": (["--delta", "0.2"], {}, "the plan says --delta 0.1; got 0.2"),
    "target": (["--target", "0.3"], {}, "the plan says --target 0.2; got 0.3"),
    "order": (["--order", "score"], {}, "the plan says --order day; got score"),
    "prevalence": (["--prevalence", "0.3"], {}, "does not allow --prevalence"),
    "force": (["--force"], {}, "does not allow --force"),
    "unsigned": (["--verify", "key.pub"], {"rule": "s/rule.json"}, "there is no signature"),
    "too many": ([], {"table": "many.csv"}, "at most 200 labels per attempt; got 230"),
    "left out": ([], {"table": "gap.csv"}, "1 patients without a label came between"),
    "another rule": ([], {"rule": "t/rule.json"}, "the plan is about another rule"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_plan_does_not_name_exits_2_and_writes_nothing(place, capsys, what):
    more, given, text = REFUSED[what]
    write(place / "many.csv", 1, 230)
    write(place / "gap.csv", 1, 100, gap=POOL + 40)
    if what == "another rule":
        table = write(place / "other.csv", 9, 400, n=400, first=0)
        fit = ["fit", table, *COLUMNS, "--bootstrap", "20", "--out", place / "t"]
        assert run_command(capsys, *fit).code == 0
    if what == "unsigned":
        (place / "p" / "change_plan.json.sig").unlink()
        more = ["--verify", place / "key.pub"]
    ran = adapt(capsys, place, given.pop("table", "moved.csv"), *more, **given)
    assert ran.code == 2
    assert text in ran.err
    assert ran.err.count("\n") == 1
    assert not list((place / "p").glob("version_*"))


def test_a_plan_needs_its_trigger_and_a_trigger_its_plan(place, capsys):
    plan = ["--plan", place / "p" / "change_plan.json"]
    for more in (plan, ["--trigger", "new scanner"]):
        given = ["adapt", place / "s" / "rule.json", place / "moved.csv", *more, "--label", "label"]
        ran = run_command(capsys, *given, "--out", place / "o")
        assert ran.code == 2
        assert "needs --plan FILE, --trigger TEXT|FILE and --label COL" in ran.err


def test_what_out_refuses_spends_no_attempt(place, capsys):
    (place / "o").mkdir()
    (place / "o" / "adapt.json").write_text('{"schema": "steadycut.adaptation/2"}')
    ran = adapt(capsys, place)
    assert ran.code == 2
    assert "holds results of another study" in ran.err
    assert not list((place / "p").glob("version_*"))


def test_patients_are_not_used_in_two_attempts(place, capsys):
    assert adapt(capsys, place).code == 0
    again = adapt(capsys, place, rule="p/rule_001.json")
    assert again.code == 2
    assert "attempt 1 are used again" in again.err


def test_a_changed_byte_and_a_missing_file_are_named(place, capsys):
    assert adapt(capsys, place).code == 0
    write(place / "later.csv", 6, MOST, shift=1.0)
    assert adapt(capsys, place, "later.csv", rule="p/rule_001.json").code == 0
    path = place / "p" / "version_001.json"
    sound = path.read_bytes()
    path.write_bytes(sound.replace(b'"attempt": 1', b'"attempt": 3'))
    ran = run_command(capsys, "verify", "--chain", place / "p")
    assert ran.code == 2
    assert "version_001.json" in ran.err
    assert "was changed after it was written" in ran.err
    path.unlink()
    ran = run_command(capsys, "verify", "--chain", place / "p")
    assert ran.code == 2
    assert "its number is 2, and 1 is the next" in ran.err
    path.write_bytes(sound)
    assert run_command(capsys, "verify", "--chain", place / "p").code == 0
    files = [place / "p" / name for name in ("change_plan.json", "version_001.json")]
    assert run_command(capsys, "verify", "--chain", *files).code == 0
    assert run_command(capsys, "verify", "--chain", place / "s").code == 2


def test_a_plan_without_its_numbers_is_refused(place, capsys):
    rule = place / "s" / "rule.json"
    ran = run_command(capsys, "plan", "--changes", rule, "--out", place / "q")
    assert ran.code == 2
    assert "--changes needs --range LOW,HIGH" in ran.err
    ran = run_command(capsys, "plan", "--changes", rule, *PLAN, "--range", "a", "--out", place)
    assert ran.code == 2
    assert "--range must be two cut-offs" in ran.err
    ran = run_command(capsys, "plan", "--changes", rule, *PLAN, "--range", "8,9", "--out", place)
    assert ran.code == 2
    assert "--range must hold the cut-off of the rule" in ran.err

"""The monitor command: order of arrival, alarms, and what it refuses."""

import hashlib
import json
import re

import numpy as np
import pandas as pd
import pytest

from steadycut import PatientScores, aggregate, fit, monitor
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadPatients, TooFewPatients
from steadycut.show.pages.kinds import page_of
from tests.cli.commands import FIT, MARK, run_command, snapshot
from tests.said import said

SOUTH = ["--site", "site", "--external", "south"]


@pytest.fixture(scope="module")
def frame(table):
    """The table with a random day of arrival for each patient, the same for some."""
    found = pd.read_csv(table)
    rng = np.random.default_rng(0)
    days = {
        name: int(day)
        for name, day in zip(found.patient.unique(), rng.integers(0, 60, 90), strict=True)
    }
    return found.assign(day=found.patient.map(days))


def save(frame, path):
    frame.to_csv(path, index=False)
    return path


def in_order(frame):
    """Score and label of each southern patient, by day and then by a hash of the identifier."""
    south = frame[frame.site == "south"].groupby("patient", as_index=False)
    rows = south.agg(day=("day", "min"), score=("score", "mean"), label=("label", "max"))
    rows["tie"] = [hashlib.sha256(name.encode()).hexdigest() for name in rows.patient]
    return rows.sort_values(["day", "tie"])


def test_patients_come_by_day_and_then_in_an_arbitrary_order(frame, rule, tmp_path, capsys):
    path = save(frame.sample(frac=1, random_state=1), tmp_path / "t.csv")
    out = tmp_path / "o"
    args = ["--label", "label", "--order", "day", *SOUTH, "--out", out, "--json"]
    ran = run_command(capsys, "monitor", rule, path, *args)
    assert (ran.code, ran.err) == (0, "")
    rows = in_order(frame)
    expected = monitor(FrozenRule.load(rule), rows.score.to_numpy(), rows.label.to_numpy())
    assert ran.json["n_patients"] == 30
    assert ran.json["risk"] == expected.to_dict()["risk"]
    assert ran.json["call_rate"] == expected.to_dict()["call_rate"]
    assert json.loads((out / "monitor.json").read_bytes()) == ran.json
    assert MARK not in ran.out
    assert {len(values) for values in ran.json["risk"]["trace"].values()} == {30}


@pytest.mark.parametrize(
    "written",
    [
        lambda day: f"2025-{1 + day // 28:02d}-{1 + day % 28:02d}",
        lambda day: f"2025-{1 + day // 28:02d}-{1 + day % 28:02d}T08:00+01:00",
        lambda day: 20250000000000000000 + int(day),
        lambda day: day / 7,
    ],
)
def test_dates_and_numbers_give_the_same_order(frame, rule, tmp_path, capsys, written):
    args = ["--label", "label", "--order", "day", "--json"]
    plain = run_command(capsys, "monitor", rule, save(frame, tmp_path / "a.csv"), *args)
    other = save(frame.assign(day=frame.day.map(written)), tmp_path / "b.csv")
    assert run_command(capsys, "monitor", rule, other, *args).out == plain.out


def test_parquet_dates_are_read(frame, rule, tmp_path, capsys):
    dates = pd.Timestamp("2025-01-01") + pd.to_timedelta(frame.day, unit="D")
    frame.assign(day=dates).to_parquet(tmp_path / "t.parquet")
    args = ["--label", "label", "--order", "day", "--json"]
    plain = run_command(capsys, "monitor", rule, save(frame, tmp_path / "a.csv"), *args)
    assert run_command(capsys, "monitor", rule, tmp_path / "t.parquet", *args).out == plain.out


def test_a_patient_arrives_with_the_earliest_row(frame, rule, tmp_path, capsys):
    later = frame.day + np.tile(np.arange(6), 90) * 100
    args = ["--label", "label", "--order", "day", "--json"]
    plain = run_command(capsys, "monitor", rule, save(frame, tmp_path / "a.csv"), *args)
    spread = save(frame.assign(day=later), tmp_path / "b.csv")
    assert run_command(capsys, "monitor", rule, spread, *args).out == plain.out


def test_without_labels_the_call_rate_is_watched(frame, rule, tmp_path, capsys):
    path = save(frame.drop(columns="label"), tmp_path / "t.csv")
    ran = run_command(capsys, "monitor", "--verbose", rule, path, "--order", "day", *SOUTH)
    assert ran.code == 0
    assert "Without labels the risk is not watched" in ran.said
    assert "called where it was made" in ran.out
    found = run_command(capsys, "monitor", "--verbose", rule, path, "--order", "day", "--json").json
    assert (found["risk"], found["first_alarm"], found["labelled"]) == (None, None, False)
    assert snapshot(tmp_path).keys() == {"t.csv"}


def test_scores_that_moved_alarm(frame, rule, tmp_path, capsys):
    path = save(frame.assign(score=frame.score + 3), tmp_path / "t.csv")
    ran = run_command(
        capsys, "monitor", "--verbose", rule, path, "--label", "label", "--order", "day"
    )
    assert ran.out.splitlines()[0].endswith(": alarm")
    assert "\nAlarm after patient " in ran.out
    assert "it has changed" in ran.out
    assert "warning: " in ran.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--order", "nope"], "no column 'nope'"),
        (["--order", "label", "--label", "label"], "'label' twice"),
        (["--order", "patient"], "'patient' twice"),
        (["--order", "slide"], "must hold finite numbers or ISO dates"),
        (["--order", "day", "--external", "east"], "got east"),
        (["--order", "day", "--external", "south", "--no-site"], "--no-site excludes"),
        (["--order", "day", "--delta", "0"], "delta must lie strictly between 0 and 1"),
        ([], "--order"),
    ],
)
def test_what_is_refused_in_one_line(frame, rule, tmp_path, capsys, arguments, text):
    path = save(frame, tmp_path / "t.csv")
    before = snapshot(tmp_path)
    ran = run_command(capsys, "monitor", rule, path, *arguments, "--out", tmp_path / "o")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert text in ran.err
    assert MARK not in ran.err
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("bad", [None, "soon", "inf", "2025-01-01"])
def test_an_order_that_is_missing_or_mixed_is_refused(frame, rule, tmp_path, capsys, bad):
    days = frame.day.astype(object)
    days.iloc[5] = bad
    path = save(frame.assign(day=days), tmp_path / "t.csv")
    ran = run_command(capsys, "monitor", rule, path, "--order", "day")
    assert ran.code == 2
    assert ("1 of 540 rows has nothing there" if bad is None else "of one kind") in ran.err


def test_time_zones_are_all_there_or_none(frame, rule, tmp_path, capsys):
    days = frame.day.map(lambda day: f"2025-01-01T00:{day:02d}")
    days.iloc[5] += "Z"
    path = save(frame.assign(day=days), tmp_path / "t.csv")
    assert "time zone" in run_command(capsys, "monitor", rule, path, "--order", "day").err


def test_python_takes_an_order(table, rule):
    frozen = FrozenRule.load(rule)
    cohort = aggregate(table, patient="patient", score="score", label="label")
    ranks = np.random.default_rng(3).permutation(cohort.n_patients)
    by_order = monitor(frozen, cohort, order=ranks)
    sorted_by_hand = np.argsort(ranks)
    plain = monitor(frozen, cohort.scores[sorted_by_hand], cohort.labels[sorted_by_hand])
    assert by_order.to_dict() == plain.to_dict()
    assert monitor(frozen, cohort, 1 - cohort.labels).risk.limits.mean[-1] == pytest.approx(
        1 - by_order.risk.limits.mean[-1]
    )
    with pytest.raises(BadPatients, match="order must have one entry per patient"):
        monitor(frozen, cohort, order=[1, 2])
    with pytest.raises(TooFewPatients, match="at least one patient"):
        monitor(frozen, [])


def test_a_vacuous_certificate_says_that_it_cannot_alarm():
    scores, labels = [0.0, 1.0, 0.0, 1.0, 0.1], [1, 0, 0, 1, 0]
    cohort = PatientScores(scores=scores, labels=labels)
    rule = fit(cohort, honesty="uniform", bound="dkw", n_bootstrap=5).freeze()
    assert rule.document.certificate.value > 1
    watched = monitor(rule, [1.0] * 200, [0] * 200)
    found = watched.to_dict()
    assert found["first_alarm"] is None
    assert found["risk"]["can_alarm"] is False
    assert "no alarm is possible" in said(found).verdict
    assert page_of(watched.describe()).status.tone == "open"


def test_the_first_patients_may_all_be_healthy(frame, table, tmp_path, capsys):
    words = frame.assign(label=frame.label.map({0: "no", 1: "yes"}))
    path, out = save(words, tmp_path / "t.csv"), tmp_path / "o"
    run_command(capsys, "fit", path, *FIT, "--positive", "yes", "--out", out)
    healthy = save(words[words.label == "no"], tmp_path / "h.csv")
    args = ["--label", "label", "--order", "day", "--json"]
    ran = run_command(capsys, "monitor", out / "rule.json", healthy, *args)
    assert (ran.code, ran.json["n_patients"]) == (0, 45)


def test_gaps_at_other_sites_do_not_matter(frame, rule, tmp_path, capsys):
    days = frame.day.astype(object).where(frame.site == "south", None)
    args = ["--order", "day", *SOUTH, "--json"]
    whole = run_command(capsys, "monitor", rule, save(frame, tmp_path / "a.csv"), *args)
    gaps = save(frame.assign(day=days), tmp_path / "b.csv")
    assert run_command(capsys, "monitor", rule, gaps, *args).out == whole.out


def test_a_target_prevalence_is_said():
    rng, labels = np.random.default_rng(0), np.tile([0, 1], 60)
    cohort = PatientScores(scores=rng.normal(size=120) + 2 * labels, labels=labels)
    rule = fit(cohort, n_bootstrap=5, target_prevalence=(0.1, 0.3)).freeze()
    found = monitor(rule, rng.normal(size=120) + 2 * labels, labels).to_dict()
    assert found["target_prevalence"] == [0.1, 0.3]
    assert said(found).verdict.endswith("That value is for prevalences 0.1 to 0.3.")


def test_a_column_that_tells_no_order_is_refused(frame, rule, tmp_path, capsys):
    path = save(frame.assign(day=1), tmp_path / "t.csv")
    ran = run_command(capsys, "monitor", rule, path, "--order", "day", *SOUTH)
    assert ran.code == 2
    assert "tells no order" in ran.err


# What now ------------------------------------------------------------------------------------


def made(n=400, moved=0.0, seed=0, apart=3):
    rng, labels = np.random.default_rng(seed), np.random.default_rng(9).permutation([0, 1] * 1000)
    labels = labels[:n]
    return rng.normal(size=n) + apart * labels + moved, labels


@pytest.fixture(scope="module")
def certified():
    scores, labels = made()
    return fit(PatientScores(scores=scores, labels=labels), n_bootstrap=5).freeze()


def test_no_alarm_says_how_many_more_patients_decide(certified):
    few = monitor(certified, *made(40, seed=1)).describe()
    assert re.search(r"about \d+ more patients show that the risk is within", said(few).next_step)
    many = monitor(certified, *made(300, apart=9)).describe()
    assert said(many).next_step.endswith("already show that the risk is within what was certified.")


def test_the_number_is_about_right(certified):
    few = monitor(certified, *made(40, seed=1))
    more = int(re.search(r"about (\d+) more", said(few).next_step)[1])
    scaled = few.compared.scaled_to(40 + more)
    assert scaled.highest_cost(0.1) <= certified.certificate.value


def test_an_alarm_says_to_look_at_the_scores_and_to_audit_at_every_look(certified):
    found = monitor(certified, *made(200, moved=2.5, seed=1)).describe()
    assert found.alarm
    assert said(found).next_step.startswith("Next: do not rely on it until you know why.")
    assert "(steadycut audit rule.json TABLE --sequential --out DIR)" in said(found).next_step


def test_a_share_called_that_changed_is_not_shown_as_no_alarm(certified):
    scores, labels = made(200, apart=9)
    watched = monitor(certified, scores[labels == 1], labels[labels == 1])
    found = watched.describe()
    assert not found.alarm
    assert repr(watched).startswith(
        "Monitor: The share of patients called has changed (alarm after"
    )
    assert said(found).verdict.startswith("the share of patients called has changed (alarm after ")
    assert " No alarm of the risk: 98 patients do not show" in said(found).verdict
    top = page_of(found).status
    assert (top.text, top.tone) == ("alarm: the share called has changed", "open")


def test_only_a_watch_that_could_alarm_is_good_without(certified):
    scores, labels = made(40, seed=1)
    assert page_of(monitor(certified, scores, labels).describe()).status.tone == "good"
    top = page_of(monitor(certified, scores).describe()).status
    assert (top.text, top.tone) == ("the risk is not watched", "open")


def test_without_labels_some_must_be_labelled(certified):
    found = monitor(certified, made(100, seed=1)[0]).describe()
    assert said(found).next_step.startswith("Next: go on. Label some patients")
    moved = monitor(certified, made(100, moved=5.0, seed=1)[0]).describe()
    assert said(moved).next_step.startswith("Next: check that scores are made as before")


def test_a_vacuous_certificate_must_be_made_again():
    scores, labels = [0.0, 1.0, 0.0, 1.0, 0.1], [1, 0, 0, 1, 0]
    cohort = PatientScores(scores=scores, labels=labels)
    rule = fit(cohort, honesty="uniform", bound="dkw", n_bootstrap=5).freeze()
    found = monitor(rule, [1.0] * 20, [0] * 20).describe()
    assert said(found).next_step.startswith("Next: certify the rule with more patients.")


def test_the_terminal_ends_with_the_next_step(frame, rule, tmp_path, capsys):
    path = save(frame, tmp_path / "t.csv")
    ran = run_command(capsys, "monitor", rule, path, "--label", "label", "--order", "day")
    assert len(ran.out.splitlines()) <= 12
    assert "\nNext: go on." in ran.out


@pytest.mark.parametrize("missing", [np.nan, None])
def test_an_order_with_a_gap_is_refused(missing):
    rng = np.random.default_rng(2)
    labels = np.arange(60) % 2
    rule = fit(rng.normal(size=60) + 2 * labels, labels, n_bootstrap=5).freeze()
    with pytest.raises(BadPatients, match="order must be a number or a date for every patient"):
        monitor(rule, rng.normal(size=40), np.arange(40) % 2, order=[missing, *range(39)])

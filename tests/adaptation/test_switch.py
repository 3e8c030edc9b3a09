"""A new version against counts by hand, and against brute force."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import steadycut
from steadycut import PatientScores, fit, fit_by_covariate, fit_strata, switch
from steadycut.core.adapt.switch import Changes, matching_cut
from steadycut.errors import BadOption, BadPatients, TooFewPatients
from tests.said import said


def made_rule(direction="ge"):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    sign = 1 if direction == "ge" else -1
    scores = sign * (rng.normal(size=200) + 2 * labels)
    return fit(PatientScores(scores=scores, labels=labels), direction=direction).freeze()


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("seed", range(5))
def test_changes_are_counted_as_by_hand(direction, seed):
    rule, rng = made_rule(direction), np.random.default_rng(seed)
    old = np.round(rng.normal(1, 2, 80), 1)
    new = np.round(old + rng.normal(0.3, 0.5, 80), 1)
    found = switch(rule, old, new)
    before, after = rule.decide_scores(old), rule.decide_scores(new)
    assert found.changes.newly == int(((after == 1) & (before == 0)).sum())
    assert found.changes.no_longer == int(((after == 0) & (before == 1)).sum())
    changed = int((before != after).sum())
    ends = binomtest(changed, 80).proportion_ci(0.9, method="exact")
    part = found.describe().changes
    assert (part.low, part.high) == pytest.approx((ends.low, ends.high))
    newly, gone = found.changes.newly, found.changes.no_longer
    wanted = binomtest(newly, newly + gone).pvalue if newly + gone else 1.0
    assert found.changes.p_value == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(20))
def test_the_matching_cut_calls_as_many_of_those_who_gave_it(seed):
    rng = np.random.default_rng(seed)
    old, new = np.round(rng.normal(size=(2, 30)), 1)
    cut = float(rng.choice(old)) if seed % 2 else float(rng.normal())
    called = int((old >= cut).sum())
    found = int((new >= matching_cut(old, new, cut)).sum())
    ties = int((new == np.sort(new)[::-1][max(called - 1, 0)]).sum())
    assert called <= found <= called + ties - 1 or (called == found == 0)


def test_an_increasing_change_of_the_scores_is_undone_by_the_matching_cut():
    rule = made_rule()
    old = np.random.default_rng(1).normal(1, 1, 400)
    found = switch(rule, old, np.exp(old))
    assert found.changes_matched.share < 0.05 < found.changes.share
    assert found.call_rate_changed


def test_a_threefold_jump_is_found_with_sixty_patients():
    rule, rng = made_rule(), np.random.default_rng(2)
    missed = 0
    for _ in range(200):
        old = rng.normal(rule.threshold - 1.2816, 1, 60)  # 10 % are called
        new = old + 1.2816 - 0.5244  # 30 %
        missed += not switch(rule, old, new).call_rate_changed
    assert missed <= 2


def test_the_same_scores_change_nothing():
    rule = made_rule()
    old = np.random.default_rng(3).normal(1, 1, 60)
    found = switch(rule, old, old)
    assert (found.changes.share, found.changes.p_value) == (0.0, 1.0)
    assert found.same_decisions == "yes"
    assert "check that the scores of the new version were given" in said(found).next_step
    nearly = switch(rule, old, old + 1e-9)
    assert (nearly.same_decisions, "monitor" in said(nearly).next_step) == ("yes", True)


def test_patients_are_matched_by_identifier_and_others_are_told():
    rule, rng = made_rule(), np.random.default_rng(4)
    scores = rng.normal(1, 1, 50)
    names = [f"p{i:02}" for i in range(50)]
    old = PatientScores(scores=scores, patients=names)
    new = PatientScores(scores=scores[::-1][:45], patients=names[::-1][:45])
    with pytest.warns(steadycut.DataWarning, match="5 patients have only an old score and 0"):
        found = switch(rule, old, new)
    assert found.changes.n_patients == 45
    assert found.changes.share == 0
    assert not any(name in json.dumps(found.to_dict()) for name in names)


def test_wrong_input_is_refused_in_one_line():
    rule = made_rule()
    with pytest.raises(TooFewPatients, match="at least 20 patients scored by both versions; got 5"):
        switch(rule, np.arange(5.0), np.arange(5.0))
    with pytest.raises(BadOption, match="got 30 and 40"):
        switch(rule, np.arange(30.0), np.arange(40.0))
    with pytest.raises(BadOption, match="margin"):
        switch(rule, np.arange(30.0), np.arange(30.0), margin=2)


def test_a_misspelt_new_column_names_its_own_option(tmp_path):
    made_rule().save(tmp_path / "rule.json")
    table = pd.DataFrame({"patient": np.arange(60), "score": np.arange(60.0)})
    table.to_csv(tmp_path / "both.csv", index=False)
    command = ["switch", "rule.json", "both.csv", "--new", "both.csv", "--new-score", "skore"]
    run = subprocess.run(
        [sys.executable, "-m", "steadycut", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "--new-score COL" in run.stderr
    assert " --score" not in run.stderr


def test_the_command_takes_one_table_with_two_columns(tmp_path):
    rule, rng = made_rule(), np.random.default_rng(5)
    rule.save(tmp_path / "rule.json")
    old = rng.normal(1, 1, 60)
    table = pd.DataFrame({"patient": np.arange(60), "score": old, "score_v2": old + 1})
    table.to_csv(tmp_path / "both.csv", index=False)
    command = ["switch", "rule.json", "both.csv", "--new", "both.csv", "--new-score", "score_v2"]
    run = subprocess.run(
        [sys.executable, "-m", "steadycut", *command, "--out", "found", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 5, run.stderr
    assert "The new version calls more patients than the old one." in run.stdout
    written = json.loads((tmp_path / "found" / "switch.json").read_text())
    assert written["changes"]["newly"] == switch(rule, old, old + 1).changes.newly
    assert (tmp_path / "found" / "switch.html").exists()


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_the_limits_hold_with_ties(share):
    rng, broken = np.random.default_rng(6), 0
    for _ in range(2000):
        changed = rng.random(60) < share
        low, high = Changes(
            n_patients=60, called_before=10, called_after=10, newly=int(changed.sum()), no_longer=0
        ).limits(0.1)
        broken += not low <= share <= high
    assert broken <= 0.1 * 2000


def test_identifiers_on_one_side_only_are_refused():
    scores = np.random.default_rng(7).normal(size=40)
    named = PatientScores(scores=scores, patients=[f"p{i}" for i in range(40)])
    with pytest.raises(BadOption, match="one version has identifiers of patients"):
        switch(made_rule(), named, scores)


def test_the_same_scores_twice_are_noticed():
    scores = np.random.default_rng(8).normal(1, 1, 40)
    with pytest.warns(steadycut.DataWarning, match="both versions have the same score"):
        switch(made_rule(), scores, scores)


def test_decisions_of_every_kind_are_compared():
    """Strata count a move up or down; a rule by covariate needs the covariate."""
    rng = np.random.default_rng(8)
    labels, sex = np.tile([0, 1], 150), np.repeat(["f", "m"], 150)
    patients = PatientScores(scores=rng.normal(size=300) + 2 * labels, labels=labels)
    strata = fit_strata(patients, costs=[[0, 0.2, 1], [1, 0.2, 0]], n_bootstrap=20).freeze()
    old = rng.normal(size=60) + 1
    found = switch(strata, old, old + 0.5).describe()
    moved = strata.stratum_of(old + 0.5) - strata.stratum_of(old)
    assert (found.changes.newly, found.changes.no_longer) == (np.sum(moved > 0), 0)
    assert found.changes.called_after == np.sum(strata.stratum_of(old + 0.5) > 0)
    assert (found.threshold, found.matched) == (None, None)
    assert found.next_step.verb == "fit"
    assert "Fit it again" in switch(strata, old, old + 0.5).summary()
    by_sex = fit_by_covariate(patients, covariate=sex, name="sex", n_bootstrap=10).freeze()
    there = PatientScores(scores=old, attributes={"sex": np.tile(["f", "m"], 30)})
    assert switch(by_sex, there, replace(there, scores=old - 9)).changes.newly == 0
    with pytest.raises(BadPatients, match="the rule needs 'sex'"):
        switch(by_sex, old, old)


def test_one_boundary_between_two_grades_is_a_cut_off():
    rng = np.random.default_rng(9)
    labels = np.tile([0, 1], 150)
    patients = PatientScores(scores=rng.normal(size=300) + 2 * labels, labels=labels)
    old = rng.normal(size=60)
    strata = fit_strata(patients, costs=[[0, 1], [1, 0]], n_bootstrap=20).freeze()
    found, wanted = (
        switch(rule, old, old + 1).describe()
        for rule in (strata, fit(patients, n_bootstrap=20).freeze())
    )
    assert (found.threshold, found.matched) == (wanted.threshold, wanted.matched)
    assert found.changes == wanted.changes

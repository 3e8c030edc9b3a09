"""Python users get every warning once, and can read it again."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import steadycut
from steadycut import PatientScores, audit, compare, fit, monitor
from steadycut.cli.main import run
from steadycut.errors import BadPatients, DataWarning, DeploymentRefused, SteadycutWarning


def cohort(n=200, n_ill=60, seed=0, **columns):
    labels = (np.arange(n) < n_ill).astype(int)
    scores = np.random.default_rng(seed).normal(size=n) + 1.5 * labels
    return PatientScores(scores=scores, labels=labels, **columns)


def heard(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [one for one in caught if issubclass(one.category, SteadycutWarning)]


def test_fit_warns_once_of_each_text_and_keeps_them():
    study, caught = heard(lambda: fit(cohort(n_ill=100), n_bootstrap=20))
    assert [str(one.message) for one in caught] == list(dict.fromkeys(study.warnings))
    assert any(one.category is DataWarning for one in caught)
    assert all(one.filename == __file__ for one in caught)


def test_audit_monitor_and_compare_warn_too():
    rule = fit(cohort(), n_bootstrap=20).freeze()
    percent = replace(cohort(seed=1), scores=100 * cohort(seed=1).scores)
    for use in (audit, monitor):
        found, caught = heard(lambda use=use: use(rule, percent))
        assert [str(one.message) for one in caught] == list(found.warnings)
        assert any("score range" in text for text in found.warnings)
    found, caught = heard(lambda: compare(cohort(), percent, rules=["erm"], n_bootstrap=20))
    assert [str(one.message) for one in caught] == list(dict.fromkeys(found.warnings))


def test_a_command_prints_its_warnings_itself(tmp_path, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = run(["demo", "--out", str(tmp_path / "d")])
    assert code == 0
    assert "Warning" not in capfd.readouterr().err


def test_a_constant_score_is_refused_by_fit():
    constant = PatientScores(scores=np.full(40, 0.5), labels=np.arange(40) % 2)
    with pytest.raises(BadPatients, match="every patient has the same score"):
        fit(constant)


@pytest.mark.parametrize("sites", [None, np.repeat(["a", "b"], 100)])
@pytest.mark.parametrize("named", [False, True])
def test_the_patients_of_the_fit_are_refused(sites, named):
    names = [f"p{i:03d}" for i in range(200)] if named else None
    patients = cohort(patients=names)
    rule = fit(patients, n_bootstrap=20).freeze()
    again = cohort(patients=names, sites=sites)
    for use in (audit, monitor):
        with pytest.raises(DeploymentRefused, match="same patients"):
            use(rule, again)
        assert use(rule, again, force=True).forced == ("same patients",)
        assert use(rule, replace(again, labels=None)).forced == ()
    audit(rule, cohort(seed=1))


def test_the_patients_of_the_strata_are_refused():
    patients, grades = replace(cohort(), labels=None), np.arange(200) // 70
    rule = steadycut.fit_strata(
        patients,
        grades=grades,
        costs=[[0, 1, 2], [1, 0, 1], [2, 1, 0]],
        n_bootstrap=20,
        grid="even",
    ).freeze()
    with pytest.raises(DeploymentRefused, match="same patients"):
        audit(rule, patients, grades)


def test_a_result_is_printed_in_a_few_lines():
    """Numpy arrays of all patients were printed."""
    study = fit(cohort(), n_bootstrap=20)
    rule = study.freeze()
    found = [study, audit(rule, cohort(seed=1)), audit(rule, cohort(seed=1).scores)]
    found += [monitor(rule, cohort(seed=1)), compare(cohort(), cohort(seed=1), n_bootstrap=20)]
    for one in found:
        assert len(repr(one)) < 400
        assert 2 <= len(repr(one).splitlines()) <= 3
        assert "array" not in repr(one)


@pytest.mark.parametrize("use", [audit, monitor])
@pytest.mark.parametrize(("direction", "sign", "which"), [("ge", 1, "low"), ("le", -1, "high")])
def test_swapped_labels_are_noticed(use, direction, sign, which):
    def signed(patients):
        return replace(patients, scores=sign * patients.scores)

    rule = fit(signed(cohort()), direction=direction, n_bootstrap=20).freeze()
    there = signed(cohort(seed=1))
    swapped = replace(there, labels=1 - there.labels)
    (text,) = (one for one in use(rule, swapped).warnings if one.startswith("labels"))
    assert text.startswith("labels: the AUC here is 0.1")
    wanted = f"(--positive, in Python positive), or do {which} scores mean ill here?"
    assert text.endswith(wanted)
    for patients in (there, replace(there, labels=None)):
        assert not any(one.startswith("labels") for one in use(rule, patients).warnings)


def test_a_rule_that_was_worse_than_chance_at_home_does_not_ask_for_the_labels():
    turned = replace(cohort(), labels=1 - cohort().labels)
    rule = fit(turned, rule="mean-score", n_bootstrap=20).freeze()
    there = replace(cohort(seed=1), labels=1 - cohort().labels)
    assert not any(one.startswith("labels") for one in audit(rule, there).warnings)


@pytest.mark.parametrize("use", [audit, monitor])
def test_new_patients_who_all_have_one_score_are_noticed(use):
    rule = fit(cohort(), n_bootstrap=20).freeze()
    same = replace(cohort(seed=1), scores=np.full(200, 0.5))
    assert sum("every patient has the same score" in one for one in use(rule, same).warnings) == 1
    assert not any("same score" in one for one in use(rule, cohort(seed=1)).warnings)


def test_patients_who_all_have_one_score_are_not_judged():
    rule = fit(cohort(), n_bootstrap=20).freeze()
    same = replace(cohort(seed=1), scores=np.full(200, 0.5))
    found = audit(rule, same)
    assert (found.verdict.decision, found.verdict.reason) == ("not judged", "one score")
    assert found.describe().next_step.why == "one score"
    assert "every patient here has the same score" in found.summary()

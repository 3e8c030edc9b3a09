import numpy as np
import pytest

from steadycut.core.odd import check_varied, code_warnings, odd_warnings, swapped_warnings
from steadycut.core.records import PatientScores, Recipe
from steadycut.errors import BadPatients


def cohort(n=100, n_ill=30, distance=1.5, seed=0, **columns):
    labels = (np.arange(n) < n_ill).astype(int)
    scores = np.random.default_rng(seed).normal(size=n) + distance * labels
    return PatientScores(scores=scores, labels=labels, **columns)


def kinds(patients, *, has_target=False):
    return [text.partition(":")[0] for text in odd_warnings(patients, has_target=has_target)]


def test_an_ordinary_cohort_is_not_odd():
    rows = np.random.default_rng(1).integers(1, 9, 100)
    assert kinds(cohort()) == []
    assert kinds(cohort(n_instances=rows)) == []
    assert kinds(cohort(n_instances=np.ones(100))) == []
    assert kinds(cohort(sites=np.repeat(["a", "b"], 50))) == []


def test_a_reversed_score_is_named_with_the_option():
    found = odd_warnings(cohort(distance=-1.5), has_target=False)
    assert len(found) == 1
    assert found[0].startswith("direction: the AUC is 0.")
    assert "--direction le" in found[0]
    assert "labels swapped?" in found[0]
    assert kinds(cohort(distance=-1.5).oriented("le")) == []


def test_the_other_direction_is_named_where_le_was_asked_for():
    (text,) = odd_warnings(cohort(distance=-1.5), "le", has_target=False)
    assert "If high scores are to be called, say so (--direction ge" in text
    assert "le" not in text.partition("say so")[2].partition("Or")[0]


@pytest.mark.parametrize(("distance", "told"), [(50, "perfectly."), (3.5, "almost perfectly (AUC")])
def test_a_score_that_is_too_good_is_questioned(distance, told):
    (text,) = odd_warnings(cohort(distance=distance), has_target=False)
    assert text.startswith("separation: ")
    assert told in text
    assert kinds(cohort(n=16, n_ill=6, distance=50)) == []


def test_half_of_the_patients_ill_is_case_control():
    assert kinds(cohort(n_ill=50)) == ["sampling"]
    assert kinds(cohort(n_ill=50), has_target=True) == []
    assert kinds(cohort(n_ill=49)) == []
    assert kinds(cohort(n=18, n_ill=9)) == []


def test_equal_counts_at_every_site_are_case_control():
    sites = np.concatenate([np.resize(["a", "b"], 30), np.resize(["a", "b"], 70)])
    assert kinds(cohort(sites=sites)) == ["sampling"]
    assert kinds(cohort(sites=["a"] * 100)) == []


def test_a_few_patients_with_several_rows_are_noticed():
    rows = np.ones(100)
    rows[:20] = 2
    assert kinds(cohort(n_instances=rows)) == ["rows"]
    rows[20] = 2
    assert kinds(cohort(n_instances=rows)) == []
    rows[3:] = 1
    assert kinds(cohort(n_instances=rows, recipe=Recipe(levels=(("slide", "max"),)))) == []


@pytest.mark.parametrize("code", [999, -999, 9999, -99999])
def test_a_code_for_a_missing_score_is_noticed(code):
    patients = cohort()
    scores = patients.scores.copy()
    scores[[3, 60]] = code
    found = odd_warnings(PatientScores(scores=scores, labels=patients.labels), has_target=False)
    assert any(f"codes: 2 of 100 patients have a score of {abs(code)}" in text for text in found)


def test_a_score_among_others_of_its_size_is_no_code():
    assert code_warnings(np.array([999.0, 850.0, 990.0]), np.arange(3)) == []
    assert code_warnings(np.array([999.0, 999.0]), np.arange(2)) != []
    assert code_warnings(np.array([]), np.arange(0)) == []


def test_a_constant_score_is_refused():
    with pytest.raises(
        BadPatients, match=r"every patient has the same score 0\.5 \(score: patient"
    ):
        check_varied(PatientScores(scores=[0.5] * 9, labels=[0, 1, 0] * 3))
    check_varied(PatientScores(scores=[0.5, 0.6], labels=[0, 1]))
    assert kinds(PatientScores(scores=[0.5] * 30, labels=[0, 1, 0] * 10)) == ["score"]


@pytest.mark.parametrize(("direction", "low"), [("ge", "low"), ("le", "high")])
def test_swapped_labels_ask_for_the_scores_that_the_rule_does_not_call(direction, low):
    labels = np.repeat([1, 0] if direction == "ge" else [0, 1], 10)
    (text,) = swapped_warnings(PatientScores(scores=np.arange(20.0), labels=labels), direction)
    assert f"do {low} scores mean ill here" in text

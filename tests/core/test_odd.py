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
    assert "If low scores are to be called, say so (--direction le" in found[0]
    assert "labels swapped?" in found[0]
    assert kinds(cohort(distance=-1.5).oriented("le")) == []


def test_the_other_direction_is_named_where_le_was_asked_for():
    (text,) = odd_warnings(cohort(distance=-1.5), "le", has_target=False)
    assert "If high scores are to be called, say so (--direction ge" in text
    assert "le" not in text.partition("say so")[2].partition("Or")[0]


@pytest.mark.parametrize(("distance", "told"), [(50, "perfectly."), (3.5, "almost perfectly (AUC")])
def test_a_score_that_is_too_good_is_questioned(distance, told):
    (text,) = odd_warnings(cohort(distance=distance), has_target=False)
    assert text.kind == ("separation" if told == "perfectly." else "near separation")
    assert told in text
    assert kinds(cohort(n=16, n_ill=6, distance=50)) == []


def pairs_in_order(right, n_ill=10, n_healthy=10):
    """So many of the pairs of an ill and a healthy patient are in order: the AUC is their share."""
    above, rest = divmod(right, n_healthy)
    scores = [n_healthy + 1] * above + [rest] * (above < n_ill) + [0] * (n_ill - above - 1)
    labels = [1] * n_ill + [0] * n_healthy
    return PatientScores(scores=[*scores, *(np.arange(n_healthy) + 0.5)], labels=labels)


def test_an_area_of_a_half_is_not_reversed_and_one_of_0_99_is_too_good():
    for right, found in ((49, ["direction"]), (50, []), (98, []), (99, ["near separation"])):
        assert kinds(pairs_in_order(right), has_target=True) == found
    # With fewer than 20 patients this happens by chance.
    assert kinds(pairs_in_order(90, n_healthy=9), has_target=True) == []


def test_half_of_the_patients_ill_is_case_control():
    (text,) = odd_warnings(cohort(n_ill=50), has_target=False)
    assert text.startswith("sampling: both classes have exactly the same number of patients. ")
    assert text.endswith("(--target-prevalence, in Python target_prevalence).")
    assert kinds(cohort(n_ill=50), has_target=True) == []
    assert kinds(cohort(n_ill=49)) == []
    assert kinds(cohort(n=18, n_ill=9)) == []
    assert kinds(cohort(n=20, n_ill=10)) == ["sampling"]


def test_equal_counts_at_every_site_are_case_control():
    sites = np.concatenate([np.resize(["a", "b"], 30), np.resize(["a", "b"], 70)])
    (text,) = odd_warnings(cohort(sites=sites), has_target=False)
    assert text.startswith("sampling: every site has the same numbers of patients of each class. ")
    assert kinds(cohort(sites=["a"] * 100)) == []


def test_a_few_patients_with_several_rows_are_noticed():
    rows = np.ones(100)
    rows[:20] = 2
    assert kinds(cohort(n_instances=rows)) == ["rows"]
    rows[20] = 2
    assert kinds(cohort(n_instances=rows)) == []
    rows[1:] = 1
    assert kinds(cohort(n_instances=rows)) == ["rows"]
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
    assert code_warnings(np.array([999.0, 99.9]), np.arange(2)) == []
    assert code_warnings(np.array([999.0, 99.8]), np.arange(2)) != []


def test_a_constant_score_is_refused():
    with pytest.raises(
        BadPatients, match=r"every patient has the same score 0\.5 \(score: patient"
    ):
        check_varied(PatientScores(scores=[0.5] * 9, labels=[0, 1, 0] * 3))
    check_varied(PatientScores(scores=[0.5, 0.6], labels=[0, 1]))
    check_varied(PatientScores(scores=[0.5], labels=[0]))
    with pytest.raises(BadPatients, match="every patient has the same score"):
        check_varied(PatientScores(scores=[0.5, 0.5], labels=[0, 1]))
    assert kinds(PatientScores(scores=[0.5] * 30, labels=[0, 1, 0] * 10)) == ["score"]


@pytest.mark.parametrize(("direction", "low"), [("ge", "low"), ("le", "high")])
def test_swapped_labels_ask_for_the_scores_that_the_rule_does_not_call(direction, low):
    labels = np.repeat([1, 0] if direction == "ge" else [0, 1], 10)
    (text,) = swapped_warnings(PatientScores(scores=np.arange(20.0), labels=labels), direction)
    assert f"do {low} scores mean ill here" in text


def test_labels_look_swapped_only_below_an_area_of_a_half():
    assert [bool(swapped_warnings(pairs_in_order(n), "ge")) for n in (0, 34, 49, 50, 60, 100)] == [
        *(True, True, True),
        *(False, False, False),
    ]
    assert swapped_warnings(pairs_in_order(0, n_healthy=9), "ge") == []
    unlabelled, one_class = (PatientScores(scores=range(20), labels=y) for y in (None, [1] * 20))
    assert swapped_warnings(unlabelled, "ge") == swapped_warnings(one_class, "ge") == []


def test_scores_that_differ_by_next_to_nothing_are_refused():
    cohort = PatientScores(scores=[0.0, 1e-200], labels=[0, 1])
    with pytest.raises(BadPatients, match="scores must differ by at least 1e-150"):
        check_varied(cohort)

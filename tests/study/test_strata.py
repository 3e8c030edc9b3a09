"""`fit_strata`: the whole flow from patient scores to certified strata."""

from itertools import combinations

import numpy as np
import pytest

import steadycut
from steadycut import PatientScores, fit_strata
from steadycut.errors import BadOption, BadPatients, TooFewPatients
from tests.core.cohorts import binormal
from tests.core.strata_cohorts import GREY, SQUARE, graded

COSTS = SQUARE.values
QUICK = {"n_bootstrap": 40}


@pytest.fixture(scope="module")
def cohort():
    return graded(1, 240, distance=1.5)


@pytest.fixture(scope="module")
def study(cohort):
    patients, grades = cohort
    return fit_strata(patients, costs=COSTS, grades=grades, **QUICK)


@pytest.mark.parametrize("rule", ["stable", "erm"])
@pytest.mark.parametrize("direction", ["ge", "le"])
def test_two_strata_of_two_grades_are_the_study_of_one_cut_off(rule, direction):
    """Roles, threshold, draws, radius, modulus, penalty, flips and certificate: all the same."""
    patients = binormal(3, 120)
    if direction == "le":
        patients = PatientScores(scores=-patients.scores, labels=patients.labels)
    options = {"rule": rule, "direction": direction, "n_bootstrap": 50, "seed": 5}
    strata = fit_strata(patients, costs=[[0, 1], [1, 0]], **options)
    plain = steadycut.fit(patients, **options)
    assert strata.options.strata == ("low", "high")
    assert strata.roles.select.tolist() == plain.roles.select.tolist()
    assert strata.thresholds.tolist() == [plain.threshold]
    assert np.sort(strata.bootstrap_thresholds[:, 0]).tolist() == list(plain.bootstrap_thresholds)
    assert strata.radius.radius[0] == pytest.approx(plain.chosen.radius.radius)
    assert strata.modulus == pytest.approx(plain.chosen.modulus)
    assert strata.penalty == pytest.approx(plain.chosen.penalty)
    assert strata.risk == pytest.approx(plain.chosen.risk)
    assert strata.flip_rate == pytest.approx(plain.flip_rate)
    assert strata.certificate.value == pytest.approx(plain.certificate.value)


def test_the_study_adds_up(study, cohort):
    patients, grades = cohort
    certify = study.roles.certify
    strata = study.stratum_of(patients.scores)
    costs = SQUARE.of_patients(grades[certify], strata[certify])
    assert study.certificate.risk == pytest.approx(costs.mean())
    assert study.counts.sum() == certify.size
    for grade in range(3):
        for stratum in range(3):
            both = (grades[certify] == grade) & (strata[certify] == stratum)
            assert study.counts[grade, stratum] == both.sum()
    assert study.smallest_risk <= study.risk
    assert study.local_modulus <= study.modulus <= study.penalty
    assert study.objective == study.smallest_risk + study.penalty
    assert 0 <= study.jump_rate <= study.flip_rate <= 1
    assert len(study.boundaries) == 2


def test_flips_count_patients_and_draws(study):
    scores = study.patients.scores[study.roles.certify]
    own = study.stratum_of(scores)
    moved = [
        np.count_nonzero(scores[:, None] >= draw, axis=1) != own
        for draw in study.bootstrap_thresholds
    ]
    assert study.flip_rate == pytest.approx(np.mean(moved))


def test_two_studies_disagree_about_strata_as_often_as_pairs_of_draws(study):
    scores = study.patients.scores[study.roles.certify]
    draws = study.bootstrap_thresholds
    strata = [np.count_nonzero(scores[:, None] >= draw, axis=1) for draw in draws]
    wanted = np.mean([np.mean(one != other) for one, other in combinations(strata, 2)])
    assert study.disagreement == pytest.approx(wanted)
    assert study.describe().disagreement == study.disagreement


def test_a_boundary_equals_no_score(cohort):
    patients, grades = cohort
    whole = PatientScores(scores=np.round(patients.scores))
    for seed in range(5):
        study = fit_strata(
            whole, costs=COSTS, grades=grades, rule="erm", grid=7, seed=seed, **QUICK
        )
        assert not np.isin(study.thresholds, whole.scores).any()
        assert (np.diff(study.thresholds) >= 0).all()


def test_low_scores_may_be_high_risk(cohort):
    patients, grades = cohort
    down = PatientScores(scores=-patients.scores)
    one = fit_strata(patients, costs=COSTS, grades=grades, grid="exact", **QUICK)
    other = fit_strata(down, costs=COSTS, grades=grades, grid="exact", direction="le", **QUICK)
    assert other.thresholds == pytest.approx(-one.thresholds)
    assert other.stratum_of(down.scores).tolist() == one.stratum_of(patients.scores).tolist()
    assert other.flip_probability(down.scores) == pytest.approx(
        one.flip_probability(patients.scores)
    )


def test_same_seed_same_study_and_another_seed_another(cohort):
    patients, grades = cohort
    found = [
        fit_strata(patients, costs=COSTS, grades=grades, seed=seed, **QUICK).to_dict()
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1]
    assert found[0]["thresholds"] != found[2]["thresholds"]


def test_grades_by_identifier_are_in_their_place(cohort):
    patients, grades = cohort
    names = [f"p{k:03d}" for k in np.random.default_rng(0).permutation(grades.size)]
    named = PatientScores(scores=patients.scores, patients=names)
    by_name = dict(zip(names, grades.tolist(), strict=True))
    study = fit_strata(named, costs=COSTS, grades=by_name, **QUICK)
    assert study.grades.tolist() == [by_name[name] for name in named.patients]


def test_labels_are_the_grades_of_two(cohort):
    patients = binormal(1, 150)
    study = fit_strata(patients, costs=GREY.values, **QUICK)
    assert study.options.strata == ("low", "intermediate", "high")
    assert study.grades.tolist() == patients.labels.tolist()


def test_more_strata_are_numbered_unless_named(cohort):
    patients, grades = cohort
    costs = [[0, 1, 2, 4], [1, 0, 0.5, 2], [8, 4, 1, 0]]
    study = fit_strata(patients, costs=costs, grades=grades, **QUICK)
    assert study.options.strata == ("stratum 1", "stratum 2", "stratum 3", "stratum 4")
    named = fit_strata(
        patients, costs=costs, grades=grades, strata="ABCD", grade_names=["x", "y", "z"], **QUICK
    )
    assert named.options.strata == ("A", "B", "C", "D")
    assert named.to_dict()["grades"] == ["x", "y", "z"]


def test_a_grey_stratum_that_never_pays_is_told():
    patients = binormal(2, 200)
    study = fit_strata(patients, costs=[[0, 0.9, 1], [1, 0.9, 0]], rule="erm", **QUICK)
    kinds = [text.partition(":")[0] for text in study.warnings]
    assert "costs" in kinds
    assert "empty stratum" in kinds
    assert study.thresholds[0] == study.thresholds[1]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"costs": [[0, 1]]}, BadOption, "at least two rows"),
        ({"strata": ["a", "b"]}, BadOption, "as many names as costs has columns, 3"),
        ({"strata": ["a", "b", "b"]}, BadOption, "names that differ"),
        ({"strata": ["a", " ", "b"]}, BadOption, "names that differ"),
        ({"grade_names": ["a"]}, BadOption, "as many names as costs has rows"),
        ({"rule": "youden"}, BadOption, "rule must be one of"),
        ({"direction": "up"}, BadOption, "direction"),
        ({"grid": 1}, BadOption, "grid"),
        ({"n_bootstrap": 1}, BadOption, "n_bootstrap"),
        ({"delta": 0}, BadOption, "delta"),
        ({"certify_size": 1.0}, BadOption, "certify_size"),
        ({"bound": "dkw"}, BadOption, "bound"),
        ({"seed": -1}, BadOption, "seed"),
        ({"grades": None}, BadPatients, "no labels"),
        ({"grades": [0, 1]}, BadPatients, "one entry per patient"),
        ({"grades": np.full(240, 3)}, BadPatients, "from 0 to 2"),
        ({"grades": np.zeros(240)}, TooFewPatients, "at least 2 patients of each grade"),
        ({"grades": {"p1": 0}}, BadPatients, "identifiers"),
    ],
)
def test_what_makes_no_sense_is_refused(cohort, options, error, words):
    patients, grades = cohort
    with pytest.raises(error, match=words):
        fit_strata(patients, **{"costs": COSTS, "grades": grades, **options})


def test_a_patient_without_a_grade_is_refused():
    named = PatientScores(scores=[0.1, 0.2], patients=["a", "b"])
    with pytest.raises(BadPatients, match="1 of 2 have none"):
        fit_strata(named, costs=COSTS, grades={"a": 0})


@pytest.mark.parametrize("rule", ["stable", "erm"])
@pytest.mark.parametrize("grid", [2, 200, "exact"])
@pytest.mark.parametrize(
    "scores",
    [np.zeros(30), np.arange(30) % 2, np.full(30, 1e299), np.linspace(0, 1e-300, 30)],
    ids=["constant", "two values", "huge", "tiny"],
)
def test_odd_scores_still_give_strata_in_order(scores, rule, grid):
    options = {"rule": rule, "grid": grid, "n_bootstrap": 5}
    patients, grades = PatientScores(scores=scores), np.arange(30) % 3
    study = fit_strata(patients, costs=COSTS, grades=grades, **options)
    assert study.thresholds.tolist() == sorted(study.thresholds)
    assert study.counts.sum() == 15


def test_only_the_order_of_scores_counts_on_the_exact_cuts(cohort):
    patients, grades = cohort
    curved = PatientScores(scores=np.exp(patients.scores))
    one, other = (
        fit_strata(some, costs=COSTS, grades=grades, grid="exact", **QUICK)
        for some in (patients, curved)
    )
    assert one.draws.ranks.tolist() == other.draws.ranks.tolist()
    assert one.draws.draw_ranks.tolist() == other.draws.draw_ranks.tolist()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"costs": [[0, 1j], [1, 0]]}, "costs must be numbers"),
        ({"strata": "\x00"}, r"got 1: '\\x00'\."),
        ({"grade_names": ["a", " "]}, r"are not empty; got 'a', ' '\."),
    ],
)
def test_what_nobody_means_is_refused_in_one_line(options, told):
    cohort = PatientScores(scores=np.arange(40.0), labels=np.arange(40) % 2)
    with pytest.raises(BadOption, match=told) as caught:
        fit_strata(cohort, **{"costs": [[0, 0.2, 1], [4, 1, 0]], **options})
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("costs", [(5, 1), (2, 3)])
def test_one_boundary_of_unequal_costs_is_certified_as_one_cut_off(costs):
    miss, alarm = costs
    labels = np.arange(300) % 2
    scores = np.random.default_rng(miss).normal(size=300) + labels
    cohort = PatientScores(scores=scores.round(1), labels=labels)
    plain = steadycut.fit(cohort, cost_fn=miss, cost_fp=alarm, **QUICK)
    strata = fit_strata(cohort, costs=[[0, alarm], [miss, 0]], **QUICK)
    assert strata.thresholds.tolist() == [plain.threshold]
    assert strata.certificate == plain.certificate
    assert (strata.modulus, strata.penalty) == (plain.chosen.modulus, plain.chosen.penalty)


def test_two_grades_and_one_boundary_take_the_way_of_one_cut_off(monkeypatch):
    """The rule for several boundaries is not needed."""
    monkeypatch.setattr("steadycut.core.strata.rules.even_place", None)
    labels = np.arange(200) % 2
    cohort = PatientScores(scores=np.random.default_rng(0).normal(size=200) + labels, labels=labels)
    assert fit_strata(cohort, costs=[[0, 1], [1, 0]]).thresholds.size == 1
    with pytest.raises(TypeError):
        fit_strata(cohort, costs=[[0.5, 1], [2, 0]])

"""Calls as people type them: what is taken, and what is said about the others."""

import pickle
import warnings
from itertools import pairwise

import numpy as np
import pytest

import steadycut
from steadycut import PatientScores, StableThreshold
from steadycut.errors import BadOption, BadPatients, explains_calls


@pytest.fixture(scope="module")
def cohort():
    rng = np.random.default_rng(3)
    y = (rng.random(240) < 0.4).astype(int)
    return rng.normal(size=240) + 1.5 * y, y


@pytest.fixture(scope="module")
def pool(cohort):
    return PatientScores(cohort[0] + 0.1, patients=[f"secret{i}" for i in range(240)])


@pytest.fixture(scope="module")
def rule(cohort):
    return steadycut.fit(*cohort).freeze()


def test_scores_beside_labels_are_patients_with_labels(cohort):
    scores, y = cohort
    typed = steadycut.fit(scores, y, rule="erm")
    assert typed == steadycut.fit(PatientScores(scores=scores, labels=y), rule="erm")
    assert typed != steadycut.fit(scores, y, rule="youden")
    assert PatientScores(scores, y) == PatientScores(scores=scores, labels=y)


def test_labels_beside_patients_take_the_place_of_theirs_and_follow_the_identifiers(cohort):
    scores, y = cohort
    names = [f"p{i:03}" for i in range(len(scores))]
    patients = PatientScores(scores, patients=names)
    by_name = dict(zip(names[::-1], y[::-1], strict=True))
    assert steadycut.fit(patients, by_name).patients.labels.tolist() == y.tolist()


def test_an_operating_point_of_patients_is_that_of_their_scores(cohort):
    scores, y = cohort
    point = steadycut.operating_point(PatientScores(scores, y), threshold=0.5)
    assert point == steadycut.operating_point(scores, y, 0.5)
    with pytest.raises(BadOption, match=r"give threshold=0\.5"):
        steadycut.operating_point(PatientScores(scores, y), 0.5)
    with pytest.raises(BadOption, match="needs the labels"):
        steadycut.operating_point(scores, threshold=0.5)
    with pytest.raises(BadPatients, match="no labels: give labels"):
        steadycut.operating_point(PatientScores(scores), threshold=0.5)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cost": 5}, r"no option 'cost'\. Type cost_fn=\.\.\. and cost_fp=\.\.\.$"),
        ({"random_state": 1}, r"Type seed=\.\.\.$"),
        ({"alpha": 0.05}, r"Type delta=\.\.\., such as 0\.1 for 90 %\.$"),
        ({"labels": [0, 1]}, r"no option 'labels'\. Type y=\.\.\.$"),
        ({"patient_col": "id"}, r"steadycut\.aggregate\(table, patient="),
        ({"n_bootstarp": 9}, r"Did you mean 'n_bootstrap'\?$"),
        ({"centering": "bias"}, r"paper_method\(centering="),
        ({"sample_weight": [1]}, r"there are no weights\.$"),
    ],
)
def test_names_of_other_packages_get_ours(cohort, given, says):
    with pytest.raises(TypeError, match=says):
        steadycut.fit(PatientScores(*cohort), **given)


def test_other_functions_say_what_to_type(cohort, rule, pool):
    scores, y = cohort
    with pytest.raises(TypeError, match=r"'labels'\. Type y=\.\.\.$"):
        steadycut.audit(rule, scores, labels=y)
    with pytest.raises(
        TypeError, match=r"Type adapt\(rule, patients, prevalence=\.\.\., labelled="
    ):
        steadycut.adapt(rule, scores, y)
    with pytest.raises(BadOption, match=r"prevalence=0\.08\) or labelled patients \(labelled\)"):
        steadycut.adapt(rule, pool)
    with pytest.raises(BadOption, match="draw=1000000 must be below"):
        steadycut.draw_labels(rule, pool, 10**6)
    with pytest.raises(BadPatients, match="the site of every patient: give sites"):
        steadycut.fit(PatientScores(scores, y), stratify="site")
    with pytest.raises(BadOption, match=r"needs a value: sensitivity:0\.9"):
        steadycut.fit(scores, y, rule="sensitivity")
    with pytest.raises(TypeError, match="there are no weights"):
        StableThreshold().fit(scores, y, sample_weight=np.ones(240))


def test_a_warning_blames_the_line_of_the_user(cohort):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        steadycut.fit(cohort[0][:24], cohort[1][:24])
    assert {one.filename for one in caught} == {__file__}


def test_an_error_within_the_function_stays_its_own():
    @explains_calls
    def broken(value):
        raise TypeError(value)

    with pytest.raises(TypeError, match=r"^mine$"):
        broken("mine")


def test_every_result_is_short_names_nobody_and_equals_its_pickle(cohort, rule, pool):
    scores, y = cohort
    patients = PatientScores(scores, y, patients=[f"secret{i}" for i in range(240)])
    sexes = np.tile(["f", "m"], 120)
    by_sex = steadycut.fit_by_covariate(patients, covariate=sexes)
    results = [
        *(patients, rule, steadycut.fit(patients), by_sex, by_sex.freeze()),
        *(steadycut.plan(risk=0.1, width=0.05), steadycut.operating_point(scores, y, 0.5)),
        *(steadycut.draw_labels(rule, pool, 50), steadycut.switch(rule, scores, scores + 0.1)),
        *(steadycut.audit(rule, scores + 0.1, y), steadycut.monitor(rule, scores + 0.1, y)),
        steadycut.adapt(rule, pool, prevalence=0.3),
    ]
    for result in results:
        assert len(repr(result)) < 400, type(result)
        assert "secret" not in repr(result)
        assert "object at 0x" not in repr(result)
        assert pickle.loads(pickle.dumps(result)) == result, type(result)  # noqa: S301
        assert len(result.to_frame())
    for first, second in pairwise(results):
        assert first != second


def test_a_result_without_a_figure_does_not_offer_one(rule, cohort):
    assert "plot()" not in repr(steadycut.switch(rule, cohort[0], cohort[0] + 0.1))

"""Calls as people type them: what is taken, and what is said about the others."""

import json
import pickle
import warnings
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import steadycut
from steadycut import PatientScores, StableThreshold
from steadycut.errors import BadOption, BadPatients, SteadycutError, explains_calls


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


# A call, and what it says: the arguments are the scores and labels of a cohort, its patients, a
# study and its rule, patients with identifiers, and a table.
WRONG_CALLS = {
    "audit, labels": (lambda it: it.audit(it.rule, it.s, labels=it.y), "'labels'. Type y=..."),
    "audit of a study": (lambda it: it.audit(it.study, it.P), "study.freeze(), or FrozenRule.load"),
    "adapt, four": (
        lambda it: it.adapt(it.rule, it.s, it.y, 0.1),
        "Type adapt(rule, patients, y, prevalence=..., labelled=",
    ),
    "adapt, two": (
        lambda it: it.adapt(it.rule, it.pool),
        "prevalence=0.08) or labelled patients (labelled)",
    ),
    "adapt a table": (lambda it: it.adapt(it.rule, it.table, patient="id"), "steadycut.aggregate("),
    "fit, site": (
        lambda it: it.fit(it.P, stratify="site"),
        "the site of every patient: give sites",
    ),
    "fit, rate": (lambda it: it.fit(it.P, rule="sensitivity"), "needs a value: sensitivity:0.9"),
    "fit a table": (lambda it: it.fit(it.table), "fit(table, patient=..., score=..., label=...)"),
    "fit a column": (
        lambda it: it.fit(it.table, patient="id"),
        "score is missing. Of a table name",
    ),
    "fit, texts": (lambda it: it.fit(it.s, it.words), "positive='VALUE'"),
    "fit, positive": (lambda it: it.fit(it.P, positive="ill"), "score is missing"),
    "fit, three": (lambda it: it.fit(it.s, it.y, 0.1), "Type fit(patients, y, "),
    "patients, three": (
        lambda it: it.PatientScores(it.s, it.y, it.ids),
        "Type PatientScores(scores, labels, patients=",
    ),
    "patients, y": (lambda it: it.PatientScores(it.s, y=it.y), "'y'. Type labels=..."),
    "patients, id": (lambda it: it.PatientScores(it.s, id=it.ids), "'id'. Type patients=..."),
    "aggregate": (lambda it: it.aggregate(it.table), "Type aggregate(source, patient=..., score="),
    "aggregate, y": (
        lambda it: it.aggregate(it.table, patient="id", score="s", y="y"),
        "'y'. Type label=...",
    ),
    "certify": (lambda it: it.certify(it.P, 0.5), "Type certify(scores, y, threshold, "),
    "compare": (lambda it: it.compare(it.P, alpha=0.1), "Type compare(internal, external, "),
    "compare, alpha": (lambda it: it.compare(it.P, it.P, alpha=0.1), "Type delta=..., such as"),
    "operating point": (lambda it: it.operating_point(it.P, 0.5), "give threshold=0.5"),
    "plan": (lambda it: it.plan(200), "Type plan(risk=..., width=..., patients="),
    "switch": (lambda it: it.switch(it.rule, it.P), "Type switch(rule, old, new, "),
    "weights": (
        lambda it: StableThreshold().fit(it.s, it.y, sample_weight=it.s),
        "there are no weights",
    ),
}


@pytest.fixture(scope="module")
def typed(cohort, rule, pool):
    scores, y = cohort
    ids, words = [f"secret{i}" for i in range(240)], np.where(y == 1, "ill", "healthy")
    given = {"s": scores, "y": y, "P": PatientScores(scores, y), "rule": rule, "pool": pool}
    table = pd.DataFrame({"id": ids, "s": scores, "y": y})
    given |= {"ids": ids, "words": words, "table": table, "study": steadycut.fit(scores, y)}
    return SimpleNamespace(**{name: getattr(steadycut, name) for name in dir(steadycut)}, **given)


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_a_call_that_is_not_taken_says_in_one_line_what_to_type(typed, name):
    call, says = WRONG_CALLS[name]
    with pytest.raises((TypeError, SteadycutError)) as caught:
        call(typed)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_labels_beside_the_scores_are_those_of_the_patients_to_adapt_to(typed):
    there = typed.s + 0.4
    beside = steadycut.adapt(typed.rule, there, typed.y)
    assert beside == steadycut.adapt(typed.rule, PatientScores(there, typed.y))
    assert beside.certificate is not None


def test_labels_in_words_are_taken_if_the_ill_one_is_named(typed):
    study = steadycut.fit(typed.s, typed.words, positive="ill")
    assert study.threshold == typed.study.threshold
    ours = steadycut.fit(typed.P, typed.words, positive="ill")
    assert ours.patients.recipe.positive == "ill"


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


# Public classes that hold no result.
NO_RESULTS = {"StableThreshold", "StableThresholdClassifier", "SteadycutError"}


@pytest.fixture(scope="module")
def results(cohort, rule, pool):
    scores, y = cohort
    patients = PatientScores(scores, y, patients=[f"secret{i}" for i in range(240)])
    by_sex = steadycut.fit_by_covariate(patients, covariate=np.tile(["f", "m"], 120))
    grades = (scores > 0).astype(int) + y
    strata = steadycut.fit_strata(
        PatientScores(scores), costs=[[0, 1, 2], [1, 0, 1], [2, 1, 0]], grades=grades
    )
    study = steadycut.fit(patients, n_bootstrap=20)
    return [
        *(patients, rule, study, by_sex, by_sex.freeze(), strata, strata.freeze()),
        *(steadycut.plan(risk=0.1, width=0.05), steadycut.operating_point(scores, y, 0.5)),
        *(study.operating_point(), study.certificate),
        steadycut.switch(rule, scores, scores + 0.1),
        *(steadycut.audit(rule, scores + 0.1, y), steadycut.monitor(rule, scores + 0.1, y)),
        *(steadycut.audit(rule, scores + 0.1), steadycut.adapt(rule, pool, prevalence=0.3)),
        steadycut.compare(patients, PatientScores(scores + 0.1, y), rules=["erm", "youden"]),
        rule.decide({"patient": [f"secret{i}" for i in range(240)], "score": scores}),
    ]


def test_every_public_class_of_results_is_tried(results):
    public = {name: getattr(steadycut, name) for name in steadycut.__all__}
    kinds = {name for name, one in public.items() if isinstance(one, type)}
    kinds = {name for name in kinds if not issubclass(public[name], Warning)} - NO_RESULTS
    assert kinds <= {type(one).__name__ for one in results}


def test_every_result_is_short_names_nobody_and_equals_its_pickle(results):
    for result in results:
        text = repr(result)
        assert len(text) <= 400, type(result)
        assert text.count("\n") < 5, type(result)
        assert "secret" not in text
        assert not any(raw in text for raw in ("object at 0x", "array(", "rule="))
        assert pickle.loads(pickle.dumps(result)) == result, type(result)  # noqa: S301
        assert len(result.to_frame())
    for first, second in pairwise(results):
        assert first != second


# What docs/guide/privacy.md says to keep where the table is.
WITH_PATIENTS = {
    *("PatientScores", "Study", "StrataStudy", "CovariateStudy"),
    *("Comparison", "Decisions"),
}


def test_no_pickle_but_those_that_privacy_names_has_identifiers(results):
    page = Path("docs/guide/privacy.md").read_text(encoding="utf-8")
    for result in results:
        name = type(result).__name__
        assert name in WITH_PATIENTS or b"secret" not in pickle.dumps(result), name
    assert all(f"`{name}`" in page for name in WITH_PATIENTS)


def test_every_result_but_those_of_patients_is_plain_numbers_and_texts(results):
    for result in results:
        if not isinstance(result, PatientScores | dict):
            written = json.dumps(result.to_dict(), allow_nan=True)
            assert "secret" not in written, type(result)


def test_a_result_offers_a_figure_only_if_it_has_one(results):
    for result in results:
        if "plot()" in repr(result):
            assert result.plot().figure_, type(result)
    assert "plot()" in repr(results[2])
    assert "plot()" not in repr(steadycut.plan(risk=0.1, width=0.05))

"""The classifier of instances: no score from a model that saw the patient, and the contract."""

import inspect
import json
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import steadycut
from steadycut import PatientScores, StableThresholdClassifier
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.registry import ERM
from steadycut.errors import (
    BadOption,
    BadPatients,
    RowsAsPatientsWarning,
    SteadycutWarning,
    TooFewPatients,
)
from steadycut.estimators import cross_fit, patient_scorer
from steadycut.estimators.cross_fit import Scorer
from tests.estimators.spies import Spy, patient_rows, scorings

QUICK = {"n_bootstrap": 3, "cv": 2, "random_state": 0}


def build(estimator=None, **options):
    scorer = LogisticRegression() if estimator is None else estimator
    return StableThresholdClassifier(scorer, **(QUICK | options))


@pytest.fixture
def rows():
    return patient_rows()


@pytest.fixture
def model(rows):
    return build().fit(*rows)


def test_parameters_are_those_of_the_contract():
    signature = inspect.signature(StableThresholdClassifier)
    defaults = {name: one.default for name, one in signature.parameters.items()}
    assert defaults.pop("estimator") is inspect.Parameter.empty
    assert list(defaults.items()) == [
        ("aggregate", "mean"),
        ("cv", 5),
        ("n_jobs", None),
        ("checkpoint", None),
        ("progress", None),
        ("patient", None),
        ("rule", "stable"),
        ("cost_fn", 1.0),
        ("cost_fp", 1.0),
        ("grid", "exact"),
        ("n_bootstrap", 200),
        ("delta", 0.1),
        ("honesty", "split"),
        ("certify_size", 0.5),
        ("random_state", None),
        ("target_prevalence", None),
    ]


# No patient is scored by a model that saw him.


def people(model, role):
    """The patients of a role, as they are numbered in the rows."""
    study = model.study_
    return set(study.patients.patients[getattr(study.roles, role)].astype(int).tolist())


def leaks(log):
    """Scorings in which a patient was scored by a model that saw him."""
    return [pair for pair in scorings(log) if pair[0] & pair[1]]


def test_no_score_comes_from_a_model_that_saw_the_patient():
    log = []
    model = build(Spy(log), cv=4, n_bootstrap=6).fit(*patient_rows(n_patients=80))
    assert leaks(log) == []
    certifying, choosing = people(model, "certify"), people(model, "select")
    fitted = [set(seen) for what, seen, _ in log if what == "fit"]
    assert not any(seen & certifying for seen in fitted)
    # Folds of the study, the deployed scorer, folds of every replicate.
    assert len(fitted) == 4 + 1 + 6 * 4
    assert set.union(*fitted) == choosing
    # Nobody was left out: the patients who choose by the folds, then those who certify.
    first = scorings(log)[:5]
    assert [scored for _, scored in first[:4] if scored & certifying] == []
    assert set.union(*(scored for _, scored in first[:4])) == choosing
    assert first[4] == (choosing, certifying)


def test_the_spy_finds_scores_of_the_same_patients(rows, monkeypatch):
    def in_sample(self, instances, drawn, rng):
        return self.score(self.fit(instances, drawn, rng), instances, drawn)

    monkeypatch.setattr(Scorer, "cross_fit", in_sample)
    log = []
    build(Spy(log)).fit(*rows)
    assert len(leaks(log)) == 1 + QUICK["n_bootstrap"]


def test_the_spy_finds_copies_dealt_apart(rows, monkeypatch):
    deal = cross_fit.deal_folds

    def each_copy_alone(labels, patients, n_folds, rng):
        return deal(labels, np.arange(patients.size), n_folds, rng)

    monkeypatch.setattr(cross_fit, "deal_folds", each_copy_alone)
    log = []
    build(Spy(log)).fit(*rows)
    assert len(leaks(log)) > 0


def test_a_memorising_classifier_scores_at_chance(monkeypatch):
    """1-nearest neighbour knows every row it saw, and nothing else where labels are chance."""
    X, _, patient = patient_rows(n_patients=200, n_rows=1, shift=0.0, seed=3)
    y = np.random.default_rng(4).integers(0, 2, 200)
    memory = KNeighborsClassifier(n_neighbors=1)
    honest = build(memory).fit(X[:, 1:], y, patient)
    assert honest.study_.chosen.smallest_risk > 0.3
    assert honest.study_.certificate.risk > 0.3
    assert np.mean(memory.fit(X[:, 1:], y).predict(X[:, 1:]) == y) == 1

    def in_sample(self, instances, drawn, rng):
        return self.score(self.fit(instances, drawn, rng), instances, drawn)

    monkeypatch.setattr(Scorer, "cross_fit", in_sample)
    assert build(memory).fit(X[:, 1:], y, patient).study_.chosen.smallest_risk == 0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_copies_of_a_patient_weigh_in_training(n_jobs):
    """All rows of a drawn patient travel together, as often as he was drawn."""
    log = []
    X, y, patient = patient_rows(n_patients=30, n_rows=4)
    with joblib.parallel_config("threading"):
        build(Spy(log), n_jobs=n_jobs).fit(X, y, patient)
    multiplicities = set()
    for what, seen, _ in log:
        if what == "fit":
            counts = np.unique(seen, return_counts=True)[1]
            assert np.all(counts % 4 == 0)
            multiplicities |= set((counts // 4).tolist())
    assert {1, 2, 3} <= multiplicities


# What is learnt is the study of those scores.


def test_scores_thresholds_and_certificate_are_of_one_piece(rows, model):
    X, _, patient = rows
    study = model.study_
    proba = model.estimator_.predict_proba(X)[:, 1]
    means = pd.Series(proba).groupby(patient).mean().to_numpy()
    names = study.patients.patients.astype(int)
    deployed = means[names]
    certify, select = study.roles.certify, study.roles.select
    np.testing.assert_allclose(study.patients.scores[certify], deployed[certify], rtol=1e-14)
    assert np.abs(study.patients.scores[select] - deployed[select]).min() > 0
    assert model.threshold_ == study.threshold
    called = study.patients.scores[certify] >= model.threshold_
    truth = study.patients.labels[certify] == 1
    assert study.certificate.risk == np.mean(called != truth)
    assert study.bootstrap_thresholds.size == QUICK["n_bootstrap"]
    same_scores = PatientScores(
        scores=study.patients.scores, labels=study.patients.labels, patients=study.patients.patients
    )
    fixed = steadycut.fit(same_scores, n_bootstrap=5, seed=0)
    assert fixed.threshold == model.threshold_
    assert fixed.certificate.value == study.certificate.value
    assert not np.array_equal(fixed.bootstrap_thresholds, study.bootstrap_thresholds)


def test_a_scorer_that_does_not_learn_gives_plain_resampling(rows):
    model = build(Spy([]), rule="erm", grid="exact", n_bootstrap=225, cv=2).fit(*rows)
    plain = draw_thresholds(
        exact_cuts(model.study_.select_patients), ERM, Costs(), 4000, np.random.default_rng(0)
    )
    refitted, spread = model.study_.bootstrap_thresholds, plain.thresholds.std()
    # Five standard errors of a mean of 225 draws.
    assert abs(refitted.mean() - plain.thresholds.mean()) < 5 * spread / 15
    assert 0.7 < refitted.std() / spread < 1.3


def test_predictions_are_of_patients(rows, model):
    X, _, patient = rows
    by_row = model.predict(X, groups=patient)
    patients, decisions = model.predict_patients(X, groups=patient)
    lookup = dict(zip(patients.tolist(), decisions.tolist(), strict=True))
    assert sorted(lookup) == list(range(40))
    assert by_row.tolist() == [lookup[one] for one in patient.tolist()]
    assert len(set(by_row[patient == 0])) == 1
    named = model.predict_patients(X, groups=patient)
    assert named.patients is not None
    np.testing.assert_array_equal(named.decisions, decisions)
    scores = model.score_patients(X, groups=patient)
    np.testing.assert_array_equal(scores.scores >= model.threshold_, decisions == 1)
    assert scores.n_instances.tolist() == [3] * 40
    flips = model.flip_probability(X, groups=patient)
    assert flips.shape == (120,)
    np.testing.assert_array_equal(
        flips[::3], model.study_.flip_probability(scores.scores)[np.argsort(patients)]
    )


def test_rows_of_a_patient_may_stand_anywhere(rows, model):
    X, y, patient = rows
    order = np.random.default_rng(0).permutation(patient.size)
    np.testing.assert_array_equal(
        model.predict(X[order], patient[order]), model.predict(X, patient)[order]
    )
    blocks = np.argsort(np.random.default_rng(1).permutation(40)[patient], kind="stable")
    other = build().fit(X[blocks], y[blocks], patient[blocks])
    assert other.study_.to_dict() == model.study_.to_dict()


def test_without_groups_each_row_is_a_patient(rows):
    X, y, _ = rows
    with pytest.warns(RowsAsPatientsWarning, match="each of the 120 rows counts as one patient"):
        alone = build().fit(X, y)
    assert alone.warnings_[0].startswith("rows as patients: fit got no groups")
    assert alone.study_.patients.n_patients == 120
    assert alone.study_.patients.patients is None
    patients, decisions = alone.predict_patients(X)
    np.testing.assert_array_equal(patients, np.arange(120))
    np.testing.assert_array_equal(decisions, alone.predict(X))


def test_a_patient_at_the_threshold_is_called(rows, model):
    score = model.score_patients(*rows[::2]).scores[0]
    model.threshold_ = score
    assert model.predict_patients(*rows[::2]).decisions[0] == 1
    model.threshold_ = np.nextafter(score, np.inf)
    assert model.predict_patients(*rows[::2]).decisions[0] == 0


@pytest.mark.parametrize("how", ["max", "quantile:0.8", "top-k:2", np.median])
def test_the_aggregator_is_used_in_fit_and_predict(rows, how):
    X, y, patient = rows
    model = build(aggregate=how).fit(X, y, patient)
    by_row = pd.Series(model.estimator_.predict_proba(X)[:, 1]).groupby(patient)
    expected = {
        "max": by_row.max(),
        "quantile:0.8": by_row.quantile(0.8),
        "top-k:2": by_row.apply(lambda p: p.nlargest(2).mean()),
        np.median: by_row.median(),
    }[how]
    found = model.score_patients(X, patient)
    order = found.patients.astype(int)
    np.testing.assert_allclose(found.scores, expected.to_numpy()[order], rtol=1e-13)
    name = how if isinstance(how, str) else "callable:median"
    assert model.study_.to_dict()["aggregation"] == [{"level": "patient", "how": name}]


def test_the_rule_goes_to_the_next_hospital(rows, model):
    X, y, patient = patient_rows(seed=9)
    rule = model.study_.freeze()
    abroad = model.score_patients(X, patient)
    truth = y[::3][abroad.patients.astype(int)]
    found = steadycut.audit(rule, abroad.scores, truth).to_dict()
    assert found["risk_external"] == pytest.approx(1 - model.score(X, y, patient))


def test_margins_serve_where_there_are_no_probabilities(rows):
    X, y, patient = rows
    model = build(LinearSVC()).fit(X, y, patient)
    margins = model.estimator_.decision_function(X)
    scores = model.score_patients(X, patient)
    np.testing.assert_allclose(
        scores.scores, margins.reshape(40, 3).mean(axis=1)[scores.patients.astype(int)]
    )
    assert model.score(X, y, patient) > 0.8


# Seeds and workers.


def outcome(model):
    return json.dumps(model.study_.to_dict())


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        RandomForestClassifier(n_estimators=5),
        HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5),
    ],
)
def test_the_number_of_workers_changes_nothing(rows, estimator):
    alone = build(estimator, n_jobs=1).fit(*rows)
    for options in ({"backend": "loky"}, {"backend": "threading"}):
        with joblib.parallel_config(**options):
            both = build(estimator, n_jobs=2).fit(*rows)
        assert outcome(both) == outcome(alone)


@pytest.mark.parametrize("seed", [3, np.random.RandomState(3), np.random.default_rng(3)])
def test_a_seed_repeats_a_study(rows, seed):
    forest = RandomForestClassifier(n_estimators=5)
    first = build(forest, random_state=pickle.loads(pickle.dumps(seed))).fit(*rows)  # noqa: S301
    again = build(forest, random_state=seed).fit(*rows)
    assert outcome(first) == outcome(again)
    np.testing.assert_array_equal(
        first.estimator_.predict_proba(rows[0]), again.estimator_.predict_proba(rows[0])
    )
    other = build(forest, random_state=4).fit(*rows)
    assert outcome(other) != outcome(first)


def test_seeds_of_the_estimator_are_kept_and_the_estimator_untouched(rows):
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=3, random_state=7))
    model = build(forest).fit(*rows)
    assert model.estimator_[-1].random_state == 7
    free = RandomForestClassifier(n_estimators=3)
    model = build(free).fit(*rows)
    assert isinstance(model.estimator_.random_state, int)
    assert free.random_state is None
    assert not hasattr(free, "classes_")


# Forms of input.


@pytest.mark.parametrize("classes", [("benign", "tumour"), (False, True), (1, 2), (3.0, 7.0)])
def test_any_two_classes(rows, model, classes):
    X, y, patient = rows
    named = np.array(classes)[y]
    other = build().fit(X, named, patient)
    assert other.threshold_ == model.threshold_
    np.testing.assert_array_equal(other.classes_, classes)
    np.testing.assert_array_equal(
        other.predict(X, patient), np.array(classes)[model.predict(X, patient)]
    )
    assert other.score(X, named, patient) == model.score(X, y, patient)


def test_frames_with_columns_of_several_kinds(rows):
    X, y, patient = rows
    frame = pd.DataFrame(
        {"signal": X[:, 1], "stain": np.where(X[:, 2] > 0, "HE", "PAS"), "noise": X[:, 2]},
        index=np.arange(120)[::-1],
    )
    estimator = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["stain"]), remainder="passthrough"),
        LogisticRegression(),
    )
    names = pd.Series([f"p{one:02d}" for one in patient], index=frame.index)
    target = pd.Series(np.where(y == 1, "sick", "well"), index=frame.index)
    model = build(estimator, n_jobs=2).fit(frame, target, groups=names)
    assert list(model.feature_names_in_) == ["signal", "stain", "noise"]
    patients, decisions = model.predict_patients(frame, groups=names)
    assert list(patients) == sorted(set(names))
    assert set(decisions) == {"sick", "well"}
    assert model.score(frame, target, groups=names) > 0.8


def test_sparse_rows(rows, model):
    X, y, patient = rows
    for form in (sparse.csr_array, sparse.coo_array):
        other = build().fit(form(X), y, patient)
        assert other.threshold_ == pytest.approx(model.threshold_, rel=1e-6)
        assert other.score(form(X), y, patient) == model.score(X, y, patient)


@pytest.mark.parametrize(
    "name",
    [
        int,
        float,
        lambda one: f"patient {one}",
        lambda one: one if one % 2 else f"p{one}",
    ],
)
def test_patients_may_have_any_names(rows, name):
    X, y, patient = rows
    groups = np.array([name(one) for one in patient.tolist()], dtype=object)
    model = build().fit(X, y, groups)
    patients, decisions = model.predict_patients(X, groups)
    lookup = dict(zip(patients.tolist(), decisions.tolist(), strict=True))
    assert len(lookup) == 40
    assert [lookup[one] for one in groups.tolist()] == model.predict(X, groups).tolist()


def test_pickle_and_clone(rows, model):
    X, y, patient = rows
    back = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(back.predict(X, patient), model.predict(X, patient))
    assert outcome(back) == outcome(model)
    fresh = clone(model)
    assert not hasattr(fresh, "threshold_")
    assert outcome(fresh.fit(X, y, patient)) == outcome(model)


def test_one_row_per_patient_is_said_with_groups(rows, recwarn):
    X, y, _ = rows
    model = build().fit(X[::3], y[::3], groups=range(40))
    assert not [one for one in recwarn if issubclass(one.category, RowsAsPatientsWarning)]
    assert model.study_.patients.n_patients == 40
    assert model.predict(X[:3]).shape == (3,)


def test_rows_of_patients_are_not_decided_one_by_one(rows, model):
    X, y, _ = rows
    calls = (model.predict, model.predict_patients, model.score_patients, model.flip_probability)
    text = r"groups are missing: .* predict\(X, groups=\.\.\.\)"
    for call in (*calls, lambda X: model.score(X, y)):
        with pytest.raises(BadPatients, match=text):
            call(X)


def by_cross_validation(model, X, y, **how):
    cross_validate(model, X, y, error_score="raise", **how)


def by_prediction(model, X, y, **how):
    cross_val_predict(model, X, y, **how)


def by_search(model, X, y, groups, **how):
    GridSearchCV(model, {}, **how).fit(X, y, groups=groups)


@pytest.mark.parametrize("run", [by_cross_validation, by_prediction, by_search])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_groups_that_sklearn_would_lose_are_refused(rows, run, n_jobs):
    """Without routing only the splitter gets them; ``fit`` would take each row for a patient."""
    X, y, patient = rows
    for model in (build(), make_pipeline(StandardScaler(), build())):
        with pytest.raises(BadPatients, match=r"set_config\(enable_metadata_routing=True\)"):
            run(model, X, y, groups=patient, cv=GroupKFold(2), n_jobs=n_jobs)


def test_without_groups_there_are_none_to_lose(rows):
    X, y, _ = rows
    with pytest.warns(RowsAsPatientsWarning):
        found = cross_validate(build(), X, y, cv=2, return_estimator=True)
    assert [one.study_.patients.n_patients for one in found["estimator"]] == [60, 60]


class ByFirstColumn(ClassifierMixin, BaseEstimator):
    """A wrapper that knows the patients itself."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        self.model_ = clone(self.model).fit(X[:, 1:], y, groups=X[:, 0])
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X[:, 1:], groups=X[:, 0])


def test_a_wrapper_may_bring_the_groups_itself(rows):
    X, y, patient = rows
    wrapped = ByFirstColumn(build())
    found = cross_validate(
        wrapped,
        np.column_stack([patient, X]),
        y,
        groups=patient,
        cv=GroupKFold(2, shuffle=True, random_state=0),
        return_estimator=True,
        error_score="raise",
    )
    assert [one.model_.study_.patients.n_patients for one in found["estimator"]] == [20, 20]


def test_groups_are_routed_without_being_requested():
    X, y, patient = patient_rows(n_patients=60)
    halves = GroupKFold(2, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = build()
        found = cross_validate(
            model, X, y, params={"groups": patient}, cv=halves, return_estimator=True
        )
        search = GridSearchCV(model, {"aggregate": ["mean", "max"]}, cv=halves)
        search.fit(X, y, groups=patient)
    assert [one.study_.patients.n_patients for one in found["estimator"]] == [30, 30]
    assert all(score * 30 == pytest.approx(round(score * 30)) for score in found["test_score"])
    assert search.best_estimator_.study_.patients.n_patients == 60


# The patient as a column of X.


def with_patients(rows, form):
    """Rows in which one column names the patient, the name of the column, and the classes."""
    X, y, patient = rows
    if form == "array":
        return np.insert(X, 1, patient, axis=1), 1, y
    if form == "sparse":
        return sparse.csr_array(np.insert(X, 1, patient + 1, axis=1)), 1, y
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(who=[f"p{one:02}" for one in patient])
    return (frame if form == "pandas" else pl.from_pandas(frame)), "who", y


@pytest.mark.parametrize("form", ["array", "sparse", "pandas", "polars"])
def test_a_column_may_name_the_patient(rows, form):
    X, y, patient = rows
    table, column, y = with_patients(rows, form)
    model = build(patient=column).fit(table, y)
    names = patient + 1 if form == "sparse" else patient
    names = names.astype(float) if column == 1 else np.array([f"p{one:02}" for one in names])
    # The same in the same form: a frame has another layout, and sums other last digits.
    rest = {"array": X, "sparse": sparse.csr_array(X)}.get(form)
    rest = table[["a", "b", "c"]] if rest is None else rest
    same = build().fit(rest, y, groups=names)
    assert outcome(model) == outcome(same)
    np.testing.assert_array_equal(model.predict(table), same.predict(rest, groups=names))
    assert model.score(table, y) == same.score(rest, y, names)
    assert model.estimator_.n_features_in_ == 3
    np.testing.assert_array_equal(model.export().predict(table), model.predict(table))


@pytest.mark.parametrize("tool", ["cross_validate", "search"])
@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "f1", "average_precision"])
def test_named_scorers_work_where_a_column_names_the_patient(tool, routing, scoring):
    """With the older ``groups=`` too; all patients have three rows, so rows count as patients."""
    table, column, y = with_patients(patient_rows(n_patients=60), "pandas")
    folds = GroupKFold(2, shuffle=True, random_state=0)
    model, groups = build(patient=column), table[column]
    with sklearn.config_context(enable_metadata_routing=routing):
        if tool == "cross_validate":
            given = {"params": {"groups": groups}} if routing else {"groups": groups}
            shared = {"cv": folds, "return_estimator": True, "error_score": "raise"}
            found = cross_validate(model, table, y, scoring=scoring, **shared, **given)
            models, values = found["estimator"], found["test_score"]
        else:
            grid = {"aggregate": ["mean", "max"]}
            search = GridSearchCV(model, grid, cv=folds, scoring=scoring, error_score="raise")
            search.fit(table, y, groups=groups)
            models, values = [search.best_estimator_], [search.best_score_]
    wanted = 60 if tool == "search" else 30
    assert {one.study_.patients.n_patients for one in models} == {wanted}
    assert all(0.5 < value <= 1 for value in values)
    for held, value in zip(folds.split(table, y, groups), values, strict=False):
        if tool == "cross_validate":
            one, test = models[0], table.iloc[held[1]]
            assert value == pytest.approx(patient_scorer(scoring)(one, test, y[held[1]]))
            break


def test_groups_of_the_splitter_are_not_the_patients(rows):
    """Hospitals make the folds, a column names the patients."""
    table, column, y = with_patients(rows, "pandas")
    hospital = np.repeat(np.arange(40) // 10, 3)
    found = cross_validate(
        build(patient=column),
        table,
        y,
        groups=hospital,
        cv=GroupKFold(2),
        return_estimator=True,
        error_score="raise",
    )
    assert [one.study_.patients.n_patients for one in found["estimator"]] == [20, 20]


@pytest.mark.parametrize(("form", "column"), [("pandas", "whom"), ("pandas", 3), ("array", 4)])
def test_a_column_that_is_not_there_is_refused(rows, form, column):
    table, _, y = with_patients(rows, form)
    with pytest.raises(BadOption, match=r"patient must be a column of X, given as a n.*; got"):
        build(patient=column).fit(table, y)


def test_the_decision_function_agrees_with_predict_at_the_cut_off(rows, model):
    X, _, patient = rows
    model.threshold_ = model.score_patients(X, patient).scores[0]
    above = model.decision_function(X, groups=patient) > 0
    np.testing.assert_array_equal(model.classes_[above.astype(int)], model.predict(X, patient))
    assert model.predict_patients(X, patient).decisions[0] == 1


def test_the_target_prevalence_reaches_the_study(rows):
    there = build(target_prevalence=0.1).fit(*rows)
    assert there.study_.options.search.costs.target == (0.1, 0.1)


# Few patients.


def few_rows(n_positive, n_negative, n_rows=2):
    labels = np.repeat([1, 0], [n_positive, n_negative])
    patient = np.repeat(np.arange(labels.size), n_rows)
    X = np.random.default_rng(0).normal(size=(patient.size, 2)) + 2 * labels[patient, None]
    return X, labels[patient], patient


@pytest.mark.parametrize("rule", ["stable", "erm", "youden", "sensitivity:0.9"])
def test_two_patients_of_each_class_are_enough_however_they_are_dealt(rule):
    dealt = set()
    for seed in range(12):
        model = build(rule=rule, random_state=seed)
        with pytest.warns(SteadycutWarning, match="few patients: [012]"):
            model.fit(*few_rows(2, 2))
        assert not np.isnan(model.threshold_)
        json.dumps(model.study_.to_dict(), allow_nan=False)
        dealt.add(model.study_.select_patients.n_positive)
    assert dealt == {0, 1, 2}


def test_folds_are_fewer_where_a_class_has_fewer_patients():
    log = []
    X, y, patient = few_rows(4, 40)
    with pytest.warns(SteadycutWarning):
        model = build(Spy(log), cv=10).fit(np.column_stack([patient, X]), y, patient)
    folds = model.study_.select_patients.n_positive
    assert 2 <= folds < 10
    assert len(scorings(log)[: folds + 1][-1][0]) == model.study_.select_patients.n_patients
    assert leaks(log) == []


def test_cohorts_that_lack_a_class_are_drawn_again_and_counted():
    with pytest.warns(SteadycutWarning):
        few = build(n_bootstrap=20).fit(*few_rows(4, 40))
    assert few.n_redrawn_ > 0
    assert build(n_bootstrap=20).fit(*few_rows(40, 40)).n_redrawn_ == 0


@pytest.mark.parametrize("n_positive", [1, 5])
def test_one_patient_of_a_class_is_refused(n_positive):
    with pytest.raises(TooFewPatients, match="at least 2 patients of each class"):
        build().fit(*few_rows(n_positive, 6 - n_positive))


def test_one_choosing_patient_is_refused():
    with pytest.raises(TooFewPatients, match="at least 2 patients used to choose; got 1 of 4"):
        build(certify_size=0.9).fit(*few_rows(2, 2))


# Refusals.


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"honesty": "uniform"}, "honesty must be 'split'; got 'uniform'"),
        ({"honesty": None}, "honesty must be 'split'; got None"),
        ({"cv": 1}, "cv must be a whole number of at least 2; got 1"),
        ({"cv": GroupKFold()}, "cv must be a whole number"),
        ({"aggregate": "average"}, "an aggregator must be one of mean"),
        ({"rule": "best"}, "rule must be one of"),
        ({"cost_fn": 0}, "cost_fn must be"),
        ({"grid": 1}, "grid must be"),
        ({"n_bootstrap": 1}, "n_bootstrap must be"),
        ({"delta": 1.0}, "delta must"),
        ({"certify_size": 0}, "certify_size must"),
        ({"random_state": -1}, "random_state must be"),
        ({"estimator": LinearRegression()}, "estimator must be a scikit-learn classifier"),
        ({"estimator": LogisticRegression}, "estimator must be a scikit-learn classifier"),
        ({"estimator": "forest"}, "estimator must be a scikit-learn classifier"),
    ],
)
def test_bad_options_are_refused_before_any_fit(rows, options, text):
    log = []
    refused = StableThresholdClassifier(**({"estimator": Spy(log)} | options))
    with pytest.raises(BadOption, match=text):
        refused.fit(*rows)
    assert log == []
    assert not hasattr(refused, "classes_")


def test_what_is_not_fitted_does_not_predict(rows):
    for method in (build().predict, build().predict_patients, build().flip_probability):
        with pytest.raises(NotFittedError):
            method(rows[0])


def test_rows_of_a_patient_that_disagree_are_refused(rows, model):
    X, y, patient = rows
    torn = y.copy()
    torn[[0, 3, 4]] = 1 - torn[[0, 3, 4]]
    text = "it differs within 2 of 40 patients"
    with pytest.raises(BadPatients, match=text):
        build().fit(X, torn, patient)
    with pytest.raises(BadPatients, match=text):
        model.score(X, torn, patient)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_rows_without_a_patient_are_refused(rows, model, missing):
    X, y, patient = rows
    groups = patient.astype(object)
    groups[7] = missing
    for call in (lambda: build().fit(X, y, groups), lambda: model.predict(X, groups)):
        with pytest.raises(BadPatients, match="the patient of every row; 1 of 120 are missing"):
            call()


@pytest.mark.parametrize("mark", ["nan", " NA", "None"])
def test_texts_that_stand_for_no_patient_are_refused(rows, mark):
    X, y, patient = rows
    with pytest.raises(BadPatients, match="of 120 are missing"):
        build().fit(X, y, np.where(patient == 1, mark, patient.astype(str)))


def test_groups_of_another_length(rows, model):
    X, y, patient = rows
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        build().fit(X, y, patient[:-1])
    with pytest.raises(BadPatients, match=r"one entry per row \(120\); got 119"):
        model.predict(X, patient[:-1])


@pytest.mark.parametrize(
    ("target", "error", "text"),
    [
        (np.ones(120), TooFewPatients, "one class only, for all 40 patients"),
        (np.repeat(np.arange(40), 3) % 3, BadPatients, "Only binary classification is supported"),
        (np.full(120, np.inf), ValueError, "infinity"),
        (None, ValueError, "requires y to be passed"),
    ],
)
def test_targets_that_are_not_two_classes(rows, target, error, text):
    X, _, patient = rows
    with pytest.raises(error, match=text):
        build().fit(X, target, patient)


def test_scores_that_are_no_numbers_are_refused(rows):
    class Lost(Spy):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

        def __sklearn_clone__(self):
            return Lost(self.log)

    with pytest.raises(ValueError, match="finite"):
        build(Lost([])).fit(*rows)


# The promise.


@pytest.mark.slow
@pytest.mark.validity
@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_the_certificate_covers_the_risk_of_the_deployed_scorer(shift):
    """Patients of a known population; the truth from many others. A scorer that overfits badly."""
    delta, runs, failed = 0.2, 400, 0
    X_all, y_all, _ = patient_rows(n_patients=4000, n_rows=1, shift=shift, seed=100)
    rng = np.random.default_rng(5)
    for run in range(runs):
        labels = rng.integers(0, 2, 50)
        X = rng.normal(size=(50, 2))
        X[:, 0] += shift * labels
        model = StableThresholdClassifier(
            KNeighborsClassifier(n_neighbors=3), n_bootstrap=2, cv=2, delta=delta, random_state=run
        )
        model.fit(X, labels)
        risk = 1 - model.score(X_all[:, 1:], y_all)
        failed += risk > model.study_.certificate.value
    # More failures than this are less likely than one in ten thousand, if the promise holds.
    assert failed <= binom.ppf(1 - 1e-4, runs, delta)

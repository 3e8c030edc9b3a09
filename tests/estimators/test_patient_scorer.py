"""Scorers that count patients: what scikit-learn says of one row per patient."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer_names, log_loss, make_scorer, precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from steadycut import StableThresholdClassifier
from steadycut.errors import BadOption
from steadycut.estimators import patient_scorer
from tests.estimators.spies import patient_rows

NAMES = [
    "accuracy",
    "balanced_accuracy",
    "f1",
    "recall",
    "precision",
    "roc_auc",
    "average_precision",
    "neg_log_loss",
    "neg_brier_score",
    "matthews_corrcoef",
]


def build(scorer=None, **options):
    fixed = {"n_bootstrap": 3, "cv": 3, "random_state": 0}
    return StableThresholdClassifier(
        LogisticRegression() if scorer is None else scorer, **(fixed | options)
    )


@pytest.fixture(scope="module")
def rows():
    """Patients with one to five rows each, so that rows and patients give different figures."""
    X, y, patient = patient_rows(n_patients=60, n_rows=5, shift=1.0)
    kept = np.random.default_rng(0).random(patient.size) < 0.6
    kept[::5] = True
    return X[kept, 1:], y[kept], patient[kept]


@pytest.fixture(scope="module")
def model(rows):
    return build().fit(*rows)


def truth_of(rows, model):
    _, y, patient = rows
    return y[np.unique(patient, return_index=True)[1]][
        model.predict_patients(rows[0], patient).patients
    ]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_scorer_of_one_row_per_patient(rows, model, name):
    """By hand, with the scores and decisions of the patients."""
    X, y, patient = rows

    class ByHand(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def predict(self, places):
            return model.predict_patients(X, patient).decisions[places[:, 0]]

        def predict_proba(self, places):
            scores = model.score_patients(X, patient).scores[places[:, 0]]
            return np.column_stack([1 - scores, scores])

        def decision_function(self, places):
            return self.predict_proba(places)[:, 1]

    truth = truth_of(rows, model)
    expected = sklearn.metrics.get_scorer(name)(ByHand(), np.arange(60)[:, None], truth)
    assert patient_scorer(name)(model, X, y, groups=patient) == pytest.approx(expected)
    assert name in get_scorer_names()


def test_rows_and_patients_give_different_figures(rows, model):
    X, y, patient = rows
    by_row = roc_auc_score(y, model.decision_function(X, patient))
    assert patient_scorer("roc_auc")(model, X, y, patient) != pytest.approx(by_row, abs=1e-3)


@pytest.mark.parametrize("wrap", [build, lambda: make_pipeline(StandardScaler(), build())])
@pytest.mark.parametrize("name", ["balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_groups_are_routed_to_it(rows, wrap, name):
    X, y, patient = rows
    folds = GroupKFold(2, shuffle=True, random_state=0)
    shared = {"cv": folds, "error_score": "raise"}
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            wrap(),
            X,
            y,
            params={"groups": patient},
            scoring={"a": patient_scorer(name), "b": patient_scorer("accuracy")},
            return_estimator=True,
            **shared,
        )
        prefix = "" if wrap is build else "stablethresholdclassifier__"
        grid = {f"{prefix}aggregate": ["mean", "max"]}
        search = GridSearchCV(wrap(), grid, scoring=patient_scorer(name), **shared)
        search.fit(X, y, groups=patient)
        again = search.score(X, y, groups=patient)
    for (_, held), one, value in zip(
        folds.split(X, y, patient), found["estimator"], found["test_a"], strict=True
    ):
        assert value == patient_scorer(name)(one, X[held], y[held], patient[held])
    assert np.isfinite(search.best_score_)
    assert again == patient_scorer(name)(search, X, y, patient)


def test_a_scorer_of_your_own(rows, model):
    X, y, patient = rows
    own = make_scorer(precision_score, zero_division=0.0)
    decisions, truth = model.predict_patients(X, patient).decisions, truth_of(rows, model)
    assert patient_scorer(own)(model, X, y, patient) == precision_score(truth, decisions)
    assert repr(patient_scorer("f1")) == "patient_scorer('f1')"


def test_probabilities_are_refused_where_there_are_none(rows):
    X, y, patient = rows
    margins = build(LinearSVC()).fit(X, y, patient)
    assert patient_scorer("roc_auc")(margins, X, y, patient) > 0.5
    with pytest.raises(AttributeError, match="predict_proba"):
        patient_scorer("neg_log_loss")(margins, X, y, patient)
    sums = build(aggregate=np.sum).fit(X, y, patient)
    with pytest.raises(BadOption, match="patient scores must lie between 0 and 1"):
        patient_scorer("neg_log_loss")(sums, X, y, patient)


def test_the_log_loss_is_of_the_patient_score(rows, model):
    X, y, patient = rows
    scores = model.score_patients(X, patient).scores
    expected = -log_loss(truth_of(rows, model), scores)
    assert patient_scorer("neg_log_loss")(model, X, y, patient) == pytest.approx(expected)


def test_another_estimator_is_refused(rows):
    X, y, _ = rows
    with pytest.raises(BadOption, match="must be given a StableThresholdClassifier; got an object"):
        patient_scorer("accuracy")(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(BadOption, match="scoring must be a name, such as 'roc_auc', or a scorer"):
        patient_scorer(None)

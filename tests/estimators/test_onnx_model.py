"""The ONNX model decides as the classifier that made it."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from steadycut import StableThresholdClassifier
from steadycut.errors import BadOption
from tests.estimators.spies import patient_rows

pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

SCORERS = [
    LogisticRegression(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    RandomForestClassifier(n_estimators=20),
    LinearSVC(),
    GaussianNB(),
]


def fitted(scorer, n_rows, **options):
    X, y, patient = patient_rows(n_patients=200, n_rows=n_rows)
    fixed = {"n_bootstrap": 3, "cv": 3, "random_state": 0}
    model = StableThresholdClassifier(scorer, **(fixed | options))
    return X[:, 1:], patient, model.fit(X[:, 1:], y, groups=patient)


def session(model):
    found = onnxruntime.InferenceSession(
        model.export().to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    double = "double" in found.get_inputs()[0].type

    def run(X):
        rows = np.asarray(X, dtype=np.float64 if double else np.float32)
        return found.run(["score", "decision"], {"X": rows})

    return found, run


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda one: type(one).__name__)
def test_rows_that_are_patients_are_decided_alike(scorer):
    _, _, model = fitted(scorer, 1)
    new = np.random.default_rng(5).normal(size=(2000, 2)).astype(np.float32).astype(np.float64)
    _, run = session(model)
    scores, decisions = run(new)
    expected = model.score_patients(new).scores
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-6)
    far = np.abs(expected - model.threshold_) > 1e-6
    # A forest has few different scores, and 2 % of these rows have the one at its cut-off.
    assert far.mean() > 0.97
    np.testing.assert_array_equal(decisions[far], model.predict(new)[far])
    assert 0 < decisions.mean() < 1


@pytest.mark.parametrize("how", ["mean", "max", "min"])
def test_one_patient_at_a_time_where_patients_have_several_rows(how):
    X, patient, model = fitted(LogisticRegression(), 4, aggregate=how)
    _, run = session(model)
    patients, decisions = model.predict_patients(X, patient)
    scores = model.score_patients(X, patient).scores
    for one, score, decision in zip(patients, scores, decisions, strict=True):
        found, called = run(X[patient == one])
        assert found == pytest.approx(score, abs=1e-12)
        assert called.shape == ()
        assert called == decision


def test_a_score_at_the_cut_off_is_called():
    """The logistic regression is computed in double precision, here to the last bit."""
    X, _, model = fitted(LogisticRegression(), 1)
    _, run = session(model)
    scores = run(X)[0]
    assert scores.dtype == np.float64
    model.threshold_ = float(scores[0])
    assert session(model)[1](X)[1][0] == 1
    model.threshold_ = float(np.nextafter(scores[0], np.inf))
    assert session(model)[1](X)[1][0] == 0


def test_the_frozen_rule_is_in_the_metadata_and_no_patient():
    _, _, model = fitted(LogisticRegression(), 1)
    rule = session(model)[0].get_modelmeta().custom_metadata_map["steadycut.rule"]
    assert json.loads(rule)["threshold"] == model.threshold_
    assert rule.encode() == model.study_.freeze().to_bytes()


def test_what_cannot_be_converted_is_refused_in_one_line():
    _, _, model = fitted(LogisticRegression(), 2, aggregate="median")
    with pytest.raises(BadOption, match="to_onnx knows the aggregators mean, max, min; got 'med"):
        model.export().to_onnx()

    class Own(KNeighborsClassifier):
        pass

    _, _, model = fitted(Own(), 1)
    with pytest.raises(BadOption, match="skl2onnx cannot convert Own") as caught:
        model.export().to_onnx()
    assert "\n" not in str(caught.value)

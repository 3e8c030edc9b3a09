"""What is exported decides as the classifier does, and carries no patient."""

import pickle
import pickletools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import steadycut
from steadycut import StableThresholdClassifier
from steadycut.errors import BadOption, BadPatients
from steadycut.estimators.inputs import read_patients
from tests.estimators.spies import patient_rows

# No other text contains it.
MARK = "mrn-77"


@pytest.fixture(scope="module")
def rows():
    X, y, patient = patient_rows()
    return X, np.where(y, "sick", "well"), np.array([f"{MARK}{one}" for one in patient])


@pytest.fixture(scope="module")
def model(rows):
    options = {"n_bootstrap": 20, "cv": 3, "random_state": 0}
    return StableThresholdClassifier(LogisticRegression(), **options).fit(*rows)


def test_it_decides_as_the_classifier_after_a_pickle(rows, model):
    X, y, patient = rows
    sent = pickle.loads(pickle.dumps(model.export()))  # noqa: S301
    assert sent.threshold_ == model.threshold_
    for ask in ("predict", "flip_probability"):
        given, expected = (getattr(one, ask)(X, groups=patient) for one in (sent, model))
        np.testing.assert_array_equal(given, expected)
    named, expected = (one.predict_patients(X, groups=patient) for one in (sent, model))
    np.testing.assert_array_equal(named.decisions, expected.decisions)
    np.testing.assert_array_equal(named.patients, expected.patients)
    assert sent.score(X, y, groups=patient) == model.score(X, y, groups=patient)
    assert sent.score_patients(X, patient).fingerprint() == (
        model.score_patients(X, patient).fingerprint()
    )


def test_a_pickle_of_it_carries_no_patient(model):
    whole, sent = pickle.dumps(model), pickle.dumps(model.export())
    assert MARK in str(whole) or MARK.encode("utf-32-le") in whole
    for encoding in ("utf-8", "utf-16-le", "utf-32-le"):
        assert MARK.encode(encoding) not in sent
    assert model.study_.patients.scores.tobytes() in whole
    assert model.study_.patients.scores.tobytes() not in sent
    names = {str(value) for _, value, _ in pickletools.genops(sent) if isinstance(value, str)}
    assert not {"PatientScores", "Study"} & {name.split()[-1] for name in names if name.strip()}


def test_its_rule_is_the_frozen_rule_of_the_study(rows, model):
    X, y, patient = rows
    assert model.export().rule == model.study_.freeze()
    assert model.export(small_cells=3).rule == model.study_.freeze(small_cells=3)
    sent = model.export()
    found = sent.score_patients(X, patient)
    labels = dict(zip(patient.tolist(), y.tolist(), strict=True))
    truth = [int(labels[one] == "well") for one in found.patients.tolist()]
    audit = steadycut.audit(sent.rule, found.scores, truth, force=True)
    assert audit.to_dict()["rule"] == model.study_.freeze().to_dict()["rule"]


def test_it_needs_the_patients_of_rows_and_no_fit(rows, model):
    with pytest.raises(BadPatients, match="groups are missing"):
        model.export().predict(rows[0])
    assert not hasattr(model.export(), "fit")


def test_what_is_not_fitted_is_not_exported():
    with pytest.raises(NotFittedError):
        StableThresholdClassifier(LogisticRegression()).export()


# As a plain estimator of scikit-learn, and in ONNX.


def one_row_each(estimator, names=("sick", "well")):
    X, y, patient = patient_rows(n_patients=120, n_rows=1)
    model = StableThresholdClassifier(estimator, n_bootstrap=5, cv=3, random_state=0)
    return X[:, 1:], model.fit(X[:, 1:], np.array(names)[y], groups=patient)


@pytest.mark.parametrize("scorer", [LogisticRegression(), LinearSVC(), DecisionTreeClassifier()])
def test_a_fixed_threshold_classifier_decides_the_same(scorer):
    X, model = one_row_each(scorer)
    plain = pickle.loads(pickle.dumps(model.export().to_sklearn()))  # noqa: S301
    assert type(plain) is FixedThresholdClassifier
    np.testing.assert_array_equal(plain.predict(X), model.predict(X))
    np.testing.assert_array_equal(plain.classes_, model.classes_)
    # Fitting it again on anything changes nothing.
    refitted = plain.fit(X[:9], np.array(["sick", "well", "well"] * 3))
    np.testing.assert_array_equal(refitted.predict(X), model.predict(X))


@pytest.mark.parametrize("scorer", [LogisticRegression(), LinearSVC()])
@pytest.mark.parametrize("names", [("sick", "well"), (False, True), (0, 1), (3.0, 7.0)])
def test_a_score_at_the_cut_off_is_called_there_too(scorer, names):
    X, model = one_row_each(scorer, names)
    at = float(model.score_patients(X[:1]).scores[0])
    for threshold, called in ((at, 1), (np.nextafter(at, np.inf), 0)):
        model.threshold_ = threshold
        plain = model.export().to_sklearn()
        assert plain.predict(X[:1])[0] == model.predict(X[:1])[0] == names[called]


def test_rows_of_patients_are_no_fixed_threshold(model):
    with pytest.raises(BadOption, match="decides about rows, but the patients have several rows"):
        model.export().to_sklearn()


def test_a_scorer_of_one_class_is_not_converted(model):
    alone = replace(model.export(), estimator_=DummyClassifier().fit([[0], [1]], [1, 1]))
    for convert in (alone.to_sklearn, alone.to_onnx):
        with pytest.raises(BadOption, match="of one class only"):
            convert()


def test_a_share_of_rows_is_not_the_score_of_one_row():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.repeat([0, 1], 60)
    X[:, 0] += 2 * y
    model = StableThresholdClassifier(
        LogisticRegression(), aggregate="fraction-above:0.7", n_bootstrap=10, random_state=0
    )
    plain = model.fit(X, y, groups=range(120)).export()
    with pytest.raises(BadOption, match="the score 0 or 1"):
        plain.to_sklearn()


@pytest.mark.parametrize(("kind", "first"), [(np.float32, 2**24), (np.float64, 2**53)])
def test_floats_that_would_merge_patients_are_refused(kind, first):
    with pytest.raises(BadPatients, match="patients would merge"):
        read_patients(np.array([first, first + 2], dtype=kind), 2)

"""Cheaper refits: exact where they should be, and recorded as approximations."""

import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

import steadycut
from steadycut import StableThresholdClassifier
from steadycut.errors import BadCheckpoint, BadOption, SteadycutWarning
from steadycut.estimators.cross_fit import QuickFolds
from steadycut.estimators.shortcuts import REFITS, one_step
from tests.estimators.spies import Spy, patient_rows

EXACT = {"tol": 1e-12, "max_iter": 10_000, "solver": "newton-cholesky"}


def build(estimator, **options):
    fixed = {"n_bootstrap": 8, "cv": 3, "random_state": 0}
    return StableThresholdClassifier(estimator, **(fixed | options))


def draws(estimator, rows, **options):
    return build(estimator, **options).fit(*rows).study_.chosen.draws.thresholds


def scaled(**options):
    return make_pipeline(StandardScaler(), LogisticRegression(**options))


@pytest.fixture(scope="module")
def rows():
    return patient_rows(n_patients=80, shift=1.0)


# The last step.


@pytest.mark.parametrize("first", ["passthrough", FunctionTransformer()])
@pytest.mark.parametrize("last", [LogisticRegression(), RandomForestClassifier(n_estimators=5)])
def test_the_last_step_behind_no_change_is_the_full_refit_bit_by_bit(rows, first, last):
    pipeline = make_pipeline(first, last)
    full = draws(pipeline, rows)
    np.testing.assert_array_equal(draws(pipeline, rows, refit="last"), full)
    np.testing.assert_array_equal(draws(last, rows), full)


def test_the_steps_before_are_fitted_once_on_those_who_choose(rows):
    """By hand: the features of the deployed model, and full refits of its head on them."""
    X, y, patient = rows
    log = []

    class Watched(StandardScaler):
        def fit(self, X, y=None):
            log.append(set(X[:, 0].astype(int).tolist()))
            return super().fit(X, y)

    model = build(make_pipeline(Watched(), LogisticRegression()), refit="last").fit(X, y, patient)
    # Three folds and the deployed scorer; no replicate.
    assert len(log) == 3 + 1
    study = model.study_
    choosing = study.patients.patients[study.roles.select].astype(int)
    assert log[-1] == set(choosing.tolist())
    features = model.estimator_[:-1].transform(X)
    by_hand = draws(LogisticRegression(), (features, y, patient))
    np.testing.assert_allclose(study.chosen.draws.thresholds, by_hand, rtol=1e-12)


def test_nobody_is_scored_by_a_last_step_that_saw_him(rows):
    log = []
    build(make_pipeline("passthrough", Spy(log)), refit="last").fit(*rows)
    assert len([one for one in log if one[0] == "score"]) == 3 + 1 + 8 * 3
    assert not any(set(seen) & set(scored) for what, seen, scored in log if what == "score")


# Warm starts.


def test_a_warm_start_ends_where_a_cold_one_does(rows):
    tight = scaled(**EXACT)
    full = draws(tight, rows)
    np.testing.assert_allclose(draws(tight, rows, refit="warm"), full, rtol=0, atol=1e-6)
    assert np.ptp(full) > 0.01


def test_a_warm_start_begins_at_the_full_fit_and_leaves_it_alone(rows):
    X, y, patient = rows
    began = []

    class Watched(SGDClassifier):
        def fit(self, X, y):
            began.append(np.copy(self.coef_) if hasattr(self, "coef_") else None)
            return super().fit(X, y)

    watched = Watched(loss="log_loss")
    model = build(watched, refit="warm").fit(X, y, patient)
    assert [one is None for one in began] == [True] * 4 + [False] * 24
    for start in began[4:]:
        np.testing.assert_array_equal(start, model.estimator_.coef_)
    assert not model.estimator_.warm_start
    assert not hasattr(watched, "coef_")


# One Newton step.


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0.3, "sick", "healthy")
    return X, y


HEADS = [
    LogisticRegression(C=0.5, **EXACT),
    LogisticRegression(C=5.0, fit_intercept=False, **EXACT),
    LogisticRegression(class_weight={"sick": 3.0, "healthy": 1.0}, **EXACT),
    LogisticRegression(class_weight="balanced", **EXACT),
]


def coefficients(model):
    return np.append(model.coef_, model.intercept_)


@pytest.mark.parametrize("head", HEADS)
def test_weights_of_one_give_the_full_fit(fitted, head):
    head.fit(*fitted)
    again = one_step(head).fit(*fitted, sample_weight=np.ones(120))
    np.testing.assert_allclose(coefficients(again), coefficients(head), atol=1e-8)
    np.testing.assert_allclose(again.predict_proba(fitted[0]), head.predict_proba(fitted[0]))


@pytest.mark.parametrize("head", HEADS[:3])
def test_a_small_change_of_weights_is_a_finite_difference(fitted, head):
    """The derivative of the fit along a direction of weights, by central differences of fits."""
    X, y = fitted
    head.fit(X, y)
    direction = np.random.default_rng(1).normal(size=120)
    size = 1e-3
    ends = [
        coefficients(LogisticRegression(**head.get_params()).fit(X, y, 1 + sign * size * direction))
        for sign in (1, -1)
    ]
    derivative = (ends[0] - ends[1]) / (2 * size)
    step = 1e-6
    moved, kept = (
        coefficients(one_step(head).fit(X, y, 1 + size * direction)) for size in (step, 0.0)
    )
    np.testing.assert_allclose((moved - kept) / step, derivative, rtol=1e-3, atol=1e-5)
    assert np.abs(derivative).max() > 0.01


def test_repeated_rows_are_weights(fitted):
    X, y = fitted
    head = LogisticRegression(**EXACT).fit(X, y)
    drawn = np.random.default_rng(2).integers(120, size=120)
    by_rows = one_step(head).fit(X[drawn], y[drawn])
    by_weights = one_step(head).fit(X, y, np.bincount(drawn, minlength=120))
    np.testing.assert_allclose(coefficients(by_rows), coefficients(by_weights), rtol=1e-10)


def test_steps_repeated_reach_the_fit_on_the_other_rows(fitted):
    """Newton's method with brute force: it converges to scikit-learn's own fit."""
    X, y = fitted
    model = one_step(LogisticRegression(**EXACT).fit(X, y))
    for _ in range(8):
        model.fit(X[:70], y[:70])
    other = LogisticRegression(**EXACT).fit(X[:70], y[:70])
    np.testing.assert_allclose(coefficients(model), coefficients(other), atol=1e-7)


def test_one_step_is_near_full_refits_where_patients_are_many(rows):
    X, y, patient = patient_rows(n_patients=800, shift=1.0)
    full, quick = (
        draws(scaled(), (X, y, patient), refit=how, n_bootstrap=20) for how in ("full", "one-step")
    )
    # The cut-off jumps from gap to gap, so a single draw may differ by more.
    assert np.median(np.abs(full - quick)) < 0.25 * full.std()
    assert np.abs(full - quick).max() > 0


# What every shortcut leaves alone, and what says that it was taken.


@pytest.mark.parametrize("refit", REFITS)
def test_cut_off_scorer_and_certificate_are_those_of_full_fits(rows, refit):
    model, full = (build(scaled(), refit=how).fit(*rows) for how in (refit, "full"))
    assert model.threshold_ == full.threshold_
    assert model.study_.certificate == full.study_.certificate
    np.testing.assert_array_equal(model.estimator_[-1].coef_, full.estimator_[-1].coef_)
    plain = model.study_.to_dict()["stability"]
    frozen = json.loads(model.study_.freeze().to_bytes())["stability"]
    said = [text for text in model.warnings_ if text.startswith("approximate refits: ")]
    if refit == "full":
        assert "refit" not in plain
        assert "refit" not in frozen
        assert said == []
    else:
        assert plain["refit"] == frozen["refit"] == refit
        assert f"refit='{refit}'" in said[0]
        assert said[0] in plain["warnings"]
        assert said[0] in frozen["warnings"]


def test_fit_warns_that_the_draws_are_approximate(rows):
    with pytest.warns(SteadycutWarning, match="approximate refits: the bootstrap used refit='la"):
        build(scaled(), refit="last").fit(*rows)


def test_a_rule_with_approximate_draws_is_read_back(rows, tmp_path):
    rule = build(scaled(), refit="one-step").fit(*rows).study_.freeze()
    rule.save(tmp_path / "rule.json")
    assert steadycut.FrozenRule.load(tmp_path / "rule.json").to_bytes() == rule.to_bytes()


@pytest.mark.parametrize("refit", REFITS[1:])
def test_workers_and_checkpoints_change_nothing(rows, tmp_path, refit):
    alone = draws(scaled(), rows, refit=refit)
    np.testing.assert_array_equal(draws(scaled(), rows, refit=refit, n_jobs=2), alone)
    np.testing.assert_array_equal(draws(scaled(), rows, refit=refit, checkpoint=tmp_path), alone)
    np.testing.assert_array_equal(draws(scaled(), rows, refit=refit, checkpoint=tmp_path), alone)
    with pytest.raises(BadCheckpoint, match="of another study: options differs"):
        build(scaled(), checkpoint=tmp_path).fit(*rows)


@pytest.mark.parametrize("refit", REFITS)
def test_patients_of_one_class_who_choose_are_no_obstacle(refit):
    X, y, patient = patient_rows(n_patients=4, n_rows=2)
    for seed in range(12):
        model = build(scaled(), refit=refit, random_state=seed).fit(X, y, patient)
        assert not np.isnan(model.study_.chosen.draws.thresholds).any()


@pytest.mark.parametrize(
    ("refit", "estimator", "text"),
    [
        ("half", LogisticRegression(), "refit must be one of full, last, warm, one-step; got"),
        (None, LogisticRegression(), "refit must be one of"),
        ("last", LogisticRegression(), "needs a Pipeline, .* got LogisticRegression alone"),
        ("warm", LinearSVC(), "needs a last step with warm_start .* got LinearSVC"),
        ("warm", RandomForestClassifier(), "got RandomForestClassifier"),
        ("warm", make_pipeline(StandardScaler(), HistGradientBoostingClassifier()), "got HistG"),
        ("one-step", MLPClassifier(), "needs LogisticRegression with an L2 penalty.* got MLP"),
        ("one-step", LogisticRegressionCV(), "got LogisticRegressionCV"),
        ("one-step", LogisticRegression(C=np.inf), "got LogisticRegression"),
        ("one-step", LogisticRegression(solver="liblinear"), "got LogisticRegression"),
        ("one-step", scaled(l1_ratio=0.5, solver="saga"), "got LogisticRegression"),
    ],
)
def test_what_a_scorer_does_not_offer_is_refused_before_any_fit(rows, refit, estimator, text):
    with pytest.raises(BadOption, match=text) as caught:
        build(estimator, refit=refit).fit(*rows)
    assert "\n" not in str(caught.value)


# Folds.


@pytest.mark.parametrize("n_folds", [2, 3, 5, 8, 10])
@pytest.mark.parametrize("share", [0.15, 0.5, 0.8])
def test_quick_folds_are_those_of_sklearn(n_folds, share):
    rng = np.random.default_rng(n_folds)
    for seed in range(5):
        labels = (rng.random(int(rng.integers(80, 200))) < share).astype(int)
        for drawn in (np.arange(labels.size), rng.integers(labels.size, size=labels.size)):
            given = labels[drawn], labels[drawn], drawn
            ours, theirs = (
                [
                    held.tolist()
                    for _, held in kind(n_folds, shuffle=True, random_state=seed).split(*given)
                ]
                for kind in (QuickFolds, StratifiedGroupKFold)
            )
            assert ours == theirs

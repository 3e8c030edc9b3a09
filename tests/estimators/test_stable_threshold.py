"""The scikit-learn edge: its contract, scikit-learn's own checks, and every refusal."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import steadycut
from steadycut import StableThreshold
from steadycut.errors import (
    BadOption,
    BadPatients,
    FewPatientsWarning,
    SteadycutWarning,
    TooFewPatients,
    UnstableCutWarning,
)
from tests.estimators.fresh_process import run_in_fresh_process

SETTINGS = [{}, {"honesty": "uniform"}, {"rule": "youden", "grid": "exact"}]
DEFAULTS = {
    "rule": "stable",
    "cost_fn": 1.0,
    "cost_fp": 1.0,
    "grid": "exact",
    "n_bootstrap": 200,
    "delta": 0.1,
    "honesty": "split",
    "certify_size": 0.5,
    "random_state": None,
    "direction": "ge",
    "target_prevalence": None,
}


def make_cohort(n_patients=80, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    return rng.normal(size=n_patients) + 2 * labels, labels


@pytest.fixture
def cohort():
    return make_cohort()


@pytest.fixture
def model(cohort):
    return StableThreshold(random_state=0).fit(*cohort)


# scikit-learn's own checks; those that pass matrices are in test_sklearn_checks.py.


def test_what_sklearn_can_check_without_the_adapter_passes():
    with pytest.warns(match="Can't test estimator StableThreshold which requires input"):
        results = check_estimator(StableThreshold())
    assert {one["status"] for one in results} == {"passed"}


def test_input_tags_are_those_of_isotonic_regression():
    tags = get_tags(StableThreshold())
    assert tags.input_tags == get_tags(IsotonicRegression()).input_tags
    assert not tags.classifier_tags.multi_class
    assert tags.estimator_type == "classifier"


def test_there_is_no_decision_function_and_no_probability():
    assert not hasattr(StableThreshold, "decision_function")
    assert not hasattr(StableThreshold, "predict_proba")


# Parameters.


def test_parameters_and_their_defaults():
    assert StableThreshold().get_params() == DEFAULTS


def test_init_stores_whatever_it_is_given():
    nonsense = {name: object() for name in DEFAULTS}
    assert all(
        StableThreshold(**nonsense).get_params()[name] is nonsense[name] for name in DEFAULTS
    )


def test_clone_keeps_parameters_and_nothing_learned(model):
    model.set_params(rule="erm", cost_fn=3.0)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "threshold_")


@pytest.mark.parametrize(
    "options",
    [
        *({name: value} for name in ("cost_fn", "cost_fp") for value in (0, -1.0, np.inf, "1")),
        *({name: value} for name in ("delta", "certify_size") for value in (0, 1, 1.5, None)),
        *({"grid": value} for value in (1, 2.5, "fine")),
        *({"n_bootstrap": value} for value in (1, 10.0, None)),
        *({"rule": value} for value in ("median", "sensitivity:", "specificity:2")),
        *({"honesty": value} for value in ("none", None)),
        *({"direction": value} for value in ("gt", "<=", None)),
        *({"target_prevalence": value} for value in (0, 1.5, "0.1", (0.4, 0.1))),
        *({"random_state": value} for value in (-1, 1.5, "seed")),
    ],
)
def test_bad_options_are_refused_in_fit_and_leave_nothing(cohort, options):
    refused = StableThreshold(**options)
    with pytest.raises(BadOption):
        refused.fit(*cohort)
    with pytest.raises(NotFittedError):
        refused.predict(cohort[0])


# What it returns is the study.


@pytest.mark.parametrize("options", SETTINGS)
def test_it_is_the_study_of_the_same_options_and_seed(cohort, options):
    scores, labels = cohort
    model = StableThreshold(**options, cost_fn=2.0, random_state=5).fit(scores, labels)
    patients = steadycut.PatientScores(scores=scores, labels=labels)
    study = steadycut.fit(patients, **options, cost_fn=2.0, seed=5)
    assert model.threshold_ == model.study_.threshold == study.threshold
    assert model.study_.to_dict() == study.to_dict()
    assert json.loads(json.dumps(model.study_.to_dict()))["threshold"] == model.threshold_
    np.testing.assert_array_equal(model.flip_probability(scores), study.flip_probability(scores))


def test_fit_returns_itself_and_learns_what_it_says(cohort):
    model = StableThreshold(random_state=0)
    assert model.fit(*cohort) is model
    learned = {name for name in vars(model) if name.endswith("_")}
    assert learned == {"threshold_", "study_", "classes_", "n_features_in_", "warnings_"}
    assert model.n_features_in_ == 1


def test_uniform_lets_all_patients_choose(cohort):
    scores, labels = cohort
    everybody = StableThreshold(honesty="uniform", random_state=0).fit(scores, labels)
    assert everybody.study_.select_patients.n_patients == scores.size
    most = StableThreshold(certify_size=0.25, random_state=0).fit(scores, labels)
    assert most.study_.select_patients.n_patients == 60


def test_a_patient_exactly_at_the_threshold_is_called(model):
    just_below = np.nextafter(model.threshold_, -np.inf)
    np.testing.assert_array_equal(model.predict([just_below, model.threshold_]), [0, 1])


def test_flip_probability_is_small_far_away_and_large_at_the_threshold(model):
    far_below, at, far_above = model.flip_probability([-50.0, model.threshold_, 50.0])
    assert far_below == far_above == 0
    assert 0 < at <= 1


def test_score_is_accuracy(cohort, model):
    scores, labels = cohort
    assert model.score(scores, labels) == np.mean((scores >= model.threshold_) == labels)
    assert model.score(scores, labels) > 0.75


# Direction and prevalence.


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_low_scores_are_called_where_the_direction_says_so(cohort, honesty):
    scores, labels = cohort
    shared = {"honesty": honesty, "random_state": 0}
    low = StableThreshold(direction="le", **shared).fit(-scores, labels)
    high = StableThreshold(**shared).fit(scores, labels)
    assert low.threshold_ == -high.threshold_
    assert low.study_.options.direction == "le"
    np.testing.assert_array_equal(low.predict(-scores), high.predict(scores))
    np.testing.assert_array_equal(low.flip_probability(-scores), high.flip_probability(scores))
    at = low.threshold_
    np.testing.assert_array_equal(low.predict([at, np.nextafter(at, np.inf)]), [1, 0])
    assert low.study_.freeze().to_dict()["direction"] == "le"


def test_a_parameter_set_after_fit_changes_no_decision(cohort, model):
    before = model.predict(cohort[0])
    model.set_params(direction="le")
    np.testing.assert_array_equal(model.predict(cohort[0]), before)


@pytest.mark.parametrize("target", [0.1, (0.05, 0.2)])
def test_the_risk_is_taken_at_the_prevalence_that_is_given(cohort, model, target):
    scores, labels = cohort
    there = StableThreshold(target_prevalence=target, random_state=0).fit(scores, labels)
    patients = steadycut.PatientScores(scores=scores, labels=labels)
    study = steadycut.fit(patients, target_prevalence=target, seed=0)
    assert there.study_.to_dict() == study.to_dict()
    assert there.study_.certificate.value != model.study_.certificate.value
    # Fewer are ill there, so fewer are called.
    assert there.threshold_ > model.threshold_


# Classes.


@pytest.mark.parametrize(
    ("negative", "positive"),
    [("benign", "tumour"), (False, True), (1, 2), (-1, 1), (0.0, 1.0), (3, 7)],
)
def test_any_two_classes_with_the_larger_one_positive(cohort, model, negative, positive):
    scores, labels = cohort
    named = np.where(labels == 1, positive, negative)
    other = StableThreshold(random_state=0).fit(scores, named)
    assert other.threshold_ == model.threshold_
    np.testing.assert_array_equal(other.classes_, [negative, positive])
    predicted = other.predict(scores)
    assert predicted.dtype == other.classes_.dtype == named.dtype
    np.testing.assert_array_equal(
        predicted, np.where(scores >= model.threshold_, positive, negative)
    )


def test_classes_in_lists_objects_and_categories(cohort, model):
    scores, labels = cohort
    names = np.where(labels == 1, "sick", "healthy")
    for target in (names.tolist(), names.astype(object), pd.Series(names, dtype="category")):
        other = StableThreshold(random_state=0).fit(scores, target)
        assert other.threshold_ == model.threshold_
        assert list(other.predict([-9.0, 9.0])) == ["healthy", "sick"]


def test_a_column_of_classes_warns_as_sklearn_does(cohort, model):
    scores, labels = cohort
    with pytest.warns(DataConversionWarning):
        other = StableThreshold(random_state=0).fit(scores, labels[:, None])
    assert other.threshold_ == model.threshold_


# Forms of the scores.


@pytest.mark.parametrize(
    "form",
    [
        list,
        lambda scores: scores[:, None],
        lambda scores: [[score] for score in scores],
        lambda scores: np.repeat(scores, 2)[::2],
        pd.Series,
        lambda scores: pd.Series(scores, index=np.arange(scores.size)[::-1], name="score"),
        lambda scores: pd.DataFrame({"score": scores}),
    ],
)
def test_every_form_of_the_same_scores_gives_the_same(cohort, model, form):
    scores, labels = cohort
    other = StableThreshold(random_state=0).fit(form(scores), labels)
    assert other.threshold_ == model.threshold_
    np.testing.assert_array_equal(other.predict(form(scores)), model.predict(scores))
    np.testing.assert_array_equal(
        other.flip_probability(form(scores)), model.flip_probability(scores)
    )


def test_a_column_and_a_vector_may_be_mixed(cohort, model):
    scores, labels = cohort
    column = StableThreshold(random_state=0).fit(scores[:, None], labels)
    np.testing.assert_array_equal(column.predict(scores), model.predict(scores[:, None]))


def test_a_frame_leaves_the_name_of_its_column(cohort):
    scores, labels = cohort
    model = StableThreshold(random_state=0).fit(pd.DataFrame({"burden": scores}), labels)
    assert list(model.feature_names_in_) == ["burden"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame({"age": scores}))


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, np.float32, bool])
def test_whole_numbers_and_short_floats(cohort, dtype):
    scores, labels = cohort
    coarse = np.clip(10 * scores + 40, 0, 100).astype(dtype)
    model = StableThreshold(random_state=0).fit(coarse, labels)
    as_float = StableThreshold(random_state=0).fit(coarse.astype(np.float64), labels)
    assert model.threshold_ == as_float.threshold_
    assert model.threshold_ not in coarse
    np.testing.assert_array_equal(model.predict(coarse), as_float.predict(coarse))


def test_scores_are_not_changed(cohort):
    scores, labels = (np.array(column) for column in cohort)
    before = scores.copy(), labels.copy()
    StableThreshold(random_state=0).fit(scores, labels).predict(scores)
    np.testing.assert_array_equal(scores, before[0])
    np.testing.assert_array_equal(labels, before[1])
    assert scores.flags.writeable


# Randomness.


def test_same_random_state_same_study(cohort):
    first, second, other = (StableThreshold(random_state=seed).fit(*cohort) for seed in (3, 3, 4))
    assert first.study_.to_dict() == second.study_.to_dict()
    assert first.study_.to_dict() != other.study_.to_dict()
    assert first.threshold_ == first.fit(*cohort).threshold_


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_a_generator_is_asked_for_one_seed_a_fit(cohort, make):
    model = StableThreshold(random_state=make(1))
    seeds = [model.fit(*cohort).study_.options.seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    again = StableThreshold(random_state=make(1)).fit(*cohort)
    assert again.study_.options.seed == seeds[0]
    repeated = StableThreshold(random_state=seeds[1]).fit(*cohort)
    assert repeated.study_.to_dict() == model.study_.to_dict()


def test_no_random_state_follows_the_global_one(cohort):
    before = np.random.get_state()  # noqa: NPY002
    try:
        seeds = []
        for _ in range(2):
            np.random.seed(11)  # noqa: NPY002
            seeds += [StableThreshold().fit(*cohort).study_.options.seed for _ in range(2)]
    finally:
        np.random.set_state(before)  # noqa: NPY002
    assert seeds[:2] == seeds[2:]
    assert seeds[0] != seeds[1]


def test_a_numpy_integer_is_a_seed(cohort, model):
    other = StableThreshold(random_state=np.int32(0)).fit(*cohort)
    assert other.threshold_ == model.threshold_
    assert type(other.study_.options.seed) is int


def test_pickling_keeps_everything(cohort, model):
    scores, _ = cohort
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(copy.predict(scores), model.predict(scores))
    np.testing.assert_array_equal(copy.flip_probability(scores), model.flip_probability(scores))
    assert copy.study_.to_dict() == model.study_.to_dict()


# Among other estimators.


def test_in_a_pipeline(cohort, model):
    scores, labels = cohort
    pipeline = make_pipeline(FunctionTransformer(np.exp), StableThreshold(random_state=0))
    pipeline.fit(scores, labels)
    assert list(pipeline.classes_) == [0, 1]
    alone = StableThreshold(random_state=0).fit(np.exp(scores), labels)
    np.testing.assert_array_equal(pipeline.predict(scores), alone.predict(np.exp(scores)))


def test_in_a_pipeline_that_picks_a_column(cohort, model):
    scores, labels = cohort
    table = pd.DataFrame({"age": np.arange(scores.size), "score": scores})
    pick = FunctionTransformer(lambda frame: frame["score"])
    pipeline = make_pipeline(pick, StableThreshold(random_state=0)).fit(table, labels)
    np.testing.assert_array_equal(pipeline.predict(table), model.predict(scores))


@pytest.mark.parametrize("form", [np.asarray, pd.Series, lambda scores: scores[:, None]])
def test_cross_validation_with_one_dimension(cohort, form):
    scores, labels = cohort
    names = np.where(labels == 1, "sick", "healthy")
    predicted = cross_val_predict(StableThreshold(random_state=0), form(scores), names, cv=4)
    assert set(predicted) == {"healthy", "sick"}
    assert np.mean(predicted == names) > 0.75
    accuracies = cross_val_score(StableThreshold(random_state=0), form(scores), names, cv=4)
    assert np.mean(accuracies) == pytest.approx(np.mean(predicted == names))


def test_in_a_grid_search(cohort):
    search = GridSearchCV(StableThreshold(random_state=0), {"rule": ["erm", "stable"]}, cv=2)
    assert search.fit(*cohort).best_params_["rule"] in {"erm", "stable"}


# Refusals and warnings.


def test_unfitted():
    for method in ("predict", "flip_probability"):
        with pytest.raises(NotFittedError):
            getattr(StableThreshold(), method)([1.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers(cohort, model, bad):
    scores, labels = cohort
    spoilt = np.append(scores[:-1], bad)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        StableThreshold().fit(spoilt, labels)
    for method in (model.predict, model.flip_probability):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            method(spoilt)


def test_more_than_one_column(cohort, model):
    scores, labels = cohort
    two = np.column_stack([scores, scores])
    with pytest.raises(BadPatients, match=r"one score per patient; got \(80, 2\)"):
        StableThreshold().fit(two, labels)
    for method in (model.predict, model.flip_probability):
        with pytest.raises(BadPatients, match=r"one score per patient; got \(80, 2\)"):
            method(two)


@pytest.mark.parametrize(
    "form",
    [
        lambda scores: scores[:, None, None],
        lambda scores: scores[0],
        lambda scores: scores[:0],
        lambda scores: scores + 1j,
        lambda scores: np.full(scores.size, "high"),
        lambda scores: sparse.csr_array(scores[:, None]),
    ],
)
def test_what_is_no_vector_of_numbers(cohort, model, form):
    scores, labels = cohort
    for call in (lambda x: StableThreshold().fit(x, labels[: np.size(x)]), model.predict):
        with pytest.raises((ValueError, TypeError)):
            call(form(scores))


def test_scores_and_classes_of_different_length(cohort):
    scores, labels = cohort
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        StableThreshold().fit(scores, labels[:-1])


@pytest.mark.parametrize(
    ("target", "error", "text"),
    [
        (np.ones(80), TooFewPatients, "one class only, for all 80 patients"),
        (np.arange(80) % 3, BadPatients, "Only binary classification is supported"),
        (np.linspace(0, 1, 80), ValueError, "continuous"),
        (np.where(np.arange(80) % 2, 1.0, np.nan), ValueError, "NaN"),
        (np.eye(80, 2, dtype=int), ValueError, "1d array"),
        (None, ValueError, "requires y to be passed"),
    ],
)
def test_targets_that_are_not_two_classes(cohort, target, error, text):
    with pytest.raises(error, match=text):
        StableThreshold().fit(cohort[0], target)


def test_a_refused_fit_leaves_the_last_one(cohort, model):
    threshold = model.threshold_
    with pytest.raises(BadPatients):
        model.fit(cohort[0], np.arange(80) % 3)
    assert model.threshold_ == threshold
    assert list(model.classes_) == [0, 1]


@pytest.mark.parametrize("n_positive", [1, 5])
def test_one_patient_of_a_class_is_refused(n_positive):
    target = np.repeat([0, 1], [6 - n_positive, n_positive])
    with pytest.raises(TooFewPatients, match="at least 2 patients of each class"):
        StableThreshold().fit(np.arange(6.0), target)


@pytest.mark.parametrize("rule", ["stable", "erm", "youden", "sensitivity:0.9", "specificity:0.9"])
@pytest.mark.parametrize("grid", [200, "exact"])
@pytest.mark.parametrize("scores", [[0.1, 0.8, 0.2, 0.9], [1.0, 1.0, 1.0, 1.0]])
def test_two_patients_of_each_class_are_enough_however_they_are_dealt(rule, grid, scores):
    dealt = set()
    for seed in range(12):
        model = StableThreshold(rule=rule, grid=grid, n_bootstrap=20, random_state=seed)
        with pytest.warns(SteadycutWarning, match="few patients"):
            model.fit(scores, [0, 1, 0, 1])
        assert not np.isnan(model.threshold_)
        json.dumps(model.study_.to_dict(), allow_nan=False)
        dealt.add(model.study_.select_patients.n_positive)
    assert dealt == {0, 1, 2}


@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("few", [0, 1])
def test_a_class_below_ten_patients_warns_with_every_seed(honesty, few):
    target = np.repeat([few, 1 - few], [9, 40])
    scores = np.random.default_rng(0).normal(size=49) + target
    kind = "ill" if few else "healthy"
    for seed in range(3):
        model = StableThreshold(honesty=honesty, n_bootstrap=20, random_state=seed)
        with pytest.warns(SteadycutWarning) as caught:
            model.fit(scores, target)
        few_of = [one for one in caught if f" {kind} patients" in str(one.message)]
        assert {one.category for one in few_of} == {FewPatientsWarning}
        assert len(few_of) == (2 if honesty == "split" else 1)
        assert {one.filename for one in caught} == {__file__}


def test_what_the_study_warns_of_is_warned_of_once_and_kept(recwarn):
    scores, labels = make_cohort(20)
    model = StableThreshold(random_state=0).fit(scores, labels)
    assert any(text.startswith("few patients") for text in model.study_.warnings)
    assert model.warnings_ == model.study_.warnings
    assert [str(one.message) for one in recwarn.list] == model.warnings_


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_a_cut_off_that_the_patients_do_not_settle_warns(honesty):
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=300), rng.integers(0, 2, 300)
    with pytest.warns(UnstableCutWarning, match="flat minimum"):
        model = StableThreshold(honesty=honesty, random_state=0).fit(scores, labels)
    assert any(text.startswith("flat minimum") for text in model.warnings_)


def test_a_clear_cut_off_warns_of_nothing(recwarn):
    scores, labels = make_cohort(1_000)
    model = StableThreshold(rule="erm", grid="exact", random_state=0).fit(scores + labels, labels)
    kinds = [text.partition(":")[0] for text in model.warnings_]
    assert kinds == ["sampling"]
    assert len(recwarn.list) == 1


def test_without_sklearn_the_package_to_install_is_named():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import steadycut\n"
        "from steadycut.errors import MissingPackage\n"
        "try:\n    steadycut.StableThreshold\n"
        "except MissingPackage as error:\n    print(error)\n"
    )
    assert 'pip install "steadycut[sklearn]"' in run_in_fresh_process("-c", code)


def test_the_class_that_is_called_is_named_unless_it_is_1():
    rng = np.random.default_rng(0)
    sick = rng.random(100) < 0.5
    scores = rng.normal(size=100) + 3 * sick
    with pytest.warns(
        SteadycutWarning, match=r"^classes: 'healthy' counts as the ill class"
    ) as said:
        model = StableThreshold(random_state=0).fit(scores, np.where(sick, "cancer", "healthy"))
    assert "fit with y == 'cancer'" in str(said[0].message)
    assert model.positive_class_ == "healthy"
    for classes in ([0, 1], [-1, 1], [False, True]):
        model = StableThreshold(random_state=0).fit(scores, np.where(sick, classes[1], classes[0]))
        assert model.positive_class_ == 1
        assert not any(text.startswith("classes") for text in model.warnings_)


def test_what_is_no_score_is_refused_and_not_named():
    labels = np.arange(40) % 2
    with pytest.raises(BadPatients, match="scores must be numbers; some are other text") as told:
        StableThreshold().fit(np.array(["Smith"] * 40, dtype=object), labels)
    assert "Smith" not in str(told.value)
    masked = np.ma.masked_array(np.arange(40.0), mask=labels == 1)
    with pytest.raises(BadPatients, match="scores has masked entries"):
        StableThreshold().fit(masked, labels)
    shuffled = pd.Series(labels).sample(frac=1, random_state=0)
    with pytest.raises(BadPatients, match="y has its index in another order"):
        StableThreshold().fit(pd.Series(np.arange(40.0)), shuffled)

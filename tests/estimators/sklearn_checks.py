"""scikit-learn's checks of both estimators.

Run as a script it prints the outcome of every check, as JSON. scikit-learn's check of array API
input runs only where SCIPY_ARRAY_API was set before scipy was imported: hence a script.
"""

import json
import warnings

from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from steadycut import StableThreshold, StableThresholdClassifier
from steadycut.errors import SteadycutWarning

QUICK = {"n_bootstrap": 2, "cv": 2}


class FirstColumn(StableThreshold):
    """`StableThreshold` on the first column of a matrix, because the checks pass matrices only.

    Parameters and other tags are its own.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        return tags

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.threshold_model_ = StableThreshold(**self.get_params()).fit(X[:, 0], y)
        self.classes_ = self.threshold_model_.classes_
        return self

    def predict(self, X):
        first = self._first_column(X)
        return self.threshold_model_.predict(first)

    def flip_probability(self, X):
        first = self._first_column(X)
        return self.threshold_model_.flip_probability(first)

    def _first_column(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False)[:, 0]


class WrongColumn(FirstColumn):
    """Predicts scores instead of classes."""

    def predict(self, X):
        return X[:, 1]


class WrongClassifier(StableThresholdClassifier):
    """Predicts scores instead of classes."""

    def predict(self, X):
        return X[:, 0]


RIGHT = {
    "threshold, split": FirstColumn(),
    "threshold, uniform": FirstColumn(honesty="uniform"),
    "threshold, youden": FirstColumn(rule="youden", grid="exact"),
    "classifier, logistic": StableThresholdClassifier(LogisticRegression(), **QUICK),
    "classifier, margin": StableThresholdClassifier(LinearSVC(), **QUICK),
    "classifier, tree": StableThresholdClassifier(DecisionTreeClassifier(max_depth=3), **QUICK),
}
WRONG = {
    "threshold": WrongColumn(rule="erm", n_bootstrap=2),
    "classifier": WrongClassifier(LogisticRegression(), rule="erm", **QUICK),
}


def run_checks(model):
    """Run every check of scikit-learn; list name, status and exception of each."""
    results = check_estimator(model, on_fail=None, on_skip=None)
    return [(one["check_name"], one["status"], str(one["exception"])) for one in results]


def is_refused(model):
    try:
        check_estimator(model, on_fail="raise", on_skip=None)
    except Exception:  # noqa: BLE001, each check raises its own
        return True
    return False


def all_results():
    with warnings.catch_warnings():
        # The checks fit cohorts of ten patients: the only warning that is expected.
        warnings.simplefilter("ignore", SteadycutWarning)
        return {
            "right": {name: run_checks(model) for name, model in RIGHT.items()},
            "wrong": {name: is_refused(model) for name, model in WRONG.items()},
        }


if __name__ == "__main__":
    print(json.dumps(all_results()))  # noqa: T201

"""An adapter for scikit-learn's checks, which drive classifiers with matrices only.

Run as a script it prints the outcome of every check, as JSON. scikit-learn's check of array API
input runs only where SCIPY_ARRAY_API was set before scipy was imported: hence a script.
"""

import json
import sys
import warnings

from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from steadycut import StableThreshold
from steadycut.errors import SteadycutWarning


class FirstColumn(StableThreshold):
    """`StableThreshold` on the first column of a matrix; parameters and other tags are its own."""

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


def run_checks(on_fail=None, **options):
    """Run every check of scikit-learn; list name, status and exception of each."""
    with warnings.catch_warnings():
        # The checks fit cohorts of ten patients: the only warning that is expected.
        warnings.simplefilter("ignore", SteadycutWarning)
        results = check_estimator(FirstColumn(**options), on_fail=on_fail, on_skip=None)
    return [(one["check_name"], one["status"], str(one["exception"])) for one in results]


if __name__ == "__main__":
    print(json.dumps(run_checks(**json.loads(sys.argv[1]))))  # noqa: T201

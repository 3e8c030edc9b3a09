"""scikit-learn's checks of `StableThresholdClassifier`.

Run as a script it prints the outcome of every check, as JSON. scikit-learn's check of array API
input runs only where SCIPY_ARRAY_API was set before scipy was imported: hence a script.
"""

import json
import sys
import warnings

from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from steadycut import StableThresholdClassifier
from steadycut.errors import SteadycutWarning

ESTIMATORS = {
    "logistic": LogisticRegression(),
    "margin": LinearSVC(),
    "tree": DecisionTreeClassifier(max_depth=3),
}


def run_checks(estimator, on_fail=None, **options):
    """Run every check of scikit-learn; list name, status and exception of each."""
    model = StableThresholdClassifier(ESTIMATORS[estimator], **options)
    with warnings.catch_warnings():
        # The checks fit cohorts of ten patients: the only warning that is expected.
        warnings.simplefilter("ignore", SteadycutWarning)
        results = check_estimator(model, on_fail=on_fail, on_skip=None)
    return [(one["check_name"], one["status"], str(one["exception"])) for one in results]


if __name__ == "__main__":
    print(json.dumps(run_checks(**json.loads(sys.argv[1]))))  # noqa: T201

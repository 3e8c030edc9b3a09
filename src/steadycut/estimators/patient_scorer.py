"""scikit-learn's scorers, with one decision per patient instead of one per row."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.utils import column_or_1d
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import _num_samples

from steadycut.core.checks import FloatArray, refuse
from steadycut.estimators.decider import PatientDecider
from steadycut.estimators.inputs import one_class_each, read_patients, split_column


def patient_scorer(scoring: str | Callable[..., float]) -> "PatientScorer":
    """Return a scorer that counts patients, for `cross_validate` and `GridSearchCV`.

    scikit-learn's named scorers do not know the patients: they count rows, and with metadata
    routing they call ``predict`` without groups. This one gives the scorer one row per patient.

    Parameters
    ----------
    scoring
        A name such as ``"balanced_accuracy"``, ``"roc_auc"`` or ``"neg_log_loss"``, or a scorer
        made by `sklearn.metrics.make_scorer`.

    Returns
    -------
    PatientScorer
        It requests ``groups`` by itself, and takes a classifier or a pipeline that ends in one.

    Notes
    -----
    Scorers that need probabilities take the patient's score as the probability of ``classes_[1]``.
    They are refused if the scorer of the rows gives margins, or the aggregator leaves [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from steadycut.estimators import StableThresholdClassifier, patient_scorer
    >>> rng = np.random.default_rng(7)
    >>> patient = np.repeat(np.arange(120), 5)
    >>> sick = (rng.random(120) < 0.4)[patient]
    >>> X = rng.normal(size=(600, 3)) + sick[:, None]
    >>> model = StableThresholdClassifier(LogisticRegression(), n_bootstrap=5, random_state=0)
    >>> model = model.fit(X, sick, groups=patient)
    >>> patient_scorer("accuracy")(model, X, sick, groups=patient) == model.score(X, sick, patient)
    True
    """
    return PatientScorer(scoring)


class PatientScorer:
    """A scorer that counts patients; make it with `patient_scorer`."""

    def __init__(self, scoring: str | Callable[..., float]) -> None:
        if scoring is None:
            refuse("scoring", "be a name, such as 'roc_auc', or a scorer", scoring)
        self.scoring = scoring
        self._scorer = get_scorer(scoring)

    def __repr__(self) -> str:
        return f"patient_scorer({self.scoring!r})"

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, groups: ArrayLike | None = None
    ) -> float:
        """Return the score of a fitted classifier, or of a pipeline or search that holds one."""
        model = estimator
        while not isinstance(model, PatientDecider):
            if hasattr(model, "best_estimator_"):
                model = model.best_estimator_
            elif hasattr(model, "steps"):
                X = model[:-1].transform(X) if len(model.steps) > 1 else X
                model = model[-1]
            else:
                refuse("a patient_scorer", "be given a StableThresholdClassifier", estimator)
        scores = model.score_patients(X, groups).scores
        rows, groups = split_column(X, model.patient, groups)
        truth = one_class_each(column_or_1d(y), read_patients(groups, _num_samples(rows)))
        proba = hasattr(model.estimator_, "predict_proba")
        kind = WithProbabilities if proba else OnePerPatient
        return float(self._scorer(kind(model), scores, truth))

    def get_metadata_routing(self) -> MetadataRequest:
        """Say to scikit-learn that ``groups`` are wanted."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="groups", alias=True)
        return request


class OnePerPatient(ClassifierMixin, BaseEstimator):
    """The cut-off of a fitted classifier, as a classifier of patient scores."""

    def __init__(self, model: PatientDecider) -> None:
        self.model = model
        self.classes_ = model.classes_

    def predict(self, scores: FloatArray) -> NDArray[Any]:
        """Return the class of each patient."""
        return self.classes_[(scores >= self.model.threshold_).astype(np.intp)]

    def decision_function(self, scores: FloatArray) -> FloatArray:
        """Return the scores as they are, in which no rounding can make ties."""
        return scores


class WithProbabilities(OnePerPatient):
    """The same for scores that are probabilities."""

    def predict_proba(self, scores: FloatArray) -> FloatArray:
        """Return the scores as probabilities of the positive class, beside those of the other."""
        if scores.min() < 0 or scores.max() > 1:
            refuse("patient scores", "lie between 0 and 1 for this scorer", scores)
        return np.column_stack([1 - scores, scores])

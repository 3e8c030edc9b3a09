"""Decide about patients by a fitted scorer of their rows and a cut-off."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _num_samples, check_is_fitted

from steadycut.core.aggregate.aggregators import How
from steadycut.core.checks import FloatArray
from steadycut.core.records import PatientScores
from steadycut.errors import BadPatients
from steadycut.estimators import inputs
from steadycut.estimators.cross_fit import Scorer


class PatientDecisions(NamedTuple):
    """Patients as named in ``groups``, and the class of each."""

    patients: NDArray[Any]
    decisions: NDArray[Any]


class PatientDecider(ABC):
    """What a fitted scorer with a cut-off can say about the patients of given rows."""

    aggregate: How
    patient: int | str | None
    estimator_: Any
    classes_: NDArray[Any]
    threshold_: float
    one_row_each_: bool

    def predict(self, X: Any, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Return for each row the class of its patient.

        Parameters
        ----------
        X
            One row per instance.
        groups
            The patient of each row, shape (n,). It may be left out if ``patient`` names a column
            of ``X``, or if ``fit`` saw one row per patient; then each row is a patient here too.

        Returns
        -------
        ndarray of shape (n,)
        """
        scores, patients = self._scored(X, groups)
        return self._decide(scores)[patients.of_row]

    def decision_function(self, X: Any, groups: ArrayLike | None = None) -> FloatArray:
        """Return for each row how far the score of its patient lies above the cut-off.

        It is above 0 exactly where `predict` returns ``classes_[1]``, also for a score that equals
        the cut-off: what is subtracted is the largest number below the cut-off. If everybody or
        nobody is called, the arc tangent of the score plus or minus 2 keeps sign and order.

        Parameters
        ----------
        X, groups
            As in `predict`.

        Returns
        -------
        ndarray of shape (n,)
        """
        scores, patients = self._scored(X, groups)
        if np.isinf(self.threshold_):
            return (np.arctan(scores) - np.copysign(2, self.threshold_))[patients.of_row]
        return (scores - np.nextafter(self.threshold_, -np.inf))[patients.of_row]

    def predict_patients(self, X: Any, groups: ArrayLike | None = None) -> PatientDecisions:
        """Return the class of each patient.

        Parameters
        ----------
        X, groups
            As in `predict`.

        Returns
        -------
        PatientDecisions
            The pair ``patients``, ``decisions``; patients in the order of their names, as texts.
        """
        scores, patients = self._scored(X, groups)
        return PatientDecisions(patients.values, self._decide(scores))

    def score_patients(self, X: Any, groups: ArrayLike | None = None) -> PatientScores:
        """Return the score of each patient, in the order of `predict_patients`.

        Parameters
        ----------
        X, groups
            As in `predict`.

        Returns
        -------
        steadycut.PatientScores
            Scores without labels, as a frozen rule and `steadycut.audit` take them.
        """
        scores, patients = self._scored(X, groups)
        return self._deployed.patient_scores(scores, patients)

    def flip_probability(self, X: Any, groups: ArrayLike | None = None) -> FloatArray:
        """Return for each row how often a refitted study would decide differently on its patient.

        Parameters
        ----------
        X, groups
            As in `predict`.

        Returns
        -------
        ndarray of shape (n,)
            Share of the bootstrap cut-offs whose decision differs from ``predict``.
        """
        scores, patients = self._scored(X, groups)
        return self._flips(scores)[patients.of_row]

    def score(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> float:
        """Return the share of patients whose class is predicted correctly.

        Parameters
        ----------
        X, groups
            As in `predict`.
        y
            The class of each row's patient, shape (n,).

        Returns
        -------
        float
        """
        scores, patients = self._scored(X, groups)
        truth = inputs.one_class_each(column_or_1d(y), patients)
        return float(np.mean(self._decide(scores) == truth))

    @property
    def _deployed(self) -> Scorer:
        return Scorer(
            estimator=self.estimator_, positive=self.classes_[1], how=self.aggregate, n_folds=0
        )

    def _decide(self, scores: FloatArray) -> NDArray[Any]:
        """Return ``classes_[1]`` where the score reaches the cut-off, and ``classes_[0]`` below."""
        return self.classes_[(scores >= self.threshold_).astype(np.intp)]

    @abstractmethod
    def _flips(self, scores: FloatArray) -> FloatArray:
        """Return the share of bootstrap cut-offs that decide differently, for each patient."""

    def _scored(self, X: Any, groups: ArrayLike | None) -> tuple[FloatArray, inputs.Patients]:
        if not hasattr(self, "estimator_"):
            check_is_fitted(self)
        X, groups = inputs.split_column(X, self.patient, groups)
        if groups is None and not self.one_row_each_:
            raise BadPatients(GROUPS_NEEDED)
        patients = inputs.read_patients(groups, _num_samples(X))
        scorer = self._deployed
        return scorer.aggregate(scorer.score_rows(self.estimator_, X), patients.of_row), patients


GROUPS_NEEDED = (
    "groups are missing: the cut-off was chosen on patients with several rows, and must not be "
    "applied to single rows. Name the patient of each row: predict(X, groups=...). In "
    "cross_validate use scoring=steadycut.estimators.patient_scorer('balanced_accuracy'), or name "
    "the column of X that holds the patient: StableThresholdClassifier(..., patient='...')."
)

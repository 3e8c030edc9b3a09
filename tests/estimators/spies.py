"""Estimators that tell what they were fitted on and what they scored, and cohorts for them."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Spy(ClassifierMixin, BaseEstimator):
    """Writes down, for every scoring, which patients it was fitted on and which it scores.

    Column 0 of a row is its patient, column 1 its signal.
    """

    def __init__(self, log=None):
        self.log = log

    def __sklearn_clone__(self):
        return Spy(self.log)

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = X[:, 0].astype(int)
        self.log.append(("fit", self.seen_, None))
        return self

    def predict_proba(self, X):
        self.log.append(("score", self.seen_, X[:, 0].astype(int)))
        positive = 1 / (1 + np.exp(-X[:, 1]))
        return np.column_stack([1 - positive, positive])


def patient_rows(n_patients=40, n_rows=3, shift=2.0, seed=0):
    """Rows (patient, signal, noise), the class of each row, the patient of each row."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), n_rows)
    sick = (np.arange(n_patients) % 2)[patient]
    signal = rng.normal(size=patient.size) + shift * sick
    return np.column_stack([patient, signal, rng.normal(size=patient.size)]), sick, patient


def scorings(log):
    """Pairs (patients it was fitted on, patients it scored)."""
    return [(set(seen), set(scored)) for what, seen, scored in log if what == "score"]

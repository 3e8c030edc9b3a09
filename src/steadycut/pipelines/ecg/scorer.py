"""A logistic regression that scores segments; its training patients have no other role."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray
from steadycut.errors import BadTable, TooFewPatients, refusing
from steadycut.io.files import read_small
from steadycut.io.packages import optional_package

SCHEMA = "steadycut.ecg-scorer/1"
ARRAYS = ("centre", "scale", "weights")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SegmentScorer:
    """Weights of standardised features: score = 1 / (1 + exp(-(intercept + weights . z)))."""

    names: tuple[str, ...]
    centre: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    def score(self, features: FloatArray) -> FloatArray:
        """Return the probability of the positive class for each segment."""
        z = (features - self.centre) / self.scale
        return 1 / (1 + np.exp(-(z @ self.weights + self.intercept)))

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``scorer.json``."""
        return {
            "schema": SCHEMA,
            "names": list(self.names),
            **{name: getattr(self, name).tolist() for name in ARRAYS},
            "intercept": self.intercept,
        }


def train_scorer(
    features: FloatArray,
    labels: NDArray[np.int8],
    patients: NDArray[np.str_],
    names: tuple[str, ...],
    strength: float = 1.0,
) -> SegmentScorer:
    """Fit the logistic regression.

    Parameters
    ----------
    features, labels, patients
        One row per segment; the label of a segment is that of its patient.
    names
        Names of the features.
    strength
        Inverse of the L2 penalty.

    Notes
    -----
    Every patient of a class has the same weight, however many segments there are, and both
    classes have the same total weight. The weights sum to the number of patients, so that many
    correlated segments of few patients do not weaken the penalty.
    """
    with optional_package("Training a scorer", "scikit-learn", "ecg"):
        from sklearn.linear_model import LogisticRegression
    if np.unique(labels).size < 2:  # noqa: PLR2004
        msg = "all patients who train the scorer are of one class. Train on more patients."
        raise TooFewPatients(msg)
    weights = patient_weights(labels, patients)
    centre = np.average(features, axis=0, weights=weights)
    scale = np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights))
    scale[scale == 0] = 1.0
    fitted = LogisticRegression(C=strength, tol=1e-8, max_iter=2000).fit(
        (features - centre) / scale, labels, sample_weight=weights
    )
    return SegmentScorer(
        names=names,
        centre=centre,
        scale=scale,
        weights=fitted.coef_[0],
        intercept=float(fitted.intercept_[0]),
    )


def patient_weights(labels: NDArray[np.int8], patients: NDArray[np.str_]) -> FloatArray:
    """Return weights of segments: equal patients, equal classes, and the sum is the patients.

    Examples
    --------
    >>> patient_weights(np.array([1, 1, 0, 0, 0]), np.array(["a", "a", "b", "b", "c"])).tolist()
    [0.75, 0.75, 0.375, 0.375, 0.75]
    """
    names, place, counts = np.unique(patients, return_inverse=True, return_counts=True)
    label = np.zeros(names.size, dtype=int)
    label[place] = labels
    by_class = names.size / (2 * np.bincount(label, minlength=2).clip(1))
    return by_class[label][place] / counts[place]


def read_scorer(path: Path, names: tuple[str, ...]) -> SegmentScorer:
    """Read ``scorer.json``; refuse a scorer of other features."""
    msg = f"{path} is not a scorer of these features. Give a scorer.json that score-ecg wrote."
    with refusing(BadTable, msg, OSError, KeyError, TypeError, ValueError):
        content = json.loads(read_small(path))
        if content["schema"] != SCHEMA or tuple(content["names"]) != names:
            raise KeyError
        return SegmentScorer(
            names=names,
            **{key: np.array(content[key], dtype=float) for key in ARRAYS},
            intercept=float(content["intercept"]),
        )

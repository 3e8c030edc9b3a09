"""Patient scores from models that have not seen the patient."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedGroupKFold
from sklearn.utils import _safe_indexing

from steadycut.core.aggregate.aggregators import How, parse_aggregator, sort_segments
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.records import PatientScores, Recipe
from steadycut.errors import BadOption
from steadycut.estimators.inputs import LARGEST_SEED, Patients

# With fewer patients of a class some training set would lack the class.
LEAST_FOLDS = 2


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Instances:
    """Rows with their classes, and which rows each patient has.

    ``rows`` lists the rows patient after patient: those of patient ``p`` are at ``offsets[p]`` up
    to ``offsets[p + 1]``. ``labels`` holds 0 or 1 for each patient.
    """

    X: Any
    y: NDArray[Any]
    labels: IntArray
    rows: IntArray
    offsets: IntArray

    def rows_of(self, patients: IntArray) -> IntArray:
        """Return all rows of each of ``patients``, one after the other; copies are repeated."""
        sizes = self.sizes_of(patients)
        before = np.cumsum(sizes) - sizes
        start = np.repeat(self.offsets[patients] - before, sizes)
        return self.rows[start + np.arange(start.size)]

    def sizes_of(self, patients: IntArray) -> IntArray:
        """Return how many rows each of ``patients`` has."""
        return self.offsets[patients + 1] - self.offsets[patients]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scorer:
    """How patients get a score: a model scores the rows, then an aggregator joins them.

    A high score means the class ``positive``.
    """

    estimator: Any
    positive: Any
    how: How
    n_folds: int

    def fit(self, instances: Instances, patients: IntArray, rng: np.random.Generator) -> Any:
        """Return a model that saw only the rows of ``patients``.

        If all patients are of one class, the model gives all rows the same score.
        """
        rows = instances.rows_of(patients)
        one_class = np.unique(instances.labels[patients]).size == 1
        model = DummyClassifier() if one_class else seeded_clone(self.estimator, rng)
        return model.fit(_safe_indexing(instances.X, rows), instances.y[rows])

    def score_rows(self, model: Any, X: Any) -> FloatArray:
        """Return the score of each row: high scores mean the positive class."""
        known = np.asarray(model.classes_)
        if known.size == 1:
            return np.full(len(model.predict(X)), float(known[0] == self.positive))
        if hasattr(model, "predict_proba"):
            column = int(np.flatnonzero(known == self.positive)[0])
            return np.asarray(model.predict_proba(X), dtype=np.float64)[:, column]
        return np.asarray(model.decision_function(X), dtype=np.float64).reshape(-1)

    def score(self, model: Any, instances: Instances, patients: IntArray) -> FloatArray:
        """Return one score for each of ``patients``."""
        scores = self.score_rows(model, _safe_indexing(instances.X, instances.rows_of(patients)))
        return self.aggregate(
            scores, np.repeat(np.arange(patients.size), instances.sizes_of(patients))
        )

    def aggregate(self, scores: FloatArray, of_row: IntArray) -> FloatArray:
        """Return one score per patient from the scores of the rows."""
        return parse_aggregator(self.how)(sort_segments(of_row, scores))

    def patient_scores(
        self, scores: FloatArray, patients: Patients, labels: IntArray | None = None
    ) -> PatientScores:
        """Return the patients with their scores, ready for a study or an audit."""
        return PatientScores(
            scores=scores,
            labels=labels,
            patients=patients.names,
            n_instances=np.bincount(patients.of_row),
            recipe=Recipe(how=parse_aggregator(self.how).name),
        )

    def cross_fit(
        self, instances: Instances, drawn: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return a score for each drawn patient, from a model that did not see the patient.

        Parameters
        ----------
        instances
            The rows of all patients.
        drawn
            Patients, shape (n,); in a bootstrap replicate some occur more than once. Copies stay
            in one fold.
        rng
            Chooses the folds and seeds the models.
        """
        folds = deal_folds(instances.labels[drawn], drawn, self.n_folds, rng)
        scores = np.empty(drawn.size)
        for fold in range(int(folds.max()) + 1):
            held_out = folds == fold
            model = self.fit(instances, drawn[~held_out], rng)
            distinct, copy = np.unique(drawn[held_out], return_inverse=True)
            scores[held_out] = self.score(model, instances, distinct)[copy]
        return scores


def lay_out(X: Any, y: NDArray[Any], labels: IntArray, patients: Patients) -> Instances:
    """Return the rows, sorted by patient."""
    sizes = np.bincount(patients.of_row, minlength=patients.n_patients)
    return Instances(
        X=X,
        y=y,
        labels=labels,
        rows=read_only(np.argsort(patients.of_row, kind="stable")),
        offsets=read_only(np.concatenate([[0], np.cumsum(sizes)])),
    )


def deal_folds(
    labels: IntArray, patients: IntArray, n_folds: int, rng: np.random.Generator
) -> IntArray:
    """Return the fold of each drawn patient; copies of a patient share a fold.

    If the rarer class has fewer patients than ``n_folds``, there is one fold per such patient, so
    every training set has both classes. If a class has a single patient, this is impossible, and
    the folds do not look at labels.

    Examples
    --------
    >>> import numpy as np
    >>> labels, patients = np.array([0, 0, 1, 1, 1]), np.array([3, 5, 8, 8, 9])
    >>> folds = deal_folds(labels, patients, 5, np.random.default_rng(0))
    >>> int(folds.max()), bool(folds[2] == folds[3]), bool(folds[0] != folds[1])
    (1, True, True)
    """
    distinct, first, copy = np.unique(patients, return_index=True, return_inverse=True)
    rarer = np.bincount(labels[first], minlength=2).min()
    seed = int(rng.integers(LARGEST_SEED))
    if rarer >= LEAST_FOLDS:
        grouped = StratifiedGroupKFold(min(n_folds, rarer), shuffle=True, random_state=seed)
        parts, copy = grouped.split(labels, labels, patients), np.arange(patients.size)
    else:
        parts = KFold(min(n_folds, distinct.size), shuffle=True, random_state=seed).split(distinct)
    folds = np.empty(copy.size, dtype=np.int64)
    for fold, (_, held_out) in enumerate(parts):
        folds[held_out] = fold
    return folds[copy]


def seeded_clone(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy in which every ``random_state`` of None is an int.

    Otherwise a model would depend on the process in which it is fitted.
    """
    free = sorted(
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and name.split("__")[-1] == "random_state"
    )
    return clone(estimator).set_params(**{name: int(rng.integers(LARGEST_SEED)) for name in free})


def check_scorer(estimator: Any) -> None:
    """Refuse an estimator that cannot be fitted or gives no score."""
    scores = any(hasattr(estimator, name) for name in ("predict_proba", "decision_function"))
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not scores:
        raise BadOption(
            "estimator must be a scikit-learn classifier with predict_proba or decision_function; "
            f"got {estimator!r}."
        )

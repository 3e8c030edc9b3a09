"""The five models of figure S1, each made into patient scores by the same call."""

import warnings
from typing import Any

import numpy as np

from steadycut.core.records import PatientScores, Recipe
from steadycut.reproduce.patients_of_cells import Cells

NAMES = (
    "logistic regression",
    "random forest",
    "histogram gradient boosting",
    "AdaBoost",
    "shallow MLP",
)


def models() -> dict[str, Any]:
    """Return the models, unfitted; sizes are ours, the paper prints none."""
    from sklearn.ensemble import (
        AdaBoostClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    made = (
        LogisticRegression(),
        RandomForestClassifier(n_estimators=40, min_samples_leaf=5),
        HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8),
        AdaBoostClassifier(n_estimators=30),
        MLPClassifier((16,), max_iter=60, learning_rate_init=0.01),
    )
    return dict(zip(NAMES, made, strict=True))


def patient_scores(
    estimator: Any,  # noqa: ANN401
    training: Cells,
    others: list[Cells],
    rng: np.random.Generator,
) -> list[PatientScores]:
    """Fit a model on the cells of some patients; return the mean score of other patients' cells.

    The model is any scikit-learn classifier: nothing here depends on which.
    """
    from sklearn.exceptions import ConvergenceWarning

    from steadycut.estimators.cross_fit import Scorer
    from steadycut.estimators.threads import one_thread

    scorer = Scorer(estimator=estimator, positive=1, how="mean", n_folds=2)
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = scorer.fit(laid_out(training), np.arange(training.labels.size), rng)
        return [
            PatientScores(
                scores=scorer.score(model, laid_out(one), np.arange(one.labels.size)),
                labels=one.labels,
                recipe=Recipe(score="probability"),
            )
            for one in others
        ]


def laid_out(cells: Cells) -> Any:  # noqa: ANN401
    """Return the cells as the estimators' own record of rows and patients."""
    from steadycut.estimators.cross_fit import Instances

    n = cells.labels.size
    return Instances(
        X=cells.features,
        y=cells.labels[cells.patient],
        labels=cells.labels,
        rows=np.arange(len(cells.features)),
        offsets=np.arange(n + 1) * (len(cells.features) // n),
    )

"""Refits that cost less than fitting the whole scorer again. All of them are approximations.

They are used in the bootstrap replicates only. The cut-off, the deployed scorer and the
certificate come from full fits, whatever the refits are.
"""

from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.ensemble import BaseEnsemble, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_sample_weight

from steadycut.core.checks import FloatArray, IntArray, check_choice
from steadycut.errors import BadOption
from steadycut.estimators.cross_fit import Instances, Scorer

REFITS = ("full", "last", "warm", "one-step")


def check_refit(estimator: Any, refit: str) -> None:
    """Refuse a refit that the scorer does not offer."""
    check_choice("refit", refit, REFITS)
    last = last_step(estimator)
    name = type(last).__name__
    if refit == "last" and last is estimator:
        raise BadOption(
            f"refit='last' needs a Pipeline, of which only the last step is fitted again; got "
            f"{name} alone. Write make_pipeline(transformer, {name}(...))."
        )
    grows = isinstance(last, BaseEnsemble | HistGradientBoostingClassifier)
    if refit == "warm" and (grows or not hasattr(last, "warm_start")):
        raise BadOption(
            "refit='warm' needs a last step with warm_start that fits all its coefficients again, "
            f"such as LogisticRegression, SGDClassifier or MLPClassifier; got {name}."
        )
    if refit == "one-step" and not _is_ridge_logistic(last):
        raise BadOption(
            "refit='one-step' needs LogisticRegression with an L2 penalty, not of the solver "
            f"liblinear, as the scorer or as its last step; got {last!r}."
        )


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return estimator[-1] if hasattr(estimator, "steps") else estimator


def shortened(
    refit: str, scorer: Scorer, instances: Instances, patients: IntArray, model: Any
) -> tuple[Scorer, Instances, IntArray]:
    """Return the scorer, the rows and the patients as the replicates use them.

    ``model`` was fitted on all ``patients``, who choose the cut-off.
    """
    # A model of one class has nothing to start from, and is fitted at once.
    if refit == "full" or len(model.classes_) == 1:
        return scorer, instances, patients
    if refit == "warm":
        start = deepcopy(model)
        last_step(start).set_params(warm_start=True)
        return replace(scorer, start=start), instances, patients
    head, known = last_step(scorer.estimator), last_step(model)
    if head is not scorer.estimator:
        instances = instances.only(patients)
        instances = replace(instances, X=model[:-1].transform(instances.X))
        patients = np.arange(patients.size)
    start = one_step(known) if refit == "one-step" else None
    return replace(scorer, estimator=head, start=start), instances, patients


def _is_ridge_logistic(model: Any) -> bool:
    plain = isinstance(model, LogisticRegression) and not isinstance(model, LogisticRegressionCV)
    return (
        plain
        and model.solver != "liblinear"
        and model.penalty in {"l2", "deprecated"}
        and not model.l1_ratio
        and np.isfinite(model.C)
    )


def one_step(model: LogisticRegression) -> "OneStepLogisticRegression":
    """Return a logistic regression whose ``fit`` makes one Newton step from a fitted one."""
    start = OneStepLogisticRegression(**model.get_params())
    for name in ("classes_", "coef_", "intercept_", "n_features_in_", "n_iter_"):
        setattr(start, name, getattr(model, name))
    return start


class OneStepLogisticRegression(LogisticRegression):
    """A fitted logistic regression that moves to other rows by one Newton step.

    With coefficients b of the full fit, rows x_i (with a 1 for the intercept), classes y_i in
    {0, 1} and weights w_i, ``fit`` returns b - H^-1 g, where p_i = 1 / (1 + exp(-x_i'b)) and

        g = sum w_i (p_i - y_i) x_i + b / C,      H = sum w_i p_i (1 - p_i) x_i x_i' + I / C.

    The intercept is not penalised. In a bootstrap replicate w_i is how often the row's patient was
    drawn, and 0 for patients of the fold that is held out. To first order in w - 1 this is the
    infinitesimal jackknife (Giordano et al. 2019, A Swiss Army infinitesimal jackknife), which
    keeps the H of the full fit. The new H is more exact where many weights are 0.
    """

    coef_: FloatArray
    intercept_: FloatArray

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make one Newton step from the present coefficients towards the fit on these rows."""
        rows = check_array(X, dtype=np.float64)
        weights = compute_sample_weight(self.class_weight, y)
        if sample_weight is not None:
            weights = weights * np.asarray(sample_weight)
        step = self._newton_step(rows, np.asarray(y) == self.classes_[1], weights)
        self.coef_ = self.coef_ - step[None, : rows.shape[1]]
        if self.fit_intercept:
            self.intercept_ = self.intercept_ - step[rows.shape[1] :]
        return self

    def _newton_step(self, rows: FloatArray, positive: Any, weights: FloatArray) -> FloatArray:
        p = expit(rows @ self.coef_[0] + self.intercept_[0])
        penalty = np.full(rows.shape[1], 1 / self.C)
        shrunk = penalty * self.coef_[0]
        if self.fit_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
            penalty, shrunk = np.append(penalty, 0.0), np.append(shrunk, 0.0)
        gradient = rows.T @ (weights * (p - positive)) + shrunk
        hessian = rows.T @ ((weights * p * (1 - p))[:, None] * rows) + np.diag(penalty)
        return np.linalg.solve(hessian, gradient)

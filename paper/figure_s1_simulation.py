"""One replicate of figure S1: patients with cells, five models, and the bound of each.

The paper prints nothing about the data.

A patient has cells with features. In a sick patient some cells are affected: their features
differ, partly in a way that no linear model can see. Every patient has their own background.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paper.figure import BASE, draw_labels
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.select import Search, try_candidate
from steadycut.estimators.cross_fit import Instances, Scorer
from steadycut.estimators.threads import one_thread
from steadycut.study.fit import make_study

COSTS = Costs()
N_TRAINING, N_VALIDATION, N_POOL, N_POPULATION = 120, 200, 1000, 4000

ASSUMED = {
    "everything about the data": "the paper prints nothing",
    "cells": "8 per patient, 6 features, one of them informative only through its size",
    "patients": "120 train the model, 200 validate, 4,000 others stand for the population",
    "prevalence": "0.4; half of the cells of a sick patient are affected",
    "models": "scikit-learn's, small; a patient's score is the mean probability of the cells",
    "bound": "appendix's gamma, delta 0.10, B = 200, G_boot = DKW band at the bootstrap radius",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Everything about figure S1's data; nothing of it is printed."""

    n_cells: int = 8
    n_features: int = 6
    prevalence: float = 0.4
    affected_share: float = 0.5
    background_sd: float = 0.5


def draw_cells(n_patients: int, setting: Setting, rng: np.random.Generator) -> Instances:
    """Return patients with their cells; both classes occur.

    Examples
    --------
    >>> cells = draw_cells(5, Setting(), np.random.default_rng(0))
    >>> cells.X.shape, cells.offsets.tolist()
    ((40, 6), [0, 8, 16, 24, 32, 40])
    """
    labels = draw_labels(n_patients, setting.prevalence, rng).astype(np.int64)
    shape = (n_patients, setting.n_cells, setting.n_features)
    background = (n_patients, 1, setting.n_features)
    features = rng.normal(size=shape) + rng.normal(0, setting.background_sd, background)
    affected = (rng.random(shape[:2]) < setting.affected_share) & (labels[:, None] == 1)
    features[..., 0] += 1.6 * affected
    # Affected cells lie on either side of the healthy ones in the second feature.
    features[..., 1] += 2.0 * affected * np.where(rng.random(shape[:2]) < 0.5, 1, -1)  # noqa: PLR2004
    offsets = np.arange(n_patients + 1) * setting.n_cells
    return Instances(
        X=features.reshape(-1, setting.n_features),
        y=np.repeat(labels, setting.n_cells),
        labels=labels,
        rows=np.arange(offsets[-1]),
        offsets=offsets,
    )


def models() -> dict[str, Any]:
    """Return the unfitted models; the paper does not print their sizes."""
    from sklearn import ensemble
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    boosting = ensemble.HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8)
    return {
        "logistic regression": LogisticRegression(),
        "random forest": ensemble.RandomForestClassifier(n_estimators=40, min_samples_leaf=5),
        "histogram gradient boosting": boosting,
        "AdaBoost": ensemble.AdaBoostClassifier(n_estimators=30),
        "shallow MLP": MLPClassifier((16,), max_iter=60, learning_rate_init=0.01),
    }


def patient_scores(
    estimator: Any,  # noqa: ANN401
    training: Instances,
    others: list[Instances],
    rng: np.random.Generator,
) -> list[PatientScores]:
    """Fit a model on the cells of some patients; return the mean score of other patients' cells.

    The model may be any scikit-learn classifier.
    """
    from sklearn.exceptions import ConvergenceWarning

    scorer = Scorer(estimator=estimator, positive=1, how="mean", n_folds=2)
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = scorer.fit(training, np.arange(training.labels.size), rng)
        return [
            PatientScores(
                scores=scorer.score(model, one, np.arange(one.labels.size)),
                labels=one.labels,
                recipe=Recipe(score="probability"),
            )
            for one in others
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How the bound is computed, and from how many validation patients."""

    n_validation: int = N_VALIDATION
    delta: float = 0.10
    gap: str = "paper"
    band: str = "dkw"
    form: str = "pairwise"
    centering: str = "none"


# One change at a time.
CHANGES = {
    BASE: Terms(),
    "60 validation patients": Terms(n_validation=60),
    "1,000 validation patients": Terms(n_validation=1000),
    "delta 0.30": Terms(delta=0.30),
    "oscillation form, omega(2r)": Terms(form="oscillation"),
    "centred quantile, as in the appendix": Terms(centering="bias"),
    "gamma: one-sided DKW": Terms(gap="dkw"),
    "band: multiscale": Terms(band="multiscale"),
    "both, 1,000 patients": Terms(gap="dkw", band="multiscale", n_validation=1000),
}
STATUSES = dict.fromkeys(list(CHANGES)[-3:], "other than printed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The bound of one model in one replicate.

    ``certified`` is the value of an exact bound at a cut-off that other patients chose, and
    ``certified_holds`` whether the true risk is at most that.
    """

    parts: dict[str, float]
    true_risk: float
    above_everywhere: bool
    same_as_erm: bool
    trivial: float
    certified: float
    certified_holds: bool

    @property
    def bound(self) -> float:
        """The smallest value of U_P."""
        return sum(self.parts.values())


Scores = Mapping[str, Sequence[PatientScores]]


def score_patients(rng: np.random.Generator) -> Scores:
    """Return for each model its validation patients and its population, scored."""
    training, pool, population = (
        draw_cells(n, Setting(), rng) for n in (N_TRAINING, N_POOL, N_POPULATION)
    )
    return {
        name: patient_scores(model, training, [pool, population], rng)
        for name, model in models().items()
    }


def outcomes_of(scores: Scores, terms: Terms, seed: int) -> dict[str, Outcome]:
    """Return the bound of every model: the same call for each."""
    return {
        name: bound_of(pool.take(np.arange(terms.n_validation)), population, terms, seed)
        for name, (pool, population) in scores.items()
    }


def bound_of(
    validation: PatientScores, population: PatientScores, terms: Terms, seed: int
) -> Outcome:
    """Return the upper bound U_P = R + gamma + G_boot, at the cut-off where it is smallest."""
    search = Search(
        rule="erm",
        costs=COSTS,
        delta=terms.delta,
        band=terms.band,
        form=terms.form,
        centering=terms.centering,
    )
    chosen = try_candidate(validation, validation, search, np.random.default_rng(seed))
    counts = confusion_at(validation, chosen.threshold)
    gap = BOUNDS[terms.gap].compute(counts, COSTS, terms.delta)
    thresholds = np.sort(np.append(validation.scores, chosen.threshold))
    empirical = risk_curve(validation, thresholds, COSTS)
    upper = empirical + gap + chosen.penalty
    study = make_study(
        validation, rule="erm", grid="even", delta=terms.delta, n_bootstrap=2, seed=seed
    )
    truly = confusion_at(population, study.threshold).risk(COSTS)
    return Outcome(
        parts={"risk": chosen.risk, "gap": gap, "penalty": chosen.penalty},
        true_risk=confusion_at(population, chosen.threshold).risk(COSTS),
        above_everywhere=bool(np.all(upper >= risk_curve(population, thresholds, COSTS))),
        same_as_erm=bool(upper.argmin() == empirical.argmin()),
        trivial=counts.trivial_risk(COSTS),
        certified=study.certificate.value,
        certified_holds=truly <= study.certificate.value,
    )

"""Three ways to a classifier with a cut-off, on scikit-learn's breast cancer data.

Decided before the first run: 200 patients to learn from and 369 to test on, 20 splits (seeds 0 to
19), a missed patient costs five false alarms, a logistic regression of standardised features.
FixedThresholdClassifier cuts at 1/6, the best cut if probabilities are right. Reported are the
cut-offs, the cost per test patient, and for steadycut whether its certificate held in the test.

python benchmarks/studies/threshold_classifiers.py benchmarks/results/threshold_classifiers.json
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from steadycut import StableThresholdClassifier
from steadycut.errors import SteadycutWarning

N_SPLITS, N_TRAIN, COST_FN = 20, 200, 5.0


def cost(truth, called):
    """Return the mean cost per patient."""
    return float(np.mean(np.where(truth == 1, COST_FN * (called == 0), called == 1)))


def models(X, y, seed):
    """Fit each classifier; yield its name, its cut-off and itself."""
    scorer = make_pipeline(StandardScaler(), LogisticRegression())
    fixed = FixedThresholdClassifier(scorer, threshold=1 / (1 + COST_FN))
    yield "FixedThresholdClassifier", fixed.threshold, fixed.fit(X, y)
    scoring = make_scorer(cost, greater_is_better=False)
    tuned = TunedThresholdClassifierCV(scorer, scoring=scoring, random_state=seed).fit(X, y)
    yield "TunedThresholdClassifierCV", tuned.best_threshold_, tuned
    for share in (0.5, 0.25):
        ours = StableThresholdClassifier(
            scorer, cost_fn=COST_FN, certify_size=share, n_bootstrap=2, random_state=seed
        )
        ours.fit(X, y, groups=range(y.size))
        yield f"StableThresholdClassifier, certify_size={share}", ours.threshold_, ours


def main():
    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign
    found = {}
    for seed in range(N_SPLITS):
        everybody = np.arange(y.size)
        train, test = train_test_split(everybody, train_size=N_TRAIN, stratify=y, random_state=seed)
        for name, cut, model in models(X[train], y[train], seed):
            row = {"cut": float(cut), "cost": cost(y[test], model.predict(X[test]))}
            if hasattr(model, "study_"):
                row["certificate"] = model.study_.certificate.value
            found.setdefault(name, []).append(row)
    result = {name: summary(rows) for name, rows in found.items()}
    text = json.dumps(result, indent=1)
    print(text)
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")


def summary(rows):
    cuts, costs = (np.array([row[name] for row in rows]) for name in ("cut", "cost"))
    found = {
        "cut_smallest": round(cuts.min(), 3),
        "cut_largest": round(cuts.max(), 3),
        "cost_mean": round(costs.mean(), 4),
        "cost_sd": round(costs.std(ddof=1), 4),
    }
    if "certificate" in rows[0]:
        bounds = np.array([row["certificate"] for row in rows])
        found["certificate_mean"] = round(bounds.mean(), 4)
        found["certificate_held"] = f"{int((costs <= bounds).sum())} of {len(rows)}"
    return found


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SteadycutWarning)
        main()

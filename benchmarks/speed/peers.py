"""Other ways to a cut-off and its bootstrap draws; each returns (threshold, draws).

All of them minimise the error rate of ``score >= threshold`` (miss 1, false alarm 1), except
pROC, which has no such criterion and takes Youden's.
"""

import csv
import json
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import bootstrap

GRID = 200
COST_FN, COST_FP = 1.0, 1.0
R_PEERS = Path(__file__).with_name("peers.R")


def printed(scores, labels, n_replicates, rng):
    """Algorithm 1 as printed: each replicate, each threshold, the mean loss over each patient."""
    grid = np.linspace(scores.min(), scores.max(), GRID)

    def choose(s, y):
        positive = y == 1
        risk = [np.where(positive, COST_FN * (s < t), COST_FP * (s >= t)).mean() for t in grid]
        return grid[int(np.argmin(risk))]

    return _index_bootstrap(choose, scores, labels, n_replicates, rng)


def printed_counting(scores, labels, n_replicates, rng):
    """The same loops written with care: masks and counts instead of a mean of losses."""
    grid = np.linspace(scores.min(), scores.max(), GRID)

    def choose(s, y):
        positive = y == 1
        errors = [np.count_nonzero((s >= t) != positive) for t in grid]
        return grid[int(np.argmin(errors))]

    return _index_bootstrap(choose, scores, labels, n_replicates, rng)


def minimiser(scores, labels):
    """The best of all cuts between neighbouring scores, after one sort."""
    order = np.argsort(scores)
    s, y = scores[order], labels[order]
    errors = np.cumsum(2 * y - 1)
    errors[:-1][s[1:] == s[:-1]] = y.size
    best = int(np.argmin(errors))
    if errors[best] >= 0:
        return s[0]
    return s[min(best + 1, y.size - 1)]


def sort_per_replicate(scores, labels, n_replicates, rng):
    """Every cut of every replicate, found by sorting it."""
    return _index_bootstrap(minimiser, scores, labels, n_replicates, rng)


def scipy_bootstrap(scores, labels, n_replicates, rng):
    """scipy.stats.bootstrap around the same minimiser."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = bootstrap(
            (scores, labels),
            minimiser,
            n_resamples=n_replicates,
            batch=1 if scores.size > 10_000 else None,
            vectorized=False,
            paired=True,
            method="percentile",
            rng=rng,
        )
    return minimiser(scores, labels), result.bootstrap_distribution


def accuracy(truth, called):
    """The share of patients on the right side; scikit-learn's own spends its time on checks."""
    return np.count_nonzero(truth == called) / truth.size


def tuned_threshold(scores, labels, n_replicates, rng):
    """scikit-learn's TunedThresholdClassifierCV on a score that is ready, fitted anew each time."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import TunedThresholdClassifierCV

    model = LogisticRegression().fit(scores[:, None], labels)

    def choose(s, y):
        tuned = TunedThresholdClassifierCV(
            model, scoring=make_scorer(accuracy), cv="prefit", refit=False, thresholds=GRID
        ).fit(s[:, None], y)
        odds = np.log(tuned.best_threshold_ / (1 - tuned.best_threshold_))
        return float((odds - model.intercept_[0]) / model.coef_[0, 0])

    return _index_bootstrap(choose, scores, labels, n_replicates, rng)


def r_version(package):
    """Name the version of a package of R, or return None where it is not installed."""
    if shutil.which("Rscript") is None:
        return None
    ask = f"cat(as.character(packageVersion('{package}')))"
    done = subprocess.run(["Rscript", "-e", ask], capture_output=True, check=False, text=True)
    return f"{package} {done.stdout}" if done.returncode == 0 else None


def run_r(package, scores, labels, n_replicates, seed):
    """Time an R package inside R: (seconds, threshold); starting R and reading do not count."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "patients.csv"
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["score", "label"])
            writer.writerows(zip(scores.tolist(), labels.tolist(), strict=True))
        command = ["Rscript", str(R_PEERS), package, str(table), str(n_replicates), str(seed)]
        answer = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    found = json.loads(answer.strip().splitlines()[-1])
    return found["seconds"], found["threshold"]


def _index_bootstrap(choose, scores, labels, n_replicates, rng):
    draws = np.empty(n_replicates)
    for b in range(n_replicates):
        index = rng.integers(0, scores.size, scores.size)
        draws[b] = choose(scores[index], labels[index])
    return choose(scores, labels), draws

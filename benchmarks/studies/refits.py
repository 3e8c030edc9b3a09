"""How close cheaper refits of a scorer come to full refits, and how much time they save.

What is measured was decided before the first run. A setting is a scorer and a number of patients,
all of whom choose. For each of three cohorts, 120 bootstrap replicates of the cut-off (rule
``stable``, equal costs, 5 folds) are drawn by full refits and by each shortcut, from the same
seeds: the same patients and the same folds. A second run of full refits from other seeds shows
what chance alone does. Planned and left out, because the machine was busy and before they had
given any result: a fourth cohort, 80 more replicates, C = 0.01 and C = 100 with 400 patients, and
a small network. Which settings to leave out was decided after the first five had been seen. The
stored result joins what two runs printed; seeds do not depend on the order of the settings.

Reported are means over the cohorts of

ks         Kolmogorov distance between the draws and those of the full refits
distance   Wasserstein distance, in standard deviations of the full draws
sd_ratio   standard deviation, divided by that of the full draws
low, high  2.5 % and 97.5 % points minus those of the full draws, in the same standard deviations
together   correlation with the full draws, replicate by replicate
faster     CPU time of full refits divided by that of the shortcut

python benchmarks/studies/refits.py benchmarks/results/refits.json
"""

import json
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
from scipy.stats import ks_2samp, wasserstein_distance
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from steadycut.estimators.cross_fit import Scorer, lay_out
from steadycut.estimators.inputs import read_patients
from steadycut.estimators.refit import Refit, replicate
from steadycut.estimators.shortcuts import REFITS, shortened
from steadycut.estimators.threads import one_thread
from steadycut.study.options import study_options

SEED = 20_261_116
N_COHORTS, N_REPLICATES = 3, 120
ROWS_EACH = {"breast": 1, "digits": 2, "noise": 2}


@dataclass(frozen=True)
class Setting:
    name: str
    data: str
    n_patients: int
    head: object


def logistic(C):
    return LogisticRegression(C=C, max_iter=1000)


SETTINGS = (
    Setting("10 components, 100 patients, C = 1", "breast", 100, logistic(1.0)),
    Setting("10 components, 400 patients, C = 1", "breast", 400, logistic(1.0)),
    Setting("64 random features, 100 patients, C = 0.01", "digits", 100, logistic(0.01)),
    Setting("64 random features, 100 patients, C = 1", "digits", 100, logistic(1.0)),
    Setting("64 random features, 100 patients, C = 100", "digits", 100, logistic(100.0)),
    Setting("64 random features, 400 patients, C = 1", "digits", 400, logistic(1.0)),
    Setting("10 of 264 features picked by label, 100 patients", "noise", 100, logistic(1.0)),
)


class RandomFeatures:
    """64 rectified random projections: an embedding that no patient trained."""

    def __init__(self, n_columns):
        rng = np.random.default_rng(SEED)
        self.weights = rng.normal(size=(n_columns, 64)) / np.sqrt(n_columns)

    def __call__(self, X):
        return np.maximum(X @ self.weights, 0.0)


def embedding(data):
    if data == "breast":
        return [StandardScaler(), PCA(10), StandardScaler()]
    if data == "digits":
        return [StandardScaler(), FunctionTransformer(RandomFeatures(64)), StandardScaler()]
    return [StandardScaler(), SelectKBest(k=10)]


def cohort(data, n_patients, rng):
    """Return rows, classes and patients; all rows of a patient have one class."""
    if data == "breast":
        X, labels = load_breast_cancer(return_X_y=True)
    else:
        X, digit = load_digits(return_X_y=True)
        labels = (digit >= 5).astype(int)
    if data == "noise":
        X = np.column_stack([X, rng.normal(size=(len(X), 200))])
    each = ROWS_EACH[data]
    order = rng.permutation(len(X))
    blocks = [order[labels[order] == kind] for kind in (0, 1)]
    blocks = [block[: block.size // each * each].reshape(-1, each) for block in blocks]
    rows = rng.permutation(np.concatenate(blocks))[:n_patients].ravel()
    return X[rows], labels[rows], np.repeat(np.arange(n_patients), each)


def draws(setting, number):
    """Return the draws of each kind of refit, and the CPU seconds that they took."""
    rng = np.random.default_rng([SEED, number])
    X, y, groups = cohort(setting.data, setting.n_patients, rng)
    patients = read_patients(groups, len(y))
    labels = y[patients.first_rows]
    instances = lay_out(X, y, labels, patients)
    estimator = make_pipeline(*embedding(setting.data), setting.head)
    scorer = Scorer(estimator=estimator, positive=1, how="mean", n_folds=5)
    everybody = np.arange(labels.size)
    search = study_options().search
    found, seconds = {}, {}
    with one_thread(), warnings.catch_warnings():
        # Some pixels are constant, and SelectKBest says so at every fit.
        warnings.simplefilter("ignore")
        model = scorer.fit(instances, everybody, rng)
        for kind in (*REFITS, "full, other seeds"):
            began = time.process_time()
            refit = kind.partition(",")[0]
            quick, rows, kept = shortened(refit, scorer, instances, everybody, model)
            again = Refit(scorer=quick, instances=rows, patients=kept, search=search)
            entropy = [SEED, number, int("other" in kind)]
            seeds = np.random.SeedSequence(entropy).spawn(N_REPLICATES)
            found[kind] = np.array([replicate(again, seed)[0] for seed in seeds])
            seconds[kind] = time.process_time() - began
    return found, seconds


def compared(found, seconds, kind):
    full, other = found["full"], found[kind]
    spread = full.std()
    ends = [np.quantile(other, q) - np.quantile(full, q) for q in (0.025, 0.975)]
    return {
        "ks": float(ks_2samp(full, other).statistic),
        "distance": wasserstein_distance(full, other) / spread,
        "sd_ratio": other.std() / spread,
        "low": ends[0] / spread,
        "high": ends[1] / spread,
        "together": float(np.corrcoef(full, other)[0, 1]),
        "faster": seconds["full"] / seconds[kind],
    }


def main():
    tasks = [(one, number) for one in SETTINGS for number in range(N_COHORTS)]
    parallel = joblib.Parallel(n_jobs=2, return_as="generator")
    runs = parallel(joblib.delayed(draws)(*task) for task in tasks)
    result = {}
    for setting in SETTINGS:
        mine = [next(runs) for _ in range(N_COHORTS)]
        kinds = [kind for kind in mine[0][0] if kind != "full"]
        result[setting.name] = {}
        for kind in kinds:
            rows = [compared(found, spent, kind) for found, spent in mine]
            means = {
                name: round(float(np.mean([row[name] for row in rows])), 3) for name in rows[0]
            }
            result[setting.name][kind] = means
            print(f"{setting.name:<50} {kind:<18}", *means.values(), flush=True)
    if sys.argv[1:]:
        text = json.dumps({"seed": SEED, "settings": result}, indent=1)
        Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Small random cohorts, tied and untied, for comparison with the slow reference."""

import numpy as np

from steadycut.core.records import Costs, PatientScores
from steadycut.core.shift.label_shift import RankBins

COSTS = [Costs(), Costs(cost_fn=3.0), Costs(cost_fn=0.1, cost_fp=0.7)]
SEEDS = range(12)


def random_cohort(seed, n_patients=24, *, tied=None):
    """Scores with a signal; even seeds are tied unless ``tied`` says otherwise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n_patients)
    labels[:4] = [0, 0, 1, 1]
    scores = rng.normal(size=n_patients) + 1.2 * labels
    tied = seed % 2 == 0 if tied is None else tied
    return PatientScores(scores=np.round(scores * 2) if tied else scores, labels=labels)


def as_lists(cohort):
    """Scores and labels as plain Python numbers."""
    return cohort.scores.tolist(), cohort.labels.tolist()


def positives_first(cohort):
    """Score and label of each patient in the order in which they are drawn: positives, by score."""
    return sorted(zip(*as_lists(cohort), strict=True), key=lambda pair: (-pair[1], pair[0]))


def binormal(seed, n_patients, *, distance=2.0, prevalence=0.5):
    """A cohort whose classes are two normal distributions."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n_patients) < prevalence).astype(int)
    labels[:4] = [0, 0, 1, 1]
    return PatientScores(scores=rng.normal(size=n_patients) + distance * labels, labels=labels)


def two_basins(n_patients, seed):
    """Two groups of patients, each with a cut of its own; the cuts between them are worse."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    group = np.where(np.arange(n_patients) < n_patients // 2, -4, 4)
    scores = group + np.where(labels == 1, 1, -1) + 0.7 * rng.normal(size=n_patients)
    return PatientScores(scores=scores, labels=labels)


def some_bins(seed, n_bins=6, scale=20):
    """Rank bins of one hospital, and the counts of another one in the same bins."""
    rng = np.random.default_rng(seed)
    positive = rng.integers(0, scale, n_bins) + np.arange(n_bins) * scale // 10
    negative = rng.integers(0, scale, n_bins) + 1
    counts = rng.integers(0, 3 * scale, n_bins)
    counts[0] += 1
    edges = np.sort(rng.normal(size=n_bins - 1))
    return RankBins(edges=edges, positive=positive, negative=negative), counts

"""The regression of segments: its penalty is chosen by patients whom it has not seen."""

import numpy as np
import pytest

from paper.mimic_ecg import STRENGTHS, best_strength
from steadycut.pipelines.ecg.scorer import train_scorer


def segments(signal, seed=0, n_patients=24, each=10):
    """Segments with the mark of their patient, and perhaps a signal of the class."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    marks = 3 * rng.normal(size=(n_patients, 12))
    marks[:, 0] += signal * labels
    patients = np.repeat([f"p{i:02d}" for i in range(n_patients)], each)
    features = np.repeat(marks, each, axis=0) + 0.1 * rng.normal(size=(n_patients * each, 12))
    return features, np.repeat(labels, each).astype(np.int8), patients


def test_a_regression_that_learns_patients_by_heart_gets_the_strongest_penalty():
    features, labels, patients = segments(signal=0)
    assert best_strength(features, labels, patients, 0) == STRENGTHS[0]
    # Segments in folds of their own would find the mark of their patient again.
    rows = np.array([f"r{i}" for i in range(labels.size)])
    assert best_strength(features, labels, rows, 0) > STRENGTHS[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_clear_signal_gets_a_weaker_penalty(seed):
    assert best_strength(*segments(signal=30, seed=seed), seed) > STRENGTHS[1]


def test_the_same_seed_gives_the_same_strength_and_one_patient_of_a_class_none():
    features, labels, patients = segments(signal=6)
    found = best_strength(features, labels, patients, 5)
    assert found == best_strength(features, labels, patients, 5)
    few = (labels == 0) | (patients == "p01")
    assert best_strength(features[few], labels[few], patients[few], 0) == 1.0
    scorer = train_scorer(features, labels, patients, (), found)
    assert np.corrcoef(scorer.score(features), labels)[0, 1] > 0.5

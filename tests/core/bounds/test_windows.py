"""Patients in windows of the score, against counting them one by one."""

import numpy as np
import pytest

from steadycut.core.bounds.windows import label_windows, windows_of
from steadycut.core.records import PatientScores
from tests.core.cohorts import SEEDS, random_cohort
from tests.slow_reference.stability import window


@pytest.mark.parametrize("width", [1e-300, 0.3, 1.0, 2.0, 100.0, np.inf])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_window_holds_who_lies_in_it(seed, width):
    cohort = random_cohort(seed)
    found = label_windows(cohort)
    assert found.n_patients == cohort.n_patients
    assert found.values.tolist() == sorted(set(cohort.scores.tolist()))
    for start, counts in zip(found.values.tolist(), found.counts(width).T, strict=True):
        members = cohort.labels[window(cohort.scores.tolist(), start, width)]
        assert counts.tolist() == [np.sum(members == 0), np.sum(members == 1)]


def test_a_window_without_width_is_empty():
    assert not label_windows(random_cohort(0)).counts(0.0).any()


def test_the_upper_end_of_a_stretch_is_outside():
    found = windows_of(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 2, 1, 2]), 3)
    assert found.between(1.0, 2.0).tolist() == [0, 1, 1]
    assert found.between(-5.0, 5.0).tolist() == [1, 1, 2]
    assert found.between(1.0, 1.0).tolist() == [0, 0, 0]


def test_a_class_without_patients_has_none_in_any_window():
    found = label_windows(PatientScores(scores=[1.0, 2.0], labels=[1, 1]))
    assert found.counts(5.0).tolist() == [[0, 0], [2, 1]]


def test_only_the_windows_that_are_asked_for_are_counted():
    found = windows_of(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 1, 1, 0]), 2)
    assert found.counts(1.5, np.array([2, 0])).tolist() == [[1, 1], [0, 2]]


@pytest.mark.parametrize("place", [0, 34, 62, 63, 64, 1598])
def test_one_heavy_window_among_very_many_is_found(place):
    """Two neighbouring scores hold 10 and 50 patients, and every other score one."""
    members = np.ones(1600, dtype=int)
    members[place : place + 2] = 10, 50
    scores = np.repeat(np.arange(1600.0), members)
    found = windows_of(scores, np.zeros(scores.size, dtype=int), 1)
    assert found.largest(1.5, lambda counts: counts[0]) == 60


@pytest.mark.parametrize("width", [0.0, 1e-9, 0.01, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("decimals", [1, 3, 12])
@pytest.mark.parametrize("n", [1, 31, 33, 3000])
def test_the_largest_value_is_that_of_all_windows(width, decimals, n):
    rng = np.random.default_rng(n)
    found = windows_of(rng.normal(size=n).round(decimals), rng.integers(0, 2, n), 2)
    for weights in ((1.0, 1.0), (0.3, 2.0), (0.0, 1.0)):

        def value(counts, weights=weights):
            return weights[0] * counts[0] + weights[1] * counts[1]

        assert found.largest(width, value) == value(found.counts(width)).max()

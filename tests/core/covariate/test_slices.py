"""Patients by covariate and score, and the cuts between the scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core.covariate import design as covariate_slices
from steadycut.core.covariate.design import CutScale, cut_scale, score_bins, slice_patients
from steadycut.core.records import PatientScores

SCORES = st.lists(st.integers(-5, 5), min_size=1, max_size=30).map(np.array)


def test_the_nearest_cut_is_taken_and_of_two_the_lower():
    scale = CutScale(ranks=np.array([0, 1, 3]), thresholds=np.array([0.0, 1.5, 4.0]))
    asked = np.array([-1.0, 0.5, 0.6, 2.0, 2.1, 9.0])
    assert scale.at(asked).tolist() == [0.0, 0.0, 1.5, 1.5, 4.0, 4.0]


@given(SCORES)
def test_every_cut_has_as_many_patients_below_as_its_rank_says(scores):
    scale = cut_scale(scores, score_bins(scores), scores)
    below = [int(np.sum(scores < threshold)) for threshold in scale.thresholds]
    assert below == scale.ranks.tolist()
    assert not np.isin(scale.thresholds, scores).any()
    assert scale.ranks[0] == 0
    assert scale.ranks[-1] == scores.size


def test_a_threshold_equals_no_score_of_the_study():
    scale = cut_scale(np.array([1.0, 3.0]), np.array([0, 1]), np.array([1.0, 2.0, 3.0]))
    assert 1.9 < scale.thresholds[1] < 2.0


def test_the_outer_cuts_call_everybody_and_nobody_whatever_the_score():
    scale = cut_scale(np.array([0.0, 10.0]), np.array([0, 1]), np.array([0.0, 10.0]))
    assert scale.thresholds == pytest.approx([-np.inf, 5.0, np.inf])
    scale = cut_scale(np.full(2, 4.0), np.zeros(2, dtype=np.int64), np.full(2, 4.0))
    assert scale.thresholds == pytest.approx([-np.inf, np.inf])


def test_one_score_only_has_a_cut_on_either_side():
    scale = cut_scale(np.zeros(3), np.zeros(3, dtype=np.int64), np.zeros(3))
    assert scale.thresholds[0] < 0 < scale.thresholds[1]


def test_many_scores_are_put_together_and_ties_stay_together(monkeypatch):
    monkeypatch.setattr(covariate_slices, "MOST_BINS", 10)
    scores = np.random.default_rng(0).integers(0, 40, 200).astype(float)
    bins = score_bins(scores)
    assert bins.max() <= 9
    assert np.array_equal(np.unique(bins), np.arange(bins.max() + 1))
    for one in np.unique(scores):
        assert np.unique(bins[scores == one]).size == 1
    order = np.argsort(scores, kind="stable")
    assert np.all(np.diff(bins[order]) >= 0)
    scale = cut_scale(scores, bins, scores)
    assert [int(np.sum(scores < t)) for t in scale.thresholds] == scale.ranks.tolist()


@pytest.mark.parametrize("n_slices", [2, 4])
def test_cells_count_every_patient_once(n_slices):
    rng = np.random.default_rng(1)
    cohort = PatientScores(scores=rng.integers(0, 5, 40), labels=rng.integers(0, 2, 40))
    codes = rng.integers(0, 2, 40)
    found = slice_patients(cohort, codes, n_slices, cohort.scores)
    m = found.cells.shape[1] // 2
    for code in range(n_slices):
        for label in (0, 1):
            for place, value in enumerate(np.unique(cohort.scores)):
                who = (codes == code) & (cohort.labels == label) & (cohort.scores == value)
                assert found.cells[code, m * (1 - label) + place] == who.sum()


def test_no_threshold_of_the_slices_equals_a_score_of_the_study():
    cohort = PatientScores(scores=[1.0, 3.0], labels=[0, 1])
    found = slice_patients(cohort, np.array([0, 1]), 2, np.array([1.0, 2.0, 3.0]))
    assert 1.9 < found.scale.thresholds[1] < 2.0

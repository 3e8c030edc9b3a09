"""The area under the ROC curve and its interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core.intervals.auc import auc, auc_interval, delong_variance, newcombe_variance
from steadycut.core.records import PatientScores

SCORES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


def patients_of(positive, negative):
    labels = [1] * len(positive) + [0] * len(negative)
    return PatientScores(scores=[*positive, *negative], labels=labels)


@given(positive=SCORES, negative=SCORES)
def test_the_area_is_the_share_of_pairs_in_order(positive, negative):
    pairs = [(x > y) + (x == y) / 2 for x in positive for y in negative]
    assert auc(patients_of(positive, negative)) == pytest.approx(np.mean(pairs))


@given(positive=SCORES, negative=SCORES)
def test_the_interval_holds_the_area_and_turns_with_the_scores(positive, negative):
    low, high = auc_interval(patients_of(positive, negative), 0.05)
    area = auc(patients_of(positive, negative))
    assert 0 <= low <= area <= high <= 1
    turned = auc_interval(patients_of(negative, positive), 0.05)
    assert turned == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(
    ("positive", "negative", "wider"),
    [
        ([3, 4, 5, 6, 2], [1, 2, 0, 1, 3, 2], False),
        # One of four diseased patients lies below everybody: DeLong's variance is the larger one.
        ([9, 9, 9, 0], [1, 2, 3, 4, 5, 6, 7, 8], True),
    ],
)
def test_the_ends_are_where_the_observed_area_is_z_standard_errors_off(positive, negative, wider):
    patients, sizes = patients_of(positive, negative), (len(positive), len(negative))
    area = auc(patients)
    factor = delong_variance(patients) / newcombe_variance(area, sizes)
    assert (factor > 1) == wider
    for end in auc_interval(patients, 0.05):
        error = np.sqrt(max(1, factor) * newcombe_variance(end, sizes))
        assert abs(area - end) / error == pytest.approx(1.959964, abs=1e-5)


def test_delong_by_hand():
    # Placements 1, 1/2 among the negatives, and 3/4, 1 of them among the positives.
    patients = patients_of([3, 1], [1, 0])
    assert delong_variance(patients) == pytest.approx(0.03125 / 2 + 0.03125 / 2)
    assert delong_variance(patients_of([3], [1])) == 0


def test_classes_that_do_not_overlap_still_have_a_lower_limit():
    low, high = auc_interval(patients_of([5, 6, 7], [1, 2, 3]), 0.05)
    assert (1 - low) / np.sqrt(newcombe_variance(low, (3, 3))) == pytest.approx(1.959964, abs=1e-5)
    assert 0.3 < low < 0.9
    assert high == 1


def test_without_a_class_there_is_no_area():
    one = PatientScores(scores=[0.1, 0.2], labels=[1, 1])
    assert auc(one) is None
    assert auc_interval(one, 0.05) is None


def test_newcombes_variance_by_hand():
    """N* = 11/2 - 1; 0.16 (1 + 4.5 (0.2/1.2 + 0.8/1.8)) / 30."""
    assert newcombe_variance(0.8, (5, 6)) == pytest.approx(0.02)

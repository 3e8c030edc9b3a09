"""Decisions of two versions about the same patients: counts, the exact test, and the cut-off."""

import numpy as np
import pytest
from scipy.stats import binomtest

from steadycut.core.adapt.switch import Changes, matching_cut


def test_changes_are_counted_patient_by_patient():
    before = np.array([1, 1, 1, 1, 0, 0, 0], dtype=np.int64)
    after = np.array([1, 0, 1, 1, 1, 1, 0], dtype=np.int64)
    found = Changes.of(before, after)
    assert found == Changes(n_patients=7, called_before=4, called_after=5, newly=2, no_longer=1)
    assert found.called_after == after.sum()
    assert found.share == np.mean(before != after)
    exact = binomtest(3, 7).proportion_ci(0.9, "exact")
    assert found.limits(0.1) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("newly", range(6))
def test_the_p_value_is_that_of_an_exact_sign_test(newly):
    for no_longer in range(6):
        counts = {"n_patients": 60, "called_before": 9, "called_after": 9}
        found = Changes(**counts, newly=newly, no_longer=no_longer).p_value
        n = newly + no_longer
        assert found == pytest.approx(binomtest(newly, n).pvalue if n else 1.0)


@pytest.mark.parametrize(
    ("threshold", "cut"), [(0.5, 10.0), (1.5, 15.0), (2.5, 25.0), (3.5, 35.0), (4.0, 35.0)]
)
def test_the_matching_cut_off_lies_midway_and_calls_as_many(threshold, cut):
    old, new = np.array([1.0, 2.0, 3.0, 4.0]), np.array([30.0, 10.0, 40.0, 20.0])
    assert matching_cut(old, new, threshold) == cut
    assert np.sum(new >= cut) == np.sum(old >= threshold)


def test_if_nobody_was_called_the_matching_cut_off_lies_just_above_all_scores():
    old, new = np.array([1.0, 2.0]), np.array([7.0, 5.0])
    assert matching_cut(old, new, 3.0) == np.nextafter(7.0, 8.0)


def test_equal_scores_are_called_together():
    old, new = np.array([1.0, 2.0, 3.0, 4.0]), np.array([10.0, 20.0, 20.0, 30.0])
    assert matching_cut(old, new, 3.0) == 20.0

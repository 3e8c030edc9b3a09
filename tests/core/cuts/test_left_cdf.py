import numpy as np
import pytest

from steadycut.core.cuts.left_cdf import count_below, left_cdf
from tests.core.cohorts import SEEDS, random_cohort
from tests.slow_reference import cuts


@pytest.mark.parametrize("seed", SEEDS)
def test_share_below_agrees_with_counting(seed):
    scores = random_cohort(seed).scores
    thresholds = np.concatenate([scores, scores + 0.1, [scores.min() - 1, scores.max() + 1]])
    expected = [cuts.rank_of(scores.tolist(), t) / 24 for t in thresholds]
    assert left_cdf(scores, thresholds) == pytest.approx(expected, abs=1e-12)


def test_a_score_equal_to_the_threshold_is_not_below_it():
    assert count_below(np.array([2.0, 2.0, 3.0]), [2.0]).tolist() == [0]


def test_an_empty_class_has_nobody_below():
    assert left_cdf(np.array([]), [0.0, 1.0]).tolist() == [0.0, 0.0]


def test_the_only_score_is_the_whole_class():
    assert left_cdf(np.array([1.0]), [1.0, 2.0]).tolist() == [0.0, 1.0]

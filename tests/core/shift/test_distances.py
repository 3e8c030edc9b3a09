from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import ks_2samp

from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift.distances import global_distances, kolmogorov
from steadycut.study.curves import quantiles
from tests.slow_reference import shift


@pytest.mark.parametrize("seed", range(40))
def test_up_to_a_hundred_patients_the_distance_is_exact(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(size) for size in rng.integers(1, 101, 2))
    # Many ties, and scores of one sample that are scores of the other.
    one, two = rng.integers(0, 12, n) / 4, rng.integers(0, 16, m) / 4
    found = kolmogorov(np.array(quantiles(one)), n, two)
    assert found == pytest.approx(float(shift.kolmogorov(one.tolist(), two.tolist())), abs=1e-12)
    assert found == pytest.approx(ks_2samp(one, two, method="asymp").statistic, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_with_more_patients_it_is_a_limit_within_a_hundredth(seed):
    rng = np.random.default_rng(seed)
    one, two = rng.normal(size=int(rng.integers(101, 900))), rng.normal(0.3, 1.2, size=70)
    exact = ks_2samp(one, two, method="asymp").statistic
    assert exact - 1e-12 <= kolmogorov(np.array(quantiles(one)), one.size, two) < exact + 0.01


def test_samples_that_do_not_overlap_are_as_far_apart_as_can_be():
    for scores in ([0.0, 0.5], [4.0, 5.0, 6.0]):
        assert kolmogorov(np.array([1.0, 1.0, 3.0]), 2, np.array(scores)) == 1.0


def test_an_empty_class_has_no_distance():
    assert kolmogorov(np.array([]), 0, np.array([1.0])) is None
    assert kolmogorov(np.array([1.0, 1.0]), 1, np.array([])) is None


def test_the_limit_by_hand():
    p = Confusion(tp=3, fn=1, fp=2, tn=4)
    q = Confusion(tp=1, fn=1, fp=4, tn=4)
    found = global_distances(p, q, Costs(cost_fn=3.0, cost_fp=1.0), 0.5, None)
    assert found.total_variation == pytest.approx(0.2)
    assert found.limit == pytest.approx(float(4 * Fraction(1, 5) + 3 * Fraction(2, 5) / 2))
    assert found.kolmogorov_negative is None
    both = global_distances(p, q, Costs(cost_fn=3.0, cost_fp=2.0), 0.5, 0.25)
    assert both.limit == pytest.approx(5 * 0.2 + 3 * 0.4 * 0.5 + 2 * 0.6 * 0.25)
    healthy = global_distances(p, q, Costs(cost_fn=3.0, cost_fp=2.0), None, 0.25)
    assert healthy.limit == pytest.approx(5 * 0.2 + 2 * 0.6 * 0.25)
    assert (both.kolmogorov_positive, both.kolmogorov_negative) == (0.5, 0.25)

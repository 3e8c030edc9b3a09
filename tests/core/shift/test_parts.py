import itertools
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.stats import ks_2samp

from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift.parts import (
    Parts,
    absolute_shift,
    global_distances,
    kolmogorov,
    reversed_values,
    shapley_values,
    signed_shift,
)
from steadycut.documents.audit import ShiftParts
from steadycut.study.curves import quantiles
from tests.core.cohorts import COSTS
from tests.slow_reference import shift

reversed_shift = partial(signed_shift, order=reversed_values)
shapley_shift = partial(signed_shift, order=shapley_values)
ORDERS = [signed_shift, reversed_shift, shapley_shift]


def random_counts(seed):
    """Counts at two hospitals; of some seeds a class is empty at one of them, or at both."""
    rng = np.random.default_rng(seed)
    tables = rng.integers(1, 40, size=(2, 4))
    empty = {1: [(1, 0)], 2: [(1, 1)], 3: [(0, 0)], 4: [(0, 1)], 5: [(0, 0), (1, 0)]}
    for site, label in empty.get(seed % 8, []):
        tables[site, 2 * label : 2 * label + 2] = 0
    return [Confusion(tp=int(a), fn=int(b), fp=int(c), tn=int(d)) for a, b, c, d in tables]


def gap(internal, external, costs):
    """R_Q - R_P, straight from the counts."""
    risks = [
        (costs.cost_fn * c.fn + costs.cost_fp * c.fp) / (c.tp + c.fn + c.fp + c.tn)
        for c in (internal, external)
    ]
    return risks[1] - risks[0]


def risk_of(prevalence, miss, alarm, costs):
    return costs.cost_fn * prevalence * miss + costs.cost_fp * (1 - prevalence) * alarm


@pytest.mark.parametrize("split", ORDERS)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", range(16))
def test_the_parts_sum_to_the_difference_of_the_risks(split, costs, seed):
    internal, external = random_counts(seed)
    parts = split(internal, external, costs)
    assert parts.total == pytest.approx(gap(internal, external, costs), abs=1e-12)
    assert ShiftParts.of(parts).total == parts.total


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", range(16))
def test_the_papers_shift_is_never_below_the_difference(costs, seed):
    internal, external = random_counts(seed)
    total = absolute_shift(internal, external, costs).total
    assert total >= gap(internal, external, costs) - 1e-12
    assert total >= gap(external, internal, costs) - 1e-12 or seed % 8 != 0


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", [0, 6, 7, 8])
def test_shapley_is_the_mean_over_all_orders_of_three_players(costs, seed):
    """Prevalence, class-1 shape and class-0 shape change one after the other, in all six orders."""
    internal, external = random_counts(seed)
    p, q = ([c.prevalence, c.miss_rate, c.alarm_rate] for c in (internal, external))
    shares = [0.0, 0.0, 0.0]
    for order in itertools.permutations(range(3)):
        now = list(p)
        for player in order:
            before = risk_of(*now, costs)
            now[player] = q[player]
            shares[player] += (risk_of(*now, costs) - before) / 6
    parts = shapley_shift(internal, external, costs)
    found = [parts.prevalence, parts.shape_positive, parts.shape_negative]
    assert found == pytest.approx(shares, abs=1e-12)


P = Confusion(tp=8, fn=2, fp=3, tn=7)
Q = Confusion(tp=2, fn=2, fp=4, tn=12)


def test_signed_parts_by_hand():
    """P: prevalence 0.5, miss 0.2, alarm 0.3. Q: prevalence 0.2, miss 0.5, alarm 0.25."""
    parts = signed_shift(P, Q, Costs(cost_fn=2.0))
    assert parts.prevalence == pytest.approx(-0.3 * (2 * 0.5 - 0.25), abs=1e-12)
    assert parts.shape_positive == pytest.approx(2 * 0.5 * 0.3, abs=1e-12)
    assert parts.shape_negative == pytest.approx(0.5 * -0.05, abs=1e-12)


def test_reversed_parts_by_hand():
    parts = reversed_shift(P, Q, Costs(cost_fn=2.0))
    assert parts.prevalence == pytest.approx(-0.3 * (2 * 0.2 - 0.3), abs=1e-12)
    assert parts.shape_positive == pytest.approx(2 * 0.2 * 0.3, abs=1e-12)
    assert parts.shape_negative == pytest.approx(0.8 * -0.05, abs=1e-12)


def test_absolute_parts_by_hand():
    parts = absolute_shift(P, Q, Costs(cost_fn=2.0))
    assert parts.prevalence == pytest.approx(3 * 0.3, abs=1e-12)
    assert parts.shape_positive == pytest.approx(2 * 0.5 * 0.3, abs=1e-12)
    assert parts.shape_negative == pytest.approx(0.5 * 0.05, abs=1e-12)


NO_POSITIVE = Confusion(tp=0, fn=0, fp=4, tn=12)
NO_NEGATIVE = Confusion(tp=3, fn=1, fp=0, tn=0)


@pytest.mark.parametrize("split", [*ORDERS, absolute_shift])
@pytest.mark.parametrize("other", [P, NO_POSITIVE])
def test_the_shape_of_a_class_that_one_hospital_lacks_is_unknown(split, other):
    """Unknown is None, not zero, whichever hospital lacks the class."""
    for internal, external in [(other, NO_POSITIVE), (NO_POSITIVE, other)]:
        parts = split(internal, external, Costs())
        assert parts.shape_positive is None
        assert parts.shape_negative is not None


@pytest.mark.parametrize("split", [*ORDERS, absolute_shift])
def test_the_shape_of_the_healthy_is_unknown_without_any(split):
    for internal, external in [(P, NO_NEGATIVE), (NO_NEGATIVE, P)]:
        parts = split(internal, external, Costs())
        assert parts.shape_negative is None
        assert parts.shape_positive is not None


def test_nothing_changes_between_a_hospital_and_itself():
    for split in [*ORDERS, absolute_shift]:
        parts = split(P, P, Costs())
        assert parts == Parts(prevalence=0.0, shape_positive=0.0, shape_negative=0.0)


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

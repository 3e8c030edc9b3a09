"""The cost here and before, against sums that are written out here once more."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from steadycut.core.bounds.anytime import lower_mean, upper_mean
from steadycut.core.cost_change import STRICTER, TwoHospitals, mean_and_limits

HERE, BEFORE = np.array([[88, 22], [5, 34]]), np.array([[60, 7], [5, 28]])
COSTS = np.array([[0.0, 1.0], [3.0, 0.0]])


def exact(wrong, n, level):
    """Clopper-Pearson limits, each at the level."""
    low = beta.ppf(level, wrong, n - wrong + 1) if wrong else 0.0
    return low, (beta.isf(level, wrong + 1, n - wrong) if wrong < n else 1.0)


def slow_limits(here, before, costs, level, less=(0.0, 0.0)):
    """MOVER, patient by patient of the formula: five exact limits, added as squares."""
    level *= STRICTER
    n, ill = here.sum(), here[1].sum()
    wrong, were = (here[0, 1], here[1, 0]), (before[0, 1], before[1, 0])
    shares, prices = (1 - ill / n, ill / n), (costs[0, 1], costs[1, 0])
    value = down = up = 0.0
    changes = []
    for grade in (0, 1):
        now, was = wrong[grade] / here[grade].sum(), were[grade] / before[grade].sum()
        low, high = exact(wrong[grade], here[grade].sum(), level)
        was_low, was_high = exact(were[grade], before[grade].sum(), level)
        weight = shares[grade] * prices[grade]
        changes.append(prices[grade] * (now - was) - less[grade])
        value += shares[grade] * changes[-1]
        down += (weight * (now - low)) ** 2 + (weight * (was_high - was)) ** 2
        up += (weight * (high - now)) ** 2 + (weight * (was - was_low)) ** 2
    slope = changes[1] - changes[0]
    moves = sorted(slope * (end - ill / n) for end in exact(ill, n, level))
    return value - np.sqrt(down + moves[0] ** 2), value + np.sqrt(up + moves[1] ** 2)


cells = st.lists(st.integers(0, 40), min_size=4, max_size=4).map(
    lambda four: np.array(four).reshape(2, 2) + np.array([[1, 0], [0, 1]])
)


@given(cells, cells, st.sampled_from([0.01, 0.05, 0.2]), st.sampled_from([0.2, 1.0, 5.0]))
@settings(max_examples=60, deadline=None)
def test_limits_are_those_of_the_slow_twin(here, before, level, miss):
    costs = np.array([[0.0, 1.0], [miss, 0.0]])
    both = TwoHospitals(here=here, before=before, costs=costs)
    for less in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.1 * miss)):
        wanted = slow_limits(here, before, costs, level, less)
        assert both.limits(level, np.array(less)) == pytest.approx(wanted, abs=1e-9)
    low, high = both.limits(level)
    assert low <= both.value() <= high


@given(cells, cells)
@settings(max_examples=40, deadline=None)
def test_exchanged_hospitals_turn_the_sign_at_a_given_prevalence(here, before):
    shares = np.array([0.7, 0.3])
    one = TwoHospitals(here=here, before=before, costs=COSTS, shares=shares)
    other = TwoHospitals(here=before, before=here, costs=COSTS, shares=shares)
    low, high = one.limits(0.05)
    assert other.value() == pytest.approx(-one.value())
    assert other.limits(0.05) == pytest.approx((-high, -low))


def test_a_change_of_prevalence_alone_costs_nothing():
    here = np.array([[180, 20], [10, 90]])
    before = np.array([[90, 10], [50, 450]])
    assert TwoHospitals(here=here, before=before, costs=COSTS).value() == pytest.approx(0.0)


def test_the_value_by_hand():
    both = TwoHospitals(here=HERE, before=BEFORE, costs=COSTS)
    wanted = 110 / 149 * (22 / 110 - 7 / 67) + 3 * 39 / 149 * (5 / 39 - 5 / 33)
    assert both.value() == pytest.approx(wanted)


@pytest.mark.parametrize("given_shares", [False, True])
@pytest.mark.parametrize("options", [{"sequential": True}, {"n_choices": 3}])
def test_added_limits_are_wider_and_hold_the_value(options, given_shares):
    shares = np.array([0.7, 0.3]) if given_shares else None
    plain = TwoHospitals(here=4 * HERE, before=4 * BEFORE, costs=COSTS, shares=shares)
    added = TwoHospitals(here=4 * HERE, before=4 * BEFORE, costs=COSTS, shares=shares, **options)
    (low, high), (lower, higher) = plain.limits(0.05), added.limits(0.05)
    assert lower < low < plain.value() < high < higher
    assert added.limits(0.01)[0] < lower
    less = added.limits(0.05, np.array([0.0, 0.3]))
    assert less[0] < lower
    assert less[1] < higher


def test_limits_at_every_look_by_hand():
    """Half of the level for both rates before, half for the mean of what is left here."""
    both = TwoHospitals(here=HERE, before=BEFORE, costs=COSTS, sequential=True)
    low = [exact(7, 67, 0.0125)[1], 3 * exact(5, 33, 0.0125)[1]]
    values = (COSTS - np.array(low)[:, None]).ravel()
    scaled = (values - values.min()) / np.ptp(values)
    wanted = values.min() + np.ptp(values) * lower_mean(scaled, HERE.ravel(), 0.025)
    assert both.limits(0.05)[0] == pytest.approx(wanted)


def test_without_patients_of_a_grade_nothing_is_known():
    one_class = np.array([[5, 5], [0, 0]])
    for here, before in product((HERE, one_class), (BEFORE, one_class)):
        known = TwoHospitals(here=here, before=before, costs=COSTS).known
        assert known == (here is HERE and before is BEFORE)


@pytest.mark.parametrize("sequential", [False, True])
def test_a_mean_of_three_values_lies_within_limits_that_hold(sequential):
    values, counts = [0.5, 1.0, 2.5], np.array([20, 5, 10])
    mean, low, high = mean_and_limits(values, counts, 0.05, sequential=sequential)
    assert mean == pytest.approx((20 * 0.5 + 5 + 25) / 35)
    assert 0.5 <= low < mean < high <= 2.5
    if sequential:
        scaled = (np.array(values) - 0.5) / 2
        assert high == pytest.approx(0.5 + 2 * upper_mean(scaled, counts, 0.05))
    many = mean_and_limits(values, 1000 * counts, 0.05, sequential=sequential)
    assert low < many[1] < mean < many[2] < high
    assert mean_and_limits([2.0, 2.0], np.array([1, 3]), 0.05, sequential=sequential) == (2, 2, 2)


def test_three_grades_have_limits_too():
    costs = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    good = np.full((3, 3), 5) + np.diag([60, 60, 60])
    for options in ({}, {"sequential": True}, {"n_choices": 2}):
        same = TwoHospitals(here=good, before=good, costs=costs, **options)
        assert same.value() == 0
        low, high = same.limits(0.05)
        assert low < 0 < high
        turned = TwoHospitals(here=good[:, ::-1], before=4 * good, costs=costs, **options)
        assert turned.limits(0.05)[0] > 0

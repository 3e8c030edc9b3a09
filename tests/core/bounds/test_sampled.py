"""Limits from labels with known probabilities, against an enumeration of all outcomes."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import beta, norm

from steadycut.core.bounds.binomial import lower_limit, upper_limit
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.bounds.sampled import (
    RANK_SPREAD,
    SLACK,
    Drawn,
    _tail_of_below,
    _tail_of_called,
    highest_below,
    highest_mean_cost,
    highest_missed,
    lowest_below,
    lowest_sum,
)
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

CHANCES = [(1.0, 1.0, 0.1), (0.5, 0.8, 0.3), (0.3, 0.2, 0.9)]
MESH = np.linspace(0, 1, 41)


def outcomes(m):
    return [(m - i - j, i, j) for i in range(m + 1) for j in range(m + 1 - i)]


def probability(counts, rates):
    """Multinomial probability of one outcome, for arrays of rates."""
    ways = math.factorial(sum(counts)) / math.prod(math.factorial(one) for one in counts)
    return ways * np.prod([rate**count for rate, count in zip(rates, counts, strict=True)], axis=0)


def rates_of(shares, chances):
    """What labelled patients divide by, if all patients of the class divide by ``shares``."""
    parts = [chance * share for chance, share in zip(chances, shares, strict=True)]
    return [part / sum(parts) for part in parts]


def rank_below(counts, chances, delta):
    called, *below = counts
    if not called:
        return math.inf
    weights = [1 / chance for chance in chances[1:]]
    spread = sum(w**2 * (k + 0.1) for w, k in zip(weights, below, strict=True))
    total = sum(w * k for w, k in zip(weights, below, strict=True))
    return (total + RANK_SPREAD * norm.ppf(1 - delta) * math.sqrt(spread)) / called


def rank_called(counts, chances, delta):
    called, *below = counts
    total = sum(k / chance for k, chance in zip(below, chances[1:], strict=True))
    if not total:
        return math.inf
    return (called + RANK_SPREAD * norm.ppf(1 - delta) * math.sqrt(called + 0.1)) / total


def slow_limit(counts, chances, delta, *, below):
    """The largest share below (or called) that is still likely at one of many divisions."""
    rank = rank_below if below else rank_called
    observed = rank(counts, chances, delta)
    no_higher = [
        one
        for one in outcomes(sum(counts))
        if rank(one, chances, delta) <= observed * (1 + 1e-9) or math.isinf(observed)
    ]
    parts = np.linspace(0, 1, 601)
    low, high = np.zeros(601), np.ones(601)
    for _ in range(40):
        value = (low + high) / 2
        share = value if below else 1 - value
        rates = rates_of((1 - share, parts * share, (1 - parts) * share), chances)
        likely = sum(probability(one, rates) for one in no_higher) > delta
        low, high = np.where(likely, value, low), np.where(likely, high, value)
    return low.max()


@pytest.mark.parametrize("chances", CHANCES)
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize(
    "counts", [(10, 0, 0), (9, 1, 0), (9, 0, 1), (5, 3, 2), (1, 4, 5), (0, 6, 4), (0, 0, 10)]
)
def test_both_limits_are_those_of_an_enumeration(counts, chances, delta):
    drawn = Drawn(counts=counts, chances=chances)
    expected = slow_limit(counts, chances, delta, below=True)
    found = highest_below(drawn, delta)
    assert expected * (1 - 1e-9) <= found <= min(expected * (1 + 3 * SLACK), 1 + 1e-12)
    expected = slow_limit(counts, chances, delta, below=False)
    found = 1 - lowest_below(drawn, delta)
    assert expected * (1 - 1e-9) <= found <= min(expected * (1 + 3 * SLACK), 1 + 1e-12)


@pytest.mark.parametrize(
    ("chances", "delta", "m"),
    [
        *itertools.product([(1.0, 1.0, 0.1), (0.5, 0.8, 0.3)], [0.05, 0.7], [9]),
        ((0.5, 0.35, 0.3), 0.3, 9),
        ((0.3, 0.9, 0.7), 0.3, 9),
        ((1.0, 0.6, 0.23), 0.002, 14),
    ],
)
def test_the_tails_hold_the_outcomes_that_rank_no_higher_and_no_other(chances, delta, m):
    """Above delta = 0.5 outcomes are ranked by the estimate."""
    every = outcomes(m)
    for rank, tail_of, place in (
        (rank_below, _tail_of_below, 1),
        (rank_called, _tail_of_called, 0),
    ):
        ranks = {one: rank(one, chances, min(delta, 0.5)) for one in every}
        for counts in every:
            tail = tail_of(Drawn(counts=counts, chances=chances), delta)
            most = dict(zip(tail.misses.tolist(), tail.most_alarms.tolist(), strict=True))
            inside = {one for one in every if one[place] <= most.get(one[2], -1)}
            wanted = ranks[counts] * (1 + 1e-9)
            assert inside == {one for one in every if ranks[one] <= wanted}


@pytest.mark.parametrize("chances", CHANCES)
@pytest.mark.parametrize("delta", [0.1, 0.2])
def test_the_limits_fail_with_at_most_delta_whatever_the_shares_are(chances, delta):
    """Exactly: all outcomes of eight labelled patients, all shares on a mesh."""
    shares = [(1 - a - b, a, b) for a, b in itertools.product(MESH, repeat=2) if a + b <= 1]
    called, first, second = np.maximum(np.array(shares).T, 0)
    rates, truth = rates_of((called, first, second), chances), first + second
    too_low, too_high = np.zeros_like(truth), np.zeros_like(truth)
    for counts in outcomes(8):
        drawn, chance = Drawn(counts=counts, chances=chances), probability(counts, rates)
        too_low += chance * (highest_below(drawn, delta) < truth - 1e-12)
        too_high += chance * (lowest_below(drawn, delta) > truth + 1e-12)
    assert 0.3 * delta < too_low.max() <= delta
    assert 0.3 * delta < too_high.max() <= delta


def test_two_strata_worked_by_hand():
    """One of ten below with half the probability: theta at most 0.3368, odds doubled."""
    theta = beta.ppf(0.9, 2, 9)
    drawn = Drawn(counts=(9, 1), chances=(1.0, 0.5))
    assert highest_below(drawn, 0.1) == pytest.approx(2 * theta / (2 * theta + 1 - theta))
    assert drawn.estimate == pytest.approx(2 / 11)


def test_equal_probabilities_give_the_limits_of_random_labels():
    drawn = Drawn(counts=(20, 3, 2), chances=(0.4, 0.4, 0.4))
    assert highest_below(drawn, 0.1) == pytest.approx(upper_limit(5, 25, 0.1))
    assert lowest_below(drawn, 0.1) == pytest.approx(lower_limit(5, 25, 0.1))


@pytest.mark.parametrize("strata", [2, 3])
def test_nobody_labelled_tells_nothing(strata):
    drawn = Drawn(counts=(0,) * strata, chances=(1.0, 0.5, 0.1)[:strata])
    assert (lowest_below(drawn, 0.1), highest_below(drawn, 0.1)) == (0.0, 1.0)
    assert drawn.estimate is None


def test_the_order_of_the_lower_strata_does_not_matter():
    one = Drawn(counts=(20, 3, 1), chances=(1.0, 0.5, 0.1))
    other = Drawn(counts=(20, 1, 3), chances=(1.0, 0.1, 0.5))
    assert highest_below(one, 0.1) == highest_below(other, 0.1)
    assert lowest_below(one, 0.1) == lowest_below(other, 0.1)


def test_a_miss_far_below_weighs_more_than_one_just_below():
    far, near = (
        Drawn(counts=counts, chances=(1.0, 1.0, 0.1)) for counts in ((20, 0, 1), (20, 1, 0))
    )
    assert highest_below(far, 0.1) > highest_below(near, 0.1)


def test_many_called_and_few_below_end():
    """The slack must not carry the search above 1."""
    drawn = Drawn(counts=(450, 1, 0), chances=(1.0, 0.5, 0.1))
    assert 0 <= lowest_below(drawn, 0.05) < 2 / 452


def test_cost_with_one_and_with_two_strata_below():
    costs = Costs(cost_fn=5.0)
    one = highest_mean_cost(Drawn(counts=(0, 2), chances=(1.0, 0.5)), 3, 1000, costs, 0.1)
    two = highest_mean_cost(Drawn(counts=(0, 2, 0), chances=(1.0, 0.5, 0.4)), 3, 1000, costs, 0.1)
    plain = 5 * 4 / 1000 + 3 / 1000
    assert plain < one < two < 0.1
    # One stratum: a miss counts twice, and half of the false alarms are drawn too.
    drawn = Drawn(counts=(0, 2), chances=(0.5, 0.5))
    found = highest_mean_cost(drawn, 3, 1000, costs, 0.1)
    scaled = Costs(cost_fn=10.0, cost_fp=2.0)
    assert found == pytest.approx(buehler_limit(errors_of(2, 3, 1000), scaled, 0.1))
    # Two strata: half of delta for the missed patients, half for the false alarms.
    drawn = Drawn(counts=(0, 2, 1), chances=(0.5, 0.5, 0.4))
    found = highest_mean_cost(drawn, 3, 1000, costs, 0.1)
    alarmed = upper_limit(3, 1000, 0.05) / 0.5
    assert found == pytest.approx(5 * highest_missed(drawn, 1000, 0.05) + alarmed)
    # No more than all patients are false alarms.
    drawn = Drawn(counts=(0, 0, 0), chances=(0.5, 0.9, 0.8))
    found = highest_mean_cost(drawn, 18, 20, costs, 0.1)
    assert found == pytest.approx(5 * highest_missed(drawn, 20, 0.05) + 1)
    assert found < 5
    many = highest_mean_cost(Drawn(counts=(0, 9, 9), chances=(0.5, 0.5, 0.1)), 9, 20, costs, 0.1)
    few = highest_mean_cost(Drawn(counts=(0, 9), chances=(0.5, 0.1)), 9, 20, costs, 0.1)
    assert many == few == 5.0
    none = highest_mean_cost(Drawn(counts=(7,), chances=(0.5,)), 3, 1000, costs, 0.1)
    assert none == pytest.approx(upper_limit(3, 1000, 0.1) / 0.5)


def test_shares_of_all_patients_are_divided_by_the_probability():
    drawn = Drawn(counts=(7, 2), chances=(1.0, 0.5))
    assert highest_missed(drawn, 1000, 0.1) == pytest.approx(upper_limit(2, 1000, 0.1) / 0.5)
    assert lowest_sum((2,), (0.5,), 1000, 0.1) == pytest.approx(lower_limit(2, 1000, 0.1) / 0.5)
    assert highest_missed(Drawn(counts=(7,), chances=(1.0,)), 1000, 0.1) == 0
    # Two strata: each counts as one over its probability.
    drawn = Drawn(counts=(7, 2, 1), chances=(1.0, 0.5, 0.1))
    weights = Costs(cost_fn=2.0, cost_fp=10.0)
    wanted = buehler_limit(errors_of(2, 1, 1000), weights, 0.1)
    assert highest_missed(drawn, 1000, 0.1) == pytest.approx(wanted, rel=3e-3)
    turned = Drawn(counts=(7, 1, 2), chances=(1.0, 0.1, 0.5))
    assert highest_missed(turned, 1000, 0.1) == highest_missed(drawn, 1000, 0.1)
    wanted = lower_limit(2, 1000, 0.05) / 0.5 + lower_limit(1, 1000, 0.05) / 0.1
    assert lowest_sum((2, 1), (0.5, 0.1), 1000, 0.1) == pytest.approx(wanted)
    assert lowest_sum((), (), 1000, 0.1) == 0
    for counts, chances in (((0, 9), (1.0, 0.1)), ((0, 9, 9), (1.0, 0.5, 0.1))):
        assert highest_missed(Drawn(counts=counts, chances=chances), 20, 0.1) == 1.0


def errors_of(misses, alarms, n):
    return Confusion(tp=0, fn=misses, fp=alarms, tn=n - misses - alarms)


def test_strata_with_one_probability_are_one_stratum():
    drawn = Drawn(counts=(7, 2, 1), chances=(1.0, 0.5, 0.5))
    assert drawn.merged == Drawn(counts=(7, 3), chances=(1.0, 0.5))
    turned = Drawn(counts=(7, 2, 1), chances=(1.0, 0.1, 0.5))
    assert turned.merged == Drawn(counts=(7, 1, 2), chances=(1.0, 0.5, 0.1))
    for same in (turned.merged, Drawn(counts=(7, 1), chances=(0.1, 0.5))):
        assert same.merged is same

"""The exact limit for unequal costs, against an enumeration of all outcomes."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import beta, norm

from steadycut.core.bounds.buehler import SLACK, _tail, buehler_limit
from steadycut.core.bounds.concentration import buehler
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

COSTS = [Costs(cost_fn=3.0), Costs(cost_fn=1.0, cost_fp=10.0), Costs(cost_fn=0.1, cost_fp=0.7)]


def counts_of(misses, alarms, n):
    """Errors among n patients; how the others divide plays no part."""
    return Confusion(tp=0, fn=misses, fp=alarms, tn=n - misses - alarms)


def outcomes(n):
    return [(i, j) for i in range(n + 1) for j in range(n + 1 - i)]


def probability(misses, alarms, n, miss, alarm):
    """Multinomial probability of one outcome, for arrays of rates."""
    rest = n - misses - alarms
    ways = math.comb(n, misses) * math.comb(n - misses, alarms)
    return ways * miss**misses * alarm**alarms * np.maximum(1 - miss - alarm, 0.0) ** rest


def rank(misses, alarms, costs, delta):
    """An approximate upper limit of the total cost: what outcomes are ranked by."""
    dearer = max(costs.cost_fn, costs.cost_fp)
    miss, alarm = costs.cost_fn / dearer, costs.cost_fp / dearer
    variance = miss**2 * (misses + 0.1) + alarm**2 * (alarms + 0.1)
    return miss * misses + alarm * alarms + norm.ppf(1 - delta) * math.sqrt(variance)


def largest_likely_risk(misses, alarms, n, costs, delta):
    """The limit by bisection at many shares of the risk that misses carry: from below."""
    observed = rank(misses, alarms, costs, delta)
    no_higher = [(i, j) for i, j in outcomes(n) if rank(i, j, costs, delta) <= observed + 1e-9]
    shares = np.linspace(0, 1, 401)
    # First everywhere, then near the best share.
    for _ in range(2):
        low, high = np.zeros(401), 1 / (shares / costs.cost_fn + (1 - shares) / costs.cost_fp)
        for _ in range(30):
            middle = (low + high) / 2
            rates = shares * middle / costs.cost_fn, (1 - shares) * middle / costs.cost_fp
            likely = sum(probability(i, j, n, *rates) for i, j in no_higher) > delta
            low, high = np.where(likely, middle, low), np.where(likely, high, middle)
        best = np.clip(shares[low.argmax()] + np.array([-1, 1]) / 400, 0, 1)
        shares = np.linspace(*best, 401)
    return low.max()


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize(
    "errors", [(0, 0), (1, 0), (0, 2), (2, 3), (6, 1), (12, 0), (0, 12), (5, 7)]
)
def test_the_limit_is_the_largest_mean_cost_that_is_still_likely(costs, delta, errors):
    """As likely as any outcome of no higher rank; above the supremum by at most a stated part."""
    expected = largest_likely_risk(*errors, 12, costs, delta)
    limit = buehler_limit(counts_of(*errors, 12), costs, delta)
    assert expected * (1 - 1e-9) <= limit <= expected * (1 + 1.13 * SLACK)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", [0.1, 0.2])
def test_the_limit_fails_with_at_most_delta_at_every_pair_of_rates(costs, delta):
    """Exactly: all outcomes of ten patients, all rates on a fine mesh."""
    rates = [(a, b) for a, b in itertools.product(np.linspace(0, 1, 61), repeat=2) if a + b <= 1]
    miss, alarm = np.array(rates).T
    truth = costs.cost_fn * miss + costs.cost_fp * alarm
    failure = np.zeros_like(truth)
    for i, j in outcomes(10):
        limit = buehler_limit(counts_of(i, j, 10), costs, delta)
        failure += np.where(limit < truth - 1e-12, probability(i, j, 10, miss, alarm), 0.0)
    assert failure.max() <= delta + 1e-12
    # It is exact, not merely safe: somewhere the promise is nearly used up.
    assert failure.max() > 0.8 * delta


@pytest.mark.parametrize("errors", [0, 1, 7, 19, 20])
def test_for_equal_costs_it_is_the_binomial_limit(errors):
    limit = buehler_limit(counts_of(errors, 0, 20), Costs(cost_fn=2.0, cost_fp=2.0), 0.1)
    exact = 2.0 * beta.ppf(0.9, errors + 1, 20 - errors) if errors < 20 else 2.0
    assert exact - 1e-9 <= limit <= exact * (1 + 3 * SLACK)


def test_the_limit_grows_with_the_total_and_shrinks_with_the_patients():
    costs = Costs(cost_fn=3.0)
    by_errors = [buehler_limit(counts_of(k, k, 60), costs, 0.1) for k in range(10)]
    assert by_errors == sorted(by_errors)
    by_size = [buehler_limit(counts_of(1, 2, n), costs, 0.1) for n in (10, 30, 100, 300)]
    assert by_size == sorted(by_size, reverse=True)


def test_the_limit_is_at_most_the_dearer_cost():
    assert buehler_limit(counts_of(5, 0, 5), Costs(cost_fn=3.0), 0.1) == 3.0


def test_the_unit_of_the_costs_is_free():
    small, large = (Costs(cost_fn=3.0 * u, cost_fp=u) for u in (1e-3, 1e3))
    one, other = (buehler_limit(counts_of(2, 4, 40), costs, 0.1) for costs in (small, large))
    assert other == pytest.approx(1e6 * one, rel=1e-9)


def test_the_bound_is_the_limit_minus_the_observed_risk():
    counts, costs = counts_of(2, 4, 40), Costs(cost_fn=3.0)
    expected = buehler_limit(counts, costs, 0.1) - (3.0 * 2 + 4) / 40
    assert buehler(counts, costs, 0.1) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5, 46, 2000])
@pytest.mark.parametrize("ratio", [3.0, 50.0, 1e3, 1e4, 1e6])
def test_without_an_error_the_limit_is_that_of_misses_alone(n, ratio):
    """Pr(no miss) = (1 - a)^n exceeds delta up to a = 1 - delta^(1/n)."""
    limit = buehler_limit(counts_of(0, 0, n), Costs(cost_fn=ratio), 0.1)
    assert limit >= ratio * (1 - 0.1 ** (1 / n)) * (1 - 1e-9)
    mirrored = buehler_limit(counts_of(0, 0, n), Costs(cost_fp=ratio), 0.1)
    assert mirrored == pytest.approx(limit, rel=3 * SLACK)


@pytest.mark.parametrize("costs", [Costs(cost_fn=r) for r in (0.01, 3.0, 50.0, 1e3, 1e5)])
@pytest.mark.parametrize("n", [12, 46, 2000])
def test_the_observed_outcome_ranks_no_higher_than_itself(costs, n):
    """Rounding must not drop it, or the limit would be far too small."""
    scale = costs.largest
    ratio = (costs.cost_fn / scale, costs.cost_fp / scale)
    step = max(1, n // 12)
    for misses, alarms in itertools.product(range(0, n + 1, step), repeat=2):
        if misses + alarms <= n:
            tail = _tail(misses, alarms, n, ratio, 0.1)
            most = dict(zip(tail.misses.tolist(), tail.most_alarms.tolist(), strict=True))
            assert most[misses] >= alarms


def test_the_observed_outcome_of_very_many_patients_ranks_no_higher_than_itself():
    for misses, alarms in ((0, 300_000), (1000, 300_000)):
        tail = _tail(misses, alarms, 400_000, (0.01, 1.0), 0.1)
        assert tail.most_alarms[tail.misses.tolist().index(misses)] >= alarms


@pytest.mark.parametrize(
    ("costs", "delta"),
    [
        *itertools.product([*COSTS, Costs(cost_fn=1e6)], [0.05, 0.7]),
        (Costs(cost_fn=0.45), 0.01),
        (Costs(cost_fp=0.45), 0.01),
    ],
)
@pytest.mark.parametrize("n", [12, 30])
def test_the_tail_holds_the_outcomes_that_rank_no_higher_and_no_other(costs, delta, n):
    """Above delta = 0.5 outcomes are ranked by their total."""
    scale = costs.largest
    ratio = (costs.cost_fn / scale, costs.cost_fp / scale)
    ranks = {(i, j): rank(i, j, costs, min(delta, 0.5)) for i, j in outcomes(n)}
    for misses, alarms in ranks if n == 12 else [(0, 0), (1, 0), (2, 3), (12, 0), (0, 12), (5, 7)]:
        tail = _tail(misses, alarms, n, ratio, delta)
        most = dict(zip(tail.misses.tolist(), tail.most_alarms.tolist(), strict=True))
        inside = {(i, j) for i, j in outcomes(n) if j <= most.get(i, -1)}
        assert inside == {one for one in ranks if ranks[one] <= ranks[misses, alarms] + 1e-9}


def test_above_a_delta_of_one_half_outcomes_rank_as_there():
    at_half, above = (_tail(2, 3, 12, (1.0, 0.45), delta) for delta in (0.5, 0.7))
    np.testing.assert_array_equal(above.misses, at_half.misses)
    np.testing.assert_array_equal(above.most_alarms, at_half.most_alarms)


@pytest.mark.parametrize("n", [1, 2, 500, 2000])
@pytest.mark.parametrize("ratio", [1e-4, 0.5, 1e4])
def test_small_and_large_cohorts_and_extreme_costs_have_a_limit(n, ratio):
    counts = counts_of(n // 10, n // 5, n)
    costs = Costs(cost_fn=ratio)
    limit = buehler_limit(counts, costs, 0.1)
    assert counts.risk(costs) < limit <= costs.largest

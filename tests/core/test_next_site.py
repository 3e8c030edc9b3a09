"""What hospitals say about the next one: worst hospital, share of hospitals, normal limit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.next_site import (
    SiteResult,
    comparison_at,
    logit_limit,
    next_site,
    promise,
    share_of,
    site_delta,
    sites_needed,
)
from steadycut.core.records import Costs

COUNTS = st.builds(
    Confusion,
    tp=st.integers(0, 30),
    fn=st.integers(0, 30),
    fp=st.integers(0, 30),
    tn=st.integers(1, 30),
)


def hospitals(counts):
    return [SiteResult(site=str(i), threshold=0.0, counts=one) for i, one in enumerate(counts)]


def test_the_promises_are_those_of_the_theorems():
    found = [promise(k, 0.05, split=True) for k in (3, 5, 10, 20)]
    assert [math.floor(100 * one) for one in found] == [71, 79, 86, 90]
    # Left out: K / (K + 1) - K delta / 2, with the error probabilities that fit uses.
    found = [promise(k, site_delta(k, 0.9, split=False), split=False) for k in (3, 5, 10, 20)]
    assert [math.floor(100 * one + 1e-9) for one in found] == [73, 80, 85, 90]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("split", [True, False])
def test_one_hospital_less_is_not_enough(level, split):
    k = sites_needed(level, split=split)
    if k is None:
        assert not split
        return
    reached = [promise(n, site_delta(n, level, split=split), split=split) for n in (k - 1, k)]
    assert reached[1] >= level - 1e-12
    assert k == 2 or reached[0] < level


def test_where_the_level_leaves_no_room_each_limit_has_the_largest_error_probability():
    """Three hospitals promise 0.75 with limits that never fail."""
    assert [site_delta(3, level, split=True) for level in (0.74, 0.75, 0.76)] == pytest.approx(
        [1 - 0.74 * 4 / 3, 0.05, 0.05]
    )


def test_a_level_that_shared_hospitals_never_reach_is_not_promised():
    assert sites_needed(0.95, split=False) is None
    assert sites_needed(0.95, split=True) is not None


def test_the_worst_hospital_is_the_one_with_the_largest_limit_of_all():
    counts = [Confusion(tp=10, fn=1, fp=0, tn=10), Confusion(tp=5, fn=5, fp=3, tn=90)]
    found = next_site(hospitals(counts), Costs(cost_fn=3), level=0.9)
    limits = [certificate_of(one, Costs(cost_fn=3), found.delta).value for one in counts]
    assert found.worst.limit == max(limits)
    assert found.worst.site == str(int(np.argmax(limits)))
    misses = [stats.beta.ppf(1 - found.delta, c.fn + 1, c.tp) for c in counts]
    alarms = [stats.beta.ppf(1 - found.delta, c.fp + 1, c.tn) for c in counts]
    assert found.worst.miss_rate == pytest.approx(max(misses))
    assert found.worst.alarm_rate == pytest.approx(max(alarms))


def test_at_a_told_prevalence_the_cost_comes_from_both_rates():
    counts = [Confusion(tp=18, fn=2, fp=8, tn=72)]
    costs = Costs(cost_fn=2, target=(0.1, 0.5))
    found = next_site(hospitals(counts * 2), costs)
    miss, alarm = (stats.beta.ppf(1 - found.delta / 2, x + 1, n - x) for x, n in ((2, 20), (8, 80)))
    by_ends = max(2 * p * miss + (1 - p) * alarm for p in (0.1, 0.5))
    # Both rates at half of the error probability are valid; the exact limit is not above them.
    assert max(row.cost for row in found.rows) < found.worst.limit <= by_ends + 1e-12


def slow_share(passed, n, delta, gamma):
    """The smallest share of hospitals that is not refuted: a search over all of them."""
    shares = np.linspace(0, 1, 20_001)
    chances = shares + delta * (1 - shares)
    not_refuted = shares[stats.binom.sf(passed - 1, n, chances) > gamma]
    return not_refuted[0] if not_refuted.size else 1.0


@pytest.mark.parametrize("n", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("delta", [0.05, 0.01])
@pytest.mark.parametrize("gamma", [0.1, 0.05])
def test_a_share_equals_its_slow_twin(n, delta, gamma):
    for passed in range(n + 1):
        found = share_of([True] * passed + [False] * (n - passed), delta, gamma)
        assert found.at_least == pytest.approx(slow_share(passed, n, delta, gamma), abs=1.1e-4)


def test_two_shares_divide_the_error_probability():
    counts = [Confusion(tp=50, fn=1, fp=1, tn=50)] * 5
    alone = next_site(hospitals(counts), Costs())
    both = next_site(hospitals(counts), Costs(), cost_there=0.2)
    assert alone.share.cost is None
    assert (alone.share.useful.confidence, both.share.cost.confidence) == (0.9, 0.95)
    assert both.share.useful.at_least < alone.share.useful.at_least
    assert both.share.cost.passed == 5
    assert next_site(hospitals(counts), Costs(), cost_there=0.01).share.cost.passed == 0


def test_useful_is_tested_at_each_hospital_by_itself():
    good, useless = Confusion(tp=45, fn=5, fp=5, tn=45), Confusion(tp=25, fn=25, fp=25, tn=25)
    found = next_site(hospitals([good, useless, good]), Costs())
    assert [row.useful for row in found.rows] == [True, False, True]
    assert found.share.useful.passed == 2


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3.0, cost_fp=0.5)])
def test_useful_is_two_exact_tests_of_the_predictive_values(costs):
    """Calling pays from the probability c_fp / (c_fn + c_fp) on, and not calling up to it."""
    pays, seen = costs.cost_fp / (costs.cost_fn + costs.cost_fp), set()
    for counts in np.random.default_rng(0).integers(1, 40, size=(60, 4)).tolist():
        tp, fn, fp, tn = counts
        found = comparison_at(Confusion(tp=tp, fn=fn, fp=fp, tn=tn), costs).tests_for_yes
        called = stats.binom.sf(tp - 1, tp + fp, pays) < 0.05
        others = stats.binom.sf(tn - 1, tn + fn, 1 - pays) < 0.05
        assert all(test(0.05) for test in found["useful"]) == (called and others)
        seen.add(bool(called and others))
    assert seen == {False, True}


def test_everything_that_was_asked_is_kept():
    counts = [Confusion(tp=40 - k, fn=k, fp=2 * k, tn=60 - 2 * k) for k in (3, 5, 8)]
    named = [SiteResult(site=str(one.fn), threshold=0.1 * one.fn, counts=one) for one in counts]
    costs = Costs(cost_fn=2.0)
    found = next_site(named, costs, level=0.8, split=False, cost_there=0.3)
    assert (found.level, found.split, found.costs, found.cost_there) == (0.8, False, costs, 0.3)
    assert found.delta == site_delta(3, 0.8, split=False)
    assert found.worst.promise == promise(3, found.delta, split=False)
    assert found.n_sites == 3
    for row, one in zip(found.rows, named, strict=True):
        assert (row.site, row.threshold, row.counts) == (one.site, one.threshold, one.counts)
        assert row.cost == one.counts.risk(costs)
        assert row.trivial_cost == one.counts.trivial_risk(costs)
        assert row.limit == certificate_of(one.counts, costs, found.delta).value
    assert found.normal.level == 0.8
    assert found.normal.miss_rate == logit_limit([(3, 40), (5, 40), (8, 40)], 0.8)
    assert found.normal.alarm_rate == logit_limit([(6, 60), (10, 60), (16, 60)], 0.8)


def test_a_limit_that_equals_the_cost_there_passes():
    counts = [Confusion(tp=40 - k, fn=k, fp=2 * k, tn=60 - 2 * k) for k in (3, 5, 8)]
    limits = sorted(row.limit for row in next_site(hospitals(counts), Costs()).rows)
    for place, limit in enumerate(limits):
        share = next_site(hospitals(counts), Costs(), cost_there=limit).share.cost
        assert (share.passed, share.n_sites) == (place + 1, 3)


def test_without_a_class_the_cost_at_a_target_prevalence_is_not_known():
    counts = [Confusion(tp=0, fn=0, fp=3, tn=9), Confusion(tp=5, fn=3, fp=0, tn=0)]
    here = next_site(hospitals(counts), Costs())
    there = next_site(hospitals(counts), Costs(target=(0.1, 0.2)))
    assert [row.cost for row in here.rows] == [0.25, 0.375]
    assert [row.cost for row in there.rows] == [None, None]
    assert [row.useful for row in there.rows] == [False, False]


def test_the_normal_limit_is_a_prediction_limit_of_logits():
    errors = [(6, 100), (10, 90), (15, 110), (9, 100)]
    y = np.array([math.log((x + 0.5) / (n - x + 0.5)) for x, n in errors])
    width = stats.t.ppf(0.9, 3) * y.std(ddof=1) * math.sqrt(1 + 1 / 4)
    assert logit_limit(errors, 0.9) == pytest.approx(1 / (1 + math.exp(-(y.mean() + width))))


def test_no_normal_limit_without_errors_patients_or_hospitals():
    assert logit_limit([(0, 50), (0, 50), (3, 50)], 0.9) is None
    assert logit_limit([(0, 50), (0, 50), (3, 50), (1, 9)], 0.9) is None
    assert logit_limit([(1, 50), (0, 50), (3, 50)], 0.9) is not None
    assert logit_limit([(0, 0), (3, 50), (3, 50)], 0.9) is None
    two = next_site(hospitals([Confusion(tp=9, fn=1, fp=1, tn=9)] * 2), Costs())
    assert two.normal is None


def test_a_mean_cost_is_a_rate_only_at_equal_costs():
    counts = [Confusion(tp=40 - k, fn=k, fp=k, tn=60 - k) for k in (3, 5, 8)]
    equal = next_site(hospitals(counts), Costs(cost_fn=2, cost_fp=2))
    assert equal.normal.limit == pytest.approx(
        2 * logit_limit([(6, 100), (10, 100), (16, 100)], 0.9)
    )
    assert next_site(hospitals(counts), Costs(cost_fn=2)).normal.limit is None
    told = next_site(hospitals(counts), Costs(cost_fn=2, target=(0.3, 0.3)))
    miss, alarm = (logit_limit([(k, n) for k in (3, 5, 8)], 0.95) for n in (40, 60))
    assert told.normal.limit == pytest.approx(0.3 * 2 * miss + 0.7 * alarm)
    no_alarms = [replace(one, fp=0, tn=60) for one in counts]
    unknown = next_site(hospitals(no_alarms), Costs(target=(0.3, 0.3))).normal
    assert (unknown.limit, unknown.alarm_rate) == (None, None)
    assert unknown.miss_rate is not None


@given(counts=st.lists(COUNTS, min_size=2, max_size=6), seed=st.integers(0, 99))
def test_the_order_of_the_hospitals_does_not_matter(counts, seed):
    mixed = [counts[i] for i in np.random.default_rng(seed).permutation(len(counts))]
    found, again = (next_site(hospitals(one), Costs()) for one in (counts, mixed))
    assert replace(found.worst, site="") == replace(again.worst, site="")
    assert found.share == again.share
    for one, other in ((found.normal, again.normal),):
        if one is not None:
            assert one.miss_rate == pytest.approx(other.miss_rate)
            assert one.limit == pytest.approx(other.limit)


@given(counts=st.lists(COUNTS, min_size=2, max_size=5), more=st.integers(1, 20))
def test_more_errors_never_lower_the_worst_limit(counts, more):
    worse = [replace(counts[0], fn=counts[0].fn + more, tp=max(counts[0].tp - more, 0))]
    if worse[0].n_patients != counts[0].n_patients:
        return
    found, again = (next_site(hospitals(one), Costs()) for one in (counts, worse + counts[1:]))
    assert again.worst.limit >= found.worst.limit
    assert again.worst.miss_rate >= found.worst.miss_rate


@pytest.mark.parametrize(
    "errors",
    [[(50, 50), (50, 50), (49, 50)], [(20, 40), (16, 32), (40, 80)], [(0, 50), (0, 40), (3, 50)]],
    ids=["nothing but errors", "all alike", "no errors"],
)
def test_hospitals_that_do_not_show_how_they_differ_have_no_normal_limit(errors):
    assert logit_limit(errors, 0.9) is None

"""The tipping point: by hand, by brute force along the identity, and what it must keep."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift.tipping import ErrorRates, tipping_of, tipping_point
from steadycut.documents.study import TippingPart
from steadycut.errors import BadOption

COUNTS = Confusion(tp=36, fn=4, fp=12, tn=48)
RATE = st.floats(0, 1)
COST = st.sampled_from([0.5, 1.0, 3.0, 10.0])


def test_by_hand():
    """Risk 0.04 + 0.12 = 0.16, slope 0.1 - 0.2; room 0.02 to the limit."""
    found = tipping_point(COUNTS, Costs(), limit=0.18).estimate
    assert found.risk == pytest.approx(0.16)
    assert found.slope == pytest.approx(-0.1)
    assert found.prevalence == pytest.approx(0.2)
    assert found.prevalence_change == pytest.approx(-0.2)
    assert found.shape_positive == pytest.approx(0.02 / 0.4)
    assert found.shape_negative == pytest.approx(0.02 / 0.6)


def test_dear_misses_turn_the_slope():
    """A miss costs 5: risk 0.2 + 0.12 = 0.32, slope 0.5 - 0.2 = 0.3."""
    found = tipping_point(COUNTS, Costs(cost_fn=5.0), limit=0.41).estimate
    assert found.prevalence == pytest.approx(0.4 + 0.09 / 0.3)
    assert found.shape_positive == pytest.approx(0.09 / 2)


def test_another_prevalence_to_start_from():
    """At prevalence 0.5 the risk is 0.15."""
    rates = ErrorRates(miss=COUNTS.miss_rate, alarm=COUNTS.alarm_rate)
    found = tipping_of(rates, 0.5, Costs(), limit=0.18)
    assert found.present == 0.5
    assert found.risk == pytest.approx(0.15)
    assert found.prevalence == pytest.approx(0.2)


def test_none_where_no_change_gets_there():
    found = tipping_point(COUNTS, Costs(), limit=0.9).estimate
    assert (found.prevalence, found.prevalence_change) == (None, None)
    assert (found.shape_positive, found.shape_negative) == (None, None)
    flat = tipping_of(ErrorRates(miss=0.25, alarm=0.25), 0.5, Costs(), limit=0.3)
    assert flat.slope == 0
    assert flat.prevalence is None


def test_a_gap_is_capped_by_what_is_left():
    """All of the 20 diseased missed more: 0.2 * 0.9 = 0.18 of room is used up at most."""
    rates = ErrorRates(miss=0.1, alarm=0.1)
    assert tipping_of(rates, 0.2, Costs(), limit=0.28).shape_positive == pytest.approx(0.9)
    assert tipping_of(rates, 0.2, Costs(), limit=0.281).shape_positive is None
    assert tipping_of(rates, 0.2, Costs(), limit=0.281).shape_negative == pytest.approx(0.181 / 0.8)


def test_a_limit_that_is_broken_already():
    found = tipping_point(COUNTS, Costs(), limit=0.1)
    assert found.estimate.exceeded
    assert found.upper.exceeded
    assert found.estimate.prevalence_change == 0
    assert (found.estimate.shape_positive, found.estimate.shape_negative) == (0, 0)


def test_upper_limits_are_clopper_pearson_at_half_delta_each():
    upper = tipping_point(COUNTS, Costs(), limit=0.3, delta=0.1).upper
    assert upper.miss_rate == pytest.approx(beta.isf(0.05, 5, 36))
    assert upper.alarm_rate == pytest.approx(beta.isf(0.05, 13, 48))


def test_uniform_limits_hold_at_all_cuts():
    found = tipping_point(COUNTS, Costs(), 0.3, honesty="uniform", n_candidates=2).upper
    assert found.miss_rate == pytest.approx(0.1 + np.sqrt(np.log(40) / 80))
    assert found.alarm_rate == pytest.approx(0.2 + np.sqrt(np.log(40) / 120))


def test_an_empty_class_is_unknown():
    found = tipping_point(Confusion(tp=0, fn=0, fp=1, tn=9), Costs(), limit=0.5)
    assert found.estimate is None
    assert found.upper.miss_rate == 1.0
    assert (
        tipping_point(
            Confusion(tp=0, fn=0, fp=1, tn=9), Costs(), 0.5, honesty="uniform"
        ).upper.miss_rate
        == 1.0
    )
    assert TippingPart.of(found).estimate is None


@pytest.mark.parametrize("bad", [{"limit": 0}, {"limit": np.inf}, {"limit": 0.1, "delta": 1}])
def test_options_are_checked(bad):
    with pytest.raises(BadOption):
        tipping_point(COUNTS, Costs(), **bad)


@given(RATE, RATE, st.floats(0.01, 0.99), COST, COST, st.floats(0.01, 0.99))
def test_the_answers_lie_on_the_limit(miss, alarm, prevalence, cost_fn, cost_fp, part):
    costs, rates = Costs(cost_fn=cost_fn, cost_fp=cost_fp), ErrorRates(miss=miss, alarm=alarm)
    found = tipping_of(rates, prevalence, costs, limit=part * costs.largest)
    if found.exceeded:
        return
    if found.prevalence is not None:
        assert 0 <= found.prevalence <= 1
        assert rates.risk(found.prevalence, costs) == pytest.approx(found.limit)
    else:
        both = [rates.risk(end, costs) for end in (0.0, 1.0)]
        assert max(both) <= found.limit * (1 + 1e-9)
    for gap, cap, wrong in (
        (found.shape_positive, 1 - miss, lambda g: ErrorRates(miss=miss + g, alarm=alarm)),
        (found.shape_negative, 1 - alarm, lambda g: ErrorRates(miss=miss, alarm=alarm + g)),
    ):
        if gap is None:
            assert wrong(cap).risk(prevalence, costs) <= found.limit * (1 + 1e-9)
        else:
            assert gap <= cap + 1e-9
            assert wrong(gap).risk(prevalence, costs) == pytest.approx(found.limit)


@given(RATE, RATE, COST, st.floats(0.01, 0.99))
def test_the_frontier_is_the_answer_at_every_prevalence(miss, alarm, cost_fn, part):
    costs, rates = Costs(cost_fn=cost_fn), ErrorRates(miss=miss, alarm=alarm)
    limit = part * costs.largest
    frontier = tipping_of(rates, 0.5, costs, limit).frontier
    for i in (1, 30, 50, 99):
        at = frontier.prevalence[i]
        there = tipping_of(rates, at, costs, limit)
        if there.risk > limit:
            assert np.isnan(frontier.shape_positive[i])
            assert np.isnan(frontier.shape_negative[i])
            continue
        for gap, expected, cap in (
            (frontier.shape_positive[i], there.shape_positive, 1 - miss),
            (frontier.shape_negative[i], there.shape_negative, 1 - alarm),
        ):
            assert gap == pytest.approx(cap if expected is None else expected, abs=1e-9)


def test_the_record_is_plain():
    content = TippingPart.of(tipping_point(COUNTS, Costs(), limit=0.17)).to_plain()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert len(content["upper"]["frontier"]["prevalence"]) == 101
    assert None in content["estimate"]["frontier"]["shape_positive"]


def test_the_record_has_its_fields_by_name():
    point = tipping_point(COUNTS, Costs(), limit=0.17, delta=0.3)
    content, found = TippingPart.of(point).to_plain(), point.estimate
    assert list(content) == ["limit", "delta", "prevalence", "estimate", "upper"]
    assert (content["limit"], content["delta"], content["prevalence"]) == (0.17, 0.3, 0.4)
    names = ["risk", "exceeded", "slope", "prevalence", "prevalence_change"]
    names += ["shape_positive", "shape_negative"]
    expected = {
        "miss_rate": 0.1,
        "alarm_rate": 0.2,
        **{name: getattr(found, name) for name in names},
    }
    assert content["estimate"] == {**expected, "frontier": content["estimate"]["frontier"]}
    frontier = content["estimate"]["frontier"]
    assert list(frontier) == ["prevalence", "shape_positive", "shape_negative"]
    for name, values in frontier.items():
        known = [np.nan if value is None else value for value in values]
        assert np.array_equal(known, getattr(found.frontier, name), equal_nan=True)


def test_at_the_limit_nothing_may_change_even_where_nobody_is_ill():
    found = tipping_of(ErrorRates(miss=0.5, alarm=0.2), 0.0, Costs(), limit=0.2)
    assert (found.prevalence, found.shape_positive, found.shape_negative) == (0.0, 0.0, 0.0)


def test_at_the_limit_nothing_may_change_even_where_the_prevalence_does_not_matter():
    found = tipping_of(ErrorRates(miss=0.25, alarm=0.25), 0.5, Costs(), limit=0.25)
    assert (found.slope, found.prevalence, found.exceeded) == (0.0, 0.5, False)


@pytest.mark.parametrize(("miss", "alarm", "reached"), [(0.25, 0.5, 0.0), (0.5, 0.25, 1.0)])
def test_the_limit_may_be_reached_where_nobody_or_everybody_is_ill(miss, alarm, reached):
    rates = ErrorRates(miss=miss, alarm=alarm)
    assert tipping_of(rates, 0.5, Costs(), limit=0.5).prevalence == reached
    assert tipping_of(rates, 0.5, Costs(), limit=0.5001).prevalence is None


def test_a_limit_that_is_just_met_leaves_no_room_and_is_not_broken():
    frontier = tipping_of(ErrorRates(miss=0.5, alarm=0.5), 0.5, Costs(), limit=0.5).frontier
    assert (frontier.shape_negative[0], frontier.shape_positive[-1]) == (0.0, 0.0)


def test_a_room_of_1_is_used_up_like_any_other():
    """A miss costs 8: risk 1, slope 4, and a room of 1 to the limit."""
    rates = ErrorRates(miss=0.5, alarm=0.0)
    assert tipping_of(rates, 0.25, Costs(cost_fn=8.0), limit=2.0).prevalence == 0.5
    assert tipping_of(rates, 0.25, Costs(cost_fn=8.0), limit=2.0).shape_positive == 0.5


def test_without_a_number_of_candidates_there_is_one():
    several = [
        tipping_point(COUNTS, Costs(), 0.5, honesty="uniform", **options).upper
        for options in ({}, {"n_candidates": 1}, {"n_candidates": 2})
    ]
    rates = [(one.miss_rate, one.alarm_rate) for one in several]
    assert rates[0] == rates[1]
    assert rates[0][0] < rates[2][0]


def test_a_gap_may_use_up_all_that_a_rate_can_rise():
    """A quarter of room, half of the patients ill, half of them still found."""
    found = tipping_of(ErrorRates(miss=0.5, alarm=0.0), 0.5, Costs(), limit=0.5)
    assert found.shape_positive == 0.5
    assert found.shape_negative == 0.5
    assert tipping_of(ErrorRates(miss=0.5, alarm=0.0), 0.5, Costs(), 0.5625).shape_positive is None

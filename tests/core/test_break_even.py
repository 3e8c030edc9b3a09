"""At which ratio of the costs a cut-off starts and stops being useful."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.break_even import break_even
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

COUNTS = st.builds(
    Confusion,
    tp=st.integers(0, 30),
    fn=st.integers(0, 30),
    fp=st.integers(0, 30),
    tn=st.integers(0, 30),
).filter(lambda counts: counts.n_positive and counts.n_negative)
RATIOS = st.floats(0.01, 100)


def test_by_hand():
    """100 patients, 20 ill: 15 found, 5 missed, 8 alarms, 72 right: 8 / 15 and 72 / 5."""
    counts = Confusion(tp=15, fn=5, fp=8, tn=72)
    assert break_even(counts, Costs()).estimate == pytest.approx((8 / 15, 14.4))
    # At a prevalence of one half: 0.1 / 0.75 and 0.9 / 0.25.
    even = break_even(counts, Costs(target=(0.5, 0.5)))
    assert even.estimate == pytest.approx((0.1 / 0.75, 3.6))
    # What all misses and all alarms would cost: 3 x 20 and 80.
    assert break_even(counts, Costs(cost_fn=3.0)).stake == pytest.approx(60 / 140)
    assert break_even(counts, Costs(cost_fn=3.0, target=(0.1, 0.3))).stake == pytest.approx(6 / 14)


@pytest.mark.parametrize(
    ("counts", "ratios"),
    [
        (Confusion(tp=0, fn=4, fp=0, tn=6), None),  # nobody is called
        (Confusion(tp=4, fn=0, fp=6, tn=0), None),  # everybody is called
        (Confusion(tp=4, fn=0, fp=0, tn=6), (0.0, None)),  # no error
        (Confusion(tp=4, fn=0, fp=2, tn=4), (0.5, None)),
        (Confusion(tp=2, fn=2, fp=3, tn=3), None),  # a coin
        (Confusion(tp=0, fn=0, fp=2, tn=4), None),  # no ill patient
        (Confusion(tp=3, fn=2, fp=0, tn=0), None),  # no healthy patient
    ],
)
def test_without_errors_or_without_calls(counts, ratios):
    assert break_even(counts, Costs()).estimate == (ratios and pytest.approx(ratios))


def is_within(ratio, ratios):
    return ratios is not None and ratios[0] < ratio < (ratios[1] or math.inf)


@given(COUNTS, RATIOS)
def test_the_cut_off_costs_less_exactly_between_the_two_ratios(counts, ratio):
    """The costs themselves say the same, apart from ties."""
    costs = Costs(cost_fn=ratio)
    gain = counts.trivial_risk(costs) - counts.risk(costs)
    if abs(gain) > 1e-9:
        assert (gain > 0) == is_within(ratio, break_even(counts, costs).estimate)


@given(COUNTS, RATIOS, st.floats(0.02, 0.5), st.floats(0, 0.4))
def test_over_a_range_of_prevalences_it_is_useful_at_both_ends(counts, ratio, start, width):
    costs = Costs(cost_fn=ratio, target=(start, start + width))
    gains = [without - cost for _, cost, without in counts.at_ends(costs)]
    if min(map(abs, gains)) > 1e-9:
        assert (min(gains) > 0) == is_within(ratio, break_even(counts, costs, 0.1).estimate)
    assert break_even(counts, costs, 0.1).shown is None


@given(COUNTS, st.floats(0.01, 0.4), RATIOS)
def test_what_is_shown_lies_within_the_estimate(counts, delta, ratio):
    found = break_even(counts, Costs(), delta)
    assert is_within(ratio, found.estimate) or not is_within(ratio, found.shown)


def test_what_is_shown_are_odds_of_exact_limits():
    counts = Confusion(tp=40, fn=10, fp=20, tn=130)
    healthy, ill = upper_limit(20, 60, 0.05), upper_limit(10, 140, 0.05)
    wanted = healthy / (1 - healthy), (1 - ill) / ill
    assert break_even(counts, Costs(), 0.1).shown == pytest.approx(wanted)


def test_patients_who_chose_the_cut_off_show_nothing():
    assert break_even(Confusion(tp=40, fn=10, fp=20, tn=130), Costs()).shown is None

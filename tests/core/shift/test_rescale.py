"""The affine change of scale and the quantile-matched cut-off."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut.core.shift.rescale import (
    LEVELS,
    AffineChange,
    _steps,
    affine_change,
    mixture_quantiles,
    quantile_matched,
    straightest_prevalence,
)

QUANTILES = np.array([0.1, 0.4, 0.6, 1.3])


@given(factor=st.floats(1e-6, 1e6), offset=st.floats(-1e3, 1e3))
@settings(max_examples=50, deadline=None)
def test_a_change_is_found_and_undone(factor, offset):
    here = offset + factor * QUANTILES
    change = affine_change(QUANTILES, here)
    assert change.factor == pytest.approx(factor, rel=1e-6, abs=1e-9)
    rounding = 1e-12 * (abs(offset) + factor) / factor
    assert change.undo(here) == pytest.approx(QUANTILES, abs=1e-6 + rounding)


def test_swapping_the_hospitals_inverts_the_change():
    here = QUANTILES**2
    there, back = affine_change(QUANTILES, here), affine_change(here, QUANTILES)
    assert there.factor * back.factor == pytest.approx(1)
    assert there.offset + there.factor * back.offset == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("home", "here"),
    [
        (np.full(91, 0.1), np.arange(91.0)),
        (np.arange(91.0), np.full(91, 0.1)),
        (np.array([0, 1e-300]), np.array([0, 1e300])),
        (np.array([0, 1e300]), np.array([0, 1e-300])),
        (np.array([1e300, 1.0000000001e300]), np.array([0.0, 1e300])),
    ],
)
def test_no_change_is_made_up(home, here):
    assert affine_change(home, here) is None


def test_a_change_to_the_end_of_the_numbers_is_found():
    change = affine_change(np.array([1e290, 1.1e290]), np.array([0.0, 1e300]))
    assert (change.factor, change.offset) == pytest.approx((1e11, -1e301))


def test_large_scores_do_not_overflow():
    change = affine_change(np.array([-1e300, 1e300]), np.array([-1.0, 1.0]))
    assert change.factor == pytest.approx(1e-300)
    assert AffineChange(factor=1e-300, offset=0.0).undo(np.array([1e300]))[0] == np.inf


@pytest.mark.parametrize("prevalence", [0.0, 0.25, 1.0])
def test_mixture_quantiles_agree_with_repeating_patients(prevalence):
    """Quantiles at m + 1 levels stand for m patients, with half a patient at either end."""
    rng = np.random.default_rng(0)
    ill, well = np.sort(rng.normal(2, 1, 101)), np.sort(rng.normal(0, 1, 101))
    steps = np.array([1] + [2] * 99 + [1])
    shares = np.array([round(100 * prevalence), round(100 * (1 - prevalence))])
    patients = np.concatenate(
        [np.repeat(ill, steps * shares[0]), np.repeat(well, steps * shares[1])]
    )
    wanted = np.quantile(patients, LEVELS, method="inverted_cdf")
    found = mixture_quantiles(ill, well, prevalence, LEVELS)
    assert np.mean(found == wanted) > 0.95
    assert found == pytest.approx(wanted, abs=0.1)


def test_the_outer_quantiles_count_half():
    assert _steps(5).tolist() == [0.125, 0.25, 0.25, 0.25, 0.125]
    assert _steps(1).tolist() == [1.0]


def test_a_class_of_one_quantile_counts_whole():
    found = mixture_quantiles(np.array([5.0]), np.array([1.0]), 0.5, np.array([0.4, 0.5, 0.6]))
    assert found.tolist() == [1.0, 1.0, 5.0]


@pytest.mark.parametrize("prevalence", [0.1, 0.5, 0.8])
def test_the_straightest_prevalence_is_found(prevalence):
    ill, well = np.linspace(3, 4, 101), np.linspace(0, 2, 101) ** 2 / 2
    here = 5 + 3 * mixture_quantiles(ill, well, prevalence, LEVELS)
    assert straightest_prevalence(ill, well, here) == pytest.approx(prevalence)


def test_no_prevalence_above_1_is_tried():
    """The lower 95 % of the diseased alone: 1.05 would fit best, if there were such a share."""
    ill, well = np.exp(np.linspace(0, 6, 101)), np.linspace(900, 901, 101)
    here = mixture_quantiles(ill, well, 1.05, LEVELS)
    assert straightest_prevalence(ill, well, here) == 1.0


def test_a_prevalence_at_which_all_scores_are_equal_is_not_the_straightest():
    ill, well = np.full(101, 5.0), np.linspace(0, 1, 101)
    here = np.exp(mixture_quantiles(ill, well, 0.3, LEVELS))
    assert 0 < straightest_prevalence(ill, well, here) < 0.95


def test_without_spread_some_prevalence_is_returned():
    one = np.full(101, 2.0)
    assert 0 <= straightest_prevalence(one, one, LEVELS) <= 1
    assert 0 <= straightest_prevalence(one, one + 1, np.full(91, 3.0)) <= 1


SCORES = [
    np.array([1.0, 2.0, 2.0, 2.0, 5.0, 7.0]),
    np.array([4.0]),
    np.array([0.0, 1.0, np.nextafter(1.0, 2.0), 3.0]),
    np.array([-1e300, 1e300]),
]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("call_rate", [0.0, 0.2, 0.5, 0.77, 1.0])
@pytest.mark.parametrize("scores", SCORES)
def test_the_matched_cut_off_agrees_with_trying_every_place(scores, call_rate, sign):
    scores = sign * scores
    found = quantile_matched(scores, call_rate)
    assert found.threshold not in scores
    assert found.call_rate == np.mean(scores >= found.threshold)
    values = np.unique(scores)
    middles = [a + (b - a) / 2 for a, b in pairwise(values)]
    places = [-1.5e300, *(m for m in middles if m not in values), 1.5e300]
    rates = [np.mean(scores >= t) for t in places]
    best = min(abs(rate - call_rate) for rate in rates)
    assert abs(found.call_rate - call_rate) == pytest.approx(best, abs=1e-9)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40), st.floats(0, 1))
@settings(max_examples=50, deadline=None)
def test_an_increasing_transform_changes_no_call(scores, call_rate):
    plain = np.array(scores, dtype=float)
    bent = np.exp(plain / 4)
    one, two = quantile_matched(plain, call_rate), quantile_matched(bent, call_rate)
    assert np.array_equal(plain >= one.threshold, bent >= two.threshold)


def test_of_two_cut_offs_equally_near_up_to_rounding_the_one_that_calls_more_is_taken():
    for off in (0.0, 1.5e-13, -1.5e-13):
        assert quantile_matched(np.arange(4.0), 0.375 + off).call_rate == 0.5
    assert quantile_matched(np.arange(4.0), 0.375 - 1e-11).call_rate == 0.25


def test_everybody_can_be_called_however_near_the_scores_are():
    scores = 1.0 + np.arange(5) * 2.0**-52
    matched = quantile_matched(scores, call_rate=1.0)
    assert matched.call_rate == 1.0
    assert matched.threshold < 1.0


@pytest.mark.parametrize("scores", [[3.0], [0.1, 0.1], [-3.0, 2.0, 5.0]])
def test_a_cut_that_calls_everybody_or_nobody_is_infinite(scores):
    assert quantile_matched(np.array(scores), 0.0).threshold == np.inf
    assert quantile_matched(np.array(scores), 1.0).threshold == -np.inf

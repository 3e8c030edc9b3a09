"""Bets on losses: the martingale, limits that hold at all times, alarms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut.core import monitor
from steadycut.core.bounds import anytime
from steadycut.core.bounds.anytime import LIMIT_BETS
from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.confusion import Confusion
from steadycut.core.monitor import (
    ALARM_BETS,
    confidence_sequence,
    evidence,
    first_crossing,
    watch_calls,
    watch_risk,
)
from steadycut.errors import BadOption, BadPatients

LOSSES = st.lists(st.sampled_from([0.0, 1 / 3, 1.0]), min_size=1, max_size=40)


def slow_evidence(values, mean):
    """Every start and every bet on its own."""
    totals = []
    for n in range(1, len(values) + 1):
        total = 1 / (n + 1)
        for start in range(n):
            for bet in ALARM_BETS:
                stake = 1 / ((start + 1) * (start + 2) * ALARM_BETS.size)
                for value in values[start:n]:
                    stake *= 1 - bet + bet * value / mean
                total += stake
        totals.append(total)
    return np.array(totals)


def slow_lower_limit(values, delta):
    """Bisection of the total that bets from the start have made, at one time."""

    def total(mean):
        ratios = 1 - LIMIT_BETS + LIMIT_BETS * np.asarray(values)[:, None] / mean
        return np.prod(ratios, axis=0).mean()

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if total(middle) >= 1 / delta else (low, middle)
    return low


@settings(max_examples=30)
@given(LOSSES, st.floats(0.05, 0.95))
def test_the_martingale_is_the_sum_of_all_bets(values, mean):
    np.testing.assert_allclose(evidence(values, mean), slow_evidence(values, mean), rtol=1e-10)


@given(st.floats(0.05, 0.9), st.lists(st.sampled_from([0.0, 1.0]), max_size=6))
def test_on_average_the_next_value_adds_nothing(mean, past):
    """Exactly fair at the claimed mean: the expectation over the next value is the total now."""
    now = evidence(past, mean)[-1] if past else 1.0
    after = [evidence([*past, value], mean)[-1] for value in (0.0, 1.0)]
    assert (1 - mean) * after[0] + mean * after[1] == pytest.approx(now, rel=1e-12)


@given(LOSSES, st.floats(0.05, 0.5), st.floats(0.01, 0.4))
def test_a_larger_claim_is_harder_to_refute(values, mean, more):
    assert np.all(evidence(values, mean + more) <= evidence(values, mean) * (1 + 1e-12))


def test_streams_side_by_side_are_as_alone():
    streams = np.random.default_rng(0).choice([0, 1 / 3, 1], size=(3, 50))
    together = evidence(streams, 0.3)
    for stream, found in zip(streams, together, strict=True):
        np.testing.assert_array_equal(evidence(stream, 0.3), found)


def test_a_claim_at_the_largest_value_is_never_refuted():
    assert evidence(np.ones(500), 1.0).max() <= 1 + 1e-12
    assert evidence(np.ones(500), 1.5).max() <= 1


def test_a_huge_total_stays_finite():
    found = evidence(np.ones(2000), 0.01)
    assert np.isfinite(found).all()
    assert found[-1] == monitor.LARGEST_TOTAL


@given(LOSSES, st.floats(0.02, 0.5))
def test_limits_are_those_of_a_plain_bisection(values, delta):
    limits = confidence_sequence(values, delta)
    mirrored = [1 - value for value in values]
    lower, upper = slow_lower_limit(values, delta / 2), 1 - slow_lower_limit(mirrored, delta / 2)
    assert limits.lower[-1] == pytest.approx(lower, abs=1e-7)
    assert limits.upper[-1] == pytest.approx(upper, abs=1e-7)
    assert limits.mean[-1] == pytest.approx(np.mean(values))


@given(LOSSES)
def test_limits_enclose_the_mean_so_far(values):
    limits = confidence_sequence(values, 0.1)
    assert np.all((limits.lower <= limits.mean + 1e-12) & (limits.mean <= limits.upper + 1e-12))


def test_limits_do_not_depend_on_the_size_of_a_chunk(monkeypatch):
    values = np.random.default_rng(1).choice([0, 0.5, 1], size=100)
    whole = confidence_sequence(values, 0.1)
    monkeypatch.setattr(monitor, "CHUNK", 7)
    np.testing.assert_allclose(confidence_sequence(values, 0.1).lower, whole.lower, rtol=1e-8)


def test_limits_stop_after_many_steps_on_the_safe_side(monkeypatch):
    values = [0, 1, 0, 0, 1] * 20
    best = confidence_sequence(values, 0.1).lower
    monkeypatch.setattr(anytime, "NEWTON_STEPS", 3)
    assert np.all(confidence_sequence(values, 0.1).lower <= best)


def test_limits_shrink_like_a_root():
    values = np.random.default_rng(2).random(20_000) < 0.1
    limits = confidence_sequence(values, 0.1)
    width = limits.upper - limits.lower
    # Four times the patients: about half the width.
    assert 0.4 < width[-1] / width[4999] < 0.62
    assert width[-1] < 0.02


def test_nobody_gives_nothing():
    assert confidence_sequence([], 0.1).lower.size == 0
    assert evidence([], 0.2).size == 0


def test_the_first_crossing_counts_from_one():
    assert first_crossing(np.array([10.0]), 0.1) == 1
    assert first_crossing(np.array([9.99, 3.0]), 0.1) is None


def test_risk_in_units_of_the_costs():
    losses = [0, 3, 0, 1, 0, 3]
    watch = watch_risk(losses, certified=0.9, largest=3.0, delta=0.1)
    assert watch.limits.mean[-1] == pytest.approx(7 / 6)
    np.testing.assert_allclose(watch.martingale, evidence(np.array(losses) / 3, 0.3))
    assert watch.can_alarm


def same_limits(found, expected, unit=1.0):
    for name in ("mean", "lower", "upper"):
        assert np.array_equal(getattr(found, name), unit * getattr(expected, name))
    return found.delta == expected.delta


def test_a_watched_risk_has_its_parts():
    losses = np.array([0.0, 1.0, 3.0, 3.0, 0.0, 3.0, 3.0, 3.0])
    watch = watch_risk(losses, certified=0.6, largest=3.0, delta=0.4)
    assert same_limits(watch.limits, confidence_sequence(losses / 3, 0.4), 3.0)
    assert watch.certified == 0.6
    assert watch.first_alarm == first_crossing(evidence(losses / 3, 0.2), 0.4) is not None


def test_watched_calls_have_their_parts():
    """18 of 40 certifying patients were called; half of delta is theirs."""
    called = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0])
    watch = watch_calls(called, Confusion(tp=12, fn=3, fp=6, tn=19), delta=0.2)
    assert (watch.lowest, watch.highest) == rate_interval(18, 40, 0.1)
    assert watch.internal == 18 / 40
    assert np.array_equal(watch.too_many, evidence(called, watch.highest))
    assert np.array_equal(watch.too_few, evidence(1 - called, 1 - watch.lowest))
    assert same_limits(watch.limits, confidence_sequence(called, 0.1))


def test_calls_that_are_none_are_refused():
    with pytest.raises(BadPatients, match="called must be one number per patient"):
        watch_calls([2], Confusion(tp=1, fn=0, fp=0, tn=1), 0.1)


def test_a_vacuous_certificate_cannot_alarm():
    watch = watch_risk([2.0] * 300, certified=2.0, largest=2.0, delta=0.1)
    assert (watch.can_alarm, watch.first_alarm) == (False, None)


def test_a_change_after_many_good_patients_is_noticed():
    losses = np.concatenate([np.zeros(1000), np.tile([0, 1], 100)])
    watch = watch_risk(losses, certified=0.2, largest=1.0, delta=0.1)
    assert 1000 < watch.first_alarm < 1100
    # The mean since the start is still below the certified value: limits on it say nothing.
    assert watch.limits.lower[watch.first_alarm] < 0.2


@pytest.mark.parametrize("bad", [[-0.1], [1.1], [np.nan], [[0.5]]])
def test_losses_beyond_the_costs_are_refused(bad):
    with pytest.raises(BadPatients, match="losses must be one number per patient"):
        watch_risk(bad, certified=0.2, largest=1.0, delta=0.1)


@pytest.mark.parametrize("delta", [0, 1, -0.1, True])
def test_delta_is_checked(delta):
    with pytest.raises(BadOption, match="delta"):
        watch_risk([0.0], certified=0.2, largest=1.0, delta=delta)
    with pytest.raises(BadOption, match="delta"):
        watch_calls([0], Confusion(tp=1, fn=0, fp=0, tn=1), delta)


def test_the_interval_is_a_band_where_the_same_patients_chose():
    reference = Confusion(tp=50, fn=0, fp=0, tn=50)
    exact, band = (watch_calls([1], reference, 0.1, n_choices) for n_choices in (0, 3))
    assert (exact.lowest, exact.highest) == rate_interval(50, 100, 0.05)
    assert (band.lowest, band.highest) == rate_interval(50, 100, 0.05, 3)


@pytest.mark.parametrize("call", [0, 1])
def test_too_many_and_too_few_calls_alarm(call):
    reference = Confusion(tp=20, fn=0, fp=0, tn=20)
    watch = watch_calls([call] * 60, reference, delta=0.1)
    side = watch.too_many if call else watch.too_few
    assert watch.first_alarm == first_crossing(side, 0.025)
    assert watch_calls([0, 1] * 60, reference, delta=0.1).first_alarm is None


def test_where_nothing_is_refuted_the_lower_limit_is_0():
    limits = confidence_sequence([0.0, 0.0, 1.0], 0.1)
    assert limits.lower.tolist()[:2] == [0.0, 0.0]
    assert limits.delta == 0.1

"""Intervals of the cut-off itself."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.intervals.threshold import (
    CutInterval,
    cut_interval,
    quantile_interval,
    scores_around,
)
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule

RULES = ["erm", "youden", "stable", "sensitivity:0.8", "specificity:0.8"]


def studied(rule, n=80, transform=lambda scores: scores):
    rng = np.random.default_rng(4)
    labels = np.arange(n) % 2
    scores = transform(rng.normal(size=n) + 1.5 * labels)
    patients = PatientScores(scores=scores, labels=labels)
    draws = draw_thresholds(exact_cuts(patients), parse_rule(rule), Costs(), 100, rng)
    return patients, draws


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_an_interval_around_its_cut(rule):
    patients, draws = studied(rule)
    found = cut_interval(patients, draws, rule, 0.05)
    for low, high in (found.population, found.repeated):
        assert low < draws.threshold < high
    assert found.method == ("order statistics" if ":" in rule else "bootstrap")


@pytest.mark.parametrize("rule", ["erm", "stable", "sensitivity:0.8"])
def test_a_rising_transform_of_the_scores_transforms_the_intervals(rule):
    plain = cut_interval(*studied(rule), rule, 0.05)
    turned = cut_interval(*studied(rule, transform=np.exp), rule, 0.05)
    assert turned.population == pytest.approx(tuple(np.exp(plain.population)))
    assert turned.repeated == pytest.approx(tuple(np.exp(plain.repeated)))


def quantile_by_hand(n, level, delta):
    """The innermost pair of order statistics, of all, that keeps both tails."""
    tail = lambda below: binom.cdf(below, n, level)  # noqa: E731
    lows = [rank for rank in range(1, n + 1) if tail(rank - 1) <= delta / 2]
    highs = [rank for rank in range(1, n + 1) if 1 - tail(rank - 1) <= delta / 2]
    return max(lows, default=0), min(highs, default=n + 1)


@given(n=st.integers(1, 60), level=st.floats(0.02, 0.98), delta=st.floats(0.01, 0.3))
def test_order_statistics_are_those_found_by_trying(n, level, delta):
    low, high = quantile_by_hand(n, level, delta)
    ranks = [-np.inf, *range(1, n + 1), np.inf]
    assert quantile_interval(np.arange(1.0, n + 1), level, delta) == (ranks[low], ranks[high])


@cache
def binomial_tails(n, level):
    """The chances of at most, and of more than, each number of scores below the quantile."""
    return binom.cdf(np.arange(n + 1), n, level), binom.sf(np.arange(n + 1), n, level)


@pytest.mark.parametrize("n", [100, 999, 10_000, 100_000])
@pytest.mark.parametrize("level", [0.01, 0.05, 0.3, 0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.05, 0.1, 0.5])
def test_order_statistics_are_those_of_scipy_stats(n, level, delta):
    at_most, above = binomial_tails(n, level)
    ranks = np.concatenate([[-np.inf], np.arange(1.0, n + 1), [np.inf]])
    low, high = np.sum(at_most <= delta / 2), 1 + np.sum(above > delta / 2)
    assert quantile_interval(ranks[1:-1], level, delta) == (ranks[low], ranks[high])


def test_a_tail_may_use_up_its_share():
    """Both of two scores lie above the median with probability 1/4, half of delta."""
    assert quantile_interval(np.array([1.0, 2.0]), 0.5, 0.5) == (1.0, 2.0)
    assert quantile_interval(np.array([1.0, 2.0]), 0.5, 0.49) == (-np.inf, np.inf)


def test_no_scores_leave_a_quantile_open():
    assert quantile_interval(np.array([]), 0.5, 0.1) == (-np.inf, np.inf)


def test_the_interval_of_a_quantile_is_exact():
    """Summed over all outcomes, for a score with whole values and many ties."""
    level, n, values = 0.3, 6, (1.0, 2.0, 3.0)
    shares, quantile = (0.25, 0.35, 0.4), 2.0
    held = 0.0
    for drawn in itertools.product(range(3), repeat=n):
        low, high = quantile_interval(np.array([values[place] for place in drawn]), level, 0.2)
        held += np.prod([shares[place] for place in drawn]) * (low <= quantile <= high)
    assert held >= 0.8


def test_few_patients_do_not_bound_a_high_sensitivity_from_below():
    patients, draws = studied("sensitivity:0.95", n=40)
    low, high = cut_interval(patients, draws, "sensitivity:0.95", 0.05).population
    assert low == -np.inf
    assert np.isfinite(high)


def test_an_interval_goes_out_to_the_scores_around_it():
    scores = np.array([4.0, 2.0, 1.0, 3.0])
    assert scores_around(scores, (2.0, 2.0)) == (2.0, 3.0)
    assert scores_around(scores, (1.5, 2.5)) == (1.0, 4.0)
    assert scores_around(scores, (-3.0, 9.0)) == (-np.inf, np.inf)


def test_scores_that_were_negated_turn_the_ends_round():
    plain = CutInterval(population=(0.0, 2.0), method="bootstrap", repeated=(-np.inf, 3.0))
    found = plain.times(-1.0)
    assert plain.times(1.0) is plain
    assert found.method == "bootstrap"
    assert found.population == (-2.0, 0.0)
    assert found.repeated == (-3.0, np.inf)
    assert str(found.population[1]) == "0.0"
    other = CutInterval(population=(-2.0, 0.0), method="bootstrap", repeated=(0.0, 0.0))
    assert str(other.times(-1.0).population) == "(0.0, 2.0)"
    assert str(other.times(-1.0).repeated) == "(0.0, 0.0)"

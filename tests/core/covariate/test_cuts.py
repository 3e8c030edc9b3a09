"""Cuts of windows, drawn to the pooled cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.covariate.cuts import choose_by_covariate, shrinkage
from steadycut.core.covariate.design import group_design, slice_patients, smooth_design
from steadycut.core.covariate.one_cut_test import covariate_test
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import cuts_at_rank, parse_rule


def two_groups(n=80, offset=2.0, seed=0, step=0.0):
    rng = np.random.default_rng(seed)
    labels, code = rng.integers(0, 2, n), rng.integers(0, 2, n)
    scores = rng.normal(size=n) + 2 * labels + offset * code
    if step:
        scores = np.round(scores / step) * step
    return PatientScores(scores=scores, labels=labels), code


def choose(cohort, code, design, rule="stable", replicates=0, costs=None):
    slices = slice_patients(cohort, code, design.n_slices, cohort.scores)
    rng = np.random.default_rng(3)
    cuts = choose_by_covariate(slices, design, parse_rule(rule), costs or Costs(), replicates, rng)
    return slices, cuts


GROUPS = group_design(["a", "b"] * 2)


@pytest.mark.parametrize("rule", ["stable", "erm"])
@pytest.mark.parametrize("step", [0.0, 0.5])
def test_pooled_and_own_cuts_are_those_of_the_rule_on_these_patients(rule, step):
    cohort, code = two_groups(step=step)
    slices, cuts = choose(cohort, code, GROUPS, rule, costs=Costs(cost_fn=2))
    rng = np.random.default_rng(0)
    for part, rank in [
        (code >= 0, cuts.pooled),
        (code == 0, cuts.own[0]),
        (code == 1, cuts.own[1]),
    ]:
        some = cohort.take(part)
        alone = draw_thresholds(exact_cuts(some), parse_rule(rule), Costs(cost_fn=2), 2, rng)
        threshold = slices.scale.at(np.array([rank]))[0]
        assert np.array_equal(some.scores >= threshold, some.scores >= alone.threshold)


def test_the_cut_is_the_weighted_mean_of_ranks():
    cohort, code = two_groups()
    slices, cuts = choose(cohort, code, GROUPS)
    assert cuts.weights.tolist() == shrinkage(slices.cells, GROUPS).tolist()
    mean = cuts.weights * cuts.own + (1 - cuts.weights) * cuts.pooled
    assert cuts.ranks == pytest.approx(mean)
    assert 0.5 < cuts.weights.min() < 1


def test_weights_by_hand():
    cohort, code = two_groups(n=60)
    slices, _ = choose(cohort, code, GROUPS)
    test = covariate_test(slices.cells, GROUPS.basis)
    k = max(test.statistic - 0.454936423119572, 0)
    size = np.bincount(code)
    mean = 60 - (size**2).sum() / 60
    assert shrinkage(slices.cells, GROUPS) == pytest.approx(k * size / mean / (1 + k * size / mean))


def test_the_mean_size_is_that_of_the_groups_with_patients():
    """Three groups of 40, 30 and 20 and one of nobody: (90 - 2900 / 90) / 2."""
    rng = np.random.default_rng(0)
    labels, code = rng.integers(0, 2, 90), np.repeat([0, 1, 2], [40, 30, 20])
    cohort = PatientScores(scores=rng.normal(size=90) + labels + 2 * code, labels=labels)
    design = group_design(["a", "b", "c", "d"] * 2)
    slices, cuts = choose(cohort, code, design)
    excess = covariate_test(slices.cells, design.basis).excess
    strength = excess * np.array([40, 30, 20, 0]) / ((90 - 2900 / 90) / 2)
    assert excess > 0
    assert cuts.weights == pytest.approx(strength / (1 + strength))


def test_a_larger_group_follows_its_own_cut_more():
    rng = np.random.default_rng(0)
    labels, code = rng.integers(0, 2, 300), (np.arange(300) < 60).astype(np.int64)
    cohort = PatientScores(scores=rng.normal(size=300) + labels + 2 * code, labels=labels)
    _, cuts = choose(cohort, code, GROUPS)
    assert cuts.weights[0] > cuts.weights[1] > 0


def test_where_labels_do_not_depend_on_the_group_all_cuts_are_the_pooled_one():
    scores = np.repeat(np.arange(20.0), 2)
    cohort = PatientScores(scores=scores, labels=(scores > 9).astype(int))
    _, cuts = choose(cohort, np.tile([0, 1], 20), GROUPS, replicates=5)
    assert cuts.weights.tolist() == [0, 0]
    assert cuts.ranks.tolist() == [cuts.pooled] * 2


def test_an_empty_group_gets_the_pooled_cut():
    cohort, code = two_groups()
    _, cuts = choose(cohort, code, group_design(["a", "b", "c"] * 2), replicates=3)
    assert cuts.own[2] == cuts.ranks[2] == cuts.pooled
    assert cuts.weights[2] == 0


def test_draws_follow_the_data():
    cohort, code = two_groups(n=200)
    _, cuts = choose(cohort, code, GROUPS, replicates=100)
    assert cuts.draws.shape == (100, 2)
    assert cuts.pooled_draws.shape == (100,)
    assert np.abs(cuts.draws.mean(axis=0) - cuts.ranks).max() < 20
    assert cuts.draws.std(axis=0).min() > 0


def test_a_smooth_cut_follows_a_trend():
    rng = np.random.default_rng(0)
    labels, values = rng.integers(0, 2, 600), rng.random(600)
    cohort = PatientScores(scores=rng.normal(size=600) + 2 * labels + 3 * values, labels=labels)
    design, codes = smooth_design(values)
    slices, cuts = choose(cohort, codes, design, replicates=2)
    excess = covariate_test(slices.cells, design.basis).excess
    assert set(cuts.weights) == {excess / (1 + excess)}
    thresholds = slices.scale.at(design.at(cuts.ranks, np.array([0.15, 0.85])))
    assert thresholds[1] - thresholds[0] == pytest.approx(3 * 0.7, abs=0.6)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["stable", "erm"]), st.sampled_from([0.0, 0.5]))
def test_an_increasing_transform_of_the_scores_changes_no_rank(seed, rule, step):
    cohort, code = two_groups(n=40, seed=seed, step=step)
    other = PatientScores(scores=np.exp(cohort.scores) ** 3, labels=cohort.labels)
    _, first = choose(cohort, code, GROUPS, rule, 3)
    _, second = choose(other, code, GROUPS, rule, 3)
    assert np.array_equal(first.ranks, second.ranks)
    assert np.array_equal(first.draws, second.draws)


def test_a_replicate_without_patients_of_a_group_gives_it_the_pooled_cut():
    """Group b has two patients: about one in seven replicates draws neither of them."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 40)
    cohort = PatientScores(scores=rng.normal(size=40) + 2 * labels, labels=labels)
    code = (np.arange(40) < 2).astype(np.int64)
    slices, cuts = choose(cohort, code, GROUPS, replicates=60)
    drawn = replicates(slices.cells.ravel(), 60, np.random.default_rng(3))
    counts = np.concatenate([cells.reshape(-1, *slices.cells.shape) for _, cells in drawn])
    empty = counts[:, 1].sum(axis=1) == 0
    assert 0 < empty.sum() < 30
    assert cuts.draws[empty, 1].tolist() == cuts.pooled_draws[empty].tolist()
    rule, ranks = parse_rule("stable"), slices.scale.ranks
    for place in np.flatnonzero(~empty):
        weight = shrinkage(counts[place], GROUPS)[1]
        curve = count_errors(counts[place][1:])
        first, last = cuts_at_rank(curve.ranks, rule(curve, Costs()))
        own = (ranks[first[0]] + ranks[last[0]]) / 2
        expected = weight * own + (1 - weight) * cuts.pooled_draws[place]
        assert cuts.draws[place, 1] == pytest.approx(expected)

"""Rank bins, the prevalence under label shift and its intervals, and the shape test."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs, PatientScores
from steadycut.core.shift.label_shift import (
    RankBins,
    _draw_label_shift,
    _group_members,
    _solve,
    _weights,
    bins_of,
    bootstrap_interval,
    cdf_at_edges,
    classes_differ,
    estimate_prevalence,
    mixture_weight,
    nearest_mixture,
    rank_bins,
    risk_range,
    shape_test,
    smooth_shape,
    valid_interval,
)
from steadycut.errors import BadOption, BadPatients, TooFewPatients
from tests.core.cohorts import some_bins

SEEDS = range(8)


# Rank bins.


@pytest.mark.parametrize("n_bins", [1, 2, 7, 20])
@pytest.mark.parametrize("seed", SEEDS)
def test_bins_count_every_patient_and_never_cut_at_a_score(seed, n_bins):
    rng = np.random.default_rng(seed)
    scores, labels = np.round(rng.normal(size=57), seed % 4), rng.integers(0, 2, 57)
    bins = rank_bins(scores, labels, n_bins)
    assert bins.n_bins <= n_bins
    assert not set(bins.edges) & set(scores)
    limits = [-math.inf, *bins.edges, math.inf]
    for j, (low, high) in enumerate(itertools.pairwise(limits)):
        inside = (scores >= low) & (scores < high)
        assert bins.positive[j] == labels[inside].sum()
        assert bins.negative[j] == (1 - labels[inside]).sum()
    assert np.array_equal(bins.count(scores), bins.pooled)


def test_a_score_at_an_edge_belongs_to_the_bin_above():
    bins = RankBins(edges=[1.0, 2.0], positive=[1, 1, 1], negative=[1, 1, 1])
    assert bins.count(np.array([0.5, 1.0, 1.5, 2.0, 2.0, 3.0])).tolist() == [1, 2, 3]
    assert bins.count(np.array([0.5])).tolist() == [1, 0, 0]
    at_edges = rank_bins(np.array([0.0, 1.0, 1.0, 2.0]), [0, 1, 0, 1], 2)
    assert at_edges.count(np.array([0.0, 1.0, 1.0, 2.0])).tolist() == at_edges.pooled.tolist()


def test_shapes_of_several_replicates_are_smoothed_one_by_one():
    bins = RankBins(edges=[0.5], positive=[1, 2], negative=[0, 1])
    found = smooth_shape(bins, np.array([[3, 0], [0, 1]]))
    assert found == pytest.approx(np.array([[3.25 / 4, 0.75 / 4], [0.125, 0.875]]))


def test_the_cube_root_of_a_cube_is_whole():
    bins = RankBins(edges=np.arange(29.0), positive=[1] * 27 + [0] * 3, negative=[1] * 30)
    assert _group_members(bins).shape == (30, 5)


def test_there_are_twenty_bins_unless_others_are_asked_for():
    scores, labels = np.arange(100.0), np.arange(100) % 2
    assert rank_bins(scores, labels).n_bins == 20
    assert bins_of(PatientScores(scores=scores, labels=labels)).n_bins == 20
    assert rank_bins(scores, labels, 7).n_bins == 7


def test_bins_of_untied_scores_are_even():
    bins = rank_bins(np.arange(100.0), np.arange(100) % 2, 20)
    assert np.array_equal(bins.edges, np.arange(5, 100, 5) - 0.5)
    assert np.all(bins.pooled == 5)


def test_bins_by_hand_with_ties():
    """Six of ten patients share a score: no quantile cuts through them."""
    bins = rank_bins([0, 1, 2, 2, 2, 2, 2, 2, 3, 4], [0, 0, 0, 1, 0, 1, 0, 1, 1, 1], 5)
    assert bins.edges.tolist() == [1.5, 2.5]
    assert bins.positive.tolist() == [0, 3, 2]
    assert bins.negative.tolist() == [2, 3, 0]


@pytest.mark.parametrize("n_bins", [2, 3, 5, 20])
@pytest.mark.parametrize("seed", SEEDS)
def test_each_edge_is_the_place_nearest_to_a_quantile(seed, n_bins):
    """Of two places that are equally near, the lower one."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=23), seed % 3)
    places = [(low + high) / 2 for low, high in itertools.pairwise(sorted(set(scores)))]
    below = [sum(scores < place) for place in places]
    nearest = {
        min(zip(places, below, strict=True), key=lambda one: abs(n_bins * one[1] - k * 23))[0]
        for k in range(1, n_bins)
    }
    found = rank_bins(scores, rng.integers(0, 2, 23), n_bins).edges.tolist()
    assert found == pytest.approx(sorted(nearest))


def test_equal_scores_and_neighbouring_floats_make_one_bin():
    assert rank_bins([3.0, 3.0], [0, 1]).n_bins == 1
    bins = rank_bins([1.0, np.nextafter(1.0, 2.0)], [0, 1])
    assert bins.edges.size == 0
    assert bins.pooled.tolist() == [2]


@given(
    scores=st.lists(st.integers(-20, 20), min_size=2, max_size=60),
    seed=st.integers(0, 99),
)
@settings(max_examples=50, deadline=None)
def test_an_increasing_transform_of_the_scores_changes_no_bin(scores, seed):
    labels = np.random.default_rng(seed).integers(0, 2, len(scores))
    plain = rank_bins(np.array(scores, dtype=float), labels, 5)
    bent = rank_bins(np.exp(np.array(scores) / 3), labels, 5)
    assert np.array_equal(plain.positive, bent.positive)
    assert np.array_equal(plain.negative, bent.negative)


def test_counts_are_whole_numbers_however_they_were_written():
    bins = RankBins(edges=[1], positive=[1.0, 2.0], negative=[3.0, 0.0])
    assert bins.pooled.dtype == bins.count(np.array([0.0])).dtype == np.int64
    assert bins.pooled.tolist() == [4, 2]
    assert bins.edges.dtype == np.float64


def test_bins_are_frozen():
    bins, _ = some_bins(0)
    with pytest.raises(ValueError, match="read-only"):
        bins.edges[0] = 9.0


@pytest.mark.parametrize(
    ("edges", "positive", "negative"),
    [
        ([1.0, 1.0], [1, 1, 1], [1, 1, 1]),
        ([2.0, 1.0], [1, 1, 1], [1, 1, 1]),
        ([math.inf], [1, 1], [1, 1]),
        ([[1.0]], [1, 1], [1, 1]),
        ([1.0], [1, 1, 1], [1, 1]),
        ([1.0], [1, 1], [1]),
        ([1.0], [-1, 1], [3, 1]),
        ([1.0], [0, 1], [0, 1]),
    ],
)
def test_bins_that_contradict_themselves_are_refused(edges, positive, negative):
    with pytest.raises(BadPatients, match="rank bins need"):
        RankBins(edges=edges, positive=positive, negative=negative)


def test_bins_of_nobody_are_refused():
    with pytest.raises(TooFewPatients, match="at least one patient"):
        rank_bins([], [])
    with pytest.raises(BadOption, match="n_bins"):
        rank_bins([1.0], [1], 0)


# The estimate.


def likelihood(weight, counts, positive, negative):
    return sum(
        q * math.log(weight * f1 + (1 - weight) * f0)
        for q, f1, f0 in zip(counts, positive, negative, strict=True)
        if q
    )


def random_shapes(seed, k=5):
    rng = np.random.default_rng(seed)
    positive, negative = rng.dirichlet(np.ones(k), size=2)
    return rng.integers(0, 30, k), positive, negative


@pytest.mark.parametrize("seed", range(20))
def test_the_weight_agrees_with_a_fine_grid_of_the_likelihood(seed):
    counts, positive, negative = random_shapes(seed)
    found = mixture_weight(counts[None, :], positive[None, :], negative[None, :])[0]
    grid = np.linspace(0, 1, 2001)
    best = grid[np.argmax([likelihood(w, counts, positive, negative) for w in grid])]
    assert found == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_the_weight_is_where_em_comes_to_rest(seed):
    counts, positive, negative = random_shapes(seed)
    weight = 0.5
    for _ in range(3000):
        mixture = weight * positive + (1 - weight) * negative
        weight = float((counts * weight * positive / mixture).sum() / counts.sum())
    found = mixture_weight(counts[None, :], positive[None, :], negative[None, :])[0]
    assert found == pytest.approx(weight, abs=3e-3)


def test_the_weight_at_the_ends_and_of_equal_shapes():
    ill, well = np.array([[0.1, 0.9]]), np.array([[0.9, 0.1]])
    assert mixture_weight(np.array([[0, 5]]), ill, well)[0] == 1.0
    assert mixture_weight(np.array([[5, 0]]), ill, well)[0] == 0.0
    assert mixture_weight(np.array([[5, 5]]), ill, ill)[0] == 0.0
    assert mixture_weight(np.array([[5, 5]]), ill, well)[0] == pytest.approx(0.5, abs=1e-8)


def test_the_estimate_by_hand():
    """Two bins and one patient of smoothing: half of it falls above."""
    bins = RankBins(edges=[0.0], positive=[400, 1600], negative=[1600, 400])
    above_ill, above_well = (1600 + 0.5) / 2001, (400 + 0.5) / 2001
    wanted = (0.35 - above_well) / (above_ill - above_well)
    assert estimate_prevalence(bins, np.array([65, 35])) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_bins_are_estimated_in_few_groups_of_neighbours(seed):
    """Two groups more than the cube root of the smaller class, by the middle of each bin."""
    bins, _ = some_bins(seed, 30)
    aim = 2 + math.floor(min(bins.n_positive, bins.n_negative) ** (1 / 3) + 1e-9)
    below, groups = 0, []
    for held in bins.pooled.tolist():
        groups.append(math.floor(Fraction(2 * below + held, 2 * int(bins.pooled.sum())) * aim))
        below += held
    found = _group_members(bins)
    assert found.sum(axis=1).tolist() == [1] * 30
    places = [sorted(set(groups)).index(group) for group in groups]
    assert found.argmax(axis=1).tolist() == places


@pytest.mark.parametrize("seed", SEEDS)
def test_the_estimate_survives_a_lacking_class_and_empty_bins(seed):
    bins, counts = some_bins(seed)
    nobody = np.zeros_like(bins.negative)
    for one in (bins, RankBins(edges=bins.edges, positive=nobody, negative=bins.negative)):
        assert 0 <= estimate_prevalence(one, counts) <= 1


def test_the_estimate_finds_the_prevalence_of_many_patients():
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.5
    bins = rank_bins(rng.normal(size=20_000) + 1.5 * labels, labels.astype(int))
    there = rng.random(20_000) < 0.2
    counts = bins.count(rng.normal(size=20_000) + 1.5 * there)
    assert estimate_prevalence(bins, counts) == pytest.approx(0.2, abs=0.02)


def test_the_bootstrap_interval_holds_the_estimate_and_repeats():
    bins, counts = some_bins(3, scale=60)
    low, high = bootstrap_interval(bins, counts, 0.1, np.random.default_rng(1))
    assert low <= estimate_prevalence(bins, counts) <= high
    assert (low, high) == bootstrap_interval(bins, counts, 0.1, np.random.default_rng(1))
    assert bootstrap_interval(bins, counts, 0.5, np.random.default_rng(1))[0] >= low


@pytest.mark.parametrize("n_bootstrap", [999, 20])
def test_the_bootstrap_interval_lies_between_two_quantiles(n_bootstrap):
    bins, counts = some_bins(3, scale=60)
    rng = np.random.default_rng(1)
    drawn = [
        rng.multinomial(cells.sum(), cells / cells.sum(), size=n_bootstrap)
        for cells in (bins.positive, bins.negative, counts)
    ]
    ordered = np.sort(_weights(bins, *drawn))
    expected = np.interp([0.1, 0.9], np.linspace(0, 1, n_bootstrap), ordered)
    options = {} if n_bootstrap == 999 else {"n_bootstrap": n_bootstrap}
    found = bootstrap_interval(bins, counts, 0.2, np.random.default_rng(1), **options)
    assert found == pytest.approx(expected)


# Whether the classes differ.


def test_classes_that_cannot_differ_do_not():
    rng = np.random.default_rng(0)
    for positive, negative in ([[0, 0], [3, 3]], [[3, 3], [0, 0]]):
        assert not classes_differ(
            RankBins(edges=[0.0], positive=positive, negative=negative), 0.1, rng
        )
    assert not classes_differ(RankBins(edges=[], positive=[4], negative=[4]), 0.1, rng)


def test_without_a_number_of_permutations_there_are_999():
    bins = RankBins(edges=[0.5], positive=[0, 40], negative=[40, 0])
    assert classes_differ(bins, 0.001, np.random.default_rng(0))
    assert not classes_differ(bins, 0.0009995, np.random.default_rng(0))


def test_the_permutation_test_agrees_with_all_permutations():
    """Three of six patients are ill and hold the three highest scores: 2 of 20 orders do that."""
    bins = rank_bins(np.arange(6.0), [0, 0, 0, 1, 1, 1], 6)
    labels = itertools.combinations(range(6), 3)
    extreme = sum(set(ill) in ({0, 1, 2}, {3, 4, 5}) for ill in labels)
    assert extreme == 2
    rng = np.random.default_rng(0)
    assert classes_differ(bins, 0.12, rng, 2999)
    assert not classes_differ(bins, 0.08, rng, 2999)


def test_the_observed_order_is_one_of_the_permutations():
    """With nine permutations, none of them as extreme, the p-value is a tenth."""
    bins = RankBins(edges=[0.5], positive=[0, 40], negative=[40, 0])
    assert classes_differ(bins, 0.1, np.random.default_rng(0), 9)
    assert not classes_differ(bins, 0.095, np.random.default_rng(0), 9)


# The valid interval.


def possible(weight, bins, counts, delta):
    """Whether a prevalence satisfies every inequality, one by one."""
    total = int(counts.sum())
    widths = [
        math.sqrt(math.log(6 / delta) / (2 * n)) if n else 1.0
        for n in (bins.n_positive, bins.n_negative, total)
    ]
    widths = [min(w, 1.0) for w in widths]
    for j in range(bins.n_bins - 1):
        ill = bins.positive[: j + 1].sum() / max(bins.n_positive, 1)
        well = bins.negative[: j + 1].sum() / max(bins.n_negative, 1)
        here = counts[: j + 1].sum() / total
        room = weight * widths[0] + (1 - weight) * widths[1] + widths[2]
        if abs(weight * ill + (1 - weight) * well - here) > room:
            return False
    return True


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize("scale", [5, 60, 2000])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_interval_agrees_with_trying_every_prevalence(seed, scale, delta):
    bins, counts = some_bins(seed, scale=scale)
    grid = np.linspace(0, 1, 1001)
    inside = [w for w in grid if possible(w, bins, counts, delta)]
    found = valid_interval(bins, counts, delta)
    if found is None:
        assert not inside
    elif inside:
        assert found[0] <= inside[0] <= found[0] + 0.001 + 1e-9
        assert found[1] - 0.001 - 1e-9 <= inside[-1] <= found[1]
    else:
        assert found[1] - found[0] < 0.001


def test_the_interval_is_empty_where_no_mixture_fits():
    bins = RankBins(edges=[1.0, 2.0], positive=[0, 1, 5000], negative=[5000, 1, 0])
    assert valid_interval(bins, np.array([0, 4000, 0]), 0.1) is None
    alike = RankBins(edges=[1.0], positive=[4000, 4000], negative=[4000, 4000])
    assert valid_interval(alike, np.array([4000, 0]), 0.1) is None


def test_a_single_possible_prevalence_is_an_interval():
    assert _solve(np.array([1.0, -1.0]), np.array([0.5, -0.5])) == (0.5, 0.5)
    assert _solve(np.array([1.0, -1.0]), np.array([0.5, -0.6])) is None


def test_the_interval_is_everything_where_nothing_is_known():
    assert valid_interval(RankBins(edges=[], positive=[2], negative=[2]), np.array([5]), 0.1) == (
        0,
        1,
    )
    lacking = RankBins(edges=[1.0], positive=[0, 0], negative=[50, 50])
    low, high = valid_interval(lacking, np.array([0, 1000]), 0.1)
    assert low > 0
    assert high == 1
    alike = RankBins(edges=[1.0], positive=[50, 50], negative=[50, 50])
    assert valid_interval(alike, np.array([50, 50]), 0.1) == (0, 1)


@given(seed=st.integers(0, 500), delta=st.floats(0.01, 0.4), factor=st.floats(1.1, 2.0))
@settings(max_examples=50, deadline=None)
def test_a_higher_level_never_makes_the_interval_narrower(seed, delta, factor):
    bins, counts = some_bins(seed, scale=300)
    wide, narrow = valid_interval(bins, counts, delta), valid_interval(bins, counts, delta * factor)
    if narrow is not None:
        assert wide is not None
        assert wide[0] <= narrow[0] + 1e-9
        assert wide[1] >= narrow[1] - 1e-9


def test_a_choice_among_scores_makes_the_interval_wider():
    bins, counts = some_bins(3, scale=300)
    plain = valid_interval(bins, counts, 0.1)
    assert valid_interval(bins, counts, 0.1, n_choices=1) == plain
    wide = valid_interval(bins, counts, 0.1, n_choices=5)
    assert wide[0] <= plain[0] < plain[1] <= wide[1]
    assert wide != plain


def test_cdfs_by_hand():
    assert cdf_at_edges(np.array([1, 1, 2])).tolist() == [0.25, 0.5]
    assert cdf_at_edges(np.array([0, 0])).tolist() == [0.0]
    assert cdf_at_edges(np.array([1, 0, 0])).tolist() == [1.0, 1.0]


# The risk range.


@pytest.mark.parametrize("n_choices", [0, 3])
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=5.0), Costs(cost_fp=3.0)])
def test_the_risk_range_agrees_with_trying_every_corner(costs, n_choices):
    counts = Confusion(tp=30, fn=6, fp=9, tn=55)
    misses, alarms = (rate_interval(k, n, 0.05, n_choices) for k, n in ((6, 36), (9, 64)))
    every = [
        costs.cost_fn * p * m + costs.cost_fp * (1 - p) * a
        for p in np.linspace(0.1, 0.4, 31)
        for m in misses
        for a in alarms
    ]
    options = {"n_choices": n_choices} if n_choices else {}
    found = risk_range(counts, costs, (0.1, 0.4), 0.1, **options)
    assert found == pytest.approx((min(every), max(every)), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_mixture_agrees_with_a_grid(seed):
    bins, counts = some_bins(seed)
    weight, distance = nearest_mixture(bins.positive, bins.negative, counts)
    ill, well, here = (cdf_at_edges(c) for c in (bins.positive, bins.negative, counts))
    grid = np.linspace(0, 1, 1001)
    tried = [math.sqrt(np.mean((w * ill + (1 - w) * well - here) ** 2)) for w in grid]
    assert distance <= min(tried) + 1e-12
    assert distance == pytest.approx(min(tried), abs=1e-5)
    assert weight == pytest.approx(grid[np.argmin(tried)], abs=1.1e-3)


def test_a_mixture_of_the_classes_has_no_distance():
    bins = RankBins(edges=[1.0, 2.0], positive=[1, 2, 7], negative=[7, 2, 1])
    test = shape_test(bins, np.array([16, 8, 16]), np.random.default_rng(0), 99)
    assert test.statistic == pytest.approx(0, abs=1e-12)
    assert test.p_value == 1.0
    assert test.n_bootstrap == 99
    assert shape_test(bins, bins.pooled, np.random.default_rng(0)).n_bootstrap == 999


def test_equal_classes_can_still_be_refuted():
    bins = RankBins(edges=[1.0], positive=[200, 200], negative=[200, 200])
    test = shape_test(bins, np.array([400, 0]), np.random.default_rng(0), 99)
    assert test.p_value == 0.01
    assert test.statistic == 0.5


def test_the_shape_test_draws_every_part_anew():
    bins, counts = some_bins(2)
    n = int(counts.sum())
    drawn = _draw_label_shift(bins, 0.3, n, np.random.default_rng(0), 6)
    for part, size in zip(drawn, (bins.n_positive, bins.n_negative, n), strict=True):
        assert part.shape == (6, bins.n_bins)
        assert part.sum(axis=1).tolist() == [size] * 6
        assert np.unique(part, axis=0).shape[0] > 1


def test_nothing_is_tested_without_two_classes_and_two_bins():
    rng = np.random.default_rng(0)
    for edges, positive, negative in (
        ([], [3], [3]),
        ([1.0], [0, 0], [3, 3]),
        ([1.0], [3, 3], [0, 0]),
    ):
        bins = RankBins(edges=edges, positive=positive, negative=negative)
        assert shape_test(bins, bins.pooled, rng, 9) is None

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from steadycut.core.bootstrap import refined_resampling
from steadycut.core.bootstrap.draws import bootstrap_radius, draw_thresholds, draw_weighted
from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.bootstrap.within_groups import group_cells, group_codes
from steadycut.core.cuts.grid import even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule
from steadycut.errors import BadOption
from tests.core.cohorts import SEEDS, as_lists, positives_first, random_cohort
from tests.slow_reference import stability
from tests.slow_reference.criteria import rank_by
from tests.slow_reference.cuts import (
    exact_thresholds,
    grid_of,
    middle_of_gap,
    middle_of_widest_flat,
    midway,
    rank_of,
)
from tests.slow_reference.stable import stable_rank

PLAIN = ["erm", "youden", "sensitivity:0.8", "specificity:0.7"]
REPLICATES = 8


def drawn_cohorts(cohort, positions):
    """The patients of each replicate, as scores and labels."""
    patients = positives_first(cohort)
    for replicate in positions:
        drawn = [patients[k] for k in replicate]
        yield [score for score, _ in drawn], [label for _, label in drawn]


def positions_drawn(rng, n_patients, n_replicates=REPLICATES):
    return rng.integers(0, n_patients, size=(1, n_replicates, n_patients), dtype=np.int32)[0]


@pytest.mark.parametrize("rule", PLAIN)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_draw_on_the_exact_cuts_is_the_rule_on_the_exact_cuts_of_the_replicate(rule, seed):
    cohort = random_cohort(seed)
    rng = np.random.default_rng(seed)
    result = draw_thresholds(exact_cuts(cohort), parse_rule(rule), Costs(), REPLICATES, rng)
    positions = positions_drawn(np.random.default_rng(seed), cohort.n_patients)
    expected = []
    for scores, labels in drawn_cohorts(cohort, positions):
        thresholds = exact_thresholds(scores)
        rank = rank_by(rule, scores, labels, thresholds, (1.0, 1.0))
        expected.append(midway(scores, rank))
    assert result.thresholds == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rule", PLAIN)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_draw_on_even_cuts_is_the_rule_on_the_same_thresholds(rule, seed):
    cohort = random_cohort(seed)
    rng = np.random.default_rng(seed)
    result = draw_thresholds(even_cuts(cohort, 25), parse_rule(rule), Costs(), REPLICATES, rng)
    positions = positions_drawn(np.random.default_rng(seed), cohort.n_patients)
    everyone = cohort.scores.tolist()
    thresholds = grid_of(everyone, 25)
    expected = []
    for scores, labels in drawn_cohorts(cohort, positions):
        rank = rank_by(rule, scores, labels, thresholds, (1.0, 1.0))
        expected.append(middle_of_gap(everyone, scores, rank, 25))
    assert result.thresholds == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_draw_of_stable_runs_the_whole_rule_again(seed):
    """A draw of the minimiser would not be a draw of ``stable``."""
    cohort, costs = random_cohort(seed), Costs(cost_fn=2.0)
    rng = np.random.default_rng(seed)
    result = draw_thresholds(exact_cuts(cohort), parse_rule("stable"), costs, REPLICATES, rng)
    positions = positions_drawn(np.random.default_rng(seed), cohort.n_patients)
    expected = []
    for scores, labels in drawn_cohorts(cohort, positions):
        rank, _ = stable_rank(scores, labels, 2.0, 1.0)
        expected.append(midway(scores, rank))
    assert result.thresholds == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_ranks_count_the_original_patients_below_the_middle_of_the_gap(seed):
    """A gap of a replicate may hold patients who were not drawn: half of them lie below."""
    cohort = random_cohort(seed)
    rng = np.random.default_rng(seed)
    result = draw_thresholds(exact_cuts(cohort), parse_rule("erm"), Costs(), REPLICATES, rng)
    positions = positions_drawn(np.random.default_rng(seed), cohort.n_patients)
    everyone = cohort.scores.tolist()
    expected = []
    drawn = drawn_cohorts(cohort, positions)
    for (scores, _), threshold in zip(drawn, result.thresholds, strict=True):
        below = max((s for s in scores if s < threshold), default=-np.inf)
        above = min((s for s in scores if s >= threshold), default=np.inf)
        expected.append((sum(s <= below for s in everyone) + sum(s < above for s in everyone)) / 2)
    assert result.ranks.tolist() == expected
    assert result.rank == rank_of(everyone, result.threshold)


def test_the_chosen_threshold_is_that_of_the_rule_on_all_patients():
    cohort = random_cohort(5)
    thresholds = exact_thresholds(cohort.scores.tolist())
    rank = rank_by("erm", *as_lists(cohort), thresholds, (1.0, 1.0))
    rng = np.random.default_rng(0)
    result = draw_thresholds(exact_cuts(cohort), parse_rule("erm"), Costs(), 2, rng)
    assert result.rank == rank
    assert rank_of(cohort.scores.tolist(), result.threshold) == rank


def test_batches_cover_every_replicate(monkeypatch):
    """Batches of one replicate draw the same random numbers in the same order."""
    cuts = exact_cuts(random_cohort(1))
    runs = []
    for batch in (100_000, 1):
        monkeypatch.setattr("steadycut.core.bootstrap.resampling.BATCH", batch)
        rng = np.random.default_rng(0)
        runs.append(draw_thresholds(cuts, parse_rule("erm"), Costs(), 7, rng).thresholds.tolist())
    assert runs[0] == runs[1]


def test_draws_are_read_only():
    rng = np.random.default_rng(0)
    result = draw_thresholds(exact_cuts(random_cohort(0)), parse_rule("erm"), Costs(), 3, rng)
    for array in (result.thresholds, result.ranks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_replicates_without_a_cut_within_the_limits_are_counted(monkeypatch):
    monkeypatch.setattr("steadycut.core.bootstrap.resampling.BATCH", 1)
    cuts, rule = exact_cuts(random_cohort(1, 20)), parse_rule("sensitivity@ppv:0.9")
    result = draw_thresholds(cuts, rule, Costs(), 40, np.random.default_rng(0))
    drawn = replicates(cuts.cells, 40, np.random.default_rng(0))
    by_hand = [rule.n_infeasible(count_errors(cells), Costs()) for _, cells in drawn]
    assert 0 < result.n_infeasible == sum(by_hand) < 40
    plain = draw_thresholds(cuts, parse_rule("erm"), Costs(), 5, np.random.default_rng(0))
    assert plain.n_infeasible == 0


@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_refined_draws_have_the_distribution_of_all_possible_replicates(rule, monkeypatch):
    """Four patients can be drawn in 4^4 ways, all equally likely."""
    monkeypatch.setattr(refined_resampling, "MANY_BINS", 1)
    patients, costs = [(1.0, 0), (2.0, 1), (3.0, 0), (4.0, 1)], Costs(cost_fn=2.0)
    scores = [score for score, _ in patients]
    cohort = PatientScores(scores=scores, labels=[label for _, label in patients])
    expected = Counter()
    for replicate in product(patients, repeat=4):
        drawn, labels = map(list, zip(*replicate, strict=True))
        if rule == "erm":
            rank = rank_by("erm", drawn, labels, exact_thresholds(drawn), (2.0, 1.0))
        else:
            rank, _ = stable_rank(drawn, labels, 2.0, 1.0)
        expected[round(midway(drawn, rank), 9)] += 1 / 256
    n, rng = 1000, np.random.default_rng(0)
    result = draw_thresholds(exact_cuts(cohort), parse_rule(rule), costs, n, rng)
    found = Counter(result.thresholds.round(9).tolist())
    assert set(found) <= set(expected)
    for threshold, share in expected.items():
        error = (share * (1 - share) / n) ** 0.5
        assert found[threshold] / n == pytest.approx(share, abs=4 * error)


def test_patients_in_groups_are_never_drawn_in_blocks(monkeypatch):
    """Blocks are drawn over all patients: a group would not keep its number of patients."""
    cohort, costs = random_cohort(3, 30), Costs()
    cuts, rule = exact_cuts(cohort), parse_rule("erm")
    groups = group_cells(cuts, cohort, group_codes(cohort, "label"))
    plain = draw_thresholds(cuts, rule, costs, 9, np.random.default_rng(1), groups)
    monkeypatch.setattr(refined_resampling, "MANY_BINS", 1)
    again = draw_thresholds(cuts, rule, costs, 9, np.random.default_rng(1), groups)
    assert plain.thresholds.tolist() == again.thresholds.tolist()


def weighted_choice(scores, labels, weights, costs):
    """The threshold with the smallest weighted cost; ranks are sums of weights too."""
    thresholds = exact_thresholds(scores)
    patients = list(zip(scores, labels, map(Fraction, weights), strict=True))
    ranks = [sum(w for s, _, w in patients if s < t) for t in thresholds]
    risks = [
        sum(w * (costs.cost_fn if y else costs.cost_fp) for s, y, w in patients if (s >= t) != y)
        for t in thresholds
    ]
    rank = middle_of_widest_flat(risks, [Fraction(rank) for rank in ranks], 0)
    return thresholds[ranks.index(rank)]


@pytest.mark.parametrize("seed", SEEDS)
def test_patients_with_weights_are_drawn_one_by_one_and_keep_their_weights(seed):
    cohort, costs = random_cohort(seed), Costs(cost_fn=3.0)
    weights = np.random.default_rng(seed + 50).choice([0.5, 1.0, 2.5], cohort.n_patients)
    cuts, (scores, labels) = exact_cuts(cohort), as_lists(cohort)
    cell_of = cuts.bin_of(cohort.scores) + cuts.cells.size // 2 * (cohort.labels == 0)
    rng = np.random.default_rng(seed)
    result = draw_weighted(cuts, parse_rule("erm"), costs, 5, rng, cell_of, weights)
    threshold = weighted_choice(scores, labels, weights.tolist(), costs)
    assert result.threshold == pytest.approx(threshold, abs=1e-12)
    assert result.rank == rank_of(scores, threshold)
    again = np.random.default_rng(seed)
    for found, rank in zip(result.thresholds, result.ranks, strict=True):
        drawn = again.integers(0, cohort.n_patients, cohort.n_patients)
        own = cohort.scores[drawn].tolist()
        expected = weighted_choice(
            own, cohort.labels[drawn].tolist(), weights[drawn].tolist(), costs
        )
        assert found == pytest.approx(expected, abs=1e-12)
        # Half of the patients in the gap lie below its middle.
        below = max((s for s in own if s < expected), default=-np.inf)
        above = min((s for s in own if s >= expected), default=np.inf)
        assert rank == (sum(s <= below for s in scores) + sum(s < above for s in scores)) / 2


def lowest_promise(sites, cut, known):
    """The limit of the mean miss rate at the next site, from pairs of misses and ill patients."""
    rates = [Fraction(sum(s < cut for s in ill), len(ill)) for ill in sites if ill]
    return (sum(rates) + 1) / (known + 1)


@pytest.mark.parametrize("per_batch", [1, 3])
def test_a_rule_for_the_next_site_draws_patients_within_their_sites(per_batch, monkeypatch):
    """One site may draw no ill patient: then fewer sites count, and may not be enough."""
    cohort = PatientScores(
        scores=[1.0, 3.0, 2.0, 5.0, 4.0, 1.5, 2.5, 6.0, 3.5],
        labels=[0, 1, 0, 1, 1, 0, 1, 1, 0],
        sites=list("aabbbcccc"),
    )
    cuts, n = exact_cuts(cohort), 40
    sites = group_cells(cuts, cohort, group_codes(cohort, "site"))
    monkeypatch.setattr("steadycut.core.bootstrap.draws.BATCH", per_batch * sites.size)
    rule, rng = parse_rule("sensitivity:0.7@next-site"), np.random.default_rng(4)
    result = draw_thresholds(cuts, rule, Costs(), n, rng, sites)
    every = exact_thresholds(cohort.scores.tolist())
    patients = [positives_first(cohort.take(cohort.sites == name)) for name in "abc"]

    def chosen(drawn):
        ill = [[score for score, label in site if label] for site in drawn]
        known = sum(map(bool, ill))
        good = [t for t in every if lowest_promise(ill, t, known) <= Fraction(3, 10)]
        return (max(good), True) if good else (every[0], False)

    assert result.threshold == pytest.approx(chosen(patients)[0])
    assert result.rank == rank_of(cohort.scores.tolist(), result.threshold)
    again, expected = np.random.default_rng(4), []
    for start in range(0, n, per_batch):
        size = min(per_batch, n - start)
        places = [again.integers(0, len(p), size=(size, len(p))) for p in patients]
        for k in range(size):
            drawn = [[p[i] for i in at[k]] for p, at in zip(patients, places, strict=True)]
            expected.append(chosen(drawn))
    assert result.thresholds == pytest.approx([threshold for threshold, _ in expected])
    ranks = [rank_of(cohort.scores.tolist(), threshold) for threshold, _ in expected]
    assert result.ranks.tolist() == ranks
    assert 0 < result.n_infeasible == sum(not keeps for _, keeps in expected) < n


def test_without_replicates_there_is_a_threshold_and_there_are_no_draws():
    cohort = random_cohort(1)
    cuts = exact_cuts(cohort)
    for name in ("erm", "sensitivity:0.4@next-site"):
        result = draw_thresholds(cuts, parse_rule(name), Costs(), 0, np.random.default_rng(0))
        assert np.isfinite(result.threshold)
        assert (result.thresholds.size, result.ranks.size, result.n_infeasible) == (0, 0, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_draw_by_the_mean_score_is_the_drawn_score_nearest_to_the_drawn_mean(seed):
    """This rule has to know the scores: ranks are not enough."""
    cohort = random_cohort(seed, tied=False)
    rng, rule = np.random.default_rng(seed), parse_rule("mean-score")
    result = draw_thresholds(exact_cuts(cohort), rule, Costs(), REPLICATES, rng)
    positions = positions_drawn(np.random.default_rng(seed), cohort.n_patients)
    for (scores, _), threshold in zip(
        drawn_cohorts(cohort, positions), result.thresholds, strict=True
    ):
        nearest = min(scores, key=lambda score: abs(score - np.mean(scores)))
        assert min(score for score in scores if score >= threshold) == nearest


@pytest.mark.parametrize("centering", ["none", "bias"])
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("n_draws", [2, 37, 200])
@pytest.mark.parametrize("tied", [True, False])
def test_bias_quantile_and_radius_agree_with_their_definition(centering, delta, n_draws, tied):
    draws = np.random.default_rng(n_draws).normal(1.0, 2.0, n_draws)
    draws = np.round(draws) if tied else draws
    result = bootstrap_radius(0.7, draws, delta, centering)
    expected = stability.radius(0.7, draws.tolist(), delta, centering)
    assert (result.bias, result.quantile, result.radius) == pytest.approx(expected, abs=1e-12)


def test_the_two_centerings_differ_where_the_draws_are_biased():
    draws = np.array([2.0, 3.0, 3.0, 4.0])
    assert bootstrap_radius(0.0, draws, 0.25).quantile == 3.0
    assert bootstrap_radius(0.0, draws, 0.25, "bias").quantile == 1.0


def test_the_radius_is_rounded_up():
    result = bootstrap_radius(0.0, np.array([-0.5, 0.5]), 0.1)
    assert result.radius > abs(result.bias) + result.quantile


def test_an_unknown_centering_is_refused():
    with pytest.raises(BadOption, match=r"centering must be one of none, bias; got 'mean'\."):
        bootstrap_radius(0.0, np.array([1.0, 2.0]), 0.1, "mean")


def test_a_delta_outside_0_to_1_is_refused():
    with pytest.raises(BadOption, match=r"delta must lie strictly between 0 and 1; got 1\.2\."):
        bootstrap_radius(0.0, np.array([1.0, 2.0]), 1.2)

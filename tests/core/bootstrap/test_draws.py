import numpy as np
import pytest

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.cuts.grid import even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule
from tests.core.cohorts import SEEDS, as_lists, positives_first, random_cohort
from tests.slow_reference.criteria import rank_by
from tests.slow_reference.cuts import exact_thresholds, grid_of, middle_of_gap, midway, rank_of
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
    everyone = cohort.scores.tolist()
    expected = []
    for scores, labels in drawn_cohorts(cohort, positions):
        thresholds = exact_thresholds(everyone, scores)
        rank = rank_by(rule, scores, labels, thresholds, (1.0, 1.0))
        expected.append(midway(everyone, scores, rank))
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
        expected.append(midway(cohort.scores.tolist(), scores, rank))
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

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtri

from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors, risk_at_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.stable import (
    LEAST_LIKELIHOOD,
    Stable,
    cell_edges,
    cells_of,
    centre_score,
    errors_at_stake,
    is_between,
    mean_quantile,
    middle_of_row,
    nearest_rank,
    one_basin,
    patient_weight,
    prior_mass,
    weight_beside,
)
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort, two_basins
from tests.slow_reference import cuts, stable


def rank_by_stable(cohort, costs, grid="exact"):
    cells = cuts_of(cohort, grid).cells[None, :]
    return int(Stable()(count_errors(cells), costs)[0])


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_on_the_exact_cuts_agrees_with_its_definition(costs, seed):
    cohort = random_cohort(seed)
    expected, _ = stable.stable_rank(*as_lists(cohort), costs.cost_fn, costs.cost_fp)
    assert rank_by_stable(cohort, costs) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_stable_on_even_cuts_agrees_with_its_definition(seed):
    """Cuts that nobody separates are one cut, as in a replicate."""
    cohort, costs = random_cohort(seed), COSTS[1]
    thresholds = cuts.grid_of(cohort.scores.tolist(), 21)
    expected, _ = stable.stable_rank(*as_lists(cohort), 3.0, 1.0, thresholds)
    assert rank_by_stable(cohort, costs, grid=21) == expected


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_with_two_basins_agrees_with_its_definition(costs, seed):
    cohort = two_basins(80, seed)
    expected, _ = stable.stable_rank(*as_lists(cohort), costs.cost_fn, costs.cost_fp)
    assert rank_by_stable(cohort, costs) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_stable_never_falls_between_two_basins(seed):
    """The mean of all cuts lies between them, where half of the patients are decided wrong."""
    cohort = two_basins(200, seed)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    weights = Stable().weights(curve, Costs())
    assert 60 < (weights * curve.ranks).sum() < 140
    rank = rank_by_stable(cohort, Costs())
    assert abs(rank - 50) < 10 or abs(rank - 150) < 10


def test_of_two_basins_as_heavy_stable_takes_the_lower():
    scores = [0.0] * 30 + [1.0] * 30 + [2.0] * 30 + [3.0] * 30
    labels = [0] * 30 + [1] * 30 + [0] * 30 + [1] * 30
    assert rank_by_stable(PatientScores(scores=scores, labels=labels), Costs()) == 30


@pytest.mark.parametrize("seed", SEEDS)
def test_stable_answers_every_row_as_if_it_were_alone(seed):
    """Rows of bootstrap replicates hold empty groups: they change nothing either."""
    cells = resample(exact_cuts(two_basins(60, seed)).cells[None, :], 8, np.random.default_rng(0))[
        0
    ]
    together = Stable()(count_errors(cells), Costs())
    alone = []
    for row in cells.reshape(8, 2, -1):
        held = row[:, row.sum(axis=0) > 0].reshape(1, -1)
        alone.append(int(Stable()(count_errors(held), Costs())[0]))
    assert together.tolist() == alone


def test_stable_of_a_score_that_says_nothing_lies_a_little_above_the_middle():
    """No cut is better than another: the prior decides, and its log-normal mean lies at 0.6."""
    cohort = PatientScores(scores=np.arange(40.0), labels=[0, 1] * 20)
    assert rank_by_stable(cohort, Costs()) == 24


@pytest.mark.parametrize("seed", SEEDS)
def test_only_ranks_matter(seed):
    cohort = random_cohort(seed)
    for transform in (np.exp, np.cbrt, lambda x: 7 - np.exp(-x)):
        moved = PatientScores(scores=transform(cohort.scores), labels=cohort.labels)
        assert rank_by_stable(moved, COSTS[1]) == rank_by_stable(cohort, COSTS[1])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_mean_quantile_is_that_of_log_normal_scores(seed):
    rng = np.random.default_rng(seed)
    ranks = np.sort(rng.integers(0, 30, (4, 12)), axis=1)
    ranks[:, 0], ranks[:, -1] = 0, 30
    weights = rng.random((4, 12)) * prior_mass(ranks / 30)
    expected = [
        stable.mean_quantile(row.tolist(), [Fraction(int(rank), 30) for rank in one])
        for row, one in zip(weights, ranks, strict=True)
    ]
    found = mean_quantile(weights, centre_score(cell_edges(ranks / 30)))
    assert found == pytest.approx(expected, abs=1e-13)


def test_stable_is_drawn_to_the_minimum_by_more_patients_and_by_a_sharper_score():
    """The best cut calls one patient in ten; the middle patient is far away."""

    def distance(n_tenths, overlap):
        scores = np.arange(10.0 * n_tenths)
        labels = (scores >= 9 * n_tenths).astype(int)
        labels[9 * n_tenths - overlap : 9 * n_tenths + overlap] = [1, 0] * overlap
        cohort = PatientScores(scores=scores, labels=labels)
        return abs(0.9 - rank_by_stable(cohort, Costs()) / (10 * n_tenths))

    assert distance(40, 40) < distance(20, 20) < distance(10, 10) < distance(5, 5)
    assert distance(10, 0) < distance(10, 4) < distance(10, 8) < distance(10, 10)


@pytest.mark.parametrize("seed", SEEDS)
def test_prior_masses_are_those_of_all_quantiles(seed):
    """Empty groups and ties included: what is nearest to some cut is counted once."""
    cells = resample(exact_cuts(random_cohort(seed)).cells[None, :], 5, np.random.default_rng(0))[0]
    curve = count_errors(cells)
    assert prior_mass(curve.ranks / curve.n_patients).sum(axis=1) == pytest.approx(np.ones(5))


@pytest.mark.parametrize("label", [0, 1])
def test_stable_without_a_class_is_defined(label):
    """A replicate may have drawn nobody of a class; every error is then one of the other."""
    cohort = PatientScores(scores=np.arange(200.0), labels=[label] * 200)
    rank = rank_by_stable(cohort, Costs())
    assert rank > 190 if label == 0 else rank < 10


@pytest.mark.parametrize("seed", SEEDS)
def test_the_weight_beside_a_cut_is_that_of_lower_and_of_higher_ranks(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random((3, 12))
    ranks = np.sort(rng.integers(0, 8, size=(3, 12)), axis=1)
    below, above = weight_beside(weights, ranks)
    for row, column in np.ndindex(3, 12):
        lower, higher = ranks[row] < ranks[row, column], ranks[row] > ranks[row, column]
        assert below[row, column] == pytest.approx(weights[row, lower].sum(), abs=1e-12)
        assert above[row, column] == pytest.approx(weights[row, higher].sum(), abs=1e-12)


def test_a_second_basin_has_a_twentieth_of_the_weight():
    weights = np.array([[0.0625, 0.625, 0.25, 0.0625], [0.04, 0.6, 0.3, 0.06]])
    found = is_between(weights, np.array([[0, 1, 2, 3]] * 2))
    assert found.tolist() == [[False, True, True, False], [False, False, True, False]]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_heaviest_basin_keeps_its_weights(seed):
    rng = np.random.default_rng(seed)
    weights, wall = rng.random((4, 15)), rng.random((4, 15)) < 0.2
    wall[0] = False
    found = one_basin(weights, wall)
    for row in range(4):
        edges = [-1, *np.flatnonzero(wall[row]), 15]
        basins = [range(low + 1, high) for low, high in pairwise(edges)]
        best = max(basins, key=lambda basin: weights[row, list(basin)].sum())
        expected = [weights[row, cut] if cut in best else 0.0 for cut in range(15)]
        assert found[row].tolist() == expected


def test_how_far_it_looks_by_hand():
    """A miss costs 3: a wrong patient costs 1.8 in the mean, and 18 are 10 wrong of 100."""
    smallest, ill, well = np.array([[18.0]]), np.array([[40]]), np.array([[60]])
    found = Stable(weight=0.5).reach(smallest, ill, well, Costs(cost_fn=3.0))
    assert found.tolist() == [
        [pytest.approx(1.8 * 1.001 * -np.log(LEAST_LIKELIHOOD) / (0.5 * np.log(91 / 11)))]
    ]


def test_where_all_are_wrong_it_looks_everywhere():
    far = Stable().reach(np.array([[30.0]]), np.array([[15]]), np.array([[15]]), Costs())
    assert far[0, 0] > 1e12


@pytest.mark.parametrize("seed", SEEDS)
def test_at_the_prevalence_of_the_patients_a_target_changes_no_choice(seed):
    cohort = random_cohort(seed, 40)
    prevalence = cohort.n_positive / cohort.n_patients
    target = Costs(cost_fn=2.0, target=(prevalence, prevalence))
    plain = Costs(cost_fn=2.0)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    wrong = plain.cost_fn * prevalence + plain.cost_fp * (1 - prevalence)
    expected = 40 * risk_at_cuts(curve, plain) / wrong
    assert errors_at_stake(curve, target) == pytest.approx(expected)
    assert errors_at_stake(curve, plain) == pytest.approx(expected)


def test_equal_costs_count_every_error_once():
    curve = count_errors(exact_cuts(random_cohort(2, 40)).cells[None, :])
    expected = (curve.misses + curve.alarms).tolist()
    assert errors_at_stake(curve, Costs()).tolist() == expected
    assert errors_at_stake(curve, Costs(cost_fn=2.0, cost_fp=2.0)).tolist() == expected
    assert errors_at_stake(curve, Costs(cost_fn=4.0, cost_fp=4.0)).tolist() == expected


def test_a_rare_disease_moves_the_cut_up():
    cohort = random_cohort(1, 200, tied=False)
    rare, common = (Costs(target=(p, p)) for p in (0.03, 0.6))
    assert rank_by_stable(cohort, rare) > rank_by_stable(cohort, common)


def test_thirteen_patients_do_not_pull_the_cut_to_the_middle():
    """Two are ill, and the score is perfect: with 1/4 per patient a healthy one is called."""
    ill = 2
    cells = np.zeros((1, 26), dtype=np.int64)
    cells[0, 13 - ill : 13] = 1
    cells[0, 13 : 26 - ill] = 1
    curve = count_errors(cells)
    assert Stable()(curve, Costs()).tolist() == [13 - ill]
    assert Stable(weight=0.25 * (13 / 100) ** 0.6)(curve, Costs()).tolist() != [13 - ill]


@pytest.mark.parametrize(("n", "expected"), [(100, 0.2), (318, 0.1), (10**6, 0.1), (0, 3.16979)])
def test_the_weight_of_a_patient(n, expected):
    assert patient_weight(0.2, np.array([[n]])) == pytest.approx(np.array([[expected]]), rel=1e-5)


def test_cuts_with_a_billionth_of_the_largest_likelihood_do_not_count():
    """400 patients without overlap: each error divides the likelihood by 401^0.1 = 1.82."""
    labels = np.repeat([0, 1], 200)
    curve = count_errors(
        exact_cuts(PatientScores(scores=np.arange(400.0), labels=labels)).cells[None, :]
    )
    counts = Stable().weights(curve, Costs())[0] > 0
    most = int(-np.log(LEAST_LIKELIHOOD) / (0.1 * np.log(401)))
    assert most == 34
    assert np.flatnonzero(counts).tolist() == list(range(200 - most, 200 + most + 1))


@pytest.mark.parametrize("n", [1, 2, 7, 40, 1001])
def test_the_cells_from_tables_are_those_of_the_quantiles(n):
    rng = np.random.default_rng(n)
    ranks = np.sort(np.hstack([[[0, n]] * 3, rng.integers(0, n + 1, (3, 5))]), axis=1)
    edges = cell_edges(ranks / n)
    found = cells_of(ranks, np.full((3, 1), n))
    plain = cells_of(ranks.astype(float), np.full((3, 1), n))
    for cells in (found, plain):
        assert cells.mass == pytest.approx(np.diff(edges**2 * (3 - 2 * edges)), abs=1e-15)
        centres = (edges[:, 1:] + edges[:, :-1]) / 2
        inside = (centres > 0) & (centres < 1)
        assert np.log(cells.score[inside]) == pytest.approx(ndtri(centres[inside]))
        assert (cells.score[centres == 0] == 0).all()
        assert np.isfinite(cells.score).all()


def test_rows_of_different_cohorts_have_their_own_cells():
    ranks, n = np.array([[0, 1, 2], [0, 3, 8]]), np.array([[2], [8]])
    together = cells_of(ranks, n)
    for row in range(2):
        alone = cells_of(ranks[row : row + 1], n[row : row + 1])
        assert together.mass[row] == pytest.approx(alone.mass[0])
        assert together.score[row] == pytest.approx(alone.score[0])


@pytest.mark.parametrize("seed", range(40))
def test_the_middle_of_a_row_holds_the_cuts_between(seed):
    """Also where ranks repeat, and where one cut has nearly all of the weight."""
    rng = np.random.default_rng(seed)
    weights = rng.random((1, 12)) ** (1 + seed % 8)
    weights /= weights.sum()
    ranks = np.sort(rng.integers(0, 8 + seed, (1, 12)), axis=1)
    start, stop = middle_of_row(np.concatenate([[0.0], weights[0].cumsum()]), ranks[0])
    assert list(range(start, stop)) == np.flatnonzero(is_between(weights, ranks)[0]).tolist()


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_row_alone_keeps_the_basin_that_it_keeps_among_others(costs, seed):
    cohort = two_basins(80, seed) if seed % 2 else random_cohort(seed, 150)
    curve, unit, rule = count_errors(exact_cuts(cohort).cells[None, :]), costs.unit, Stable()
    weights = rule.weights(curve, unit)
    expected = one_basin(weights, rule.walls(weights, curve, unit))
    kept = np.zeros_like(weights)
    basin = rule.basin_in_row(weights[0], curve, unit)
    kept[:, basin] = weights[:, basin]
    assert kept.tolist() == expected.tolist()


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_the_nearest_rank_is_the_first_with_the_smallest_distance(rows):
    rng = np.random.default_rng(rows)
    for _ in range(50):
        ranks = np.sort(rng.integers(0, 30, (rows, 12)), axis=1)
        mean = ranks[:, 0] + rng.choice([0.25, 0.5, 0.96, 1.0], rows) * np.ptp(ranks, axis=1)
        nearest = np.abs(ranks - mean[:, None]).round(9).argmin(axis=1)
        assert nearest_rank(ranks, mean).tolist() == ranks[np.arange(rows), nearest].tolist()


def test_where_one_cut_has_all_of_the_weight_there_is_nothing_between():
    weights, ranks = np.array([0.0, 0.01, 0.98, 0.01, 0.0]), np.arange(5)
    start, stop = middle_of_row(np.concatenate([[0.0], weights.cumsum()]), ranks)
    assert start >= stop
    assert not is_between(weights[None, :], ranks[None, :]).any()


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=2.0), Costs(target=(0.1, 0.3))])
def test_two_rows_are_answered_as_each_of_them_alone(costs):
    for seed in SEEDS:
        rows = np.stack([exact_cuts(two_basins(60, seed + k)).cells for k in (0, 20)])
        alone = [int(Stable()(count_errors(row[None, :]), costs)[0]) for row in rows]
        assert Stable()(count_errors(rows), costs).tolist() == alone

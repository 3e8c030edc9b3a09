import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import ndtri

from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors, risk_at_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.pruning import near_best
from steadycut.core.rules.registry import choose
from steadycut.core.rules.stable import (
    LEAST_LIKELIHOOD,
    Stable,
    around,
    at_stake,
    cell_edges,
    cells_of,
    class_weights,
    errors_at_stake,
    nearest_rank,
)
from tests.core.cohorts import COSTS, SEEDS, as_lists, binormal, random_cohort, two_basins
from tests.slow_reference import cuts, stable


def rank_by_stable(cohort, costs, grid="exact"):
    cells = cuts_of(cohort, grid).cells[None, :]
    return int(Stable()(count_errors(cells), costs)[0])


def weights_of(curve, costs):
    weights = Stable().likelihood(at_stake(curve, costs))
    weights = weights * cells_of(curve.ranks, curve.n_patients)[0]
    return weights / weights.sum(axis=1, keepdims=True)


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
    weights = weights_of(curve, Costs())
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


def test_a_score_that_says_nothing_calls_everybody_or_nobody():
    """As the costs say; no cut is better than the cheaper end."""
    cohort = PatientScores(scores=np.arange(40.0), labels=[0, 1] * 20)
    assert rank_by_stable(cohort, Costs(cost_fn=5.0)) == 0
    assert rank_by_stable(cohort, Costs(cost_fp=5.0)) == 40


@pytest.mark.parametrize("seed", SEEDS)
def test_only_ranks_matter(seed):
    cohort = random_cohort(seed)
    for transform in (np.exp, np.cbrt, lambda x: 7 - np.exp(-x)):
        moved = PatientScores(scores=transform(cohort.scores), labels=cohort.labels)
        assert rank_by_stable(moved, COSTS[1]) == rank_by_stable(cohort, COSTS[1])


def test_stable_is_near_the_minimum_and_nearer_with_a_sharper_score():
    """The best cut calls one patient in ten; the middle patient is far away."""

    def distance(n_tenths, overlap):
        scores = np.arange(10.0 * n_tenths)
        labels = (scores >= 9 * n_tenths).astype(int)
        labels[9 * n_tenths - overlap : 9 * n_tenths + overlap] = [1, 0] * overlap
        cohort = PatientScores(scores=scores, labels=labels)
        return abs(0.9 - rank_by_stable(cohort, Costs()) / (10 * n_tenths))

    assert all(distance(n, n) < 0.04 for n in (10, 20, 80, 160))
    assert distance(10, 0) < distance(10, 8) < distance(10, 10)


@pytest.mark.parametrize("label", [0, 1])
def test_stable_without_a_class_is_defined(label):
    """A replicate may have drawn nobody of a class; every error is then one of the other."""
    cohort = PatientScores(scores=np.arange(200.0), labels=[label] * 200)
    rank = rank_by_stable(cohort, Costs())
    assert rank == (0 if label else 200)


def test_how_far_it_looks_by_hand():
    """A miss costs 3: a wrong patient costs 1.8 in the mean, and 18 are 10 wrong of 100."""
    smallest, ill, well = np.array([[18.0]]), np.array([[40]]), np.array([[60]])
    found = Stable(weight=0.5).reach(smallest, (ill, well), Costs(cost_fn=3.0))
    assert found.tolist() == [
        [pytest.approx(1.8 * 1.001 * -np.log(LEAST_LIKELIHOOD) / (0.5 * np.log(91 / 11)))]
    ]


def test_where_all_are_wrong_it_looks_everywhere():
    far = Stable().reach(np.array([[30.0]]), (np.array([[15]]), np.array([[15]])), Costs())
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


@pytest.mark.parametrize("n", [4, 12, 60, 400])
def test_a_perfect_score_of_equal_classes_is_cut_between_them(n):
    cohort = PatientScores(scores=np.arange(n), labels=np.arange(n) >= n // 2)
    assert rank_by_stable(cohort, Costs()) == n // 2


def test_a_perfect_score_of_a_rare_disease_loses_nobody():
    """The line is as steep as the score is sharp."""
    cohort = PatientScores(scores=np.arange(200), labels=np.arange(200) >= 170)
    assert rank_by_stable(cohort, Costs()) == 170


def test_cuts_with_a_billionth_of_the_largest_likelihood_do_not_count():
    """400 patients without overlap: each error divides the likelihood by 401^0.1 = 1.82."""
    labels = np.repeat([0, 1], 200)
    curve = count_errors(
        exact_cuts(PatientScores(scores=np.arange(400.0), labels=labels)).cells[None, :]
    )
    counts = weights_of(curve, Costs())[0] > 0
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
    for mass, score in (found, plain):
        assert mass == pytest.approx(np.diff(edges), abs=1e-15)
        centres = (edges[:, 1:] + edges[:, :-1]) / 2
        inside = (centres > 0) & (centres < 1)
        assert score[inside] == pytest.approx(ndtri(centres[inside]))
        assert np.isfinite(score).all()


def test_rows_of_different_cohorts_have_their_own_cells():
    ranks, n = np.array([[0, 1, 2], [0, 3, 8]]), np.array([[2], [8]])
    together = cells_of(ranks, n)
    for row in range(2):
        alone = cells_of(ranks[row : row + 1], n[row : row + 1])
        assert together[0][row] == pytest.approx(alone[0][0])
        assert together[1][row] == pytest.approx(alone[1][0])


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_the_nearest_rank_is_the_first_with_the_smallest_distance(rows):
    rng = np.random.default_rng(rows)
    for _ in range(50):
        ranks = np.sort(rng.integers(0, 30, (rows, 12)), axis=1)
        mean = ranks[:, 0] + rng.choice([0.25, 0.5, 0.96, 1.0], rows) * np.ptp(ranks, axis=1)
        nearest = np.abs(ranks - mean[:, None]).round(9).argmin(axis=1)
        assert nearest_rank(ranks, mean).tolist() == ranks[np.arange(rows), nearest].tolist()


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=2.0), Costs(target=(0.1, 0.3))])
def test_two_rows_are_answered_as_each_of_them_alone(costs):
    for seed in SEEDS:
        rows = np.stack([exact_cuts(two_basins(60, seed + k)).cells for k in (0, 20)])
        alone = [int(Stable()(count_errors(row[None, :]), costs)[0]) for row in rows]
        assert Stable()(count_errors(rows), costs).tolist() == alone


scores_and_labels = st.lists(
    st.tuples(st.integers(0, 12), st.booleans()), min_size=4, max_size=60
).filter(lambda rows: len({label for _, label in rows}) == 2)
costs_of_errors = st.tuples(st.integers(1, 30), st.integers(1, 30))


def cohort_of(rows):
    scores, labels = zip(*rows, strict=True)
    return PatientScores(scores=np.array(scores, dtype=float), labels=np.array(labels, dtype=int))


def is_turned_round(cohort, costs):
    """Whether swapping classes, costs and direction turns the cut round.

    Of two cuts that are equally near, and of two equally good ones, the lower one is taken in both
    directions.
    """
    turned = PatientScores(scores=-cohort.scores, labels=1 - cohort.labels)
    rank = rank_by_stable(cohort, Costs(cost_fn=costs[0], cost_fp=costs[1]))
    back = cohort.scores.size - rank_by_stable(turned, Costs(cost_fn=costs[1], cost_fp=costs[0]))
    if rank == back:
        return True
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    risk = risk_at_cuts(curve, Costs(cost_fn=costs[0], cost_fp=costs[1]))[0]
    _, wanted = stable.stable_rank(*as_lists(cohort), *costs)
    return (risk <= risk.min() + 1e-12).sum() > 1 or abs(wanted - (rank + back) / 2) < 1e-6


@given(scores_and_labels, costs_of_errors)
def test_swapping_classes_costs_and_direction_turns_the_cut_round(rows, costs):
    cohort = cohort_of(rows)
    # If both ends cost the same, everybody is called in either direction.
    assume(costs[0] * cohort.n_positive != costs[1] * cohort.n_negative)
    assert is_turned_round(cohort, costs)


@pytest.mark.parametrize("costs", [(1, 1), (3, 1), (1, 7)])
@pytest.mark.parametrize("seed", SEEDS)
def test_also_where_the_cut_is_checked_against_the_best(seed, costs):
    """Two basins, and ill patients with a far larger spread than healthy ones."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(150) % 3 == 0)
    spread = PatientScores(scores=rng.normal(1.5, np.where(labels, 3, 0.5)), labels=labels)
    assert is_turned_round(two_basins(80, seed), costs)
    assert is_turned_round(spread, costs)


@given(scores_and_labels, costs_of_errors)
def test_the_order_of_the_patients_does_not_matter(rows, costs):
    pair = Costs(cost_fn=costs[0], cost_fp=costs[1])
    assert rank_by_stable(cohort_of(rows[::-1]), pair) == rank_by_stable(cohort_of(rows), pair)


def margin_of(cohort, costs):
    """How far each cut is from being clearly worse than the best one; negative if it is."""
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    stake, rule = at_stake(curve, costs.unit), Stable()
    best = stake.errors[0].argmin()
    excess = stake.errors[0] - stake.errors[0, best]
    squares = np.abs(stake.squares[0] - stake.squares[0, best]) + stake.two_more[0, 0]
    return curve.ranks[0], rule.height * np.sqrt(squares) - excess


@given(scores_and_labels, costs_of_errors)
def test_a_slightly_different_cost_moves_the_cut_by_one_patient_at_most(rows, costs):
    """Unless a cut is just as bad as the best one may be beaten, or the line is level."""
    cohort = cohort_of([(place, label) for place, (_, label) in enumerate(rows)])
    pair = Costs(cost_fn=costs[0], cost_fp=costs[1])
    assume(np.abs(margin_of(cohort, pair)[1]).min() > 1e-6)
    near = Costs(cost_fn=costs[0] * (1 + 1e-9), cost_fp=costs[1])
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    places = [Stable().line(curve, several.unit)[0] for several in (pair, near)]
    assume(np.isclose(*places, atol=1e-6))
    assert abs(rank_by_stable(cohort, near) - rank_by_stable(cohort, pair)) <= 1


@given(scores_and_labels, costs_of_errors, st.sampled_from([1, 2, 10, 100]))
def test_the_chosen_cut_is_never_clearly_worse_than_the_best(rows, costs, copies):
    """Also if each patient counts as several. Per patient the allowance falls with their root."""
    cohort, pair = cohort_of(rows * copies), Costs(cost_fn=costs[0], cost_fp=costs[1])
    ranks, margin = margin_of(cohort, pair)
    assert margin[ranks.searchsorted(rank_by_stable(cohort, pair))] >= 0


@given(scores_and_labels, costs_of_errors)
def test_the_cut_of_very_many_copies_is_nearly_the_best(rows, costs):
    """Each patient counts ten million times: the root of a sum is little beside the sum."""
    cells = 10**7 * exact_cuts(cohort_of(rows)).cells[None, :]
    curve, pair = count_errors(cells), Costs(cost_fn=costs[0], cost_fp=costs[1])
    risk = risk_at_cuts(curve, pair)[0]
    chosen = risk[curve.ranks[0].searchsorted(Stable()(curve, pair)[0])]
    assert chosen <= risk.min() + 0.01 * max(costs)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_that_do_not_count_can_be_left_out(costs, seed):
    """Of many patients most cuts; the second opinion of all cuts comes along."""
    cohort = binormal(seed, 3000, distance=4.0 + seed % 3, prevalence=0.2)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    _, near = near_best(curve, Stable(), costs)
    assert near.ranks.size < curve.ranks.size / 2
    assert Stable()(near, costs).tolist() == Stable()(curve, costs).tolist()


def test_a_line_that_does_not_fit_is_not_followed():
    """The ill have far more spread: the line calls nobody, and the counts know better."""
    rng = np.random.default_rng(0)
    labels = np.arange(1000) % 5 < 2
    scores = np.where(labels, rng.normal(1.5, 3, 1000), rng.normal(0, 0.5, 1000))
    cohort, costs = PatientScores(scores=scores, labels=labels), Costs(cost_fn=3.0)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    risk = risk_at_cuts(curve, costs)[0]
    free, kept = (
        risk[curve.ranks[0].searchsorted(Stable(height=height)(curve, costs)[0])]
        for height in (np.inf, 2.5)
    )
    assert kept < risk.min() + 0.02 < free - 0.1


def test_what_is_at_stake_at_every_cut_by_hand():
    """Three ill patients at 2 and two healthy ones at 1: all of them wrong cost 8, and are 5."""
    cohort = PatientScores(scores=np.arange(5.0), labels=[0, 1, 0, 1, 1])
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    stake = at_stake(curve, Costs(cost_fn=2.0))
    assert stake.errors[0] == pytest.approx(np.array([2, 1, 3, 2, 4, 6]) * 5 / 8)
    squares = np.array([-2, -1, 3, 4, 8, 12]) * (5 / 8) ** 2
    assert stake.squares[0] == pytest.approx(squares)
    assert stake.two_more.tolist() == [[pytest.approx(5 * (5 / 8) ** 2)]]


def test_a_class_without_patients_weighs_nothing_at_a_target():
    """The patients of a class weigh together what one patient of it would, if there are any."""
    target = Costs(cost_fn=2.0, target=(0.2, 0.4))
    for labels in ([0, 1, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1]):
        cohort = PatientScores(scores=np.arange(3.0), labels=labels)
        curve = count_errors(exact_cuts(cohort).cells[None, :])
        sizes = np.array([sum(labels), 3 - sum(labels)])
        weights = np.array([0.6, 0.7]) / np.maximum(sizes, 1)
        found = np.ravel(class_weights(curve, target))
        assert found == pytest.approx(weights * 3 / (weights @ sizes))


def test_the_likelihood_of_every_cut_by_hand():
    """One of 9 patients is wrong at the best cut: 2 in 11 count as likely to be wrong."""
    cohort = PatientScores(scores=np.arange(9.0), labels=[0, 0, 1, 0, 0, 1, 1, 1, 1])
    stake = at_stake(count_errors(exact_cuts(cohort).cells[None, :]), Costs())
    assert stake.errors[0].tolist() == [4, 3, 2, 3, 2, 1, 2, 3, 4, 5]
    odds = (2 / 11) / (9 / 11)
    expected = [odds ** (0.1 * more) for more in (3, 2, 1, 2, 1, 0, 1, 2, 3, 4)]
    assert Stable().likelihood(stake)[0] == pytest.approx(expected, rel=1e-12)


def test_without_a_wall_all_cuts_lie_around_the_best_one():
    for best in range(3):
        assert around(best, np.zeros(3, dtype=bool)) == slice(0, 3)


def test_tiny_cohorts_drawn_together_have_the_cuts_that_they_have_alone():
    """Also where a line is flat or even: rounding beside other rows must not decide."""
    rng, n_rows = np.random.default_rng(0), 0
    for _ in range(150):
        cells = 2 * int(rng.integers(3, 12))
        rows = rng.multinomial(rng.integers(4, 15), np.full(cells, 1 / cells), size=8)
        several = count_errors(rows)
        rows = rows[(several.n_positive > 0)[:, 0] & (several.n_negative > 0)[:, 0]]
        costs = Costs(cost_fn=float(rng.choice([1, 3, 10])))
        together = choose(count_errors(rows), Stable(), costs)[0]
        alone = [int(choose(count_errors(row[None]), Stable(), costs)[0][0]) for row in rows]
        assert together.tolist() == alone
        n_rows += len(rows)
    assert n_rows > 1000

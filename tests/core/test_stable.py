import numpy as np
import pytest

from steadycut.core.cuts import cuts_of, exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.resample import resample
from steadycut.core.risk_curve import count_errors
from steadycut.core.stable import Stable, prior_mass
from tests.core import twins
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort, two_basins


def rank_by_stable(cohort, costs, grid="exact"):
    cells = cuts_of(cohort, grid).cells[None, :]
    return int(Stable()(cells, costs, np.random.default_rng(0))[0])


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_on_the_exact_cuts_agrees_with_its_definition(costs, seed):
    cohort = random_cohort(seed)
    scores, labels = as_lists(cohort)
    thresholds = twins.exact_thresholds(scores)
    expected = twins.stable_rank(scores, labels, thresholds, costs.cost_fn, costs.cost_fp)
    assert rank_by_stable(cohort, costs) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_stable_on_even_cuts_agrees_with_its_definition(seed):
    """Cuts that nobody separates are one cut, as in a replicate."""
    cohort, costs = random_cohort(seed), COSTS[1]
    scores, labels = as_lists(cohort)
    expected = twins.stable_rank(scores, labels, twins.even_thresholds(scores, 21), 3.0, 1.0)
    assert rank_by_stable(cohort, costs, grid=21) == expected


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_with_two_basins_agrees_with_its_definition(costs, seed):
    cohort = two_basins(80, seed)
    scores, labels = as_lists(cohort)
    thresholds = twins.exact_thresholds(scores)
    expected = twins.stable_rank(scores, labels, thresholds, costs.cost_fn, costs.cost_fp)
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
    together = Stable()(cells, Costs(), np.random.default_rng(0))
    alone = []
    for row in cells.reshape(8, 2, -1):
        held = row[:, row.sum(axis=0) > 0].reshape(1, -1)
        alone.append(int(Stable()(held, Costs(), np.random.default_rng(0))[0]))
    assert together.tolist() == alone


def test_stable_of_a_score_that_says_nothing_is_the_middle_patient():
    """No cut is better than another: the prior decides, and it is symmetric."""
    cohort = PatientScores(scores=np.arange(40.0), labels=[0, 1] * 20)
    assert rank_by_stable(cohort, Costs()) == 20


def test_stable_is_drawn_to_the_minimum_by_more_patients_and_by_a_sharper_score():
    """The best cut calls one patient in ten; the middle patient is far away."""

    def distance(n_tenths, overlap):
        scores = np.arange(10.0 * n_tenths)
        labels = (scores >= 9 * n_tenths).astype(int)
        labels[9 * n_tenths - overlap : 9 * n_tenths + overlap] = [1, 0] * overlap
        cohort = PatientScores(scores=scores, labels=labels)
        return 0.9 - rank_by_stable(cohort, Costs()) / (10 * n_tenths)

    assert distance(10, 2) < distance(5, 1) < distance(2, 0)
    assert distance(10, 0) < distance(10, 2) < distance(10, 5)


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

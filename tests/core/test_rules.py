import numpy as np
import pytest

from steadycut.core.cuts import cuts_of, exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.resample import resample
from steadycut.core.risk_curve import count_errors
from steadycut.core.rules import Stable, cuts_at_rank, excess_risk, parse_rule
from steadycut.errors import BadOption
from tests.core import twins
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort

PLAIN = ["erm", "youden", "sensitivity:0.8", "sensitivity:0.95", "specificity:0.7"]


def rank_by(rule, cohort, costs, grid="exact", seed=0):
    cells = cuts_of(cohort, grid).cells[None, :]
    return int(parse_rule(rule)(cells, costs, np.random.default_rng(seed))[0])


@pytest.mark.parametrize("rule", PLAIN)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_rule_on_the_exact_cuts_agrees_with_its_definition(rule, costs, seed):
    cohort = random_cohort(seed)
    thresholds = twins.exact_thresholds(cohort.scores.tolist())
    expected = twins.rank_chosen(rule, *as_lists(cohort), thresholds, costs.cost_fn, costs.cost_fp)
    assert rank_by(rule, cohort, costs) == expected


@pytest.mark.parametrize("rule", PLAIN)
@pytest.mark.parametrize("seed", SEEDS)
def test_rule_on_even_cuts_agrees_with_its_definition(rule, seed):
    cohort, costs = random_cohort(seed), COSTS[1]
    thresholds = twins.even_thresholds(cohort.scores.tolist(), 21)
    expected = twins.rank_chosen(rule, *as_lists(cohort), thresholds, 3.0, 1.0)
    assert rank_by(rule, cohort, costs, grid=21) == expected


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_on_the_exact_cuts_agrees_with_its_definition(costs, seed):
    cohort = random_cohort(seed)
    scores, labels = as_lists(cohort)
    thresholds = twins.exact_thresholds(scores)
    expected = twins.stable_rank(scores, labels, thresholds, costs.cost_fn, costs.cost_fp)
    assert rank_by("stable", cohort, costs) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_stable_on_even_cuts_agrees_with_its_definition(seed):
    """Cuts that nobody separates are one cut, as in a replicate."""
    cohort, costs = random_cohort(seed), COSTS[1]
    scores, labels = as_lists(cohort)
    expected = twins.stable_rank(scores, labels, twins.even_thresholds(scores, 21), 3.0, 1.0)
    assert rank_by("stable", cohort, costs, grid=21) == expected


def two_basins(n_patients, seed):
    """Two groups of patients, each with a cut of its own; the cuts between them are worse."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    group = np.where(np.arange(n_patients) < n_patients // 2, -4, 4)
    scores = group + np.where(labels == 1, 1, -1) + 0.7 * rng.normal(size=n_patients)
    return PatientScores(scores=scores, labels=labels)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_with_two_basins_agrees_with_its_definition(costs, seed):
    cohort = two_basins(80, seed)
    scores, labels = as_lists(cohort)
    thresholds = twins.exact_thresholds(scores)
    expected = twins.stable_rank(scores, labels, thresholds, costs.cost_fn, costs.cost_fp)
    assert rank_by("stable", cohort, costs) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_stable_never_falls_between_two_basins(seed):
    """The mean of all cuts lies between them, where half of the patients are decided wrong."""
    cohort = two_basins(200, seed)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    weights = Stable().weights(curve, Costs())
    assert 60 < (weights * curve.ranks).sum() < 140
    rank = rank_by("stable", cohort, Costs())
    assert abs(rank - 50) < 10 or abs(rank - 150) < 10


def test_of_two_basins_as_heavy_stable_takes_the_lower():
    scores = [0.0] * 30 + [1.0] * 30 + [2.0] * 30 + [3.0] * 30
    labels = [0] * 30 + [1] * 30 + [0] * 30 + [1] * 30
    assert rank_by("stable", PatientScores(scores=scores, labels=labels), Costs()) == 30


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
    assert rank_by("stable", cohort, Costs()) == 20


def test_stable_is_drawn_to_the_minimum_by_more_patients_and_by_a_sharper_score():
    """The best cut calls one patient in ten; the middle patient is far away."""

    def distance(n_tenths, overlap):
        scores = np.arange(10.0 * n_tenths)
        labels = (scores >= 9 * n_tenths).astype(int)
        labels[9 * n_tenths - overlap : 9 * n_tenths + overlap] = [1, 0] * overlap
        cohort = PatientScores(scores=scores, labels=labels)
        return 0.9 - rank_by("stable", cohort, Costs()) / (10 * n_tenths)

    assert distance(10, 2) < distance(5, 1) < distance(2, 0)
    assert distance(10, 0) < distance(10, 2) < distance(10, 5)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_excess_risk_agrees_with_the_loss_of_every_patient(costs, seed):
    cohort = random_cohort(seed)
    scores, labels = as_lists(cohort)
    thresholds = twins.exact_thresholds(scores)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    reference = len(thresholds) // 2
    excess, error = excess_risk(curve, costs, 0, np.arange(len(thresholds)), reference)
    for cut, threshold in enumerate(thresholds):
        expected = twins.standard_error_of_difference(
            scores, labels, threshold, thresholds[reference], costs.cost_fn, costs.cost_fp
        )
        assert (excess[cut], error[cut]) == pytest.approx(expected, abs=1e-12)


def test_youden_and_rates_are_defined_without_a_class():
    """A replicate may have drawn nobody of a class."""
    for label in (0, 1):
        cohort = PatientScores(scores=[1.0, 2.0, 3.0], labels=[label] * 3)
        best = 3 if label == 0 else 0
        assert rank_by("youden", cohort, Costs()) == best
        assert rank_by("sensitivity:0.9", cohort, Costs()) == best
        assert rank_by("specificity:0.9", cohort, Costs()) == best


def test_a_floor_that_is_met_exactly_is_met():
    """19 of 20 are 0.95, whatever the last bit of 1 - 0.95 says."""
    scores = np.arange(40.0)
    labels = [0] * 19 + [1] + [0] + [1] * 19
    cohort = PatientScores(scores=scores, labels=labels)
    assert rank_by("sensitivity:0.95", cohort, Costs()) == 21


@pytest.mark.parametrize("rule", [*PLAIN, "stable"])
@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e10])
def test_the_unit_of_the_costs_changes_no_choice(rule, factor):
    """What counts as a tie must not grow or shrink with the unit, whatever the rule minimises."""
    for seed in range(60):
        cohort = random_cohort(seed, 40, tied=True)
        scaled = Costs(cost_fn=factor, cost_fp=factor)
        assert rank_by(rule, cohort, scaled) == rank_by(rule, cohort, Costs())


def test_first_and_last_cut_of_a_rank():
    ranks = np.array([[0, 2, 2, 2, 5], [0, 0, 1, 3, 3]])
    first, last = cuts_at_rank(ranks, np.array([2, 3]))
    assert first.tolist() == [1, 3]
    assert last.tolist() == [3, 4]


@pytest.mark.parametrize(
    "text", ["best", "sensitivity", "sensitivity:", "sensitivity:high", "erm:1"]
)
def test_an_unknown_rule_is_refused_with_those_that_exist(text):
    with pytest.raises(BadOption) as caught:
        parse_rule(text)
    allowed = "erm, youden, stable, sensitivity:X, specificity:X (X between 0 and 1)"
    assert str(caught.value) == f"rule must be one of {allowed}; got {text!r}."


@pytest.mark.parametrize("floor", ["0", "1", "1.5", "nan"])
def test_a_floor_outside_0_to_1_is_refused(floor):
    with pytest.raises(BadOption) as caught:
        parse_rule(f"specificity:{floor}")
    told = f"the specificity of the rule must lie strictly between 0 and 1; got {float(floor)!r}."
    assert str(caught.value) == told

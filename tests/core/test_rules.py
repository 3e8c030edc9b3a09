import numpy as np
import pytest

from steadycut.core.cuts import cuts_of, exact_cuts
from steadycut.core.records import Costs, PatientScores
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
def test_stable_agrees_with_resampling_explicit_patients(costs, seed):
    """The twin draws the same patients: positives first, each class by score."""
    cohort = random_cohort(seed, 16)
    scores, labels = as_lists(cohort)
    drawn = np.random.default_rng(seed).integers(0, 16, size=(1, 100, 16), dtype=np.int32)[0]
    expected = twins.stable_rank(
        scores,
        labels,
        twins.exact_thresholds(scores),
        drawn.tolist(),
        costs.cost_fn,
        costs.cost_fp,
    )
    assert rank_by("stable", cohort, costs, seed=seed) == expected


def two_basins():
    """Cuts above 30 and above 90 patients are as good; the one between them is far worse."""
    scores = [0.0] * 30 + [1.0] * 30 + [2.0] * 30 + [3.0] * 30
    labels = [0] * 30 + [1] * 30 + [0] * 30 + [1] * 30
    return PatientScores(scores=scores, labels=labels)


@pytest.mark.parametrize("seed", range(20))
def test_stable_takes_the_median_where_the_mean_falls_between_two_basins(seed):
    """With seed 1 half of the replicates lie in either basin: the median is still in one."""
    cells = exact_cuts(two_basins()).cells[None, :]
    guarded = Stable()(cells, Costs(), np.random.default_rng(seed))
    unguarded = Stable(guard=np.inf)(cells, Costs(), np.random.default_rng(seed))
    assert unguarded.tolist() == [60]
    assert guarded[0] in {30, 90}


def test_stable_does_not_depend_on_how_many_rows_are_asked_for_at_once(monkeypatch):
    """Rows are worked off in batches of one size; a row's answer is that of its own numbers."""
    cells = np.repeat(exact_cuts(random_cohort(1)).cells[None, :], 5, axis=0)
    together = Stable(n_inner=20)(cells, Costs(), np.random.default_rng(0))
    monkeypatch.setattr("steadycut.core.rules.BATCH", 1)
    one_by_one = Stable(n_inner=20)(cells, Costs(), np.random.default_rng(0))
    assert together.tolist() == one_by_one.tolist()


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


@pytest.mark.parametrize("rule", PLAIN)
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

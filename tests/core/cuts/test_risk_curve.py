import numpy as np
import pytest

from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import cuts_of, exact_cuts
from steadycut.core.cuts.risk_curve import (
    count_below,
    count_errors,
    left_cdf,
    risk_at_cuts,
    risk_curve,
)
from steadycut.core.records import Costs, PatientScores
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort
from tests.slow_reference import cuts, risks


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("costs", COSTS)
def test_risk_curve_agrees_with_counting_patient_by_patient(seed, costs):
    cohort = random_cohort(seed)
    thresholds = np.concatenate([cohort.scores, np.linspace(-5, 5, 40)])
    expected = [
        risks.risk_at(*as_lists(cohort), t, costs.cost_fn, costs.cost_fp) for t in thresholds
    ]
    assert risk_curve(cohort, thresholds, costs) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("grid", [15, "exact"])
def test_errors_and_risk_at_the_cuts_agree_with_counting(seed, grid):
    cohort, costs = random_cohort(seed), COSTS[1]
    cuts = cuts_of(cohort, grid)
    position = np.arange(cuts.cells.size // 2 + 1)
    thresholds = cuts.place(position, position)
    curve = count_errors(cuts.cells)
    expected = [risks.counts_at(*as_lists(cohort), t) for t in thresholds]
    errors = [(fn, fp) for _, fn, fp, _ in expected]
    assert list(zip(curve.misses, curve.alarms, strict=True)) == errors
    assert curve.ranks.tolist() == [fn + tn for _, fn, _, tn in expected]
    wanted = [risks.risk(counts, 3.0, 1.0) for counts in expected]
    assert risk_at_cuts(curve, costs) == pytest.approx(wanted, abs=1e-12)


def test_errors_of_many_replicates_are_counted_row_by_row():
    cells = np.random.default_rng(0).integers(0, 5, size=(4, 3, 12))
    together = count_errors(cells)
    for i, j in np.ndindex(4, 3):
        alone = count_errors(cells[i, j])
        assert together.misses[i, j].tolist() == alone.misses.tolist()
        assert together.alarms[i, j].tolist() == alone.alarms.tolist()
        assert together.n_patients[i, j].tolist() == [cells[i, j].sum()]


def test_four_patients_by_hand():
    """Positive groups 0, 1, 1; negative groups 1, 0, 1."""
    curve = count_errors(np.array([0, 1, 1, 1, 0, 1]))
    assert curve.misses.tolist() == [0, 0, 1, 2]
    assert curve.alarms.tolist() == [2, 1, 1, 0]
    assert curve.ranks.tolist() == [0, 1, 2, 4]
    assert risk_at_cuts(curve, COSTS[1]).tolist() == [0.5, 0.25, 1.0, 1.5]


def test_errors_are_whole():
    curve = count_errors(np.array([0, 1, 1, 1, 0, 1]))
    assert curve.misses.dtype == curve.alarms.dtype == np.int64


@pytest.mark.parametrize("alone", [0, 1])
def test_one_patient_of_a_class_is_all_of_it(alone):
    """At a prevalence of 0.3 a miss of all costs 0.6, an alarm of all 0.7."""
    labels = [alone, 1 - alone, 1 - alone]
    cohort, costs = (
        PatientScores(scores=[0.0, 1.0, 2.0], labels=labels),
        Costs(cost_fn=2.0, target=(0.3, 0.3)),
    )
    expected = [[0.7, 0.0, 0.3, 0.6], [0.7, 1.3, 0.95, 0.6]][alone]
    thresholds = np.array([-0.5, 0.5, 1.5, 2.5])
    assert risk_curve(cohort, thresholds, costs) == pytest.approx(expected)
    curve = count_errors(exact_cuts(cohort).cells)
    assert risk_at_cuts(curve, costs) == pytest.approx(expected)


@pytest.mark.parametrize("target", [(0.1, 0.1), (0.05, 0.3), (0.4, 0.9)])
@pytest.mark.parametrize("seed", SEEDS)
def test_risk_at_a_target_is_that_of_the_worse_end(target, seed):
    cohort, costs = random_cohort(seed, 60), Costs(cost_fn=3.0, target=target)
    thresholds = np.linspace(-3, 5, 41)
    expected = [risks.risk_at(*as_lists(cohort), t, 3.0, 1.0, target) for t in thresholds]
    assert risk_curve(cohort, thresholds, costs) == pytest.approx(expected, abs=1e-12)
    counts = [confusion_at(cohort, t) for t in thresholds]
    assert [one.risk(costs) for one in counts] == pytest.approx(expected, abs=1e-12)
    cuts = exact_cuts(cohort)
    every = np.arange(cuts.values.size + 1)
    at_cuts = risk_at_cuts(count_errors(cuts.cells), costs)
    places = cuts.place(every, every)
    expected = [risks.risk_at(*as_lists(cohort), t, 3.0, 1.0, target) for t in places]
    assert at_cuts == pytest.approx(expected, abs=1e-12)


def test_sums_of_weights_are_counted_as_they_are():
    curve = count_errors(np.array([0.5, 0.25, 1.5, 0.0]))
    assert curve.misses.tolist() == [0.0, 0.5, 0.75]
    assert curve.alarms.tolist() == [1.5, 0.0, 0.0]
    assert curve.ranks.tolist() == [0.0, 2.0, 2.25]


@pytest.mark.parametrize("seed", SEEDS)
def test_share_below_agrees_with_counting(seed):
    scores = random_cohort(seed).scores
    thresholds = np.concatenate([scores, scores + 0.1, [scores.min() - 1, scores.max() + 1]])
    expected = [cuts.rank_of(scores.tolist(), t) / 24 for t in thresholds]
    assert left_cdf(scores, thresholds) == pytest.approx(expected, abs=1e-12)


def test_a_score_equal_to_the_threshold_is_not_below_it():
    assert count_below(np.array([2.0, 2.0, 3.0]), [2.0]).tolist() == [0]


def test_an_empty_class_has_nobody_below():
    assert left_cdf(np.array([]), [0.0, 1.0]).tolist() == [0.0, 0.0]


def test_the_only_score_is_the_whole_class():
    assert left_cdf(np.array([1.0]), [1.0, 2.0]).tolist() == [0.0, 1.0]

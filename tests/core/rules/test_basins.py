import numpy as np
import pytest

from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.rules.basins import barriers, excess_risk
from tests.core import twins
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort, two_basins


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


@pytest.mark.parametrize("height", [1.0, 2.0])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_agree_with_their_definition(costs, seed, height):
    cohort = two_basins(60, seed) if seed % 3 else random_cohort(seed)
    scores, labels = as_lists(cohort)
    thresholds = twins.exact_thresholds(scores)
    found = barriers(count_errors(exact_cuts(cohort).cells[None, :]), costs, height)[0]
    for cut in range(len(thresholds)):
        expected = twins.is_barrier(
            scores, labels, thresholds, cut, costs.cost_fn, costs.cost_fp, height
        )
        assert found[cut] == expected

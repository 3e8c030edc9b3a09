import math

import numpy as np
import pytest

from steadycut.core.betting import (
    betting_limit,
    log_capital,
    predictable_shares,
    shuffled_losses,
)
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from tests.core.cohorts import COSTS

COUNTS = Confusion(tp=10, fn=3, fp=2, tn=15)


def capitals(losses, mean, delta):
    """The capital after every patient, one patient at a time."""
    n, seen, capital, found = len(losses), [], 1.0, []
    for loss in losses:
        # Mean and variance of the patients before, started at 1/2 and 1/4.
        means = [(0.5 + sum(seen[: i + 1])) / (i + 2) for i in range(len(seen))]
        squares = [(one - m) ** 2 for one, m in zip(seen, means, strict=True)]
        variance = (0.25 + sum(squares)) / (len(seen) + 1)
        share = math.sqrt(2 * math.log(1 / delta) / (n * variance))
        capital *= 1 + min(share, 0.75 / max(1 - mean, 1e-12)) * (mean - loss)
        found.append(capital)
        seen.append(loss)
    return found


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("mean", [0.01, 0.2, 0.9])
def test_the_capital_agrees_with_betting_on_one_patient_after_the_other(costs, mean):
    losses = shuffled_losses(COUNTS, costs)
    found = np.exp(log_capital(losses, predictable_shares(losses, 0.1), mean))
    assert found == pytest.approx(capitals(losses.tolist(), mean, 0.1), rel=1e-12)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_the_limit_is_where_the_capital_once_reached_one_over_delta(costs, delta):
    losses = shuffled_losses(COUNTS, costs).tolist()
    limit = betting_limit(COUNTS, costs, delta) / max(costs.cost_fn, costs.cost_fp)
    assert max(capitals(losses, limit + 1e-9, delta)) >= 1 / delta
    assert max(capitals(losses, limit - 1e-9, delta)) < 1 / delta


@pytest.mark.parametrize("costs", COSTS)
def test_every_error_costs_its_part_of_the_dearer_one(costs):
    losses = shuffled_losses(COUNTS, costs)
    dearer = max(costs.cost_fn, costs.cost_fp)
    expected = [costs.cost_fn / dearer] * 3 + [costs.cost_fp / dearer] * 2 + [0.0] * 25
    assert sorted(losses) == pytest.approx(sorted(expected), abs=1e-12)


def test_a_share_is_set_before_its_patient_is_seen():
    losses = np.array([0.0, 1.0, 0.0, 1.0])
    other = losses.copy()
    other[2] = 0.5
    one, two = predictable_shares(losses, 0.1), predictable_shares(other, 0.1)
    assert one[:3].tolist() == two[:3].tolist()
    assert one[3] != two[3]


def test_a_patient_alone_excludes_nothing():
    assert betting_limit(Confusion(tp=0, fn=0, fp=0, tn=1), Costs(), 0.1) == 1.0

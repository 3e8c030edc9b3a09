import itertools
import math

import numpy as np
import pytest

from steadycut.core.bounds.betting import (
    betting_limit,
    mean_log_capital,
    predictable_shares,
)
from steadycut.core.records import PatientScores
from tests.core.cohorts import COSTS


def cohort(n=30, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    return PatientScores(scores=rng.normal(size=n) + labels, labels=labels)


def losses_of(costs, patients=None):
    """The loss of each patient at 0.5, as a part of the larger cost."""
    patients, largest = patients or cohort(), max(costs.cost_fn, costs.cost_fp)
    prices = np.where(patients.labels == 1, costs.cost_fn, costs.cost_fp) / largest
    return prices * ((patients.scores >= 0.5) != (patients.labels == 1))


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
    losses = losses_of(costs)
    rows = np.stack([losses, losses[::-1]])
    found = mean_log_capital(rows, predictable_shares(rows, 0.1), mean)
    expected = np.mean([capitals(row.tolist(), mean, 0.1)[-1] for row in rows])
    assert found == pytest.approx(math.log(expected), rel=1e-9)


@pytest.mark.parametrize("costs", COSTS)
def test_the_order_of_the_patients_changes_nothing(costs):
    losses = losses_of(costs)
    assert betting_limit(losses, 0.1) == betting_limit(np.sort(losses), 0.1)


@pytest.mark.validity
@pytest.mark.parametrize("in_order", [False, True])
def test_the_limit_holds_for_a_table_sorted_by_label(in_order):
    """A fixed order of sorted losses failed in 62 % of the studies of this size and error rate."""
    rng = np.random.default_rng(3)
    failed, n_studies = 0, 400
    for _ in range(n_studies):
        labels = rng.random(180) < 0.73
        if in_order:
            labels = np.sort(labels)
        failed += betting_limit(labels.astype(float), 0.1) < 0.73
    assert failed / n_studies <= 0.1 + 4 * math.sqrt(0.09 / n_studies)


def test_a_share_is_set_before_its_patient_is_seen():
    losses = np.array([0.0, 1.0, 0.0, 1.0])
    other = losses.copy()
    other[2] = 0.5
    one, two = predictable_shares(losses, 0.1), predictable_shares(other, 0.1)
    assert one[:3].tolist() == two[:3].tolist()
    assert one[3] != two[3]


def test_every_order_is_one_of_the_same_patients():
    """The limit is where the mean capital over all orders of six patients reaches 1 / delta."""
    losses, delta = [0.0, 0.0, 0.1, 0.2, 0.3, 1.0], 0.4
    orders = list(itertools.permutations(losses))[::3]
    limit = betting_limit(np.array(losses), delta)
    reached = [
        np.mean([capitals(one, mean, delta)[-1] for one in orders])
        for mean in (limit - 0.02, limit + 0.02)
    ]
    assert reached[0] < 1 / delta < reached[1]


def test_a_limit_can_be_computed_again_years_later():
    """The random orders are always the same."""
    assert betting_limit(np.arange(20) / 40, 0.1) == pytest.approx(0.3541809320449829, abs=1e-7)


def test_a_patient_alone_excludes_nothing():
    assert betting_limit(np.array([0.0]), 0.1) == 1.0

"""Limits of a mean from counts: in closed form for one patient, and against betting one by one."""

import numpy as np
import pytest

from steadycut.core.bounds.anytime import (
    LIMIT_BETS,
    TARGET_BETS,
    at_most_p_values,
    largest_refuted,
    lower_mean,
    upper_mean,
)


def total(values, mean, bets):
    """The mean of what each bet has won, patient by patient."""
    stakes = np.ones(bets.size)
    for value in values:
        stakes = stakes * (1 - bets + bets * value / mean)
    return stakes.mean()


@pytest.mark.parametrize("delta", [0.01, 0.1, 0.5, 0.9])
def test_one_patient_in_closed_form(delta):
    """The total is 1 + mean bet (1 / m - 1) and must be 1 / delta."""
    wanted = 1 / (1 + (1 / delta - 1) / LIMIT_BETS.mean())
    assert lower_mean([0, 1], [0, 1], delta) == pytest.approx(wanted, rel=1e-9)
    assert upper_mean([0, 1], [1, 0], delta) == pytest.approx(1 - wanted, rel=1e-9)


def test_nothing_is_refuted_without_patients_and_by_zeros_alone():
    assert (lower_mean([0, 1], [0, 0], 0.1), upper_mean([], [], 0.1)) == (0.0, 1.0)
    assert lower_mean([0, 1], [50, 0], 0.1) == 0.0


@pytest.mark.parametrize("bets", [LIMIT_BETS, TARGET_BETS])
@pytest.mark.parametrize("delta", [0.3, 0.01])
def test_at_the_limit_the_bets_have_won_1_over_delta(bets, delta):
    values, counts = np.array([0.0, 0.25, 1.0]), np.array([[3, 5, 20], [1, 0, 30], [9, 9, 0]])
    for row, mean in zip(counts, largest_refuted(counts, values, delta, bets), strict=True):
        assert total(np.repeat(values, row), mean, bets) == pytest.approx(1 / delta, rel=1e-6)


def test_the_p_value_is_1_over_what_the_bets_have_won():
    values, counts = [0, 0.5, 1], [4, 6, 10]
    means = np.array([0.1, 0.3, 0.5, 0.9])
    patients = np.repeat(values, counts)
    wanted = [min(1 / total(patients, mean, LIMIT_BETS), 1.0) for mean in means]
    assert at_most_p_values(values, counts, means) == pytest.approx(wanted, rel=1e-9)

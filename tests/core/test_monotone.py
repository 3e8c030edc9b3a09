import itertools

import numpy as np
import pytest

from steadycut.core.bounds.modulus import modulus
from steadycut.core.monotone import monotone_modulus
from steadycut.core.records import Costs
from steadycut.errors import BadOption
from tests.core.cohorts import random_cohort


def nearest_monotone(values):
    """Of a monotone fit each value is the largest of the smallest means of stretches around it."""
    n = len(values)
    return [
        max(min(np.mean(values[a : b + 1]) for b in range(i, n)) for a in range(i + 1))
        for i in range(n)
    ]


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_nearest_monotone_curve(seed):
    values = np.random.default_rng(seed).random(9).tolist()
    fitted = monotone_modulus(np.arange(9), values)
    assert fitted == pytest.approx(nearest_monotone(values), abs=1e-12)
    assert all(low <= high for low, high in itertools.pairwise(fitted))


def test_the_order_in_which_sizes_come_does_not_matter():
    assert monotone_modulus([3, 1, 2], [0.5, 0.1, 0.2]).tolist() == [0.5, 0.1, 0.2]
    assert monotone_modulus([3, 1, 2], [0.1, 0.2, 0.3]).tolist() == pytest.approx([0.2] * 3)


def test_values_at_the_same_size_are_averaged():
    assert monotone_modulus([1, 1, 2], [0.1, 0.3, 0.9]).tolist() == pytest.approx([0.2, 0.2, 0.9])


def test_the_exact_modulus_is_monotone_already():
    cohort, sizes = random_cohort(1, 40), np.linspace(0, 4, 30)
    exact = [modulus(cohort, size, Costs(cost_fn=2)) for size in sizes]
    assert monotone_modulus(sizes, exact).tolist() == exact


@pytest.mark.parametrize(
    ("sizes", "values"), [([1, 2], [1]), ([], []), ([1.0], [np.nan]), ([[1]], [[1]])]
)
def test_what_is_no_modulus_is_refused(sizes, values):
    with pytest.raises(BadOption, match="epsilons and values must be finite numbers"):
        monotone_modulus(sizes, values)

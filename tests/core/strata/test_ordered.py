import itertools

import numpy as np
import pytest
from scipy.stats import beta

from steadycut.core.strata.ordered import ordered_marginals

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def random_edges(rng, n_cells):
    return np.concatenate([[0], np.sort(rng.random(n_cells - 1)), [1]])


def points(low, high):
    return low + (high - low) * (NODES + 1) / 2, WEIGHTS * (high - low) / 2


def pair_mass(first, second, same):
    """The integral of u1 (u2 - u1) (1 - u2) over two cells, or u1 < u2 in one: Gauss is exact."""
    total = 0.0
    for u2, weight in zip(*points(*second), strict=True):
        inner = points(first[0], u2) if same else points(*first)
        total += weight * (inner[1] * inner[0] * (u2 - inner[0])).sum() * (1 - u2)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_two_thresholds_agree_with_all_pairs_of_cells(seed):
    rng = np.random.default_rng(seed)
    edges, likelihood = random_edges(rng, 6), 2 * rng.normal(size=(2, 6))
    likelihood[1, 2] = -np.inf
    cells = list(itertools.pairwise(edges))
    mass = np.zeros((6, 6))
    for a, b in itertools.combinations_with_replacement(range(6), 2):
        mass[a, b] = pair_mass(cells[a], cells[b], a == b)
        mass[a, b] *= np.exp(likelihood[0, a] + likelihood[1, b])
    mass /= mass.sum()
    found = ordered_marginals(likelihood[None], edges[None])[0]
    assert found[0] == pytest.approx(mass.sum(axis=1), abs=1e-12)
    assert found[1] == pytest.approx(mass.sum(axis=0), abs=1e-12)


@pytest.mark.parametrize("n_thresholds", [1, 2, 3, 6])
def test_without_data_they_are_even_order_statistics_of_uniform_points(n_thresholds):
    edges = random_edges(np.random.default_rng(n_thresholds), 7)
    found = ordered_marginals(np.zeros((1, n_thresholds, 7)), edges[None])[0]
    for k, weights in enumerate(found, start=1):
        cdf = beta(2 * k, 2 * (n_thresholds - k) + 2).cdf(edges)
        assert weights == pytest.approx(np.diff(cdf), abs=1e-12)


def test_likelihoods_of_any_size_neither_vanish_nor_overflow():
    """Thresholds that would like to cross, by a factor beyond any float."""
    likelihood = np.array([[[-5000.0, -2500.0, 0.0], [0.0, -2500.0, -5000.0]]])
    found = ordered_marginals(likelihood, np.array([[0.0, 0.3, 0.7, 1.0]]))
    assert np.isfinite(found).all()
    assert found.sum(axis=2) == pytest.approx(np.ones((1, 2)))
    assert (found[0, 0] > 0).all()


def test_a_cell_without_width_has_no_mass():
    edges = np.array([[0.0, 0.4, 0.4, 1.0]])
    found = ordered_marginals(np.zeros((1, 2, 3)), edges)
    assert found[0, :, 1].tolist() == [0, 0]


def test_rows_do_not_meet():
    rng = np.random.default_rng(4)
    edges = np.stack([random_edges(rng, 5) for _ in range(3)])
    likelihood = rng.normal(size=(3, 2, 5))
    together = ordered_marginals(likelihood, edges)
    for row in range(3):
        alone = ordered_marginals(likelihood[row : row + 1], edges[row : row + 1])[0]
        assert together[row] == pytest.approx(alone)


def test_a_factor_of_a_row_or_of_a_threshold_changes_nothing():
    """Likelihoods of two rows may differ by more than any float can hold."""
    rng = np.random.default_rng(5)
    edges = np.stack([random_edges(rng, 5) for _ in range(2)])
    likelihood = rng.normal(size=(2, 2, 5))
    factor = np.array([[[0.0], [-3000.0]], [[5000.0], [2000.0]]])
    found = ordered_marginals(likelihood + factor, edges)
    assert found == pytest.approx(ordered_marginals(likelihood, edges), abs=1e-9)

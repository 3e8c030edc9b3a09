"""The test whether one cut-off is enough."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from steadycut.core.covariate.one_cut_test import (
    LAYER,
    CovariateTest,
    common_cut_test,
    covariate_test,
    score_layers,
    share_around,
)


def random_cells(seed, slices=3, bins=40, most=2):
    return np.random.default_rng(seed).integers(0, most + 1, (slices, 2 * bins))


def slowly(cells, basis, rank=0.0, share=1.0):
    """One patient after the other, and the covariance of permutations by its formula."""
    table = score_layers(cells, rank, share)
    difference, covariance = 0.0, 0.0
    for s in range(table.shape[2]):
        rows = [
            (basis[j], 1 - side)
            for j in range(table.shape[0])
            for side in (0, 1)
            for _ in range(table[j, side, s])
        ]
        given_basis = np.array([row[0] for row in rows])
        label = np.array([row[1] for row in rows])
        centred = given_basis - given_basis.mean(axis=0)
        difference = difference + label @ centred
        if len(rows) > 1:
            covariance = covariance + label.var() * len(rows) / (len(rows) - 1) * (
                centred.T @ centred
            )
    return float(difference @ np.linalg.pinv(covariance, hermitian=True) @ difference)


def test_one_stratum_is_pearson_times_n_minus_1_over_n():
    cells = np.array([[3, 1], [1, 3]])
    pearson = chi2_contingency(cells, correction=False).statistic
    found = covariate_test(cells, np.eye(2))
    assert found.statistic == pytest.approx(pearson * 7 / 8)
    assert found.df == 1
    assert found.p_value == pytest.approx(chi2.sf(found.statistic, 1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rank", "share"), [(0.0, 1.0), (20.0, 0.4), (10_000.0, 0.5)])
def test_twin(seed, rank, share):
    cells = random_cells(seed)
    place = np.arange(3) / 3
    for basis in (np.eye(3), np.stack([place, place**2], axis=1)):
        found = covariate_test(cells, basis, rank, share)
        assert found.statistic == pytest.approx(slowly(cells, basis, rank, share))
        assert found.df == 2


def test_nothing_to_compare_has_p_1():
    one_label = np.array([[3, 0], [4, 0]])
    assert covariate_test(one_label, np.eye(2)) == CovariateTest(statistic=0.0, df=0, n_patients=7)
    assert covariate_test(one_label, np.eye(2)).p_value == 1
    assert covariate_test(one_label, np.eye(2)).excess == 0


def test_excess_is_what_lies_above_the_median_of_chance():
    assert CovariateTest(statistic=0.4, df=1, n_patients=9).excess == 0
    found = CovariateTest(statistic=6.0, df=2, n_patients=9).excess
    assert found == pytest.approx((6 - chi2.median(2)) / 2)


def test_strata_hold_a_few_neighbours_around_the_cut():
    cells = np.zeros((1, 200), dtype=np.int64)
    cells[0, :100] = 1
    table = score_layers(cells, 50.0, 0.4)
    assert table.sum() == 40
    # From patient 30 to 69: strata begin at multiples of 8.
    assert table.sum(axis=(0, 1)).tolist() == [2, *[LAYER] * 4, 6]
    assert score_layers(cells, 0.0, 0.4).sum() == 40
    # From patient 10 on, in the middle of the second stratum; and with both ends.
    assert score_layers(cells, 30.0, 0.4).sum() == 40
    assert score_layers(cells, 50.0, 0.41).sum() == 42
    assert score_layers(cells, 100.0, 0.4).sum() == 40


@pytest.mark.parametrize("seed", range(4))
def test_the_least_of_five_neighbouring_places_counts(seed):
    cells = random_cells(seed, bins=60)
    n = int(cells.sum())
    share = share_around(n)
    places = n / 2 + share * n * np.array([-0.1, -0.05, 0, 0.05, 0.1])
    tests = [covariate_test(cells, np.eye(3), place, share) for place in places]
    found = common_cut_test(cells, np.eye(3), n / 2)
    assert found.p_value == max(test.p_value for test in tests)
    assert found in tests


def test_a_tie_that_is_larger_than_the_neighbourhood_is_taken_whole():
    cells = np.array([[1, 90, 1, 0, 0, 0]])
    assert score_layers(cells, 0.0, 0.02).sum() > 0
    assert score_layers(np.array([[0, 90, 0, 0]]), 30.0, 0.1).sum() == 90
    assert score_layers(np.array([[1, 90, 40, 0, 0, 0]]), 60.0, 0.02).sum() == 131


def test_the_neighbourhood_shrinks_with_the_number_of_patients():
    shares = [share_around(n) for n in (10, 100, 3200, 10**6)]
    assert shares == pytest.approx([0.6, 0.5, 0.25, 0.5 * 1e-4**0.2])


@given(st.integers(0, 10_000))
def test_the_order_of_the_slices_and_a_line_through_the_basis_change_nothing(seed):
    cells = random_cells(seed, bins=10)
    turned = np.random.default_rng(seed).normal(size=(2, 2)) + 3 * np.eye(2)
    basis = np.array([[1.0, 0], [0, 1], [0, 0]])
    first = covariate_test(cells, basis)
    assert covariate_test(cells[::-1], basis[::-1]).statistic == pytest.approx(first.statistic)
    moved = covariate_test(cells, basis @ turned + 5)
    assert moved.statistic == pytest.approx(first.statistic, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("times", [1, 10**6])
def test_three_groups_have_two_degrees_of_freedom_however_many_patients(times):
    """Rounding grows with the patients: it must not pass for a direction of its own."""
    found = covariate_test(times * random_cells(0), np.eye(3))
    assert found.df == 2


def test_a_layer_of_two_patients_counts_as_two():
    """Ties of 22, 2 and 30 patients are three layers."""
    cells = np.array([[8, 1, 9, 3, 0, 6], [4, 0, 8, 7, 1, 7]])
    assert score_layers(cells, 0.0, 1.0).sum(axis=(0, 1)).tolist() == [22, 2, 30]
    found = covariate_test(cells, np.eye(2))
    assert found.statistic == pytest.approx(slowly(cells, np.eye(2)))


def test_no_layer_is_empty():
    layers = score_layers(np.array([[1, 90, 45, 0, 0, 0, 0, 0]]), 60.0, 0.02)
    assert layers.sum(axis=(0, 1)).min() > 0

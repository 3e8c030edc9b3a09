"""P-values of a cut that was searched for."""

import numpy as np
import pytest
from scipy.stats import norm

from steadycut.core.rates import miller_siegmund, p_chi_squared


def test_miller_siegmund_by_hand():
    z = norm.isf(0.005)
    expected = norm.pdf(z) * ((z - 1 / z) * np.log(81) + 4 / z)
    assert miller_siegmund(0.01, 0.1, 0.9) == pytest.approx(expected)


def test_normal_quantiles_and_densities_are_those_of_scipy_stats():
    for p_value in np.concatenate([np.logspace(-300, -2, 500), np.linspace(0.01, 0.99, 99)]):
        z = norm.isf(p_value / 2)
        expected = norm.pdf(z) * ((z - 1 / z) * np.log(81) + 4 / z)
        found = miller_siegmund(p_value, 0.1, 0.9)
        assert found == pytest.approx(np.clip(expected, p_value, 1.0), rel=1e-14, abs=0)


@pytest.mark.parametrize("p_value", [1e-9, 0.001, 0.04, 0.3, 0.9])
def test_a_corrected_p_value_is_a_share_and_not_smaller(p_value):
    assert p_value <= miller_siegmund(p_value, 0.1, 0.9) <= 1


def test_a_corrected_p_value_is_at_most_1_where_the_formula_is_more():
    z = norm.isf(0.065)
    assert norm.pdf(z) * ((z - 1 / z) * np.log(99**2) + 4 / z) > 1
    assert miller_siegmund(0.13, 0.01, 0.99) == 1


@pytest.mark.parametrize("p_value", [0.001, 0.01, 0.05])
def test_altmans_approximation_nearly_agrees(p_value):
    """Altman et al. (1994) fitted -1.63 p (1 + 2.35 log p) to Miller and Siegmund's formula."""
    altman = -1.63 * p_value * (1 + 2.35 * np.log(p_value))
    assert altman == pytest.approx(miller_siegmund(p_value, 0.1, 0.9), rel=0.1)


@pytest.mark.validity
def test_the_corrected_p_value_keeps_its_level():
    """A score that says nothing: the best of the middle 80 % of cuts, 100 + 100 patients."""
    rng = np.random.default_rng(0)
    labels = rng.permuted(np.tile(np.repeat([0, 1], 100), (1500, 1)), axis=1)
    tp = np.cumsum(labels, axis=1)[:, 19:180]
    called = np.arange(20, 181)
    p_values = p_chi_squared(tp, 100 - tp, called - tp, 100 - called + tp).min(axis=1)
    corrected = np.array([miller_siegmund(p, 0.1, 0.9) for p in p_values])
    assert np.mean(p_values <= 0.05) > 0.25
    assert 0.02 < np.mean(corrected <= 0.05) < 0.065

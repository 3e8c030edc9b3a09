import numpy as np
import pytest

from steadycut.core.bootstrap.radius import bootstrap_radius
from steadycut.errors import BadOption
from tests.slow_reference import stability


@pytest.mark.parametrize("centering", ["none", "bias"])
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("n_draws", [2, 37, 200])
@pytest.mark.parametrize("tied", [True, False])
def test_bias_quantile_and_radius_agree_with_their_definition(centering, delta, n_draws, tied):
    draws = np.random.default_rng(n_draws).normal(1.0, 2.0, n_draws)
    draws = np.round(draws) if tied else draws
    result = bootstrap_radius(0.7, draws, delta, centering)
    expected = stability.radius(0.7, draws.tolist(), delta, centering)
    assert (result.bias, result.quantile, result.radius) == pytest.approx(expected, abs=1e-12)


def test_the_two_centerings_differ_where_the_draws_are_biased():
    draws = np.array([2.0, 3.0, 3.0, 4.0])
    assert bootstrap_radius(0.0, draws, 0.25).quantile == 3.0
    assert bootstrap_radius(0.0, draws, 0.25, "bias").quantile == 1.0


def test_the_radius_is_rounded_up():
    result = bootstrap_radius(0.0, np.array([-0.5, 0.5]), 0.1)
    assert result.radius > abs(result.bias) + result.quantile


def test_an_unknown_centering_is_refused():
    with pytest.raises(BadOption, match=r"centering must be one of none, bias; got 'mean'\."):
        bootstrap_radius(0.0, np.array([1.0, 2.0]), 0.1, "mean")


def test_a_delta_outside_0_to_1_is_refused():
    with pytest.raises(BadOption, match=r"delta must lie strictly between 0 and 1; got 1\.2\."):
        bootstrap_radius(0.0, np.array([1.0, 2.0]), 1.2)

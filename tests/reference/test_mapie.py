"""Hoeffding-Bentkus limits, from the p-values that MAPIE 1.6.0 gives.

from mapie.risk_control.methods import compute_hoeffding_bentkus_p_value
compute_hoeffding_bentkus_p_value(np.array([mean]), n, np.array([level]))[0, 0]
"""

import pytest

from steadycut.core.bounds.concentration import mean_limit


@pytest.mark.parametrize(
    ("mean", "n", "level", "p_value"),
    [
        (0.1, 46, 0.2, 0.1849368903033422),
        (0.02, 100, 0.1, 0.005286744607654358),
        (0.25, 500, 0.3, 0.020797010487470468),
        (0.0, 30, 0.05, 0.2146387639429379),
        (0.083, 60, 0.15, 0.26312562729431693),
    ],
)
def test_the_limit_is_the_level_that_has_this_p_value(mean, n, level, p_value):
    assert mean_limit(mean, n, p_value) == pytest.approx(level, abs=1e-9)

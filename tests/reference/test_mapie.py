"""Hoeffding-Bentkus p-values as MAPIE 1.6.0 gives them.

from mapie.risk_control.methods import compute_hoeffding_bentkus_p_value
compute_hoeffding_bentkus_p_value(np.array([mean]), n, np.array([level]))[0, 0]
"""

import pytest

from steadycut.core.bounds.concentration import hoeffding_bentkus_p_value


@pytest.mark.parametrize(
    ("mean", "n", "level", "expected"),
    [
        (0.1, 46, 0.2, 0.1849368903033422),
        (0.02, 100, 0.1, 0.005286744607654358),
        (0.25, 500, 0.3, 0.020797010487470468),
        (0.0, 30, 0.05, 0.2146387639429379),
        (0.083, 60, 0.15, 0.26312562729431693),
    ],
)
def test_p_values_equal_mapies(mean, n, level, expected):
    assert hoeffding_bentkus_p_value(mean, n, level) == pytest.approx(expected, abs=1e-9)

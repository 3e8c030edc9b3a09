"""The p-value of a cut that was searched for: the smallest of many p-values is not a valid p-value.

Patients who were not used in the search need no correction. Use their p-value if there are any.
"""

import numpy as np
from scipy.special import ndtri


def miller_siegmund(p_value: float, low: float, high: float) -> float:
    """Return the corrected p-value of the best cut between two quantiles of the score.

    Parameters
    ----------
    p_value
        The smallest chi-squared p-value, without continuity correction.
    low, high
        Shares of the patients below the lowest and below the highest cut that were tried.

    Notes
    -----
    The formula is φ(z) (z - 1/z) log(high (1 - low) / ((1 - high) low)) + 4 φ(z) / z, where z is
    the normal quantile of 1 - p/2. The result is at least ``p_value`` and at most 1. It is an
    approximation for many patients and small p. R's OptimalCutpoints uses percentages instead of
    shares and can print negative values.

    References
    ----------
    Miller and Siegmund (1982), Biometrics 38.

    Examples
    --------
    >>> round(miller_siegmund(0.01, 0.1, 0.9), 4)
    0.1615
    """
    z = -ndtri(p_value / 2)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    odds = high * (1 - low) / ((1 - high) * low)
    corrected = density * ((z - 1 / z) * np.log(odds) + 4 / z)
    return float(np.clip(corrected, p_value, 1.0))

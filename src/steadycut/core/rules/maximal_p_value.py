"""P-values of a cut that was searched for: the smallest of many p-values is no p-value.

Patients who had no part in the search need no correction: take theirs where there are any.
"""

import numpy as np
from scipy.special import ndtri


def miller_siegmund(p_value: float, low: float, high: float) -> float:
    """Return the corrected p-value of the best cut between two quantiles of the score.

    Parameters
    ----------
    p_value
        The smallest chi-squared p-value, without a continuity correction.
    low, high
        Shares of the patients below the lowest and below the highest cut that were tried.

    Notes
    -----
    φ(z) (z - 1/z) log(high (1 - low) / ((1 - high) low)) + 4 φ(z) / z with z the normal quantile
    of 1 - p/2; never below ``p_value`` and never above 1. An approximation for many patients and
    small p. R's OptimalCutpoints puts percentages in the place of the shares and can print
    negative values.

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

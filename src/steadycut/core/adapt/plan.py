"""How many labels a certificate at the next hospital takes."""

import numpy as np
from scipy.stats import binom

POWER = 0.8
MOST_LABELS = 20_000


def labels_needed(risk: float, target: float, delta: float, power: float = POWER) -> int | None:
    """Return how many random labels certify a risk below the target with probability ``power``.

    Parameters
    ----------
    risk
        The true mean cost, in units of the larger cost.
    target
        The mean cost to certify, in the same units.
    delta
        The probability that the certificate may be wrong.
    power
        The probability with which so many labels should be enough.

    Returns
    -------
    int or None
        The number of labels; None if the target cannot be reached with `MOST_LABELS`. With
        unequal costs it is an upper estimate, because errors of one size vary most.

    Examples
    --------
    >>> labels_needed(0.10, 0.20, 0.1), labels_needed(0.2, 0.2, 0.1)
    (63, None)
    """
    if risk >= target:
        return None
    sizes = np.arange(1, MOST_LABELS + 1)
    # The most errors that still certify: Pr(errors <= x) <= delta at the target.
    most = binom.ppf(delta, sizes, target)
    most = np.where(binom.cdf(most, sizes, target) > delta, most - 1, most)
    enough = np.flatnonzero(binom.cdf(most, sizes, risk) >= power)
    return int(sizes[enough[0]]) if enough.size else None

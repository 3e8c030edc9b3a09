"""How far apart two hospitals are at all cut-offs together, not only at the frozen one."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """The global distances between P and Q, and the paper's limit on Shift(t) made of them.

    ``total_variation`` is that of the labels, which is |π_Q - π_P|. A Kolmogorov distance is None
    if one of the hospitals has no patient of that class; it then counts as none in the ``limit``,
    as its part of Shift(t) does.
    """

    total_variation: float
    kolmogorov_positive: float | None
    kolmogorov_negative: float | None
    limit: float


def global_distances(
    internal: Confusion,
    external: Confusion,
    costs: Costs,
    kolmogorov_positive: float | None,
    kolmogorov_negative: float | None,
) -> Distances:
    """Return the distances, and the limit on Shift(t) of the paper's remark.

    Shift(t) ≤ (cost_fn + cost_fp) TV + cost_fn π_P d_K(F₁) + cost_fp (1 - π_P) d_K(F₀), at every t.
    """
    gap, share = abs(external.prevalence - internal.prevalence), internal.prevalence
    limit = (costs.cost_fn + costs.cost_fp) * gap
    limit += costs.cost_fn * share * (kolmogorov_positive or 0.0)
    limit += costs.cost_fp * (1 - share) * (kolmogorov_negative or 0.0)
    return Distances(
        total_variation=gap,
        kolmogorov_positive=kolmogorov_positive,
        kolmogorov_negative=kolmogorov_negative,
        limit=limit,
    )


def kolmogorov(quantiles: FloatArray, n_patients: int, scores: FloatArray) -> float | None:
    """Return the Kolmogorov distance between two samples, one of which is known by quantiles.

    Parameters
    ----------
    quantiles
        For k = 0 to K, the smallest score of the first sample that at least k of K do not exceed.
    n_patients
        Size of the first sample. If it is at most K, the quantiles hold every score of it, and the
        distance is exact. Otherwise it is an upper limit, less than 1 / K above the distance.
    scores
        The second sample.

    Returns
    -------
    float or None
        None if a sample is empty.

    Examples
    --------
    >>> kolmogorov(np.array([1.0, 1.0, 3.0]), 2, np.array([2.0, 4.0, 5.0, 6.0]))
    0.75
    """
    if not quantiles.size or not scores.size or not n_patients:
        return None
    steps = np.arange(quantiles.size)
    ranks = np.maximum(-(-steps * n_patients // (quantiles.size - 1)), 1)
    places = np.concatenate([quantiles, scores])
    before = np.searchsorted(quantiles, places, side="left")
    # So many of the first sample lie below each place, at least and at most.
    fewest = np.concatenate([[0], ranks])[before] / n_patients
    most = (np.concatenate([ranks, [n_patients + 1]])[before] - 1) / n_patients
    here = np.searchsorted(np.sort(scores), places, side="left") / scores.size
    return float(np.max([here - fewest, most - here]))

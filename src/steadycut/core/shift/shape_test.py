"""Whether the scores at Q can be a mixture of P's two class distributions at all."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.shift.label_shift import ROUNDING, RankBins, cdf_at_edges, smooth_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeTest:
    """The distance of Q's distribution from the nearest mixture, and its p-value.

    ``statistic`` is the root mean square distance between the distribution functions at the edges.
    """

    statistic: float
    p_value: float
    n_bootstrap: int


def shape_test(
    bins: RankBins, counts: IntArray, rng: np.random.Generator, n_bootstrap: int = 999
) -> ShapeTest | None:
    """Test label shift: the hypothesis that only the prevalence differs between P and Q.

    Parameters
    ----------
    bins
        The patients of P.
    counts
        The patients of Q in the same bins, shape (k,).
    rng
        Source of randomness.
    n_bootstrap
        Number of replicates.

    Returns
    -------
    ShapeTest or None
        None if P lacks a class or has a single bin. Nothing can then be tested.

    Notes
    -----
    The statistic is the least squares distance between the distribution function of Q and the
    mixtures of P's two classes, at the edges (minimum distance in the sense of Cramér and von
    Mises). Its distribution under label shift is simulated with the nearest mixture instead of the
    true one. In each replicate both classes of P *and* Q are drawn, and the nearest mixture is
    found again. Drawing only Q would treat the shapes of P as the truth, and would reject far too
    often. The shapes are smoothed with one patient.

    Examples
    --------
    >>> import numpy as np
    >>> bins = RankBins(edges=[1, 2], positive=[20, 30, 50], negative=[60, 30, 10])
    >>> rng = np.random.default_rng(0)
    >>> shape_test(bins, np.array([40, 30, 30]), rng).p_value > 0.5
    True
    >>> shape_test(bins, np.array([10, 80, 10]), rng).p_value
    0.001
    """
    if not bins.n_positive or not bins.n_negative or bins.n_bins == 1:
        return None
    weight, distance = nearest_mixture(bins.positive, bins.negative, counts)
    drawn = _draw_label_shift(bins, float(weight), int(counts.sum()), rng, n_bootstrap)
    _, distances = nearest_mixture(*drawn)
    reached = int(np.count_nonzero(distances >= distance - ROUNDING))
    return ShapeTest(
        statistic=float(distance),
        p_value=(1 + reached) / (n_bootstrap + 1),
        n_bootstrap=n_bootstrap,
    )


def nearest_mixture(
    positive: IntArray, negative: IntArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the mixture nearest to ``counts``, and its distance.

    The counts have shape (..., k). The distance is the root mean square of the differences between
    the distribution functions at the k - 1 edges.
    """
    well = cdf_at_edges(negative)
    direction, wanted = cdf_at_edges(positive) - well, cdf_at_edges(counts) - well
    length = (direction**2).sum(axis=-1)
    weight = (direction * wanted).sum(axis=-1) / np.where(length > 0, length, 1.0)
    weight = np.clip(weight, 0.0, 1.0)
    left = wanted - weight[..., None] * direction
    return weight, np.sqrt((left**2).mean(axis=-1))


def _draw_label_shift(
    bins: RankBins, weight: float, n_patients: int, rng: np.random.Generator, n_bootstrap: int
) -> tuple[IntArray, IntArray, IntArray]:
    ill, well = (smooth_shape(bins, cells) for cells in (bins.positive, bins.negative))
    mixture = weight * ill + (1 - weight) * well
    return (
        rng.multinomial(bins.n_positive, ill, size=n_bootstrap),
        rng.multinomial(bins.n_negative, well, size=n_bootstrap),
        rng.multinomial(n_patients, mixture, size=n_bootstrap),
    )

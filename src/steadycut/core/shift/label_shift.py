"""The prevalence at a hospital without labels, if only the prevalence differs there.

Label shift means that the distribution of the score within each class is the same at both
hospitals. The scores at the new hospital Q are then a mixture of the two class distributions of the
first hospital P, and the weight of the mixture is the prevalence at Q. Everything here uses counts
in rank bins, which P fixed before Q was seen. The shape test asks whether the scores at Q can be
such a mixture at all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.binomial import dkw_width, rate_interval
from steadycut.core.checks import FloatArray, IntArray, Interval, check_count, read_only, store
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.records import Costs, PatientScores, check_some
from steadycut.errors import BadPatients

# After this many halvings of the unit interval the weight is known to a billionth.
HALVINGS = 30
# A tolerance, so that rounding cannot make an interval too narrow.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RankBins:
    """Patients of P by class in k bins of the score, and the k - 1 edges between the bins.

    A score equal to an edge belongs to the bin above it. Every bin holds at least one patient of P.
    """

    edges: FloatArray
    positive: IntArray
    negative: IntArray

    def __post_init__(self) -> None:
        edges = np.array(self.edges, dtype=np.float64)
        counts = [np.array(c, dtype=np.int64) for c in (self.positive, self.negative)]
        _check_bins(edges, counts)
        store(self, "edges", read_only(edges))
        store(self, "positive", read_only(counts[0]))
        store(self, "negative", read_only(counts[1]))

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return self.positive.size

    @property
    def n_positive(self) -> int:
        """Number of patients of P with the disease."""
        return int(self.positive.sum())

    @property
    def n_negative(self) -> int:
        """Number of patients of P without the disease."""
        return int(self.negative.sum())

    @property
    def pooled(self) -> IntArray:
        """All patients of P, shape (k,)."""
        return self.positive + self.negative

    def count(self, scores: FloatArray) -> IntArray:
        """Return how many of ``scores`` fall into each bin, shape (k,)."""
        bins = np.searchsorted(self.edges, scores, side="right")
        return np.bincount(bins, minlength=self.n_bins)


def _check_bins(edges: FloatArray, counts: list[IntArray]) -> None:
    fits = edges.ndim == 1 and all(c.shape == (edges.size + 1,) for c in counts)
    rising = fits and bool(np.all(np.isfinite(edges)) and np.all(np.diff(edges) > 0))
    positive, negative = counts
    if not rising or min(positive.min(), negative.min()) < 0 or (positive + negative).min() < 1:
        raise BadPatients(
            "rank bins need increasing finite edges, one bin more than edges, and in every bin a "
            "patient; make them with rank_bins(scores, labels)."
        )


def rank_bins(scores: ArrayLike, labels: ArrayLike, n_bins: int = 20) -> RankBins:
    """Divide the scores of P into bins with about the same number of patients.

    Parameters
    ----------
    scores, labels
        Scores and 0/1 labels of the patients of P, shape (n,).
    n_bins
        The intended number of bins. Ties can make it smaller.

    Returns
    -------
    RankBins
        In ascending order of the score. An edge lies midway between two neighbouring scores and
        never equals a score.

    Examples
    --------
    >>> bins = rank_bins([0.1, 0.2, 0.4, 0.4, 0.7, 0.9], [0, 0, 0, 1, 1, 1], n_bins=3)
    >>> bins.edges, bins.positive, bins.negative
    (array([0.3 , 0.55]), array([0, 1, 2]), array([2, 1, 0]))
    """
    return bins_of(PatientScores(scores=scores, labels=labels), n_bins)


def bins_of(patients: PatientScores, n_bins: int = 20) -> RankBins:
    """Divide patients into bins, as `rank_bins` does."""
    check_count("n_bins", n_bins)
    check_some("rank bins need", patients.n_patients)
    edges = _even_edges(patients, n_bins)
    bins = np.searchsorted(edges, patients.scores, side="right")
    positive = patients.known_labels == 1
    return RankBins(
        edges=edges,
        positive=np.bincount(bins[positive], minlength=edges.size + 1),
        negative=np.bincount(bins[~positive], minlength=edges.size + 1),
    )


def _even_edges(patients: PatientScores, n_bins: int) -> FloatArray:
    """Return the places between scores that are nearest to the pooled quantiles."""
    cuts = exact_cuts(patients)
    m = cuts.values.size
    inner = np.arange(1, m)
    places = cuts.place(inner, inner)
    below = np.cumsum(cuts.cells[:m] + cuts.cells[m:])[:-1]
    free = places < cuts.values[1:]  # two neighbouring floats leave no place between them
    places, below = places[free], below[free]
    if not places.size:
        return places
    wanted = np.arange(1, n_bins) * patients.n_patients
    after = np.clip(np.searchsorted(n_bins * below, wanted), 1, max(below.size - 1, 1))
    before, after = after - 1, np.minimum(after, below.size - 1)
    closer = wanted - n_bins * below[before] <= n_bins * below[after] - wanted
    return places[np.unique(np.where(closer, before, after))]


def classes_differ(
    bins: RankBins, delta: float, rng: np.random.Generator, n_permutations: int = 999
) -> bool:
    """Return whether the patients of P show, at level delta, that F₁ and F₀ differ at all.

    If they do not, every prevalence gives the same mixture, and the scores say nothing about it.
    This is a permutation test of the largest distance between the two class distributions at the
    edges.

    Examples
    --------
    >>> import numpy as np
    >>> apart = RankBins(edges=[0.5], positive=[1, 9], negative=[9, 1])
    >>> alike = RankBins(edges=[0.5], positive=[5, 5], negative=[5, 5])
    >>> [classes_differ(bins, 0.1, np.random.default_rng(0)) for bins in (apart, alike)]
    [True, False]
    """
    if not bins.n_positive or not bins.n_negative or bins.n_bins == 1:
        return False
    drawn = rng.multivariate_hypergeometric(
        bins.pooled, bins.n_positive, size=n_permutations, method="marginals"
    )
    distance = _class_distance(drawn, bins.pooled - drawn)
    observed = _class_distance(bins.positive, bins.negative)
    reached = np.count_nonzero(distance >= observed - ROUNDING)
    return bool((1 + reached) / (n_permutations + 1) <= delta)


def _class_distance(positive: IntArray, negative: IntArray) -> FloatArray:
    return np.abs(cdf_at_edges(positive) - cdf_at_edges(negative)).max(axis=-1)


def cdf_at_edges(counts: IntArray) -> FloatArray:
    """Return the share below each edge, shape (..., k - 1); 0 without patients."""
    total = np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    return np.cumsum(counts, axis=-1)[..., :-1] / total


def estimate_prevalence(bins: RankBins, counts: IntArray) -> float:
    """Return the maximum likelihood estimate of the prevalence at Q under label shift.

    Parameters
    ----------
    bins
        The patients of P.
    counts
        The patients of Q in the same bins, shape (k,).

    Notes
    -----
    The likelihood of the counts q is ∏ⱼ (π f₁ⱼ + (1 - π) f₀ⱼ)^qⱼ. Its logarithm is concave in π.
    The fixed point of the EM algorithm is where the slope changes sign. It is found by bisection,
    because EM itself is very slow near 0 and 1.

    Class shapes from few patients in many bins are too rough, so that no mixture of them fits. The
    estimate is then pulled towards the middle. Neighbouring bins are therefore first merged into 2
    + ∛(patients of the smaller class) groups. To avoid empty groups, one patient is added to each
    class, spread over the groups like all patients of P.

    References
    ----------
    Saerens, Latinne, Decaestecker, Adjusting the outputs of a classifier to new a priori
    probabilities, Neural Computation 2002.

    Examples
    --------
    >>> import numpy as np
    >>> bins = RankBins(edges=[0.5], positive=[200, 800], negative=[800, 200])
    >>> round(estimate_prevalence(bins, np.array([500, 500])), 3)
    0.5
    """
    return float(_weights(bins, bins.positive, bins.negative, counts[None, :])[0])


def bootstrap_interval(
    bins: RankBins, counts: IntArray, delta: float, rng: np.random.Generator, n_bootstrap: int = 999
) -> Interval:
    """Return an approximate interval of the prevalence at Q, at level 1 - delta.

    Each class of P and the patients of Q are resampled separately, and the prevalence is estimated
    again. The interval goes from the delta/2 to the 1 - delta/2 quantile. P needs patients of both
    classes. The interval is approximate: with few patients, or near 0 and 1, it covers less.

    Examples
    --------
    >>> import numpy as np
    >>> bins = RankBins(edges=[0.5], positive=[20, 80], negative=[80, 20])
    >>> low, high = bootstrap_interval(bins, np.array([50, 50]), 0.1, np.random.default_rng(0))
    >>> 0.2 < low < 0.5 < high < 0.8
    True
    """
    positive, negative, drawn = (
        rng.multinomial(int(cells.sum()), cells / cells.sum(), size=n_bootstrap)
        for cells in (bins.positive, bins.negative, counts)
    )
    weights = _weights(bins, positive, negative, drawn)
    low, high = np.quantile(weights, [delta / 2, 1 - delta / 2])
    return float(low), float(high)


def _weights(
    bins: RankBins, positive: IntArray, negative: IntArray, counts: IntArray
) -> FloatArray:
    """Return the mixture weight of each row of ``counts``, with the class shapes of that row."""
    members = _group_members(bins)
    shapes = (smooth_shape(bins, cells) @ members for cells in (positive, negative))
    return mixture_weight(counts @ members, *shapes)


def _group_members(bins: RankBins) -> FloatArray:
    """Return which bin is in which group of neighbouring bins, shape (k, groups), as 0 and 1."""
    aim = 2 + int(np.cbrt(min(bins.n_positive, bins.n_negative)) + ROUNDING)
    middle = 2 * np.cumsum(bins.pooled) - bins.pooled
    group = middle * aim // (2 * int(bins.pooled.sum()))
    _, compact = np.unique(group, return_inverse=True)
    return np.eye(int(compact.max()) + 1)[compact]


def smooth_shape(bins: RankBins, counts: IntArray) -> FloatArray:
    """Return the shares of the bins after adding one patient, spread like all patients of P."""
    everybody = bins.pooled / bins.pooled.sum()
    return (counts + everybody) / (counts.sum(axis=-1, keepdims=True) + 1)


def mixture_weight(counts: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """Return the weight of ``positive`` in the most likely mixture, for each row of ``counts``.

    The shapes must not contain 0. Equal shapes give 0.
    """
    difference = positive - negative
    low, high = np.zeros(counts.shape[0]), np.ones(counts.shape[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        slope = (counts * difference / (negative + middle[:, None] * difference)).sum(axis=-1)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return np.where(low == 0, 0.0, np.where(high == 1, 1.0, (low + high) / 2))


def valid_interval(
    bins: RankBins, counts: IntArray, delta: float, n_choices: int = 0
) -> Interval | None:
    """Return all prevalences at Q that are compatible with the scores, at level 1 - delta.

    Returns
    -------
    tuple or None
        The smallest and the largest prevalence. None if no prevalence is possible, which rejects
        label shift at level delta.

    Notes
    -----
    The three distribution functions lie within ``e = √(log(6/δ) / 2n)`` of the observed ones, at
    all scores at once. All three hold together with probability 1 - δ (Dvoretzky, Kiefer,
    Wolfowitz; Massart 1990; each at δ/3). For the true π, ``|π F̂₁ + (1 - π) F̂₀ - Ĝ| <= π e₁ + (1
    - π) e₀ + e_Q`` then holds at every edge. These are linear inequalities in π, so their solutions
    form an interval. It is valid for any number of patients, even if the classes do not differ (it
    is then wide), and for edges that P chose. If the patients of P chose among ``n_choices``
    scores, the two bands of P hold for all of these scores.

    Examples
    --------
    >>> import numpy as np
    >>> bins = RankBins(edges=[0.5], positive=[0, 1000], negative=[1000, 0])
    >>> low, high = valid_interval(bins, np.array([700, 300]), delta=0.1)
    >>> round(low, 2), round(high, 2)
    (0.21, 0.39)
    """
    ill, well, here = (cdf_at_edges(c) for c in (bins.positive, bins.negative, counts))
    share = delta / 3 / max(n_choices, 1)
    width_ill, width_well = (dkw_width(n, share) for n in (bins.n_positive, bins.n_negative))
    room = width_well + dkw_width(int(counts.sum()), delta / 3)
    slope = np.concatenate([ill - well, well - ill]) - (width_ill - width_well)
    limit = np.concatenate([here - well, well - here]) + room
    return _solve(slope, limit + ROUNDING)


def _solve(slope: FloatArray, limit: FloatArray) -> Interval | None:
    """Return the weights in [0, 1] with slope * weight <= limit in every row."""
    up, down = slope > ROUNDING, slope < -ROUNDING
    if np.any(limit[~up & ~down] < 0):
        return None
    low = float(np.max(limit[down] / slope[down], initial=0.0))
    high = float(np.min(limit[up] / slope[up], initial=1.0))
    return (low, high) if low <= high else None


def risk_range(
    counts: Confusion, costs: Costs, prevalences: Interval, delta: float, n_choices: int = 0
) -> tuple[float, float]:
    """Return the smallest and the largest risk at Q if the class shapes did not change.

    Parameters
    ----------
    counts
        The decisions on patients of P.
    costs
        The costs of the errors.
    prevalences
        The range of the prevalence at Q.
    delta
        All four limits, of the miss rate and of the alarm rate, hold together with probability 1 -
        delta.
    n_choices
        The number of scores among which these patients chose the threshold; 0 if others chose it.

    Notes
    -----
    R(π) = cost_fn π F₁⁻(t) + cost_fp (1 - π)(1 - F₀⁻(t)) is linear in π, so its extremes are at the
    ends of the range. If the range of the prevalence holds at δ', the range of the risk holds at δ
    + δ'.

    Examples
    --------
    >>> low, high = risk_range(Confusion(tp=90, fn=10, fp=20, tn=80), Costs(), (0.1, 0.3), 0.1)
    >>> round(low, 2), round(high, 2)
    (0.1, 0.29)
    """
    miss = rate_interval(counts.fn, counts.n_positive, delta / 2, n_choices)
    alarm = rate_interval(counts.fp, counts.n_negative, delta / 2, n_choices)
    low, high = (
        [costs.cost_fn * p * m + costs.cost_fp * (1 - p) * a for p in prevalences]
        for m, a in zip(miss, alarm, strict=True)
    )
    return min(low), max(high)


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

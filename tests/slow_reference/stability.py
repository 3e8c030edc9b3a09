"""From bootstrap cut-offs to bias, quantile, radius and flips; and what a move may cost."""

from fractions import Fraction
from itertools import combinations
from math import ceil, log, sqrt

from scipy.stats import beta

from tests.slow_reference.cuts import cuts_along, distinct
from tests.slow_reference.stable import barriers, losses_at


def order_statistic(values, level):
    """Return the smallest value with at least a share ``level`` of the values at or below it."""
    return sorted(values)[max(ceil(level * len(values)), 1) - 1]


def radius(threshold, draws, delta, centering="none"):
    """Return b = mean(t* - t), q and r = |b| + q.

    q is the 1 - delta quantile of |t* - t|; with centering "bias" that of |t* - t - b|.
    """
    distances = [Fraction(draw) - Fraction(threshold) for draw in draws]
    bias = sum(distances) / len(distances)
    moved = [abs(d - bias if centering == "bias" else d) for d in distances]
    quantile = order_statistic(moved, 1 - Fraction(str(delta)))
    return bias, quantile, abs(bias) + quantile


def flip_probability(score, threshold, draws):
    """Return the share of draws that decide otherwise about a score than the threshold."""
    return Fraction(sum((score >= draw) != (score >= threshold) for draw in draws), len(draws))


def disagreement(scores, draws):
    """Return about which share of patients two draws decide differently: mean, 5 % and 95 %."""
    pairs = [
        Fraction(sum((s >= one) != (s >= other) for s in scores), len(scores))
        for one, other in combinations(draws, 2)
    ]
    ends = [order_statistic(pairs, Fraction(k, 20)) for k in (1, 19)]
    return [sum(pairs) / len(pairs), *ends]


def basin_share(scores, labels, draw_ranks, cost_fn, cost_fp, height):
    """Return the largest share of draws that a barrier parts from the rest, on its smaller side.

    Barriers are looked for along the exact cuts; 0 without any.
    """
    values = [*distinct(scores), float("inf")]
    ranks = cuts_along(scores)
    losses = [losses_at(scores, labels, value, cost_fn, cost_fp) for value in values]
    sides = [
        (sum(r < ranks[i] for r in draw_ranks), sum(r > ranks[i] for r in draw_ranks))
        for i in barriers(losses, height)
    ]
    return Fraction(max(map(min, sides), default=0), len(draw_ranks))


def weights_of(labels, cost_fn, cost_fp, target):
    """Return what a patient of class 0 and 1 weighs: cost / n; at a target cost P / n_class.

    One pair for either end of the target range.
    """
    n, ill = len(labels), sum(labels)
    if target is None:
        return [(Fraction(cost_fp) / n, Fraction(cost_fn) / n)]
    return [
        (
            Fraction(cost_fp) * (1 - Fraction(p)) / (n - ill) if n > ill else Fraction(0),
            Fraction(cost_fn) * Fraction(p) / ill if ill else Fraction(0),
        )
        for p in target
    ]


def window(scores, start, epsilon):
    """Return who is in the window [start, start + epsilon).

    start + epsilon is rounded; patients at the start are always in it.
    """
    return [
        i
        for i, other in enumerate(scores)
        if start <= other and (other < start + epsilon or other == start)
    ]


def windows(scores, epsilon):
    """Return who is in the window that starts at each score."""
    return [window(scores, start, epsilon) for start in set(scores)]


def mass_from(scores, labels, start, epsilon, cost_fn, cost_fp):
    """Return the weight of the patients in the window that starts there."""
    (weights,) = weights_of(labels, cost_fn, cost_fp, None)
    return sum(weights[labels[i]] for i in window(scores, start, epsilon))


def modulus(scores, labels, epsilon, cost_fn, cost_fp, target=None):
    """Return the largest weight of the patients in any window of length epsilon; 0 at 0."""
    if epsilon == 0:
        return Fraction(0)
    return max(
        sum(weights[labels[i]] for i in members)
        for weights in weights_of(labels, cost_fn, cost_fp, target)
        for members in windows(scores, epsilon)
    )


def dkw_band_width(n_positive, n_negative, cost_fn, cost_fp, delta):
    """Return 2 (cost_fn p e1 + cost_fp (1 - p) e0) + max(cost) ep.

    e = sqrt(log(6 / delta) / 2m) with m the positive, the negative and all patients.
    """
    n = n_positive + n_negative
    e1, e0, ep = (sqrt(log(6 / delta) / (2 * m)) if m else 0.0 for m in (n_positive, n_negative, n))
    p = n_positive / n
    return 2 * (cost_fn * p * e1 + cost_fp * (1 - p) * e0) + max(cost_fn, cost_fp) * ep


def mass_limit(count, n, level):
    """Return the upper ``level`` quantile of Beta(k + 1, n - k); 1 where all are in the window."""
    return 1.0 if count == n else float(beta.isf(level, count + 1, n - count))


def multiscale_band(scores, labels, epsilon, cost_fn, cost_fp, level_of):
    """Return the largest limit over all windows; 0 at 0.

    c_min L(all patients in it) + (c_max - c_min) L(those of the dearer class), each at half of
    delta; at equal costs c L(all) at delta. ``level_of(1)`` and ``level_of(2)`` are the levels of
    a window for delta and for half of it.
    """
    if epsilon == 0:
        return 0.0
    n, low, high = len(scores), min(cost_fn, cost_fp), max(cost_fn, cost_fp)
    dearer = 1 if cost_fn > cost_fp else 0
    level = level_of(1 if low == high else 2)
    return max(
        low * mass_limit(len(members), n, level)
        + (high - low) * mass_limit(sum(labels[i] == dearer for i in members), n, level)
        for members in windows(scores, epsilon)
    )

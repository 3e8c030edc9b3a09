"""The rule ``pointwise``: the paper's figure 1 on the exact cuts."""

from fractions import Fraction
from math import sqrt

from tests.slow_reference.stable import losses_at


def deviation(losses):
    """Return the bootstrap standard deviation of a mean: sqrt(variance of the losses / n)."""
    n = len(losses)
    mean = sum(losses) / n
    return sqrt((sum(loss * loss for loss in losses) / n - mean * mean) / n)


def curvature(risks):
    """Return |second difference| over its largest value; the ends take their neighbour's."""
    inner = [abs(risks[i - 1] - 2 * risks[i] + risks[i + 1]) for i in range(1, len(risks) - 1)]
    bent = [inner[0], *inner, inner[-1]] if inner else [Fraction(0)] * len(risks)
    return [value / max(bent) if max(bent) else Fraction(0) for value in bent]


def moving_average(values, window):
    """Return the mean over the neighbours that exist."""
    half = window // 2
    parts = [values[max(i - half, 0) : i + half + 1] for i in range(len(values))]
    return [sum(part) / len(part) for part in parts]


def instability(losses):
    """Return deviation times curvature, averaged over five cuts."""
    risks = [sum(one) / len(one) for one in losses]
    raw = [deviation(one) * float(bend) for one, bend in zip(losses, curvature(risks), strict=True)]
    return moving_average(raw, 5)


def instability_of(scores, labels, cost_fn, cost_fp):
    """Return the map along all exact cuts."""
    values = [*sorted(set(scores)), float("inf")]
    return instability([losses_at(scores, labels, value, cost_fn, cost_fp) for value in values])

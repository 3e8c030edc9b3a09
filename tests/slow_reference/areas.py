"""The area under the ROC curve and its interval."""

from fractions import Fraction
from math import sqrt

from scipy.stats import norm


def win(one, other):
    """Return 1 where the first is larger, 1/2 for a tie, 0 else."""
    return Fraction(1 if one > other else 0) + Fraction(1 if one == other else 0) / 2


def area(positive, negative):
    """Return the share of pairs in which the positive patient scores higher, ties half."""
    return sum(win(a, b) for a in positive for b in negative) / (len(positive) * len(negative))


def variance(values):
    """Return the sample variance; 0 for a single value."""
    if len(values) < 2:
        return Fraction(0)
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def delong(positive, negative):
    """Return the variance of the placements of either class over its size, added."""
    of_positive = [sum(win(a, b) for b in negative) / len(negative) for a in positive]
    of_negative = [sum(win(a, b) for a in positive) / len(positive) for b in negative]
    return variance(of_positive) / len(positive) + variance(of_negative) / len(negative)


def newcombe(theta, m, n):
    """Return θ(1-θ)[1 + (N - 1)((1-θ)/(2-θ) + θ/(1+θ))] / mn, N = (m + n) / 2."""
    middle = (m + n) / 2
    inner = (1 - theta) / (2 - theta) + theta / (1 + theta)
    return theta * (1 - theta) * (1 + (middle - 1) * inner) / (m * n)


def interval(positive, negative, delta):
    """Return all θ with (A - θ)² <= z² k V(θ); k is DeLong's variance over V(A), at least 1."""
    m, n = len(positive), len(negative)
    found = float(area(positive, negative))
    there = newcombe(found, m, n)
    factor = max(1.0, float(delong(positive, negative)) / there) if there > 0 else 1.0
    z = float(norm.isf(delta / 2))

    def inside(theta):
        return abs(found - theta) <= z * sqrt(factor * newcombe(theta, m, n))

    return edge(inside, found, 0.0), edge(inside, found, 1.0)


def edge(inside, start, end):
    """Return where ``inside`` ends on the way from ``start`` to ``end``; at the end if never."""
    if inside(end) and start != end and newcombe(end, 1, 1) > 0:
        return end
    for _ in range(80):
        middle = (start + end) / 2
        start, end = (middle, end) if inside(middle) else (start, middle)
    return (start + end) / 2

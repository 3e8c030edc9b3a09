"""The prevalence at a hospital without labels, if the shapes of the classes are as before."""

from fractions import Fraction
from math import sqrt

from tests.slow_reference.bounds import dkw_two_sided


def below_edges(counts):
    """Return the share of the counted patients below every edge between two bins."""
    total = sum(counts)
    return [
        Fraction(sum(counts[: i + 1]), total) if total else Fraction(0)
        for i in range(len(counts) - 1)
    ]


def valid_interval(positive, negative, here, delta, n_choices=0):
    """Return all π with |π F1 + (1 - π) F0 - G| <= π e1 + (1 - π) e0 + eQ at every edge.

    e = sqrt(log(6 / delta) / 2n), at most 1; for P with delta / n_choices where its patients chose.
    The inequalities are linear in π: each leaves a half line. None where nothing is left.
    """
    home = delta / n_choices if n_choices else delta
    e1, e0 = (dkw_two_sided(sum(counts), home / 3) for counts in (positive, negative))
    eq = dkw_two_sided(sum(here), delta / 3)
    low, high = 0.0, 1.0
    for f1, f0, g in zip(*map(below_edges, (positive, negative, here)), strict=True):
        for sign in (1, -1):
            # sign (π f1 + (1 - π) f0 - g) - π e1 - (1 - π) e0 - eq <= 0, as a + b π <= 0.
            a = sign * float(f0 - g) - e0 - eq
            b = sign * float(f1 - f0) - e1 + e0
            if b > 0:
                high = min(high, -a / b)
            elif b < 0:
                low = max(low, -a / b)
            elif a > 0:
                return None
    return (low, high) if low <= high else None


def distance(weight, positive, negative, here):
    """Return the root mean square, over the edges, between Q's shares and those of a mixture."""
    edges = list(zip(*map(below_edges, (positive, negative, here)), strict=True))
    squares = [(weight * f1 + (1 - weight) * f0 - g) ** 2 for f1, f0, g in edges]
    return sqrt(sum(squares) / len(squares))


def nearest_mixture(positive, negative, here):
    """Return the weight between 0 and 1 at which that distance is smallest: a parabola's."""
    edges = list(zip(*map(below_edges, (positive, negative, here)), strict=True))
    above = sum((f1 - f0) * (g - f0) for f1, f0, g in edges)
    below = sum((f1 - f0) ** 2 for f1, f0, _ in edges)
    weight = min(max(above / below, Fraction(0)), Fraction(1)) if below else Fraction(0)
    return weight, distance(weight, positive, negative, here)


def likeliest_weight(here, positive, negative):
    """Return the weight at which Σ q log(π f1 + (1 - π) f0) is largest, by halving its slope."""

    def slope(weight):
        return sum(
            q * (f1 - f0) / (weight * f1 + (1 - weight) * f0)
            for q, f1, f0 in zip(here, positive, negative, strict=True)
            if q
        )

    if slope(0.0) <= 0:
        return 0.0
    if slope(1.0) >= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low

"""Several methods on the quantile scale: mid-ranks, whole weights, whole cuts."""

from fractions import Fraction
from itertools import combinations


def doubled_rank(score, reference):
    """Return #(x < s) + #(x <= s) in the reference: twice n times the mid-rank."""
    return sum(x < score for x in reference) + sum(x <= score for x in reference)


def points(scores, references, weights):
    """Return Σ w_m times the doubled rank of a patient's score by each method."""
    return sum(
        weight * doubled_rank(score, reference)
        for score, reference, weight in zip(scores, references, weights, strict=True)
    )


def covariance(one, other):
    """Return the covariance of two lists of draws, over B - 1."""
    n = len(one)
    mean, other_mean = Fraction(sum(one), n), Fraction(sum(other), n)
    return sum((a - mean) * (b - other_mean) for a, b in zip(one, other, strict=True)) / (n - 1)


def solve(matrix, right):
    """Solve a regular system of equations in rational numbers, by elimination."""
    n = len(right)
    rows = [
        [*map(Fraction, line), Fraction(value)] for line, value in zip(matrix, right, strict=True)
    ]
    for i in range(n):
        pivot = next(j for j in range(i, n) if rows[j][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(n):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def least_variance_weights(draws):
    """Return the weights w >= 0 of sum 1 with the smallest wᵀΣw; equal if no cut ever moves.

    Σ is the covariance of the draws with a ridge of 1e-9 of the mean variance. Every set of
    methods is tried: on it the best weights are Σ⁻¹1 over their sum.
    """
    m = len(draws)
    sigma = [[covariance(a, b) for b in draws] for a in draws]
    ridge = sum(sigma[i][i] for i in range(m)) / m / 10**9
    if ridge == 0:
        return [Fraction(1, m)] * m
    for i in range(m):
        sigma[i][i] += ridge
    best = None
    for size in range(1, m + 1):
        for chosen in combinations(range(m), size):
            part = solve([[sigma[i][j] for j in chosen] for i in chosen], [1] * size)
            total = sum(part)
            if total <= 0 or min(part) < 0:
                continue
            weights = [Fraction(0)] * m
            for i, value in zip(chosen, part, strict=True):
                weights[i] = value / total
            spread = 1 / total
            if best is None or spread < best[0]:
                best = spread, weights
    return best[1]

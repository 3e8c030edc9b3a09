"""The rule ``stable``: the mean of all cuts and a logistic regression on ranks, with a check."""

import itertools
import math
from fractions import Fraction
from math import exp, log1p, sqrt
from statistics import NormalDist

WEIGHT = 0.1
SHARE = 0.55
HEIGHT = 2.5
LEAST_LIKELIHOOD = 1e-9
FARTHEST = 40.0
FLATTEST = 0.02


def cells(quantiles):
    """Return from where to where quantiles lie nearer to each one than to any other."""
    inner = [(a + b) / 2 for a, b in itertools.pairwise(quantiles)]
    return list(itertools.pairwise([0, *inner, 1]))


def mean_score(weights, quantiles):
    """Return the mean normal score at the centres of the cells."""
    pairs = [(w, (a + b) / 2) for w, (a, b) in zip(weights, cells(quantiles), strict=True) if w > 0]
    total = sum(w * NormalDist().inv_cdf(float(centre)) for w, centre in pairs)
    return total / sum(w for w, _ in pairs)


def normal_scores(scores):
    """Return the normal score of the middle rank of each patient."""
    n = len(scores)
    below = [sum(other < score for other in scores) for score in scores]
    same = [sum(other == score for other in scores) for score in scores]
    return [
        NormalDist().inv_cdf((b + s / 2) / n) if 0 < b + s / 2 < n else 0.0
        for b, s in zip(below, same, strict=True)
    ]


def even_place(scores, steps):
    """Return where the log odds a + b z are even, with patients weighted by their cost.

    The loss adds log(1 + b²), a Cauchy prior. Steps on a curve above it that are halved go down.
    """
    scale = len(steps) / sum(map(abs, steps))
    points = [
        (z, int(step > 0), float(scale * abs(step)))
        for z, step in zip(normal_scores(scores), steps, strict=True)
    ]
    if not any(step < 0 for step in steps):
        return -FARTHEST
    if not any(step > 0 for step in steps):
        return FARTHEST
    a, b = minimise(points)
    if b <= 0:
        return -FARTHEST if a > 0 else FARTHEST if a < 0 else 0.0
    return max(-FARTHEST, min(FARTHEST, -a / max(b, FLATTEST)))


def minimise(points):
    """Return the intercept and slope of the smallest loss, by Newton steps that are halved.

    The last step is so small that the next one would be lost in rounding.
    """
    a = b = 0.0
    for _ in range(200):
        risks = [1 / (1 + exp(-(a + b * z))) for z, _, _ in points]
        rows = [
            (z, w * (p - y), w * p * (1 - p)) for (z, y, w), p in zip(points, risks, strict=True)
        ]
        g0, g1 = sum(g for _, g, _ in rows), sum(z * g for z, g, _ in rows) + 2 * b / (1 + b * b)
        h00, h01 = sum(h for _, _, h in rows), sum(z * h for z, _, h in rows)
        h11 = sum(z * z * h for z, _, h in rows) + 2 / (1 + b * b)
        size, determinant = 1.0, h00 * h11 - h01**2
        up, turn = (h01 * g1 - h11 * g0) / determinant, (h01 * g0 - h00 * g1) / determinant
        while size > 1e-9 and loss(points, a + size * up, b + size * turn) > loss(points, a, b):
            size /= 2
        a, b = a + size * up, b + size * turn
        if max(abs(up), abs(turn)) < 1e-9:
            break
    return a, b


def loss(points, a, b):
    """Return the log loss of a line, with log(1 + b²)."""
    total = log1p(b * b)
    for z, y, w in points:
        line = a + b * z
        total += w * (max(line, 0) + log1p(exp(-abs(line))) - y * line)
    return total


def losses_at(scores, labels, threshold, cost_fn, cost_fp):
    """Return what each patient costs at a cut."""
    costs = {1: Fraction(cost_fn), 0: Fraction(cost_fp)}
    return [
        costs[label] if (score >= threshold) != bool(label) else Fraction(0)
        for score, label in zip(scores, labels, strict=True)
    ]


def excess(one, other):
    """Return the mean difference of two lists of losses in paired standard errors."""
    n = len(one)
    differences = [a - b for a, b in zip(one, other, strict=True) if a != b]
    mean = sum(differences) / n
    square = sum(d * d for d in differences) / n
    error = sqrt((square - mean * mean) / n)
    return mean, error


def errors_at(scores, steps, threshold):
    """Return the errors at a cut, each counted by what it costs; all patients wrong are n."""
    wrong = sum(
        abs(step)
        for score, step in zip(scores, steps, strict=True)
        if (score >= threshold) != (step > 0)
    )
    return Fraction(len(steps) * wrong, sum(map(abs, steps)))


def likelihoods_of(errors, n):
    """Return (ε / (1 - ε))^(w E) of every cut over that of the best; ε = (fewest E + 1)/(n + 2).

    Less than a billionth is nothing.
    """
    fewest = min(errors)
    epsilon = float(fewest + 1) / (n + 2)
    every = [(epsilon / (1 - epsilon)) ** (WEIGHT * float(e - fewest)) for e in errors]
    return [value if value >= LEAST_LIKELIHOOD else 0.0 for value in every]


def is_worse(scores, steps, kinds, cut, best, excess_errors):
    """Return whether a cut has clearly more errors than the best one; so many more it has.

    Compared are the squares of the patients between them, with one more patient of each kind.
    """
    low, high = sorted((cut, best))
    scale = Fraction(len(steps), sum(map(abs, steps)))
    between = sum(step**2 for score, step in zip(scores, steps, strict=True) if low <= score < high)
    squares = scale**2 * (between + sum(kind**2 for kind in kinds))
    return excess_errors**2 > HEIGHT**2 * squares


def stable_rank(scores, labels, cost_fn, cost_fp, thresholds=None):
    """Return how many patients lie below the cut that ``stable`` takes, and the wanted rank."""
    kinds = Fraction(cost_fn), -Fraction(cost_fp)
    steps = [kinds[0] if label else kinds[1] for label in labels]
    return chosen_rank(scores, steps, kinds, thresholds)


def chosen_rank(scores, steps, kinds, thresholds=None):
    """Return the same for patients who belong above the cut if their step is positive.

    ``kinds`` are all steps that a patient can have. The cut is that of the nearest rank; of two as
    near, to nine digits, the lower one. By default the cuts are the exact ones.
    """
    unit = math.lcm(*(Fraction(step).denominator for step in [*steps, *kinds]))
    steps, kinds = ([int(unit * Fraction(step)) for step in each] for each in (steps, kinds))
    n = len(scores)
    values = [*sorted(set(scores)), float("inf")] if thresholds is None else thresholds
    ranks = [sum(score < value for score in scores) for value in values]
    errors = [errors_at(scores, steps, value) for value in values]
    likelihoods, quantiles = likelihoods_of(errors, n), [Fraction(r, n) for r in ranks]
    masses = [float(b - a) for a, b in cells(quantiles)]
    weights = [mass * value for mass, value in zip(masses, likelihoods, strict=True)]
    binned = scores if thresholds is None else [sum(v <= s for v in values) for s in scores]
    line = even_place(binned, steps)
    wanted = n * NormalDist().cdf((1 - SHARE) * mean_score(weights, quantiles) + SHARE * line)
    chosen, fewest = nearest(ranks, wanted), min(errors)
    best = values[errors.index(fewest)]
    walls = [
        not likelihood or is_worse(scores, steps, kinds, value, best, wrong - fewest)
        for value, likelihood, wrong in zip(values, likelihoods, errors, strict=True)
    ]
    if not walls[ranks.index(chosen)]:
        return chosen, wanted
    place = values.index(best)
    low = max([i + 1 for i in range(place) if walls[i]], default=0)
    high = min([i for i in range(place, len(values)) if walls[i]], default=len(values))
    inside = [weight if low <= i < high else 0.0 for i, weight in enumerate(weights)]
    mean = n * NormalDist().cdf(mean_score(inside, quantiles))
    return nearest(ranks[low:high], mean), mean


def barriers(losses, height):
    """Return the cuts that part the minima.

    A cut does if its risk lies more than ``height`` paired standard errors above the smallest risk
    on its left, and above that on its right; of several cuts as low the nearest counts.
    """
    found = []
    risks = [sum(one) for one in losses]
    for i in range(1, len(losses) - 1):
        sides = (range(i), range(i + 1, len(losses)))
        lowest = [min(side, key=lambda j: (risks[j], abs(i - j))) for side in sides]
        higher = [excess(losses[i], losses[j]) for j in lowest]
        if all(mean > height * error for mean, error in higher):
            found.append(i)
    return found


def nearest(ranks, mean):
    """Return the nearest rank; of two as near, to nine digits, the lower one."""
    return min(ranks, key=lambda rank: (round(abs(rank - mean), 9), rank))


def is_tie(scores, mean):
    """Return whether two cuts are as near to the mean rank, up to rounding: either may be taken."""
    ranks = {sum(score < value for score in scores) for value in [*scores, float("inf")]}
    nearest = sorted(abs(rank - mean) for rank in ranks)
    return len(nearest) > 1 and nearest[1] - nearest[0] < 1e-9

"""The rule ``stable``: the posterior mean of the cut as a log-normal score, inside one basin."""

import itertools
from fractions import Fraction
from math import exp, log, sqrt
from statistics import NormalDist

from tests.slow_reference.risks import counts_at, risk

WEIGHT = 0.2
BARRIER = 2.0
SECOND_BASIN = 0.05
LEAST_LIKELIHOOD = 1e-9


def beta_mass(low, high):
    """Return the mass of Beta(2, 2) between two quantiles: 3u² - 2u³ at either end."""
    return (3 * high**2 - 2 * high**3) - (3 * low**2 - 2 * low**3)


def cells(quantiles):
    """Return from where to where quantiles lie nearer to each one than to any other."""
    inner = [(a + b) / 2 for a, b in itertools.pairwise(quantiles)]
    return list(itertools.pairwise([0, *inner, 1]))


def prior(quantiles):
    """Return the Beta(2, 2) mass of what lies nearer to each quantile than to any other."""
    return [beta_mass(a, b) for a, b in cells(quantiles)]


def mean_quantile(weights, quantiles):
    """Return the quantile of the mean of a log-normal score at the centres of the cells."""
    pairs = [(w, (a + b) / 2) for w, (a, b) in zip(weights, cells(quantiles), strict=True) if w > 0]
    score = sum(w * exp(NormalDist().inv_cdf(float(centre))) for w, centre in pairs)
    return NormalDist().cdf(log(score / sum(w for w, _ in pairs)))


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
    differences = [a - b for a, b in zip(one, other, strict=True)]
    mean = sum(differences) / n
    square = sum(d * d for d in differences) / n
    error = sqrt((square - mean * mean) / n)
    return mean, error


def posterior(risks, ranks, n, everyone_wrong):
    """Return the weight of every cut: prior (ε / (1 - ε))^(w E), ε = (fewest errors + 1)/(n + 2).

    E is the risk as a part of that with every patient wrong, times n. The weight w of a patient is
    0.2 at 100 patients and falls with n^0.6 down to 0.1. Cuts with less than a billionth of the
    largest likelihood do not count.
    """
    errors = [float(r / everyone_wrong) * n for r in risks]
    epsilon = (min(errors) + 1) / (n + 2)
    masses = prior([Fraction(rank, n) for rank in ranks])
    odds = epsilon / (1 - epsilon)
    least, weight = min(errors), max(WEIGHT * (100 / n) ** 0.6, WEIGHT / 2)
    likelihoods = [odds ** (weight * (e - least)) for e in errors]
    weights = [
        float(m) * one if one >= LEAST_LIKELIHOOD else 0.0
        for m, one in zip(masses, likelihoods, strict=True)
    ]
    return [w / sum(weights) for w in weights]


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


def walls(losses, weights, ranks):
    """Return the barriers that have a twentieth of the weight at lower and at higher ranks."""
    pairs = list(zip(weights, ranks, strict=True))
    return [
        i
        for i in barriers(losses, BARRIER)
        if sum(w for w, rank in pairs if rank < ranks[i]) >= SECOND_BASIN
        and sum(w for w, rank in pairs if rank > ranks[i]) >= SECOND_BASIN
    ]


def heaviest_basin(weights, parting):
    """Return the weights between two walls that have most weight, 0 elsewhere; of two the lower.

    Weights that agree to nine digits are equal.
    """
    borders = [-1, *parting, len(weights)]
    basins = [range(a + 1, b) for a, b in itertools.pairwise(borders)]
    best = max(basins, key=lambda basin: round(sum(weights[i] for i in basin), 9))
    return [w if i in best else 0.0 for i, w in enumerate(weights)]


def stable_rank(scores, labels, cost_fn, cost_fp, thresholds=None):
    """Return how many patients lie below the cut that ``stable`` takes, and the mean rank.

    The mean is weighted by the posterior in the heaviest basin. The cut is that of the nearest
    rank; of two as near, to nine digits, the lower one. By default the cuts are the exact ones.
    """
    n = len(scores)
    values = [*sorted(set(scores)), float("inf")] if thresholds is None else thresholds
    losses = [losses_at(scores, labels, value, cost_fn, cost_fp) for value in values]
    ranks = [sum(score < value for score in scores) for value in values]
    risks = [risk(counts_at(scores, labels, v), cost_fn, cost_fp) for v in values]
    wrong = (Fraction(cost_fn) * sum(labels) + Fraction(cost_fp) * (n - sum(labels))) / n
    weights = posterior(risks, ranks, n, wrong)
    weights = heaviest_basin(weights, walls(losses, weights, ranks))
    mean = n * mean_quantile(weights, [Fraction(rank, n) for rank in ranks])
    return min(ranks, key=lambda rank: (round(abs(rank - mean), 9), rank)), mean


def is_tie(scores, mean):
    """Return whether two cuts are as near to the mean rank, up to rounding: either may be taken."""
    ranks = {sum(score < value for score in scores) for value in [*scores, float("inf")]}
    nearest = sorted(abs(rank - mean) for rank in ranks)
    return len(nearest) > 1 and nearest[1] - nearest[0] < 1e-9

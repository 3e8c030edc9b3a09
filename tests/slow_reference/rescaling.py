"""Scores at another hospital on another scale: the line, the mixture, the matched cut-off."""

from fractions import Fraction
from math import inf, nextafter, sqrt


def line(home, here):
    """Return factor and offset: ratio of the standard deviations, and what makes means agree."""
    n = len(home)
    means = [sum(map(Fraction, values)) / n for values in (home, here)]
    spreads = [
        sqrt(sum((Fraction(v) - mean) ** 2 for v in values) / n)
        for values, mean in zip((home, here), means, strict=True)
    ]
    factor = spreads[1] / spreads[0]
    return factor, float(means[1]) - factor * float(means[0])


def mixture_quantile(positive, negative, prevalence, level):
    """Return the smallest score with at least a share ``level`` of the mixture at or below it.

    Of m + 1 quantiles of a class each stands for 1/m of it, the outermost for half of that.
    """
    weighted = []
    for quantiles, weight in ((positive, prevalence), (negative, 1 - prevalence)):
        steps = len(quantiles) - 1
        for i, score in enumerate(quantiles):
            part = Fraction(1, 2 * steps) if i in {0, steps} else Fraction(1, steps)
            weighted.append((score, part * Fraction(weight)))
    total = Fraction(0)
    for score, mass in sorted(weighted):
        total += mass
        if total >= Fraction(level) - Fraction(1, 10**12):
            return score
    return max(score for score, _ in weighted)


def matched_calls(scores, call_rate):
    """Return how many patients the cut calls whose share is nearest; of two the one with more.

    A cut lies between two scores: where these are neighbouring numbers there is none.
    """
    n = len(scores)
    parted = [v for v in scores if nextafter(v, -inf) not in scores]
    possible = {sum(score >= value for score in scores) for value in parted} | {0}
    return min(possible, key=lambda k: (abs(Fraction(k, n) - Fraction(call_rate)), -k))

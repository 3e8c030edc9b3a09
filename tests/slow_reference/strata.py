"""Ordered risk strata: all boundaries tried."""

from fractions import Fraction
from itertools import combinations_with_replacement

from tests.slow_reference import criteria
from tests.slow_reference.cuts import TIE, middle_of_widest_flat
from tests.slow_reference.stability import order_statistic, windows


def stratum_of(score, thresholds):
    """Return how many of the thresholds the score reaches."""
    return sum(score >= threshold for threshold in thresholds)


def mean_cost(scores, grades, costs, thresholds):
    """Return the mean over patients of C[grade, stratum]."""
    total = sum(
        Fraction(costs[grade][stratum_of(score, thresholds)])
        for score, grade in zip(scores, grades, strict=True)
    )
    return total / len(scores)


def all_costs(scores, grades, costs):
    """Return the mean cost of all boundaries in order, by their places among the exact cuts.

    Place j calls the distinct scores from number j on.
    """
    values = [*sorted(set(scores)), float("inf")]
    places = combinations_with_replacement(range(len(values)), len(costs[0]) - 1)
    return {place: mean_cost(scores, grades, costs, [values[j] for j in place]) for place in places}


def joint_minimum(scores, grades, costs):
    """Return how many patients lie below each boundary of the smallest mean cost.

    Of several minimisers each boundary in turn, the lowest first, takes the middle of the widest
    flat of the cuts that it has in any of them.
    """
    tried = all_costs(scores, grades, costs)
    values = [*sorted(set(scores)), float("inf")]
    ranks = [sum(score < value for score in scores) for value in values]
    tie = TIE * Fraction(max(map(max, costs)) - min(map(min, costs)))
    left = [place for place, cost in tried.items() if cost <= min(tried.values()) + tie]
    chosen = []
    for k in range(len(costs[0]) - 1):
        there = {place[k] for place in left}
        flags = [0 if j in there else None for j in range(len(values))]
        rank = middle_of_widest_flat(flags, ranks, 0)
        chosen.append(rank)
        left = [place for place in left if ranks[place[k]] == rank]
    return chosen, min(tried.values())


def joint_radius(thresholds, draws, delta):
    """Return b_k = mean(t*_k - t_k), q and r_k = |b_k| + q.

    q is the 1 - delta order statistic of the largest move of any boundary.
    """
    moves = [
        [Fraction(d) - Fraction(t) for d, t in zip(draw, thresholds, strict=True)] for draw in draws
    ]
    bias = [sum(column) / len(draws) for column in zip(*moves, strict=True)]
    quantile = order_statistic([max(map(abs, move)) for move in moves], 1 - Fraction(str(delta)))
    return bias, quantile, [abs(b) + quantile for b in bias]


def joint_modulus(scores, grades, costs, radius):
    """Return the sum over boundaries of the largest |C[g, k] - C[g, k + 1]| / n in a window."""
    total = Fraction(0)
    for k, epsilon in enumerate(radius):
        steps = [abs(Fraction(row[k]) - Fraction(row[k + 1])) for row in costs]
        if epsilon > 0:
            total += max(
                sum(steps[grades[i]] for i in members) for members in windows(scores, epsilon)
            )
    return total / len(scores)


def two_cuts(scores, ill, rule_out, rule_in):
    """Return how many patients lie below the cut that rules out, and below the one that rules in.

    ``rule_out`` and ``rule_in`` are pairs of the name of a rate and its smallest value. None if no
    cut reaches one of them.
    """
    values = [*sorted(set(scores)), float("inf")]
    ranks = [sum(score < value for score in scores) for value in values]
    tables = [counts_of(scores, ill, value) for value in values]

    def reached(limit):
        name, least = limit
        found = [criteria_of[name](*table) for table in tables]
        return [value is not None and value >= least for value in found]

    def best(limit, goal, partner):
        allowed = reached(limit)
        merit = [
            (criteria_of[goal](*table), criteria_of[partner](*table)) if ok else None
            for table, ok in zip(tables, allowed, strict=True)
        ]
        if not any(allowed):
            return None
        top = max(value for value in merit if value is not None)
        return middle_of_widest_flat([0 if value == top else None for value in merit], ranks, 0)

    low = best(rule_out, "specificity", "sensitivity")
    high = best(rule_in, "sensitivity", "specificity")
    if low is None or high is None or low <= high:
        return low, high
    common = zip(ranks, reached(rule_out), reached(rule_in), strict=True)
    middle = Fraction(low + high, 2)
    one = min((abs(rank - middle), rank) for rank, a, b in common if a and b)[1]
    return one, one


criteria_of = {
    "sensitivity": criteria.sensitivity,
    "specificity": criteria.specificity,
    "npv": criteria.npv,
    "ppv": criteria.ppv,
}


def counts_of(scores, ill, threshold):
    """Return tp, fn, fp, tn, as fractions, where patients from the threshold on are called."""
    found = [(score >= threshold, bool(sick)) for score, sick in zip(scores, ill, strict=True)]
    kinds = ((True, True), (False, True), (True, False), (False, False))
    return [Fraction(found.count(kind)) for kind in kinds]

"""Brute-force twins: every definition once more, in plain loops, without the code under test.

A cohort is two lists here: scores and 0/1 labels.
"""

import itertools
import math
from statistics import fmean

# Two costs closer than this, as a part of the dearer one, are the same cost.
TIE = 1e-12


def share_below(scores, threshold):
    return sum(score < threshold for score in scores) / len(scores) if len(scores) else 0.0


def errors_at(scores, labels, threshold):
    """Misses and alarms of the rule ``score >= threshold``."""
    pairs = list(zip(scores, labels, strict=True))
    misses = sum(label == 1 and score < threshold for score, label in pairs)
    alarms = sum(label == 0 and score >= threshold for score, label in pairs)
    return misses, alarms


def risk_at(scores, labels, threshold, cost_fn, cost_fp):
    misses, alarms = errors_at(scores, labels, threshold)
    return (cost_fn * misses + cost_fp * alarms) / len(scores)


def rank_of(scores, threshold):
    return sum(score < threshold for score in scores)


def margin_of(scores):
    spread = max(scores) - min(scores)
    return spread / 200 if spread > 0 else max(abs(scores[0]), 1.0) / 200


def even_thresholds(scores, n_thresholds):
    """``n_thresholds`` points over the observed range, and call-nobody."""
    low, high = min(scores), max(scores)
    step = (high - low) / (n_thresholds - 1)
    inside = [low + i * step for i in range(n_thresholds - 1)] + [high]
    return [*sorted(set(inside)), high + margin_of(scores)]


def exact_thresholds(scores, margin=None):
    """Call-everybody, the midpoints of neighbouring distinct scores, call-nobody."""
    values = sorted(set(scores))
    margin = margin_of(scores) if margin is None else margin
    middles = [(low + high) / 2 for low, high in itertools.pairwise(values)]
    return [values[0] - margin, *middles, values[-1] + margin]


def runs_of_minimisers(objective, tie):
    """First and last position of every run of neighbouring minimisers."""
    smallest = min(objective)
    runs, inside = [], False
    for position, value in enumerate(objective):
        minimal = value <= smallest + tie
        if minimal and inside:
            runs[-1][1] = position
        elif minimal:
            runs.append([position, position])
        inside = minimal
    return runs


def middle_of_widest_flat(objective, ranks, tie):
    """The rank of the cut nearest to the middle of the middle one of the widest runs."""
    runs = runs_of_minimisers(objective, tie)
    widths = [ranks[end] - ranks[start] for start, end in runs]
    widest = [run for run, width in zip(runs, widths, strict=True) if width == max(widths)]
    start, end = widest[(len(widest) - 1) // 2]
    middle = (ranks[start] + ranks[end]) / 2
    return min(ranks[start : end + 1], key=lambda rank: (abs(rank - middle), rank))


def objective_of(rule, scores, labels, threshold, cost_fn, cost_fp):
    """What a rule minimises; infinite where it does not allow the cut."""
    misses, alarms = errors_at(scores, labels, threshold)
    n_positive = sum(labels)
    n_negative = len(labels) - n_positive
    name, _, floor = rule.partition(":")
    if name == "erm":
        return (cost_fn * misses + cost_fp * alarms) / len(labels)
    if name == "youden":
        return misses / max(n_positive, 1) + alarms / max(n_negative, 1)
    kept, other, n_kept = misses, alarms, n_positive
    if name == "specificity":
        kept, other, n_kept = alarms, misses, n_negative
    rate = 1 - kept / n_kept if n_kept else 1.0
    # Fewest errors of the other kind, then fewest of this kind.
    return other + kept / (len(labels) + 1) if rate >= float(floor) - 1e-9 else math.inf


def rank_chosen(rule, scores, labels, thresholds, cost_fn, cost_fp):
    """How many patients lie below the cut that a rule takes."""
    objective = [objective_of(rule, scores, labels, t, cost_fn, cost_fp) for t in thresholds]
    ranks = [rank_of(scores, threshold) for threshold in thresholds]
    tie = TIE * max(cost_fn, cost_fp) if rule == "erm" else TIE
    return middle_of_widest_flat(objective, ranks, tie)


def positives_first(scores, labels):
    """The order in which patients are drawn: the diseased before the others, by score."""
    return sorted(zip(scores, labels, strict=True), key=lambda pair: (-pair[1], pair[0]))


def standard_error_of_difference(scores, labels, one, other, cost_fn, cost_fp):
    """Bootstrap standard error of the mean difference of the losses at two thresholds."""
    differences = []
    for score, label in zip(scores, labels, strict=True):
        price = cost_fn if label == 1 else cost_fp
        wrong = [(score < t) if label == 1 else (score >= t) for t in (one, other)]
        differences.append(price * (wrong[0] - wrong[1]))
    mean = fmean(differences)
    variance = fmean([(value - mean) ** 2 for value in differences])
    return mean, math.sqrt(variance / len(differences))


def nearest(ranks, wanted):
    return min(ranks, key=lambda rank: (round(abs(rank - wanted), 9), rank))


def is_barrier(scores, labels, thresholds, cut, cost_fn, cost_fp, barrier):
    """Whether a cut is clearly worse than the nearest best one on its left, and on its right."""
    risks = [risk_at(scores, labels, t, cost_fn, cost_fp) for t in thresholds]
    left = max(range(cut + 1), key=lambda j: (-risks[j], j))
    right = min(range(cut, len(risks)), key=lambda j: (risks[j], j))
    for basin in (left, right):
        excess, error = standard_error_of_difference(
            scores, labels, thresholds[cut], thresholds[basin], cost_fn, cost_fp
        )
        if excess <= barrier * error + TIE * max(cost_fn, cost_fp):
            return False
    return True


def beta_2_2_below(x):
    """Integral of the density 6 x (1 - x)."""
    return 3 * x**2 - 2 * x**3


def stable_rank(scores, labels, thresholds, cost_fn, cost_fp, weight=0.25, barrier=2.0):
    """The rule ``stable``; ``thresholds`` are all cuts, in ascending order."""
    n, cuts = len(scores), range(len(thresholds))
    unit = sum(cost_fn if label == 1 else cost_fp for label in labels) / n
    ranks = [rank_of(scores, t) for t in thresholds]
    errors = [n * risk_at(scores, labels, t, cost_fn, cost_fp) / unit for t in thresholds]
    odds = (min(errors) + 1) / (n - min(errors) + 1)
    middles = [(low + high) / 2 / n for low, high in itertools.pairwise(ranks)]
    bounds = itertools.pairwise([0.0, *middles, 1.0])
    posterior = [
        (beta_2_2_below(high) - beta_2_2_below(low)) * odds ** (weight * (count - min(errors)))
        for (low, high), count in zip(bounds, errors, strict=True)
    ]
    total = sum(posterior)
    basins = [[]]
    for cut in cuts:
        if (
            is_barrier(scores, labels, thresholds, cut, cost_fn, cost_fp, barrier)
            and sum(p for p, r in zip(posterior, ranks, strict=True) if r < ranks[cut])
            >= 0.1 * total
            and sum(p for p, r in zip(posterior, ranks, strict=True) if r > ranks[cut])
            >= 0.1 * total
        ):
            basins.append([])
        else:
            basins[-1].append(cut)
    masses = [round(sum(posterior[cut] for cut in basin) / total, 9) for basin in basins]
    basin = basins[masses.index(max(masses))]
    mass = sum(posterior[cut] for cut in basin)
    return nearest(ranks, sum(posterior[cut] * ranks[cut] for cut in basin) / mass)


def window_mass(scores, labels, start, width, cost_fn, cost_fp):
    """Cost-weighted share of the patients in [start, start + width)."""
    price = {1: cost_fn, 0: cost_fp}
    inside = [
        price[label]
        for score, label in zip(scores, labels, strict=True)
        if start <= score < start + width
    ]
    return sum(inside) / len(scores)


def modulus(scores, labels, width, cost_fn, cost_fp):
    """The largest mass of any window that starts at a score."""
    return max(window_mass(scores, labels, start, width, cost_fn, cost_fp) for start in scores)


def smallest_with_share(values, share):
    """The smallest value with at least ``share`` of the values at or below it."""
    ordered = sorted(values)
    for position, value in enumerate(ordered):
        if (position + 1) / len(ordered) >= share - 1e-12:
            return value
    return ordered[-1]


def flip_probability(score, threshold, draws):
    decision = score >= threshold
    return sum((score >= draw) != decision for draw in draws) / len(draws)


def basin_share(scores, labels, draw_ranks, cost_fn, cost_fp, barrier):
    """The largest share of draws that any barrier parts from the rest, on its smaller side."""
    thresholds = exact_thresholds(scores)
    shares = [0.0]
    for cut, threshold in enumerate(thresholds):
        if is_barrier(scores, labels, thresholds, cut, cost_fn, cost_fp, barrier):
            rank = rank_of(scores, threshold)
            below = sum(r < rank for r in draw_ranks) / len(draw_ranks)
            above = sum(r > rank for r in draw_ranks) / len(draw_ranks)
            shares.append(min(below, above))
    return max(shares)

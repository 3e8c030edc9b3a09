"""What changes between two hospitals: R_Q - R_P, part by part, and intervals for the parts."""

from fractions import Fraction
from itertools import product

from tests.slow_reference.bounds import dkw_two_sided, lower_limit, upper_limit
from tests.slow_reference.risks import share


def rates(counts):
    """Return prevalence, miss rate and alarm rate; None for a class without patients."""
    tp, fn, fp, tn = counts
    miss = share(fn, tp) if tp + fn else None
    alarm = share(fp, tn) if fp + tn else None
    return Fraction(tp + fn, sum(counts)), miss, alarm


def filled(own, other):
    """Return a hospital's rates; one that it cannot know is taken as the other's."""
    return tuple(b if a is None else a for a, b in zip(own, other, strict=True))


def signed(p, q, cost_fn, cost_fp):
    """Return the parts with Q's curves in the prevalence part and P's prevalence in the shapes.

    (π_Q - π_P)(cost_fn m_Q - cost_fp a_Q), cost_fn π_P (m_Q - m_P), cost_fp (1 - π_P)(a_Q - a_P).
    """
    (pi_p, miss_p, alarm_p), (pi_q, miss_q, alarm_q) = p, q
    return (
        (pi_q - pi_p) * (cost_fn * miss_q - cost_fp * alarm_q),
        cost_fn * pi_p * (miss_q - miss_p),
        cost_fp * (1 - pi_p) * (alarm_q - alarm_p),
    )


def signed_reversed(p, q, cost_fn, cost_fp):
    """Return the parts with P's curves in the prevalence part and Q's prevalence in the shapes."""
    return tuple(-part for part in signed(q, p, cost_fn, cost_fp))


def shapley(p, q, cost_fn, cost_fp):
    """Return the mean of what each part adds, over all orders of putting in what Q has.

    Three players: prevalence, miss rate, alarm rate.
    """

    def value(taken):
        pi, miss, alarm = (q[i] if i in taken else p[i] for i in range(3))
        return cost_fn * pi * miss + cost_fp * (1 - pi) * alarm

    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    parts = [Fraction(0)] * 3
    for order in orders:
        for place, player in enumerate(order):
            added = value(order[: place + 1]) - value(order[:place])
            parts[player] += Fraction(added) / len(orders)
    return tuple(parts)


def absolute(p, q, cost_fn, cost_fp):
    """Return Shift(t): (cost_fn + cost_fp)|Δπ|, cost_fn π_P |Δm|, cost_fp (1 - π_P)|Δa|."""
    (pi_p, miss_p, alarm_p), (pi_q, miss_q, alarm_q) = p, q
    return (
        (cost_fn + cost_fp) * abs(pi_q - pi_p),
        cost_fn * pi_p * abs(miss_q - miss_p),
        cost_fp * (1 - pi_p) * abs(alarm_q - alarm_p),
    )


def kolmogorov(one, two):
    """Return the largest difference of the shares at or below any score of either sample."""
    return max(
        abs(
            Fraction(sum(score <= place for score in one), len(one))
            - Fraction(sum(score <= place for score in two), len(two))
        )
        for place in [*one, *two]
    )


def rate_interval(count, n, delta, n_choices=0):
    """Return Clopper-Pearson limits at delta / 2 on either side.

    For patients who chose the cut among ``n_choices`` scores: the two-sided DKW band at
    delta / n_choices, kept between 0 and 1.
    """
    if n == 0:
        return 0.0, 1.0
    if n_choices:
        width = dkw_two_sided(n, delta / n_choices)
        return max(count / n - width, 0.0), min(count / n + width, 1.0)
    return lower_limit(count, n, delta / 2), upper_limit(count, n, delta / 2)


def rate_boxes(counts, delta, n_choices=0):
    """Return the intervals of prevalence, miss rate and alarm rate, each at delta."""
    tp, fn, fp, tn = counts
    return (
        rate_interval(tp + fn, sum(counts), delta),
        rate_interval(fn, tp + fn, delta, n_choices),
        rate_interval(fp, fp + tn, delta, n_choices),
    )


def extremes(p_counts, q_counts, split, delta, n_choices=0):
    """Return the smallest and the largest of every part, and of their sum, over all corners.

    Six rates, each in its interval at delta / 6; every part is linear in each of them.
    """
    boxes = [*rate_boxes(p_counts, delta / 6, n_choices), *rate_boxes(q_counts, delta / 6)]
    found = []
    for corner in product(*boxes):
        parts = split(corner[:3], corner[3:])
        found.append((*parts, sum(parts)))
    return [(min(values), max(values)) for values in zip(*found, strict=True)]

"""Every criterion as a function of the four counts, and the cut that is best by it."""

from fractions import Fraction
from math import inf, sqrt

from tests.slow_reference.cuts import TIE as RISK_TIE
from tests.slow_reference.cuts import middle_of_widest_flat, rank_of
from tests.slow_reference.risks import counts_at, ends_of, risk

# Merits closer than this, as a part of their size, are as good.
TIE = 1e-12


def ratio(above, below):
    """Return above / below: None for 0 / 0, infinite where only ``below`` is 0."""
    if below == 0:
        return None if above == 0 else inf
    return above / below


def sensitivity(tp, fn, fp, tn):
    return ratio(tp, tp + fn)


def specificity(tp, fn, fp, tn):
    return ratio(tn, fp + tn)


def ppv(tp, fn, fp, tn):
    return ratio(tp, tp + fp)


def npv(tp, fn, fp, tn):
    return ratio(tn, fn + tn)


def both(one, other, combine):
    """Return a function of two measures; None where either is not defined."""

    def measure(*counts):
        values = one(*counts), other(*counts)
        return None if None in values else combine(*values)

    return measure


def plr(tp, fn, fp, tn):
    """Return sensitivity / (1 - specificity)."""
    if tp + fn == 0 or fp + tn == 0:
        return None
    return ratio(tp * (fp + tn), fp * (tp + fn))


def nlr(tp, fn, fp, tn):
    """Return (1 - sensitivity) / specificity."""
    if tp + fn == 0 or fp + tn == 0:
        return None
    return ratio(fn * (fp + tn), tn * (tp + fn))


def odds_ratio(tp, fn, fp, tn):
    return ratio(tp * tn, fp * fn)


def half_filled_odds_ratio(tp, fn, fp, tn):
    """Return the odds ratio with every count of 0 replaced by 1/2."""
    return odds_ratio(*(count or Fraction(1, 2) for count in (tp, fn, fp, tn)))


def risk_ratio(tp, fn, fp, tn):
    """Return PPV / (1 - NPV)."""
    if tp + fp == 0 or fn + tn == 0:
        return None
    return ratio(tp * (fn + tn), fn * (tp + fp))


def accuracy(tp, fn, fp, tn):
    return ratio(tp + tn, tp + fn + fp + tn)


def kappa(tp, fn, fp, tn):
    return ratio(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def weighted_kappa(weight):
    """Return (TP TN - FN FP) / (r P (1 - Q) + (1 - r)(1 - P) Q), P diseased and Q called."""

    def measure(tp, fn, fp, tn):
        below = weight * (tp + fn) * (fn + tn) + (1 - weight) * (fp + tn) * (tp + fp)
        return ratio(tp * tn - fn * fp, below)

    return measure


def f1(tp, fn, fp, tn):
    return ratio(2 * tp, 2 * tp + fp + fn)


def f_beta(beta):
    """Return (1 + b²) TP / ((1 + b²) TP + b² FN + FP)."""
    square = beta * beta

    def measure(tp, fn, fp, tn):
        return ratio((1 + square) * tp, (1 + square) * tp + square * fn + fp)

    return measure


def jaccard(tp, fn, fp, tn):
    return ratio(tp, tp + fp + fn)


def chi_squared(tp, fn, fp, tn, correction=0):
    """Return the sum over the cells of (|observed - expected| - correction)² / expected.

    No cell is corrected beyond 0.
    """
    n = Fraction(tp + fn + fp + tn)
    ill, well, called, left = tp + fn, fp + tn, tp + fp, fn + tn
    if 0 in (ill, well, called, left):
        return None
    cells = ((tp, ill * called), (fn, ill * left), (fp, well * called), (tn, well * left))
    away = [(abs(seen - product / n), product / n) for seen, product in cells]
    return sum(max(distance - correction, 0) ** 2 / expected for distance, expected in away)


def yates_chi_squared(tp, fn, fp, tn):
    """Return the same with Yates' correction of 1/2."""
    return chi_squared(tp, fn, fp, tn, Fraction(1, 2))


def mcc(tp, fn, fp, tn):
    """Return phi = (TP TN - FN FP) / square root of the product of the margins."""
    margins = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
    return None if margins == 0 else float(tp * tn - fn * fp) / sqrt(margins)


def net_benefit(probability):
    """Return (TP - FP p / (1 - p)) / n."""
    odds = probability / (1 - probability)

    def measure(tp, fn, fp, tn):
        return ratio(tp - fp * odds, tp + fn + fp + tn)

    return measure


def corner(one, other):
    """Return the squared distance of two rates to (1, 1), which orders cuts alike."""
    return (1 - one) ** 2 + (1 - other) ** 2


def measures(cost_fn, cost_fp):
    """Return every criterion: a function of the counts, negative where the smallest is best."""
    miss, alarm = Fraction(cost_fn), Fraction(cost_fp)
    rates, values = (sensitivity, specificity), (ppv, npv)
    return {
        "erm": lambda tp, fn, fp, tn: -(miss * fn + alarm * fp) / (tp + fn + fp + tn),
        "youden": both(*rates, lambda a, b: a + b - 1),
        "accuracy": accuracy,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "se-sp-product": both(*rates, lambda a, b: a * b),
        "se-sp-equal": both(*rates, lambda a, b: -abs(a - b)),
        "se-sp-least": both(*rates, min),
        "roc01": both(*rates, lambda a, b: -corner(a, b)),
        "ppv": ppv,
        "npv": npv,
        "ppv-npv-sum": both(*values, lambda a, b: a + b),
        "ppv-npv-product": both(*values, lambda a, b: a * b),
        "ppv-npv-equal": both(*values, lambda a, b: -abs(a - b)),
        "ppv-npv-least": both(*values, min),
        "proc01": both(*values, lambda a, b: -corner(a, b)),
        "plr": plr,
        "nlr": lambda *counts: None if nlr(*counts) is None else -nlr(*counts),
        "odds-ratio": odds_ratio,
        "odds-ratio-half": half_filled_odds_ratio,
        "risk-ratio": risk_ratio,
        "kappa": kappa,
        "weighted-kappa": weighted_kappa(miss / (miss + alarm)),
        "f1": f1,
        "jaccard": jaccard,
        "mcc": mcc,
        "chi-squared": chi_squared,
        "chi-squared-yates": yates_chi_squared,
        "minimax": lambda tp, fn, fp, tn: -max(miss * fn, alarm * fp),
        "prevalence-match": lambda tp, fn, fp, tn: -abs(ratio(fp - fn, tp + fn + fp + tn)),
        "call-rate": lambda tp, fn, fp, tn: -ratio(tp + fp, tp + fn + fp + tn),
        "net-benefit:0.2": net_benefit(Fraction(1, 5)),
        "f-beta:2": f_beta(Fraction(2)),
    }


PARTNERS = {
    "sensitivity": "specificity",
    "specificity": "sensitivity",
    "ppv": "npv",
    "npv": "ppv",
    "plr": "sensitivity",
    "nlr": "specificity",
    "minimax": "specificity",
    "call-rate": "sensitivity",
}


def at_ends(counts, target):
    """Return the counts weighted to either end of the target range; as they are without one."""
    counts = tuple(map(Fraction, counts))
    if target is None:
        return [counts]
    tp, fn, fp, tn = counts
    n, ill, well = sum(counts), tp + fn, fp + tn
    weighted = []
    for p in ends_of(target):
        up, down = (p * n / ill if ill else 0), ((1 - p) * n / well if well else 0)
        weighted.append((tp * up, fn * up, fp * down, tn * down))
    return weighted


def merit(measure, counts, target):
    """Return the value at the worse end of the target range; None where it is not defined."""
    values = [measure(*end) for end in at_ends(counts, target)]
    return None if None in values else min(values)


def best_of(values, allowed):
    """Return which of the allowed cuts have the largest value; no infinite or undefined one."""
    known = {i: values[i] for i in allowed if values[i] is not None and abs(values[i]) != inf}
    if not known:
        return []
    largest = max(known.values())
    tie = TIE * max(1.0, abs(float(largest)))
    return [i for i, value in known.items() if value >= largest - tie]


def best_cut(ranks, goals, allowed=None):
    """Return the rank of the cut that is best by the first goal, then by the next.

    ``goals`` are lists of one value a cut, ``allowed`` the cuts that count. Of those that tie in
    all goals, the middle of the widest flat.
    """
    left = list(range(len(ranks))) if allowed is None else allowed
    for values in goals:
        left = best_of(values, left) or left
    flags = [0 if i in left else None for i in range(len(ranks))]
    return middle_of_widest_flat(flags, ranks, 0)


LIMITS = (
    ("sensitivity", "0.9"),
    ("sensitivity", "0.5"),
    ("specificity", "0.8"),
    ("ppv", "0.7"),
    ("npv", "0.9"),
    ("plr", "2"),
    ("nlr", "0.5"),
    ("call-rate", "0.3"),
)
AIMS = (("sensitivity", "0.8"), ("specificity", "0.5"), ("ppv", "0.6"), ("plr", "1.5"))


def best_within(name, limit, tables, ranks, costs, target):
    """Return the rank of the cut with the largest partner among those that reach the limit.

    Ties by the partner's own partner; None where no cut reaches the limit. An infinite value does.
    """
    own = measures(*costs)
    value = Fraction(limit) * (-1 if name in {"nlr", "call-rate"} else 1)
    reached = [merit(own[name], table, target) for table in tables]
    allowed = [i for i, v in enumerate(reached) if v is not None and v >= value]
    if not allowed:
        return None
    partners = PARTNERS[name], PARTNERS[PARTNERS[name]]
    goals = [[merit(own[one], table, target) for table in tables] for one in partners]
    return best_cut(ranks, goals, allowed)


def best_by(name, tables, ranks, costs, target):
    """Return the rank of the cut that is best by a criterion, ties by its partner."""
    own = measures(*costs)
    goals = [own[name], *([own[PARTNERS[name]]] if name in PARTNERS else [])]
    return best_cut(ranks, [[merit(goal, table, target) for table in tables] for goal in goals])


def rank_by(rule, scores, labels, thresholds, costs, target=None):
    """Return how many patients lie below the cut that a rule takes among some thresholds.

    ``rule`` is "erm", another criterion, or a criterion and its limit, such as "ppv:0.9".
    """
    tables = [counts_at(scores, labels, threshold) for threshold in thresholds]
    ranks = [rank_of(scores, threshold) for threshold in thresholds]
    name, _, limit = rule.partition(":")
    if name == "erm":
        values = [risk(table, *costs, target) for table in tables]
        return middle_of_widest_flat(values, ranks, RISK_TIE * max(map(Fraction, costs)))
    if limit:
        return best_within(name, limit, tables, ranks, costs, target)
    return best_by(name, tables, ranks, costs, target)


def nearest_to(name, aim, tables, ranks, costs, target):
    """Return the rank of the cut whose value is nearest to the aim, ties by the partner."""
    own = measures(*costs)

    def distance(*counts):
        value = own[name](*counts)
        return None if value is None else -abs(value - Fraction(aim))

    goals = [distance, own[PARTNERS[name]]]
    return best_cut(ranks, [[merit(g, table, target) for table in tables] for g in goals])


def nearest_score(scores, ranks, target):
    """Return the rank of the cut whose smallest score called is nearest to the target.

    Call-nobody has none. Of several as near, the middle of the widest flat.
    """
    values = sorted(set(scores))
    distances = [abs(Fraction(value) - target) for value in values]
    return middle_of_widest_flat([*distances, None], ranks, 0), sorted(distances)


def mean_score(scores):
    return sum(map(Fraction, scores)) / len(scores)


def prevalence_score(scores, labels):
    """Return the prevalence as a score: as it is on scores from 0 to 1, else along their range."""
    prevalence = Fraction(sum(labels), len(labels))
    low, high = Fraction(min(scores)), Fraction(max(scores))
    return prevalence if low >= 0 and high <= 1 else low + prevalence * (high - low)

"""The risk of a cut-off, and of the rules without a score; in rational arithmetic."""

from fractions import Fraction


def counts_at(scores, labels, threshold):
    """Return tp, fn, fp, tn of the rule "call a score that reaches the threshold"."""
    pairs = list(zip(scores, labels, strict=True))
    called = [label for score, label in pairs if score >= threshold]
    left = [label for score, label in pairs if not score >= threshold]
    return called.count(1), left.count(1), called.count(0), left.count(0)


def share(part, others):
    """Return part / (part + others); 0 without anybody."""
    return Fraction(part, part + others) if part + others else Fraction(0)


def ends_of(target):
    """Return both ends as the decimal fractions that were meant: 0.1 is a tenth."""
    return [Fraction(str(end)) for end in target]


def risk(counts, cost_fn, cost_fp, target=None):
    """Return (cost_fn misses + cost_fp alarms) / n.

    With a target range of prevalences P: cost_fn P miss rate + cost_fp (1 - P) alarm rate, at the
    end of the range where it is larger.
    """
    tp, fn, fp, tn = counts
    miss_cost, alarm_cost = Fraction(cost_fn), Fraction(cost_fp)
    if target is None:
        return (miss_cost * fn + alarm_cost * fp) / sum(counts)
    miss, alarm = share(fn, tp), share(fp, tn)
    return max(miss_cost * p * miss + alarm_cost * (1 - p) * alarm for p in ends_of(target))


def risk_at(scores, labels, threshold, cost_fn, cost_fp, target=None):
    """Return the risk of the rule "call a score that reaches the threshold"."""
    return risk(counts_at(scores, labels, threshold), cost_fn, cost_fp, target)


def trivial_risk(counts, cost_fn, cost_fp, target=None):
    """Return the risk of calling nobody, or of calling everybody, whichever is smaller."""
    tp, fn, fp, tn = counts
    nobody, everybody = (0, tp + fn, 0, fp + tn), (tp + fn, 0, fp + tn, 0)
    return min(risk(rule, cost_fn, cost_fp, target) for rule in (nobody, everybody))

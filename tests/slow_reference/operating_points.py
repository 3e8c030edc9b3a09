"""Intervals of what a cut does: exact shares, melded ratios, boxes, order statistics."""

from scipy.stats import beta, binom

from tests.slow_reference.bounds import lower_limit, upper_limit

# Which counts are for a share and which against: tp, fn, fp, tn are 0, 1, 2, 3.
SHARES = {
    "sensitivity": ((0,), (1,)),
    "specificity": ((3,), (2,)),
    "ppv": ((0,), (2,)),
    "npv": ((3,), (1,)),
    "accuracy": ((0, 3), (1, 2)),
}


def share_interval(name, counts, delta):
    """Return the Clopper-Pearson interval of a share; None without anybody."""
    found, against = (sum(counts[i] for i in part) for part in SHARES[name])
    n = found + against
    if n == 0:
        return None
    return lower_limit(found, n, delta / 2), upper_limit(found, n, delta / 2)


def low_rate(count, others, level):
    """Return a quantile of Beta(k, n - k + 1); 0 where nothing was counted."""
    return float(beta.ppf(level, count, others + 1)) if count else 0.0


def high_rate(count, others, level):
    """Return a quantile of Beta(k + 1, n - k); 1 where there are no others."""
    return float(beta.ppf(level, count + 1, others)) if others else 1.0


def melded_plr(counts, points):
    """Return LR+ = sensitivity / (1 - specificity) at the lower and at the upper variables.

    One value for each pair of levels, ascending. The limits are the delta / 2 quantile of the
    first and the 1 - delta / 2 quantile of the second.
    """
    tp, fn, fp, tn = counts
    low, high = [], []
    for one, other in points:
        low.append(low_rate(tp, fn, one) / (1 - low_rate(tn, fp, other)))
        alarm = 1 - high_rate(tn, fp, other)
        high.append(high_rate(tp, fn, one) / alarm if alarm > 0 else float("inf"))
    return sorted(low), sorted(high)


def quantile_interval(scores, level, delta):
    """Return the order statistics that enclose a quantile with probability 1 - delta.

    The largest k with Pr(Binomial(n, level) < k) <= delta / 2 and the smallest m with
    Pr(Binomial(n, level) >= m) <= delta / 2; infinite where there is none.
    """
    ordered, n = sorted(scores), len(scores)
    low = [k for k in range(1, n + 1) if binom.cdf(k - 1, n, level) <= delta / 2]
    high = [m for m in range(1, n + 1) if binom.sf(m - 1, n, level) <= delta / 2]
    return (
        ordered[max(low) - 1] if low else float("-inf"),
        ordered[min(high) - 1] if high else float("inf"),
    )

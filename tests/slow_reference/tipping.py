"""How much may change at the next hospital before the risk reaches a limit."""

from tests.slow_reference.bounds import dkw_one_sided, upper_limit


def tipping(prevalence, miss, alarm, cost_fn, cost_fp, limit):
    """Return the prevalence, the rise of misses and the rise of alarms that reach the limit.

    R = cost_fn q m + cost_fp (1 - q) a. Each alone: q = p + (L - R) / slope with the slope
    cost_fn m - cost_fp a, where that is a prevalence; the miss rate may rise by
    (L - R) / (cost_fn p) if there is so much room below 1, the alarm rate by
    (L - R) / (cost_fp (1 - p)). None: no change of that kind reaches it. A limit that is broken
    already: the present prevalence, and 0.
    """
    risk = cost_fn * prevalence * miss + cost_fp * (1 - prevalence) * alarm
    left, slope = limit - risk, cost_fn * miss - cost_fp * alarm
    if left < 0:
        return prevalence, 0, 0
    at = prevalence + left / slope if slope else None
    more_misses = left / (cost_fn * prevalence) if prevalence > 0 else None
    more_alarms = left / (cost_fp * (1 - prevalence)) if prevalence < 1 else None
    return (
        at if at is not None and 0 <= at <= 1 else None,
        more_misses if more_misses is not None and more_misses <= 1 - miss else None,
        more_alarms if more_alarms is not None and more_alarms <= 1 - alarm else None,
    )


def upper_rates(counts, delta, n_candidates=0):
    """Return upper limits of miss and alarm rate, half of delta each.

    Clopper-Pearson; for patients who chose among ``n_candidates`` scores one-sided DKW.
    """
    tp, fn, fp, tn = counts
    if not n_candidates:
        return upper_limit(fn, tp + fn, delta / 2), upper_limit(fp, fp + tn, delta / 2)
    share = delta / 2 / n_candidates
    return tuple(
        min(errors / n + dkw_one_sided(n, share), 1.0) if n else 1.0
        for errors, n in ((fn, tp + fn), (fp, fp + tn))
    )

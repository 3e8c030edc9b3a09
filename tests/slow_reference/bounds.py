"""Every bound on the risk of a cut-off, from its definition."""

from math import comb, exp, log, sqrt

from scipy.stats import beta, binom, norm

from tests.slow_reference.risks import risk


def upper_limit(count, n, delta):
    """Return the Clopper-Pearson limit: the delta upper quantile of Beta(k + 1, n - k)."""
    return 1.0 if count >= n else float(beta.isf(delta, count + 1, n - count))


def lower_limit(count, n, delta):
    """Return the Clopper-Pearson lower limit: the delta quantile of Beta(k, n - k + 1)."""
    return 0.0 if count == 0 else float(beta.ppf(delta, count, n - count + 1))


def dkw_one_sided(n, delta):
    """Return sqrt(log(1 / delta) / 2n); everything, which is 1, without patients."""
    return sqrt(log(1 / delta) / (2 * n)) if n else 1.0


def dkw_two_sided(n, delta):
    """Return sqrt(log(2 / delta) / 2n), at most 1: two shares are never further apart."""
    return min(sqrt(log(2 / delta) / (2 * n)), 1.0) if n else 1.0


def paper(counts, cost_fn, cost_fp, delta):
    """Return the appendix's three terms with log(6 / delta), the observed prevalence as weight."""
    tp, fn, fp, tn = counts
    n, ill, well = sum(counts), tp + fn, fp + tn
    term = sqrt(log(6 / delta) / 2)
    return term * ((cost_fn * sqrt(ill) + cost_fp * sqrt(well)) / n + (cost_fn + cost_fp) / sqrt(n))


def dkw(counts, cost_fn, cost_fp, delta):
    """Return (cost_fn + cost_fp) sqrt(log(2 / delta) / 2n)."""
    return (cost_fn + cost_fp) * sqrt(log(2 / delta) / (2 * sum(counts)))


def hoeffding(counts, cost_fn, cost_fp, delta):
    """Return max(cost) sqrt(log(1 / delta) / 2n)."""
    return max(cost_fn, cost_fp) * sqrt(log(1 / delta) / (2 * sum(counts)))


def clopper_pearson(counts, cost_fn, cost_fp, delta):
    """Return cost times the exact limit of the error rate, minus the observed risk."""
    _, fn, fp, _ = counts
    limit = upper_limit(fn + fp, sum(counts), delta)
    return cost_fn * limit - float(risk(counts, cost_fn, cost_fp))


def rate_shown(right, n, asked, level, choices=0):
    """Return whether a rate is shown to be at least ``asked``: by its tail, with each score."""
    return sum(binom.pmf(k, n, asked) for k in range(right, n + 1)) <= level / max(choices, 1)


def patients_to_show(rate, asked, level, choices, after, most):
    """Return the first number above ``after`` that shows a rate in four studies of five."""
    for n in range(after + 1, most + 1):
        chances = [float(binom.pmf(k, n, rate)) for k in range(n + 1)]
        if sum(chances[k] for k in range(n + 1) if rate_shown(k, n, asked, level, choices)) >= 0.8:
            return n
    return None


def entropy(p, q):
    """Return p log(p / q) + (1 - p) log((1 - p) / (1 - q))."""
    first = p * log(p / q) if p > 0 else 0.0
    second = (1 - p) * log((1 - p) / (1 - q)) if p < 1 else 0.0
    return first + second


def tail_bound(mean, n, level):
    """Return the smaller of two bounds on Pr(observed mean <= ``mean``) at a true mean ``level``.

    exp(-n entropy(min(mean, level), level)), and e Pr(Binomial(n, level) <= ceil(n mean)).
    """
    total = n * mean
    whole = round(total) if abs(total - round(total)) < 1e-9 * max(1, total) else -int(-total // 1)
    if mean >= level:
        return 1.0
    return min(exp(-n * entropy(mean, level)), exp(1) * float(binom.cdf(whole, n, level)), 1.0)


def largest(holds, low, high):
    """Return where ``holds`` turns from true to false between two numbers, by halving."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high


def mean_limit(mean, n, delta):
    """Return the largest mean at which the observed one is still delta-likely."""
    if mean >= 1:
        return 1.0
    return largest(lambda level: tail_bound(mean, n, level) > delta, mean, 1 - 1e-15)


def bentkus(counts, cost_fn, cost_fp, delta):
    """Return the limit of the mean loss in parts of the dearer cost, minus the observed one."""
    dearer = max(cost_fn, cost_fp)
    mean = float(risk(counts, cost_fn, cost_fp)) / dearer
    return dearer * (mean_limit(mean, sum(counts), delta) - mean)


def rank_function(cost_fn, cost_fp, delta):
    """Return the approximate upper limit of a cost by which outcomes are ranked.

    cost_fn k1 + cost_fp k0 + z sqrt(cost_fn² k1 + cost_fp² k0 + c), c = (cost_fn² + cost_fp²) / 10,
    with z the normal quantile of 1 - delta.
    """
    z = float(norm.isf(delta))
    constant = (cost_fn**2 + cost_fp**2) / 10

    def rank(misses, alarms):
        spread = sqrt(cost_fn**2 * misses + cost_fp**2 * alarms + constant)
        return cost_fn * misses + cost_fp * alarms + z * spread

    return rank


def outcomes_below(misses, alarms, n, rank):
    """Return all outcomes that rank no higher than the observed one."""
    seen = rank(misses, alarms)
    tie = 1e-9 * abs(seen)
    return [(k, m) for k in range(n + 1) for m in range(n + 1 - k) if rank(k, m) <= seen + tie]


def probability(outcomes, n, a, b):
    """Return Pr of the outcomes: k misses, m alarms and the rest right, multinomial."""
    right = max(1 - a - b, 0.0)
    return sum(
        comb(n, k) * comb(n - k, m) * a**k * b**m * right ** (n - k - m) for k, m in outcomes
    )


def compression(counts, cost_fn, cost_fp, delta):
    """Return the exact limit of the errors among n - 1 patients at delta / (n + 2); equal costs."""
    _, fn, fp, _ = counts
    n = sum(counts)
    limit = upper_limit(fn + fp, n - 1, delta / (n + 2)) if n > 1 else 1.0
    return cost_fn * limit - float(risk(counts, cost_fn, cost_fp))


def at_worse_end(miss, alarm, cost_fn, cost_fp, target):
    return max(cost_fn * p * miss + cost_fp * (1 - p) * alarm for p in target)


def class_wise(counts, cost_fn, cost_fp, target, delta):
    """Return cost_fn P U1 + cost_fp (1 - P) U0 at the worse end, minus the risk there.

    U1, U0 are Clopper-Pearson limits of the miss rate and the alarm rate at delta / 2.
    """
    tp, fn, fp, tn = counts
    miss, alarm = upper_limit(fn, tp + fn, delta / 2), upper_limit(fp, fp + tn, delta / 2)
    limit = at_worse_end(miss, alarm, cost_fn, cost_fp, target)
    return limit - float(risk(counts, cost_fn, cost_fp, target))


def class_wise_dkw(counts, cost_fn, cost_fp, target, delta):
    """Return the same with the rates plus sqrt(log(2 / delta) / 2 n_class)."""
    tp, fn, fp, tn = counts
    miss = fn / (tp + fn) + dkw_one_sided(tp + fn, delta / 2) if tp + fn else 1.0
    alarm = fp / (fp + tn) + dkw_one_sided(fp + tn, delta / 2) if fp + tn else 1.0
    limit = at_worse_end(miss, alarm, cost_fn, cost_fp, target)
    return limit - float(risk(counts, cost_fn, cost_fp, target))


def buehler(misses, alarms, n, cost_fn, cost_fp, delta):
    """Return the largest risk on a lattice under which the outcome, or less, is delta-likely.

    sup { cost_fn a + cost_fp b : Pr(an outcome that ranks no higher) > delta }: at every share w of
    the risk R that misses carry, a = w R / cost_fn and b = (1 - w) R / cost_fp, by halving R. A
    lattice of shares, and a finer one around the best of them.
    """
    below = outcomes_below(misses, alarms, n, rank_function(cost_fn, cost_fp, delta))
    best, share = 0.0, 0.5
    for step in (0.5 / 40, 0.05 / 40, 0.005 / 40):
        middle = share
        for i in range(-40, 41):
            w = middle + i * step
            if not 0 <= w <= 1:
                continue
            top = 1 / (w / cost_fn + (1 - w) / cost_fp)  # where a + b = 1

            def likely(risk, w=w):
                return probability(below, n, w * risk / cost_fn, (1 - w) * risk / cost_fp) > delta

            if best < top and likely(best):
                best, share = (top if likely(top) else halve(likely, best, top)), w
    return best


def halve(holds, low, high):
    """Return the largest number found at which ``holds``, true at low and false at high."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def capital(losses, shares, mean):
    """Return Π (1 + λ (m - loss)), the shares kept below 3/4 of what could ruin: 0.75 / (1 - m)."""
    product = 1.0
    for loss, share in zip(losses, shares, strict=True):
        product *= 1 + min(share, 0.75 / (1 - mean)) * (mean - loss)
    return product


def predictable_shares(losses, delta):
    """Return sqrt(2 log(1/δ) / (n σ²)) with σ² from the losses before, 1/4 before the first.

    After t losses the mean is (1/2 + Σ loss) / (t + 1) and σ² is
    (1/4 + Σ (loss - mean then)²) / (t + 1).
    """
    n, total, square, shares = len(losses), 0.5, 0.25, []
    for t, loss in enumerate(losses):
        shares.append(sqrt(2 * log(1 / delta) / (n * square / (t + 1))))
        total += loss
        square += (loss - total / (t + 2)) ** 2
    return shares


def betting_limit(orders, shares, delta):
    """Return the smallest mean at which the mean capital over all orders reaches 1 / delta."""

    def poor(mean):
        found = [capital(o, s, mean) for o, s in zip(orders, shares, strict=True)]
        return sum(found) / len(found) < 1 / delta

    if poor(1 - 1e-9):
        return 1.0
    return halve(poor, sum(orders[0]) / len(orders[0]), 1 - 1e-9)

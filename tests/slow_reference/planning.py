"""How many patients a certificate needs: every number of patients tried, one after the other."""

from functools import cache
from math import ceil, comb, floor

from tests.slow_reference import bounds

BOUNDS = {
    "clopper-pearson": bounds.clopper_pearson,
    "bentkus": bounds.bentkus,
    "hoeffding": bounds.hoeffding,
    "dkw": bounds.dkw,
    "paper": bounds.paper,
}


def errors_among(n, risk):
    """Return how many errors a risk means among n patients, rounded up; 0.1 of 30 is 3."""
    exact = risk * n
    return round(exact) if abs(exact - round(exact)) < 1e-9 else ceil(exact)


def certified(bound, n, risk, delta):
    """Return what n patients with that risk certify at equal costs of 1.

    Half of the errors are misses, half of the patients ill: of the bounds only `paper` looks.
    """
    errors = errors_among(n, risk)
    misses = ceil(errors / 2)
    ill = max(misses, floor(n / 2))
    counts = (ill - misses, misses, errors - misses, n - ill - errors + misses)
    return errors / n + BOUNDS[bound](counts, 1.0, 1.0, delta)


def last_too_few(bound, risk, width, delta, most):
    """Return the largest number of patients, up to ``most``, that certify more than R + W; or 0."""
    few = [n for n in range(1, most + 1) if certified(bound, n, risk, delta) > risk + width + 1e-12]
    return max(few, default=0)


def binomial(n, rate):
    """Return the probability of each number of n patients."""
    return [comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]


@cache
def power_of(bound, n, risk, target, delta):
    """Return the probability that n patients certify the target at equal costs of 1."""
    chances = binomial(n, risk)
    limits = [k / n + BOUNDS[bound]((n - k, 0, k, 0), 1.0, 1.0, delta) for k in range(n + 1)]
    return sum(chance for chance, limit in zip(chances, limits, strict=True) if limit <= target)


def power_of_costs(n, rates, rank, value, limit):
    """Return the probability that the certificate of (misses, alarms) is at most a limit.

    The certificate increases with the rank.
    """
    miss, alarm = rates
    ranked = sorted((rank(i, j), i, j) for i in range(n + 1) for j in range(n - i + 1))
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if value(*ranked[middle][1:]) <= limit else (low, middle)
    return sum(
        comb(n, i) * comb(n - i, j) * miss**i * alarm**j * max(1 - miss - alarm, 0.0) ** (n - i - j)
        for _, i, j in ranked[:low]
    )

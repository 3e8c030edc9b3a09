"""How many patients a certificate needs: every number of patients tried, one after the other."""

from math import ceil, floor

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

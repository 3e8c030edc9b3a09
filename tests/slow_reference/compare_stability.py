"""Radius, flips, modulus and bands; from draws that both are given."""

import random
from fractions import Fraction

import numpy as np

from steadycut.core.bootstrap.draws import Disagreement, bootstrap_radius
from steadycut.core.bounds.modulus import dkw_band, modulus
from steadycut.core.bounds.multiscale import mass_limits, multiscale_band, window_level
from steadycut.core.diagnose import flip_probability, flip_rate
from steadycut.core.intervals.paired import paired_difference
from tests.slow_reference import stability, stable
from tests.slow_reference.compare_cuts import costs_of, patients_of
from tests.slow_reference.differences import all_differ, differ


def draws_for(cohort):
    """Return a threshold and some draws, all of them scores of the cohort."""
    rng = random.Random(cohort.seed)  # noqa: S311
    draws = [rng.choice(cohort.scores) for _ in range(rng.choice([1, 5, 20, 33]))]
    return rng.choice(cohort.scores), draws


def radius(cohort):
    threshold, draws = draws_for(cohort)
    size = 1e-12 * max(map(abs, cohort.scores))
    for centering in ("none", "bias"):
        found = bootstrap_radius(threshold, np.array(draws), cohort.delta, centering)
        wanted = stability.radius(threshold, draws, cohort.delta, centering)
        got = found.bias, found.quantile, found.radius
        yield from all_differ(f"radius {centering}", got, wanted, 1e-12, max(size, 2e-323))
        parts = abs(Fraction(found.bias)) + Fraction(found.quantile)
        yield from differ("rounded up", Fraction(found.radius) >= parts, 1)


def flips(cohort):
    threshold, draws = draws_for(cohort)
    wanted = [stability.flip_probability(score, threshold, draws) for score in cohort.scores]
    scores = np.array(cohort.scores), threshold, np.array(draws)
    yield from all_differ("flip", flip_probability(*scores), wanted, 1e-12)
    yield from differ("flip rate", flip_rate(*scores), sum(wanted) / len(wanted), 1e-12)


def disagreements(cohort):
    _, draws = draws_for(cohort)
    draws += [-draws[0], draws[-1]]
    found = Disagreement.of(np.array(cohort.scores), np.array(draws))
    wanted = stability.disagreement(cohort.scores, draws)
    yield from all_differ("disagreement", (found.mean, *found.middle), wanted, 1e-12)


def widths_of(cohort):
    threshold, draws = draws_for(cohort)
    smallest = 5e-324
    return 0.0, smallest, float(stability.radius(threshold, draws, cohort.delta)[2]), 0.3


def windows(cohort):
    own = cohort.scores, cohort.labels
    costs = cohort.cost_fn, cohort.cost_fp, cohort.target
    for epsilon in widths_of(cohort):
        for form, width in (("pairwise", epsilon), ("oscillation", 2 * epsilon)):
            found = modulus(patients_of(cohort), epsilon, costs_of(cohort), form)
            yield from differ(
                f"modulus {form}", found, stability.modulus(*own, width, *costs), 1e-9
            )


def bands(cohort):
    n, patients, plain = len(cohort.scores), patients_of(cohort), costs_of(cohort, None)
    costs = cohort.cost_fn, cohort.cost_fp
    for epsilon in widths_of(cohort)[1:]:
        found = multiscale_band(patients, epsilon, plain, cohort.delta)
        wanted = stability.multiscale_band(
            cohort.scores,
            cohort.labels,
            epsilon,
            *costs,
            lambda parts: window_level(n, cohort.delta / parts),
        )
        yield from differ("multiscale band", found, wanted, 1e-7)
        raw = float(stability.modulus(cohort.scores, cohort.labels, epsilon, *costs))
        ill = sum(cohort.labels)
        width = stability.dkw_band_width(ill, n - ill, *costs, cohort.delta)
        yield from differ(
            "dkw band", dkw_band(patients, epsilon, plain, cohort.delta), raw + width, 1e-9
        )
    level = window_level(n, cohort.delta)
    wanted = [stability.mass_limit(count, n, level) for count in range(n + 1)]
    yield from all_differ(
        "mass limit", mass_limits(np.arange(n + 1), n, cohort.delta), wanted, 1e-7
    )
    yield from differ("level is not below Bonferroni's", level >= bonferroni(n, cohort.delta), 1)


def bonferroni(n, delta):
    """Return delta over the number of windows of 1 to n spacings of n points: n + 2 - m of m."""
    return delta / sum(n + 2 - m for m in range(1, n + 1)) * (1 - 1e-12)


def two_cuts(cohort):
    """The difference of two risks and its paired standard error."""
    one, other = draws_for(cohort)[0], cohort.scores[0]
    own = cohort.scores, cohort.labels
    costs = cohort.cost_fn, cohort.cost_fp
    losses = [stable.losses_at(*own, cut, *costs) for cut in (one, other)]
    labels = np.array(cohort.labels, dtype=np.int8)
    wrong = [(np.array(cohort.scores) >= cut) != (labels == 1) for cut in (one, other)]
    found = paired_difference(labels, *wrong, costs_of(cohort, None))
    yield from all_differ("paired", found, stable.excess(*losses), 1e-9, 1e-12 * max(costs))

"""Risk strata: all boundaries by brute force, joint radius and modulus."""

import random
from fractions import Fraction

import numpy as np

from steadycut import PatientScores
from steadycut.core.bootstrap.draws import joint_radius
from steadycut.core.bounds.modulus import windows_of
from steadycut.core.confusion import count_decisions
from steadycut.core.strata.certify import certify_boundaries
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import stratum_flips, stratum_of
from steadycut.core.strata.modulus import joint_modulus
from steadycut.core.strata.rules import joint_minimum, smallest_risk
from steadycut.core.strata.rules import stable_boundaries as chosen_boundaries
from tests.slow_reference import bounds, stable, strata
from tests.slow_reference.differences import all_differ, differ

MATRICES = (
    [[0, 1, 2], [1, 0, 1], [2, 1, 0]],
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
    [[0, 0.25, 1], [4, 1, 0]],
    [[0, 1], [3, 0]],
    [[0, 1, 3], [2, 0, 1], [5, 2, 0]],
    [[0, 1, 2, 3], [2, 1, 1, 2], [3, 2, 1, 0]],
)


def graded(cohort, most=18):
    """Return some of the patients with a grade each, and a matrix of costs."""
    rng = random.Random(cohort.seed)  # noqa: S311
    costs = rng.choice(MATRICES)
    scores = cohort.scores[:most]
    return scores, [rng.randrange(len(costs)) for _ in scores], costs


def boundaries(cohort):
    scores, grades, costs = graded(cohort)
    own = PatientScores(scores=scores), np.array(grades), len(costs), "exact"
    _, cells = grade_cells(*own)
    matrix = CostMatrix(costs)
    curves = boundary_curves(cells[None], matrix)
    ranks, smallest = strata.joint_minimum(scores, grades, costs)
    yield from differ("smallest mean cost", smallest_risk(curves)[0], smallest, 1e-12, 1e-15)
    yield from all_differ("boundaries", joint_minimum(curves, matrix)[0], ranks)


def stable_boundaries(cohort):
    """Every boundary alone, where they do not cross."""
    scores, grades, costs = graded(cohort)
    _, cells = grade_cells(PatientScores(scores=scores), np.array(grades), len(costs), "exact")
    matrix = CostMatrix(costs)
    wanted = []
    for k in range(matrix.n_boundaries):
        step = [Fraction(row[k]) - Fraction(row[k + 1]) for row in costs]
        steps = [step[grade] for grade in grades]
        if not any(steps):
            return
        rank, mean = stable.chosen_rank(scores, steps, step)
        if stable.is_tie(scores, mean):
            return
        wanted.append(rank)
    if sorted(wanted) == wanted:
        found = chosen_boundaries(boundary_curves(cells[None], matrix), matrix)[0]
        yield from all_differ("stable boundaries", found, wanted)


def places_for(cohort, number):
    rng = random.Random(cohort.seed)  # noqa: S311
    return [sorted(rng.choice(cohort.scores) for _ in range(number)) for _ in range(9)]


def joint_stability(cohort):
    scores, grades, costs = graded(cohort, most=60)
    first, *draws = places_for(cohort, len(costs[0]) - 1)
    found = joint_radius(np.array(first), np.array(draws), cohort.delta)
    bias, quantile, radius = strata.joint_radius(first, draws, cohort.delta)
    size = max(1e-12 * max(map(abs, scores)), 2e-323)
    yield from all_differ("bias", found.bias, bias, 1e-12, size)
    yield from differ("quantile", found.quantile, quantile, 1e-12, size)
    yield from all_differ("radius", found.radius, radius, 1e-12, size)
    windows = windows_of(np.array(scores), np.array(grades), len(costs))
    got = joint_modulus(windows, found.radius, CostMatrix(costs))
    wanted = strata.joint_modulus(scores, grades, costs, found.radius.tolist())
    yield from differ("joint modulus", got, wanted, 1e-9)
    array = np.array(scores)
    places = [strata.stratum_of(score, first) for score in scores]
    yield from all_differ("stratum", stratum_of(array, np.array(first)), places)
    flips = [
        Fraction(sum(strata.stratum_of(s, d) != place for d in draws), len(draws))
        for s, place in zip(scores, places, strict=True)
    ]
    got = stratum_flips(array, np.array(first), np.array(draws))
    yield from all_differ("stratum flips", got, flips, 1e-12)


def boundary_limits(cohort):
    """At every boundary the errors of those to whom it matters, and their exact limits."""
    scores, grades, costs = graded(cohort, most=60)
    first, *_ = places_for(cohort, len(costs[0]) - 1)
    own = [strata.stratum_of(score, first) for score in scores]
    counts = count_decisions(np.array(grades), np.array(own), np.shape(costs))
    found = certify_boundaries(counts, CostMatrix(costs), cohort.delta)
    share = cohort.delta / (2 * len(found))
    for k, one in enumerate(found):
        for limit, sign in ((one.miss, 1), (one.alarm, -1)):
            step = [sign * (row[k] - row[k + 1]) for row in costs]
            at = [s for s, g in zip(own, grades, strict=True) if step[g] > 0]
            errors = sum((s <= k) == (sign == 1) for s in at)
            yield from all_differ("errors", [limit.errors, limit.n_patients], [errors, len(at)])
            wanted = bounds.upper_limit(errors, len(at), share)
            yield from differ("limit", limit.limit, wanted, 1e-9)

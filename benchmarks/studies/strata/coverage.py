"""How often the certificates of risk strata hold, and how wide they are.

Half of n patients choose the boundaries (joint minimum on the exact cuts), the others certify them
at delta = 0.10. ``cost``: share of studies whose certified mean cost is not below the true one;
``limits``: share in which all limits of all boundaries hold at once. Both must be 90 % or more.
Then the mean of the true cost, of the certified one by each bound, and the mean limits.

Run: python benchmarks/studies/strata/coverage.py [--studies 300] [--seed 2026]
"""

import argparse

import numpy as np
from populations import GREY, NARROW, SQUARE, ZERO_ONE, normal

from steadycut.core.records import PatientScores
from steadycut.core.strata.certify import (
    LOSS_BOUNDS,
    certify_boundaries,
    certify_cost,
    choose_loss_bound,
)
from steadycut.core.strata.cuts import grade_cells
from steadycut.core.strata.draws import draw_strata, stratum_of
from steadycut.core.strata.rules import joint_minimum

DELTA = 0.10
THREE, TWO = normal((0.6, 0.3, 0.1), 1.5), normal((0.8, 0.2), 1.5)
SETTINGS = (
    ("three grades", THREE, SQUARE),
    ("any error costs 1", THREE, ZERO_ONE),
    ("two grades, grey", TWO, GREY),
    ("two grades, narrow grey", TWO, NARROW),
)
BOUNDS = tuple(name for name in LOSS_BOUNDS if name != "clopper-pearson")


def boundaries_of(scores, grades, costs):
    """The joint minimum on the exact cuts."""
    cuts, cells = grade_cells(PatientScores(scores=scores), grades, costs.n_grades, "exact")
    rng = np.random.default_rng(0)
    return draw_strata(cuts, cells, joint_minimum, costs, 1, rng).thresholds


def true_rates(strata, grades, costs):
    """Miss and alarm rate of every boundary in the population."""
    rates = []
    for k, step in enumerate(costs.steps[grades].T):
        rates += [np.mean(strata[step > 0] <= k), np.mean(strata[step < 0] > k)]
    return rates


def one_study(draw, costs, n, population, rng):
    """What was certified, and what is true."""
    scores, grades = draw(n, rng)
    half = n // 2
    thresholds = boundaries_of(scores[:half], grades[:half], costs)
    there = stratum_of(population[0], thresholds)
    cost = costs.of_patients(population[1], there).mean()
    strata, levels = stratum_of(scores[half:], thresholds), grades[half:]
    certified = {
        name: certify_cost(strata, levels, costs, DELTA, name).value
        for name in {choose_loss_bound("auto", costs), *BOUNDS}
    }
    auto = certified[choose_loss_bound("auto", costs)]
    found = certify_boundaries(strata, levels, costs, DELTA)
    limits = [limit for one in found for limit in (one.miss.limit, one.alarm.limit)]
    held = all(np.array(true_rates(there, population[1], costs)) <= np.array(limits))
    return [cost <= auto, held, cost, auto, *(certified[name] for name in BOUNDS), np.mean(limits)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()
    names = ("cost", "limits", "true", "auto", *BOUNDS, "mean limit")
    print(f"{'population':<26}{'n':>5}" + "".join(f"{name:>11}" for name in names))
    for name, draw, costs in SETTINGS:
        population = draw(20_000, np.random.default_rng(arguments.seed))
        for n in (100, 300):
            rng = np.random.default_rng([arguments.seed, n])
            rows = [one_study(draw, costs, n, population, rng) for _ in range(arguments.studies)]
            mean = np.mean(rows, axis=0)
            shares = "".join(f"{share:>11.1%}" for share in mean[:2])
            print(f"{name:<26}{n:>5}{shares}" + "".join(f"{value:>11.3f}" for value in mean[2:]))


if __name__ == "__main__":
    main()

"""How often the certificates of risk strata hold, and how wide they are.

Half of n patients choose the boundaries (joint minimum on the exact cuts), the others certify them
at delta = 0.10. ``cost``: share of studies whose certified mean cost is not below the true one;
``limits``: share in which all limits of all boundaries hold at once. Both must be 90 % or more.
The others are means: the true cost, the cost certified by each bound, and the limits.

Run: python benchmarks/studies/strata/coverage.py [--replicates 1000]
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.pieces import OneByOne, means_of, options, store
from benchmarks.studies.strata.populations import GREY, NARROW, SQUARE, ZERO_ONE, normal
from steadycut.core.confusion import count_decisions
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
SETTINGS = {
    "three grades": (THREE, SQUARE),
    "any error costs 1": (THREE, ZERO_ONE),
    "two grades, grey": (TWO, GREY),
    "two grades, narrow grey": (TWO, NARROW),
}
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


@cache
def everybody(name):
    """Return many patients of the population, who stand for all."""
    return SETTINGS[name][0](20_000, np.random.default_rng(2026))


def one_study(name, n, rng):
    """Return what was certified, and what is true."""
    (draw, costs), (scores_there, grades_there) = SETTINGS[name], everybody(name)
    scores, grades = draw(n, rng)
    half = n // 2
    thresholds = boundaries_of(scores[:half], grades[:half], costs)
    there = stratum_of(scores_there, thresholds)
    cost = costs.of_patients(grades_there, there).mean()
    strata, levels = stratum_of(scores[half:], thresholds), grades[half:]
    auto = choose_loss_bound("auto", costs)
    certified = {
        one: certify_cost(strata, levels, costs, DELTA, one).value for one in {auto, *BOUNDS}
    }
    counts = count_decisions(levels, strata, costs.values.shape)
    found = certify_boundaries(counts, costs, DELTA)
    limits = [limit for one in found for limit in (one.miss.limit, one.alarm.limit)]
    return {
        "cost_held": cost <= certified[auto],
        "limits_held": np.all(np.array(true_rates(there, grades_there, costs)) <= limits),
        "true": cost,
        "auto": certified[auto],
        **{one: certified[one] for one in BOUNDS},
        "mean_limit": np.mean(limits),
    }


def main():
    asked = options("strata_coverage", __doc__, 1000, 2026)
    settings = {f"{name}, {n}": (name, n) for name in SETTINGS for n in (100, 300)}
    means = means_of(settings, OneByOne(one_study), asked)
    rows = [
        {"population": name, "patients": n} | means[f"{name}, {n}"] for name, n in settings.values()
    ]
    store(asked, {"delta": DELTA, "rows": rows})


if __name__ == "__main__":
    main()

"""How often the multi-modality warning speaks, with one basin and with two.

Run: python benchmarks/studies/basins.py
"""

import numpy as np

from steadycut import PatientScores
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.diagnose import SECOND_BASIN, basin_share
from steadycut.core.records import Costs
from steadycut.core.rules.registry import ERM

REPLICATES = 200


def one_basin(n, rng):
    labels = rng.random(n) < 0.4
    return rng.normal(size=n) + 1.5 * labels, labels


def one_weak_basin(n, rng):
    labels = rng.random(n) < 0.4
    return rng.normal(size=n) + 0.7 * labels, labels


def two_basins(n, rng):
    labels = rng.random(n) < 0.5
    centre = np.where(rng.random(n) < 0.5, -4, 4)
    return centre + np.where(labels, 1, -1) + 0.7 * rng.normal(size=n), labels


def share_warned(population, n):
    warned = 0
    for seed in range(REPLICATES):
        rng = np.random.default_rng(seed)
        scores, labels = population(n, rng)
        cuts = even_cuts(PatientScores(scores=scores, labels=labels.astype(int)))
        draws = draw_thresholds(cuts, ERM, Costs(), 100, rng)
        warned += basin_share(cuts, draws, Costs()) >= SECOND_BASIN
    return warned / REPLICATES


def main():
    sizes = (50, 150, 500, 2000)
    print("population      " + "".join(f"{f'n = {n}':>10}" for n in sizes))
    for population in (one_basin, one_weak_basin, two_basins):
        shares = "".join(f"{share_warned(population, n):>10.3f}" for n in sizes)
        print(f"{population.__name__:<16}{shares}")


if __name__ == "__main__":
    main()

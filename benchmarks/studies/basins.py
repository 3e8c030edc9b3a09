"""How often the multi-modality warning speaks, with one basin and with two.

Run: python benchmarks/studies/basins.py [--replicates 1000]
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut import PatientScores
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.diagnose import SECOND_BASIN, basin_share
from steadycut.core.records import Costs
from steadycut.core.rules.registry import ERM

SIZES = (50, 150, 500, 2000)


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


POPULATIONS = {
    "one basin": one_basin,
    "one weak basin": one_weak_basin,
    "two equal basins": two_basins,
}


def one_study(population, n, rng):
    """Return whether the study warns."""
    scores, labels = population(n, rng)
    cuts = even_cuts(PatientScores(scores=scores, labels=labels.astype(int)))
    draws = draw_thresholds(cuts, ERM, Costs(), 100, rng)
    return {"warned": basin_share(cuts, draws, Costs()) >= SECOND_BASIN}


def main():
    asked = options("basins", __doc__, 1000, 0)
    settings = {f"{name}, {n}": (POPULATIONS[name], n) for name in POPULATIONS for n in SIZES}
    means = means_of(settings, OneByOne(one_study), asked)
    rows = [
        {"population": name} | {f"n_{n}": means[f"{name}, {n}"]["warned"] for n in SIZES}
        for name in POPULATIONS
    ]
    store(asked, {"rows": rows})


if __name__ == "__main__":
    main()

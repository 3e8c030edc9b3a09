"""Does the split stay honest where the order of the patients tells their class?

Patients stand in the order of their class (all controls, then all cases) and the same seed deals
the roles in every study. `erm` chooses on one half, `auto` certifies on the other. With identifiers
these are part of the entropy; shuffled patients need none. The trap: positions from the seed alone,
which fixes the classes of both halves by their total. Printed: how often the certificate held, and
for the trap the worst of several seeds.

Run: python benchmarks/studies/split_order.py [--replicates 2000]
"""

import argparse

import numpy as np
from scipy.stats import norm

from steadycut import PatientScores
from steadycut.core.split import split_patients
from steadycut.study.fit import run_study
from steadycut.study.options import study_options

DELTA = 0.2
SIZES = (40, 92, 188, 400)
SEEDS = 4
OPTIONS = study_options(rule="erm", n_bootstrap=2, delta=DELTA, grid="exact")


def cohort(n, rng, distance):
    labels = np.sort(rng.random(n) < 0.5).astype(int)
    names = [f"{'ab'[label]}{place:04d}" for place, label in enumerate(labels)]
    scores = rng.normal(size=n) + distance * labels
    return PatientScores(scores=scores, labels=labels, patients=names)


def held(patients, distance, roles=None):
    study = run_study([patients], OPTIONS, roles=roles)
    risk = 0.5 * norm.cdf(study.threshold - distance) + 0.5 * norm.sf(study.threshold)
    return study.certificate.value >= risk


def row(n, distance, replicates):
    rng = np.random.default_rng([n, int(10 * distance)])
    fixed = [split_patients(n, 0.5, np.random.default_rng(seed)) for seed in range(SEEDS)]
    named, shuffled, trapped = 0, 0, np.zeros(SEEDS)
    for replicate in range(replicates):
        patients = cohort(n, rng, distance)
        order = rng.permutation(n)
        bare = PatientScores(scores=patients.scores[order], labels=patients.labels[order])
        named += held(patients, distance)
        shuffled += held(bare, distance)
        seed = replicate % SEEDS
        trapped[seed] += held(patients, distance, fixed[seed])
    return named / replicates, shuffled / replicates, trapped.min() * SEEDS / replicates


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    replicates = parser.parse_args().replicates
    print(f"Certificates that held, of {1 - DELTA:g} promised ({replicates} studies a cell)\n")
    print(
        "| patients | distance of the classes | identifiers | none, shuffled | TRAP: none, sorted |"
    )
    print("|---|---|---|---|---|")
    for n in SIZES:
        for distance in (0.0, 1.5):
            found = " | ".join(f"{share:.3f}" for share in row(n, distance, replicates))
            print(f"| {n} | {distance:g} | {found} |", flush=True)


if __name__ == "__main__":
    main()

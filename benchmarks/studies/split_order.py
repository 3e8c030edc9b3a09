"""Does the split stay honest where the order of the patients tells their class?

Patients stand in the order of their class (all controls, then all cases) and the same seed deals
the roles in every study. `erm` chooses on one half, `auto` certifies on the other. With identifiers
these are part of the entropy; shuffled patients need none. The trap: positions from the seed alone,
which fixes the classes of both halves by their total. Stored: how often the certificate held, and
for the trap the worst of several seeds.

Run: python benchmarks/studies/split_order.py [--replicates 1000]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.pieces import OneByOne, means_of, options, store
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


def one_study(n, distance, rng):
    """Return whether the certificate held, for each way to deal the roles."""
    patients, order, seed = cohort(n, rng, distance), rng.permutation(n), int(rng.integers(SEEDS))
    bare = PatientScores(scores=patients.scores[order], labels=patients.labels[order])
    fixed = split_patients(n, 0.5, np.random.default_rng(seed))
    return {
        "identifiers": held(patients, distance),
        "shuffled": held(bare, distance),
        f"trap {seed}": held(patients, distance, fixed),
    }


def main():
    asked = options("split_order", __doc__, 1000, 2026)
    settings = {f"{n}, {distance}": (n, distance) for n in SIZES for distance in (0.0, 1.5)}
    rows = []
    for key, found in means_of(settings, OneByOne(one_study), asked).items():
        n, distance = settings[key]
        trap = min(one.mean for name, one in found.items() if name.startswith("trap"))
        both = {name: found[name] for name in ("identifiers", "shuffled")}
        rows.append({"patients": n, "distance": distance, **both, "trap": trap})
    store(asked, {"delta": DELTA, "seeds": SEEDS, "rows": rows})


if __name__ == "__main__":
    main()

"""Does the split stay honest for every size and seed where identifiers tell the class?

Identifiers are ``a0000``, ``a0001``, ... for the healthy and ``b...`` for the ill, so they tell
nothing but the number of ill patients. `erm` chooses on one half of the patients, the exact bound
certifies on the other, at delta 0.2. Every cell is one size and one seed, the same in all studies.
The score says nothing, which is the worst case. ``names``: random numbers from seed and
identifiers. ``now``: as `steadycut.study.roles` deals them. Printed is the share that held.

Run as ``python benchmarks/studies/split_every_seed.py [--replicates N]``; it writes
``benchmarks/results/split_every_seed.json``.
"""

import argparse
import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import beta

from steadycut import PatientScores
from steadycut.core.records import SEPARATOR
from steadycut.core.split import split_patients
from steadycut.study.options import study_options
from steadycut.study.roles import deal_roles

RESULT = Path(__file__).parents[1] / "results" / "split_every_seed.json"
DELTA, SIZES, SEEDS = 0.2, (100, 188, 300, 400), range(8)


@cache
def names_of(n, ill):
    return [f"{'ab'[place >= n - ill]}{place:04d}" for place in range(n)]


@cache
def by_names(n, ill, seed):
    digest = hashlib.sha256(SEPARATOR.join(names_of(n, ill)).encode()).digest()
    (child,) = np.random.SeedSequence([seed, *digest]).spawn(1)
    return split_patients(n, 0.5, np.random.default_rng(child))


def held(scores, labels, roles):
    """Return whether the exact limit of errors reaches the true risk, which is one half."""
    order = np.argsort(scores[roles.select])
    ill = labels[roles.select][order]
    errors = np.concatenate([[0], np.cumsum(2 * ill - 1)]) + np.count_nonzero(ill == 0)
    place = int(errors.argmin())
    below = -np.inf if place == 0 else scores[roles.select][order[place - 1]]
    called = scores[roles.certify] > below
    wrong, n = np.count_nonzero(called != labels[roles.certify]), roles.certify.size
    return wrong == n or beta.ppf(1 - DELTA, wrong + 1, n - wrong) >= 1 / 2


def cell(n, seed, replicates):
    rng, options = np.random.default_rng([n, seed]), study_options(seed=seed)
    found = np.zeros(2)
    for _ in range(replicates):
        ill = int(rng.binomial(n, 0.5))
        labels, scores = (np.arange(n) >= n - ill).astype(np.int8), rng.normal(size=n)
        patients = PatientScores(scores=scores, labels=labels, patients=names_of(n, ill))
        deals = by_names(n, ill, seed), deal_roles(patients, options)
        found += [held(scores, labels, roles) for roles in deals]
    return dict(zip(("names", "now"), (found / replicates).tolist(), strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    replicates = parser.parse_args().replicates
    rows = []
    for n in SIZES:
        for seed in SEEDS:
            rows.append({"patients": n, "seed": seed, **cell(n, seed, replicates)})
            print(json.dumps(rows[-1]), flush=True)
    result = {"delta": DELTA, "replicates": replicates, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

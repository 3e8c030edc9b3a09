"""How often the shape test rejects where few patients are ill at P and most are at Q.

Only the prevalence differs, so the test should reject in at most delta = 0.1 of the studies.
Printed: how often the classes are shown to differ at P (``identifiable``), how often the test
rejects if it is always run (``always``), and if it is run only where they differ (``now``).

Run as ``python benchmarks/studies/shape_few_ill.py [--replicates N]``; it writes
``benchmarks/results/shape_few_ill.json``. The seed is fixed.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from steadycut.core.shift.label_shift import classes_differ, rank_bins, shape_test

RESULT = Path(__file__).parents[1] / "results" / "shape_few_ill.json"
DELTA, N_BOOTSTRAP, ILL_AT_Q, DISTANCES = 0.1, 199, 0.9, (0.5, 1.5, 3.0)
SETTINGS = [(n, ill) for n in (50, 100, 200) for ill in (0.03, 0.05, 0.2)]


def one(n, ill, distance, rng):
    """Return whether the classes are shown to differ, and whether the test rejects."""
    n_ill = max(rng.binomial(n, ill), 1)
    labels = np.arange(n) < n_ill
    bins = rank_bins(rng.normal(size=n) + distance * labels, labels.astype(int))
    there = rng.normal(size=200) + distance * (rng.random(200) < ILL_AT_Q)
    test = shape_test(bins, bins.count(there), rng, N_BOOTSTRAP)
    return classes_differ(bins, DELTA, rng, 199), test is not None and test.p_value <= DELTA


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    replicates = parser.parse_args().replicates
    rows = []
    for n, ill in SETTINGS:
        for distance in DISTANCES:
            rng = np.random.default_rng([n, int(100 * ill), int(10 * distance)])
            known, rejected = np.array([one(n, ill, distance, rng) for _ in range(replicates)]).T
            found = {
                "identifiable": known.mean(),
                "always": rejected.mean(),
                "now": (known & rejected).mean(),
            }
            rows.append({"patients": n, "ill": ill, "distance": distance, **found})
            print(json.dumps(rows[-1]), flush=True)
    result = {"delta": DELTA, "ill_at_q": ILL_AT_Q, "replicates": replicates, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

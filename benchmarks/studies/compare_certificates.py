"""How often the smallest certificate of a comparison holds.

`steadycut.compare` certifies six rules on the same patients. A reader looks at the smallest
certificate. Counted, at delta 0.1, is how often the true risk is at most the certificate:

fixed     of the rule that was fixed beforehand, at delta (``certificate_alone``)
smallest  of the rule with the smallest certificate, at delta: nothing is promised for it
together  of all rules at once, at delta / 6 (``certificate_together``)

Scores are normal, half of the patients are ill, and the classes are a distance apart. The second
hospital only completes the call.

Run as ``python benchmarks/studies/compare_certificates.py [--replicates N]``; it writes
``benchmarks/results/compare_certificates.json``. The seed is fixed.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.stats import norm

from steadycut import PatientScores, compare

RESULT = Path(__file__).parents[1] / "results" / "compare_certificates.json"
SIZES, DISTANCES, DELTA = (60, 200), (0.0, 1.0), 0.1


def cohort(n, distance, rng):
    labels = (rng.random(n) < 0.5).astype(int)
    return PatientScores(scores=rng.normal(size=n) + distance * labels, labels=labels)


def one(n, distance, rng, seed):
    """Return whether the certificates of one comparison held: fixed, smallest, together."""
    here, there = cohort(n, distance, rng), cohort(20, distance, rng)
    table = compare(here, there, cost_table=False, n_bootstrap=2, delta=DELTA, seed=seed)
    rows = table.describe().rows
    cuts = np.array([row.threshold for row in rows])
    risks = (norm.cdf(cuts - distance) + norm.sf(cuts)) / 2
    alone = np.array([row.certificate_alone for row in rows])
    together = np.array([row.certificate_together for row in rows])
    held = alone >= risks
    return held[0], held[alone.argmin()], np.all(together >= risks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    replicates = parser.parse_args().replicates
    rows = []
    for n in SIZES:
        for distance in DISTANCES:
            rng = np.random.default_rng([17, n, int(10 * distance)])
            found = [one(n, distance, rng, seed) for seed in range(replicates)]
            held = dict(zip(("fixed", "smallest", "together"), np.mean(found, axis=0), strict=True))
            rows.append({"patients": n, "distance": distance, "held": held})
            print(json.dumps(rows[-1]), flush=True)
    result = {"delta": DELTA, "replicates": replicates, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

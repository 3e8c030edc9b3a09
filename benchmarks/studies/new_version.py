"""A new version: whether the limits hold, and whether a jump of the share called is found.

Patients have old scores with ties (two digits) and new scores. ``held``: how often the exact limits
of the share of decisions that change contain the true share, and those of the share called contain
the true one. ``found``: how often the test says that the share called has changed. Without a change
of that share, this must be at most delta = 0.1.

Run as ``python benchmarks/studies/new_version.py [--replicates N]``; it writes
``benchmarks/results/new_version.json``. The seed is fixed.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.stats import norm

from steadycut.core.adapt.switch import Changes
from steadycut.core.bounds.binomial import two_sided

RESULT = Path(__file__).parents[1] / "results" / "new_version.json"
DELTA, NOISE, MANY = 0.1, 0.5, 2_000_000
# Patients, share called before, how many times as many after.
SETTINGS = [
    (n, called, times)
    for n in (60, 200)
    for called in (0.05, 0.1, 0.2)
    for times in (1.0, 1.5, 3.0)
]


def draw(n, called, times, rng):
    """Return the decisions by both versions about n patients; their scores have ties."""
    old = np.round(rng.normal(size=n), 2)
    before = old >= np.round(norm.ppf(1 - called), 2)
    new = (old + NOISE * rng.normal(size=n)) / np.hypot(1, NOISE)
    return before, np.round(new, 2) >= np.round(norm.ppf(1 - called * times), 2)


def one_setting(n, called, times, replicates):
    """Return the rates of one setting."""
    rng = np.random.default_rng([n, int(100 * called), int(10 * times)])
    before, after = draw(MANY, called, times, rng)
    changed, share = (before != after).mean(), after.mean()
    held = called_held = found = 0
    for _ in range(replicates):
        drawn = Changes.of(*draw(n, called, times, rng))
        low, high = drawn.limits(DELTA)
        held += low <= changed <= high
        low, high = two_sided(drawn.called_after, n, DELTA)
        called_held += low <= share <= high
        found += drawn.p_value <= DELTA
    return {
        "patients": n,
        "called_before": called,
        "times": times,
        "changed": round(float(changed), 4),
        "held_changed": held / replicates,
        "held_called": called_held / replicates,
        "found": found / replicates,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=5000)
    replicates = parser.parse_args().replicates
    rows = []
    for setting in SETTINGS:
        rows.append(one_setting(*setting, replicates))
        print(json.dumps(rows[-1]), flush=True)
    result = {"delta": DELTA, "replicates": replicates, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

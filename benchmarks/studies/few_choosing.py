"""What `stable` and `erm` cost when very few patients choose.

Decided before looking: 18 populations (normal scores 1, 2 or 4 standard deviations apart, 10, 30 or
50 % ill, costs 1:1 and 5:1), and 8, 13, 20, 30 or 50 patients who choose, at least one per class.
Measured is the excess risk: the true risk of the chosen cut minus the smallest of any cut, in parts
of the more expensive error, at the first hospital and at one where all scores are 0.5 higher.
Compared are parts of the rule:

stable      the rule as it is
heavier     each patient counts 0.25 instead of 0.1
mean        the mean of the cuts alone
line        the logistic regression alone
erm         the smallest risk

Run as ``python benchmarks/studies/few_choosing.py [--replicates N] [--seed N]``; it writes
``benchmarks/results/few_choosing.json``.
"""

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM, Stable, cuts_at_rank

RESULT = Path(__file__).parents[1] / "results" / "few_choosing.json"
SIZES, MOVED = (8, 13, 20, 30, 50), 0.5
POPULATIONS = list(product((1.0, 2.0, 4.0), (0.1, 0.3, 0.5), ((1.0, 1.0), (5.0, 1.0))))
GRID = np.linspace(-6, 10, 1601)


def variants():
    """Return the rules by name."""
    return {
        "stable": Stable(),
        "heavier": Stable(weight=0.25),
        "mean": Stable(share=0.0),
        "line": Stable(share=1.0),
        "erm": ERM,
    }


def risk(cut, population, moved=0.0):
    """Return the true risk of a cut, in parts of the more expensive error."""
    distance, ill, (miss, alarm) = population
    cut = cut - moved
    lost = miss * ill * ndtr(cut - distance) + alarm * (1 - ill) * ndtr(-cut)
    return lost / max(miss, alarm)


def draw(n, population, rng):
    """Return patients, at least one per class."""
    distance, ill, _ = population
    labels = rng.random(n) < ill
    while labels.all() or not labels.any():
        labels = rng.random(n) < ill
    scores = rng.normal(size=n) + distance * labels
    return exact_cuts(PatientScores(scores=scores, labels=labels.astype(np.int8)))


def cell(n, population, rng, replicates):
    """Return the mean excess risk of every rule at both hospitals."""
    rules, costs = variants(), Costs(cost_fn=population[2][0], cost_fp=population[2][1])
    best = [risk(GRID, population, moved).min() for moved in (0.0, MOVED)]
    found = {name: np.zeros(2) for name in rules}
    for _ in range(replicates):
        cuts = draw(n, population, rng)
        curve = count_errors(cuts.cells[None, :])
        for name, rule in rules.items():
            cut = float(cuts.place(*cuts_at_rank(curve.ranks, rule(curve, costs)))[0])
            found[name] += [risk(cut, population), risk(cut, population, MOVED)]
    return {name: (total / replicates - best).round(5).tolist() for name, total in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=150)
    parser.add_argument("--seed", type=int, default=8)
    replicates, seed = (getattr(parser.parse_args(), name) for name in ("replicates", "seed"))
    rows, means = [], {}
    for n in SIZES:
        rng = np.random.default_rng([seed, n])
        cells = [cell(n, population, rng, replicates) for population in POPULATIONS]
        rows += [
            {"n": n, "population": p, **one} for p, one in zip(POPULATIONS, cells, strict=True)
        ]
        means[n] = {
            name: np.mean([one[name] for one in cells], axis=0).round(4).tolist()
            for name in cells[0]
        }
        print(n, json.dumps(means[n]), flush=True)
    result = {"replicates": replicates, "seed": seed, "means": means, "rows": rows}
    RESULT.write_text(json.dumps(result) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

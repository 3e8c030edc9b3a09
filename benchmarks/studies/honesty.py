"""Which honesty serves a user better: half the patients choose and half certify, or all do both?

For each population, number of patients and pair of costs: `stable` chooses a cut-off, `auto` bounds
its risk. Printed: the certified value (mean, as a part of the dearer cost), and what the cut-off
really costs at P and at Q above the best cut there.

Run: python benchmarks/studies/honesty.py [--replicates 500]
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "coverage"))

from populations import pairs

from steadycut import PatientScores
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import cut_just_below, even_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.registry import PLAIN_RULES, chosen_cut

SIZES = (40, 92, 200, 400, 1000)
COSTS = ((1.0, 1.0), (1.0, 3.0), (10.0, 1.0))
GRID = np.linspace(-15, 15, 6001)


def choose(patients, costs):
    return chosen_cut(even_cuts(patients), PLAIN_RULES["stable"], costs)


def by_split(patients, costs, rng):
    order = rng.permutation(patients.n_patients)
    half = patients.n_patients // 2
    cut = choose(patients.take(np.sort(order[half:])), costs)
    counts = confusion_at(patients.take(np.sort(order[:half])), cut)
    return cut, certificate_of(counts, costs, 0.1)


def by_uniform(patients, costs, rng):
    del rng
    cut = cut_just_below(choose(patients, costs), patients.scores)
    counts = confusion_at(patients, cut)
    return cut, certificate_of(counts, costs, 0.1, honesty="uniform")


def one_cell(n, replicates):
    """Mean certified value, excess at P and at Q, and vacuous share, for split and for uniform."""
    found = {by_split: [], by_uniform: []}
    for (name, (p, q)), (fn, fp) in ((a, b) for a in pairs().items() for b in COSTS):
        costs, scale = Costs(cost_fn=fn, cost_fp=fp), max(fn, fp)
        best_p, best_q = p.risk(GRID, costs).min(), q.risk(GRID, costs).min()
        rng = np.random.default_rng([n, int(fn), int(fp), sum(map(ord, name))])
        for _ in range(replicates):
            scores, labels = p.draw(n, rng)
            patients = PatientScores(scores=scores, labels=labels)
            for way, rows in found.items():
                cut, certificate = way(patients, costs, rng)
                here, there = p.risk(cut, costs) - best_p, q.risk(cut, costs) - best_q
                row = (certificate.value, here, there)
                rows.append([*(float(value) / scale for value in row), certificate.vacuous])
    return {way.__name__: np.mean(rows, axis=0) for way, rows in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=500)
    replicates = parser.parse_args().replicates
    head = ("certified", "excess at P", "excess at Q", "vacuous")
    print("| n | " + " | ".join(f"{one}: split | uniform" for one in head) + " |")
    print("|---" * 9 + "|")
    for n in SIZES:
        cell = one_cell(n, replicates)
        pairs_of = zip(cell["by_split"], cell["by_uniform"], strict=True)
        print(
            f"| {n} | " + " | ".join(f"{one:.4f} | {other:.4f}" for one, other in pairs_of) + " |"
        )


if __name__ == "__main__":
    main()

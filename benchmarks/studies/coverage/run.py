"""Does every bound hold as often as it says, and how wide is it?

For each population, number of patients, delta and pair of costs: a cut-off is chosen by `erm`, the
bound is computed, and compared with the true risk, which is known. In `split` half of the patients
choose and half certify; in `uniform` all do both. Also the two traps: a split stratified by label
with a pooled bound, and the paper's Base with an estimated Shift.

Run: python benchmarks/studies/coverage/run.py [--replicates 2000] [--out FILE]
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from populations import pairs

from steadycut import PatientScores
from steadycut.core.bounds.concentration import BOUNDS, allowed_bounds
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import cut_just_below, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.registry import ERM, cuts_at_rank
from steadycut.core.shift.parts import absolute_shift

SIZES = (40, 92, 200, 1000)
DELTAS = (0.05, 0.1, 0.2)
COSTS = ((1.0, 1.0), (1.0, 3.0), (10.0, 1.0))
UNIFORM = ("compression", "dkw", "paper")


def choose(patients, costs):
    cuts = exact_cuts(patients)
    curve = count_errors(cuts.cells[None, :])
    first, last = cuts_at_rank(curve.ranks, ERM(curve, costs))
    return float(cuts.place(first, last)[0])


def cohort(hospital, n, rng):
    scores, labels = hospital.draw(n, rng)
    return PatientScores(scores=scores, labels=labels)


def halves(patients, rng, *, stratified=False):
    order = rng.permutation(patients.n_patients)
    if stratified:
        order = order[np.argsort(patients.labels[order], kind="stable")]
        return patients.take(np.sort(order[::2])), patients.take(np.sort(order[1::2]))
    half = patients.n_patients // 2
    return patients.take(np.sort(order[:half])), patients.take(np.sort(order[half:]))


class Tally:
    def __init__(self):
        self.cells = defaultdict(lambda: [0, 0, 0.0, 0.0])

    def add(self, key, value, truth):
        cell = self.cells[key]
        cell[0] += 1
        cell[1] += value >= truth - 1e-12
        cell[2] += value
        cell[3] += truth


def union_of_two(counts, costs, delta):
    n = counts.n_patients
    parts = [
        BOUNDS["clopper-pearson"].compute(one, Costs(), delta / 2) + one.risk(Costs())
        for one in (
            Confusion(tp=0, fn=counts.fn, fp=0, tn=n - counts.fn),
            Confusion(tp=0, fn=0, fp=counts.fp, tn=n - counts.fp),
        )
    ]
    return costs.cost_fn * parts[0] + costs.cost_fp * parts[1]


def one_replicate(tally, name, p, q, n, costs, rng, *, gamble):
    patients = cohort(p, n, rng)
    chosen_by, certify = halves(patients, rng)
    cut = choose(chosen_by, costs)
    counts, truth = confusion_at(certify, cut), float(p.risk(cut, costs))
    all_cut = choose(patients, costs)
    snapped = cut_just_below(all_cut, patients.scores)
    everybody = {
        bound: (confusion_at(patients, at), float(p.risk(at, costs)))
        for bound in UNIFORM
        for at in [snapped if bound == "compression" else all_cut]
    }
    for delta in DELTAS:
        key = (name, n, delta, costs.cost_fn, costs.cost_fp)
        for bound in allowed_bounds(costs, "split"):
            if costs.equal and bound == "buehler":
                continue  # the same as clopper-pearson
            if bound == "betting" and not gamble:
                continue
            value = counts.risk(costs) + BOUNDS[bound].compute(counts, costs, delta)
            tally.add((*key, f"split {bound}"), value, truth)
        tally.add((*key, "split union of two"), union_of_two(counts, costs, delta), truth)
        for bound, (found, risk) in everybody.items():
            mine = certificate_of(found, costs, delta, bound=bound, honesty="uniform")
            tally.add((*key, f"uniform {bound}"), mine.value, risk)
    external(tally, name, (p, q), patients, counts, cut, costs, rng)


def external(tally, name, hospitals, patients, counts, cut, costs, rng, delta=0.1):
    """The two traps, and what holds instead, at one delta."""
    p, q = hospitals
    key = (name, patients.n_patients, delta, costs.cost_fn, costs.cost_fp)
    trap_chosen, trap_certify = halves(patients, rng, stratified=True)
    trap_cut = choose(trap_chosen, costs)
    pooled = certificate_of(confusion_at(trap_certify, trap_cut), costs, delta).value
    tally.add((*key, "TRAP stratified split"), pooled, float(p.risk(trap_cut, costs)))
    there = confusion_at(cohort(q, patients.n_patients // 2, rng), cut)
    truth = float(q.risk(cut, costs))
    shift = absolute_shift(counts, there, costs).total
    direct = certificate_of(there, costs, delta)
    base = certificate_of(counts, costs, delta).value + shift
    tally.add((*key, "TRAP plug-in Base"), base, truth)
    valid = counts.risk(costs) + shift + direct.generalization
    tally.add((*key, "external valid Base"), valid, truth)
    tally.add((*key, "external direct"), direct.value, truth)


def study(job):
    name, replicates = job
    p, q = pairs()[name]
    tally = Tally()
    for n in SIZES:
        for fn, fp in COSTS:
            rng = np.random.default_rng([n, int(fn), int(fp), sum(map(ord, name))])
            costs = Costs(cost_fn=fn, cost_fp=fp)
            for replicate in range(replicates):
                # Betting has no table: every fourth replicate.
                one_replicate(tally, name, p, q, n, costs, rng, gamble=replicate % 4 == 0)
    return dict(tally.cells)


def summary(cells):
    """One row a bound: worst cell, and mean width; cells that fail beyond Monte Carlo error."""
    rows = defaultdict(list)
    for (name, n, delta, fn, fp, bound), (total, covered, value, truth) in cells.items():
        error = math.sqrt(delta * (1 - delta) / total)
        z = (covered / total - (1 - delta)) / error
        scale = max(fn, fp)
        rows[bound].append((z, covered / total, (value - truth) / total / scale, n, delta, name))
    return rows


def show(cells):
    rows = summary(cells)
    n_cells = max(map(len, rows.values()))
    limit = -4.0
    print(
        f"{n_cells} cells a bound (fewer for clopper-pearson, buehler and external); "
        f"a cell fails below z = {limit:g}\n"
    )
    widths = "mean excess / max cost at n = 40 | 92 | 200 | 1000"
    print(f"| bound | worst coverage - (1 - delta) | worst z | cells that fail | {widths} |")
    print("|---|---|---|---|---|---|---|---|")
    for bound, found in sorted(rows.items()):
        worst = min(found, key=lambda row: row[0])
        gap = min(row[1] - (1 - row[4]) for row in found)
        failed = sum(row[0] < limit for row in found)
        width = [np.mean([row[2] for row in found if row[3] == n and row[4] == 0.1]) for n in SIZES]
        cells_text = " | ".join(f"{one:.3f}" for one in width)
        print(f"| {bound} | {gap:+.3f} | {worst[0]:+.1f} | {failed} | {cells_text} |")


def tightness(cells):
    """How far `auto` is from the best single bound in every cell of unequal costs."""
    by_cell = defaultdict(dict)
    for (*cell, bound), (total, _, value, _) in cells.items():
        if bound.startswith("split"):
            by_cell[tuple(cell)][bound] = value / total
    worst = max(
        (found["split buehler"] / min(found.values()), cell)
        for cell, found in by_cell.items()
        if cell[3] != cell[4]
    )
    print(f"\nUnequal costs, mean of auto over the best single bound, worst cell: {worst[0]:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--out")
    options = parser.parse_args()
    cells = {}
    jobs = [(name, options.replicates) for name in pairs()]
    with Pool(2) as pool:
        for done, part in enumerate(pool.imap_unordered(study, jobs), start=1):
            cells |= part
            print(f"{done} of {len(jobs)} populations", file=sys.stderr, flush=True)
    show(cells)
    tightness(cells)
    if options.out:
        rows = [[*key, *value] for key, value in cells.items()]
        Path(options.out).write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    main()

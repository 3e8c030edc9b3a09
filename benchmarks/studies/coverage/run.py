"""Does every bound hold as often as it says, and how wide is it?

For each population, number of patients, delta and pair of costs: a cut-off is chosen by `erm`, the
bound is computed, and compared with the true risk, which is known. In `split` half of the patients
choose and half certify; in `uniform` all do both. Also the two traps: a split stratified by label
with a pooled bound, and the paper's Base with an estimated Shift. ``excess``: certified minus true
risk at delta 0.1, in units of the more expensive error, mean over populations and costs.

The exact bound for unequal costs takes long: at 1,000 patients there are half as many replicates.
One replicate in ten of the others computes betting, and one in five of these.

Run: python benchmarks/studies/coverage/run.py [--replicates 1000] [--jobs 2]
"""

import math
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.coverage.populations import pairs
from benchmarks.studies.pieces import means_of, options, store
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
LIMIT = -4.0
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


def one_replicate(p, q, n, costs, rng, *, gamble):
    """Return the value of every bound and the true risk, by bound and delta."""
    patients = cohort(p, n, rng)
    chosen_by, certify = halves(patients, rng)
    cut = choose(chosen_by, costs)
    counts, truth = confusion_at(certify, cut), float(p.risk(cut, costs))
    all_cut = choose(patients, costs)
    snapped = cut_just_below(all_cut, patients.scores)
    found = {}
    for delta in DELTAS:
        for bound in allowed_bounds(costs, "split"):
            if costs.equal and bound == "buehler":
                continue  # the same as clopper-pearson
            if bound == "betting" and not gamble:
                continue
            value = counts.risk(costs) + BOUNDS[bound].compute(counts, costs, delta)
            found[f"split {bound}", delta] = value, truth
        found["split union of two", delta] = union_of_two(counts, costs, delta), truth
        for bound in UNIFORM:
            at = snapped if bound == "compression" else all_cut
            mine = confusion_at(patients, at)
            value = certificate_of(mine, costs, delta, bound=bound, honesty="uniform").value
            found[f"uniform {bound}", delta] = value, float(p.risk(at, costs))
    return found | external((p, q), patients, counts, cut, costs, rng)


def external(hospitals, patients, counts, cut, costs, rng, delta=0.1):
    """The two traps, and what holds instead, at one delta."""
    p, q = hospitals
    trap_chosen, trap_certify = halves(patients, rng, stratified=True)
    trap_cut = choose(trap_chosen, costs)
    pooled = certificate_of(confusion_at(trap_certify, trap_cut), costs, delta).value
    there = confusion_at(cohort(q, patients.n_patients // 2, rng), cut)
    truth = float(q.risk(cut, costs))
    shift = absolute_shift(counts, there, costs).total
    direct = certificate_of(there, costs, delta)
    base = certificate_of(counts, costs, delta).value + shift
    return {
        ("TRAP stratified split", delta): (pooled, float(p.risk(trap_cut, costs))),
        ("TRAP plug-in Base", delta): (base, truth),
        ("external valid Base", delta): (counts.risk(costs) + shift + direct.generalization, truth),
        ("external direct", delta): (direct.value, truth),
    }


def piece(setting, rng, n):
    """Return what held, the certified values and the excess in some replicates."""
    *_, costs = setting
    found = defaultdict(list)
    for place in range(n):
        for (bound, delta), (value, truth) in one_replicate(
            *setting, rng, gamble=place % (10 // fewer(setting)) == 0
        ).items():
            found[f"held {bound} at {delta}"].append(value >= truth - 1e-12)
            found[f"value {bound} at {delta}"].append(value)
            found[f"excess {bound} at {delta}"].append((value - truth) / costs.largest)
    return found


def settings():
    """Return every pair of hospitals, size and pair of costs."""
    return {
        (name, n, f"{fn:g}:{fp:g}"): (*pair, n, Costs(cost_fn=fn, cost_fp=fp))
        for n, (fn, fp), (name, pair) in product(SIZES, COSTS, pairs().items())
    }


def fewer(setting):
    """Return how many times fewer replicates a setting has."""
    *_, n, costs = setting
    return 2 if n == max(SIZES) and not costs.equal else 1


def summary(means):
    """Return for each bound its worst cell and its mean excess."""
    cells, excess = defaultdict(list), defaultdict(list)
    for (name, n, costs), found in means.items():
        for what, mean in found.items():
            kind, _, rest = what.partition(" ")
            bound, _, delta = rest.rpartition(" at ")
            if kind == "held":
                gap = mean.mean - (1 - float(delta))
                z = gap / math.sqrt(float(delta) * (1 - float(delta)) / mean.count)
                cells[bound].append((z, gap, f"{name}, {n}, {costs}, delta {delta}", mean.count))
            elif kind == "excess" and delta == "0.1":
                excess[bound, n].append(mean.mean)
    return [
        {
            "bound": bound,
            "cells": len(found),
            "fewest_studies": min(count for *_, count in found),
            "worst_gap": min(gap for _, gap, *_ in found),
            "worst_z": min(found)[0],
            "worst_cell": min(found)[2],
            "failed": sum(z < LIMIT for z, *_ in found),
            **{f"excess_{n}": float(np.mean(excess[bound, n])) for n in SIZES},
        }
        for bound, found in sorted(cells.items())
    ]


def tightness(means):
    """Return how far `auto` is from the best single bound, in the worst cell of unequal costs."""
    worst = 0.0
    for (*_, costs), found in means.items():
        for delta in DELTAS:
            values = {
                what: mean.mean
                for what, mean in found.items()
                if what.startswith("value split") and what.endswith(f" at {delta}")
            }
            if costs != "1:1":
                ours = values[f"value split buehler at {delta}"]
                worst = max(worst, ours / min(values.values()))
    return worst


def main():
    asked = options("coverage", __doc__, 1000, 2026)
    named = {", ".join(map(str, key)): setting for key, setting in settings().items()}
    means = dict(zip(settings(), means_of(named, piece, asked, fewer=fewer).values(), strict=True))
    result = {"pairs": len(pairs()), "fails_below_z": LIMIT, "auto_to_best": tightness(means)}
    store(asked, result | {"rows": summary(means)})


if __name__ == "__main__":
    main()

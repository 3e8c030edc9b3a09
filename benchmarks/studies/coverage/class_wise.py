"""Do the class-wise certificates hold at a target prevalence, after a split that looks at labels?

As run.py, for risk at a target prevalence or the worse end of a range of them: a cut-off is chosen
by `erm` at the target, on one half of a split stratified by label, and certified on the other
(`class-wise`); or chosen and certified by everybody (`class-wise-dkw`). Beside them the trap: the
pooled Clopper-Pearson or Buehler limit, taken for the reweighted numbers of errors, in every tenth
replicate. The hospitals P of run.py, each one once: five of its pairs share one P.

Run: python benchmarks/studies/coverage/class_wise.py [--replicates 1000] [--jobs 2]
"""

import math
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.coverage.populations import pairs
from benchmarks.studies.coverage.run import COSTS, DELTAS, SIZES, choose, cohort, halves
from benchmarks.studies.pieces import means_of, options, store
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import Costs

TARGETS = {"0.1": (0.1, 0.1), "0.05 to 0.3": (0.05, 0.3), "0.5": (0.5, 0.5)}
TRAP, EVERY = "TRAP pooled", 10


def truth(hospital, cut, costs):
    miss, alarm = hospital.positive.below(cut), 1 - hospital.negative.below(cut)
    return max(w * miss + v * alarm for w, v in costs.class_weights)


def reweighted(counts, prevalence):
    """Errors as if the patients had come at the target prevalence, to whole patients."""
    n = counts.n_patients
    fn = round(n * prevalence * (counts.miss_rate or 0.0))
    fp = round(n * (1 - prevalence) * (counts.alarm_rate or 0.0))
    return Confusion(tp=0, fn=fn, fp=fp, tn=n - fn - fp)


def replicate(hospital, n, costs, rng, *, trap):
    """Return whether each bound held, by the name of the bound and delta."""
    patients = cohort(hospital, n, rng)
    chosen_by, certify = halves(patients, rng, stratified=True)
    cut, everybody = choose(chosen_by, costs), choose(patients, costs)
    counts, all_counts = confusion_at(certify, cut), confusion_at(patients, everybody)
    true, true_of_all = truth(hospital, cut, costs), truth(hospital, everybody, costs)
    trap = trap and counts.n_positive and counts.n_negative and costs.target[0] == costs.target[1]
    held = {}
    for delta in DELTAS:
        value = certificate_of(counts, costs, delta).value
        held[f"class-wise at {delta}"] = value >= true
        both = certificate_of(all_counts, costs, delta, honesty="uniform").value
        held[f"class-wise-dkw at {delta}"] = both >= true_of_all
        if trap:
            pooled = certificate_of(reweighted(counts, costs.target[0]), costs.plain, delta).value
            held[f"{TRAP} at {delta}"] = pooled >= true
    return held


def piece(setting, rng, n):
    """Return what held in some replicates."""
    found = defaultdict(list)
    for place in range(n):
        for name, held in replicate(*setting, rng, trap=place % EVERY == 0).items():
            found[name].append(held)
    return found


def settings():
    """Return every population, size, pair of costs and target."""
    hospitals = {p: name for name, (p, _) in reversed(pairs().items())}
    named = [(name, p) for p, name in reversed(hospitals.items())]
    return {
        f"{name}, {n} patients, costs {fn:g}:{fp:g}, target {target}": (
            hospital,
            n,
            Costs(cost_fn=fn, cost_fp=fp, target=ends),
        )
        for n, (fn, fp), (target, ends), (name, hospital) in product(
            SIZES, COSTS, TARGETS.items(), named
        )
    }


def summary(means):
    """Return for each bound its number of cells, and the worst of them."""
    rows = defaultdict(list)
    for setting, found in means.items():
        for name, held in found.items():
            bound, _, delta = name.rpartition(" at ")
            gap = held.mean - (1 - float(delta))
            z = gap / math.sqrt(float(delta) * (1 - float(delta)) / held.count)
            rows[bound].append((gap, z, f"{setting}, delta {delta}", held.count))
    return [
        {
            "bound": bound,
            "cells": len(found),
            "studies_per_cell": max(row[3] for row in found),
            "worst_gap": min(row[0] for row in found),
            "worst_z": min(row[1] for row in found),
            "worst_cell": min(found)[2],
            "below_minus_4": sum(row[1] < -4 for row in found),
        }
        for bound, found in sorted(rows.items())
    ]


def main():
    asked = options("class_wise", __doc__, 1000, 2026)
    means = means_of(settings(), piece, asked)
    populations = len({setting[0] for setting in settings().values()})
    store(asked, {"populations": populations, "rows": summary(means)})


if __name__ == "__main__":
    main()

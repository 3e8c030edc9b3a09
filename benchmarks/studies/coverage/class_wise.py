"""Do the class-wise certificates hold at a target prevalence, after a split that looks at labels?

As run.py, for risk at a target prevalence or the worse end of a range of them: a cut-off is chosen
by `erm` at the target, on one half of a split stratified by label, and certified on the other
(`class-wise`); or chosen and certified by everybody (`class-wise-dkw`). Beside them the trap: the
pooled Clopper-Pearson or Buehler limit, taken for the reweighted numbers of errors.

Run: python benchmarks/studies/coverage/class_wise.py [--replicates 500]
"""

import argparse
import math
from collections import defaultdict
from multiprocessing import Pool

import numpy as np
from populations import pairs
from run import COSTS, DELTAS, SIZES, choose, cohort, halves

from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import Costs

TARGETS = ((0.1, 0.1), (0.05, 0.3), (0.5, 0.5))


def truth(hospital, cut, costs):
    miss, alarm = hospital.positive.below(cut), 1 - hospital.negative.below(cut)
    return max(w * miss + v * alarm for w, v in costs.class_weights)


def reweighted(counts, prevalence):
    """Errors as if the patients had come at the target prevalence, to whole patients."""
    n = counts.n_patients
    fn = round(n * prevalence * (counts.miss_rate or 0.0))
    fp = round(n * (1 - prevalence) * (counts.alarm_rate or 0.0))
    return Confusion(tp=0, fn=fn, fp=fp, tn=n - fn - fp)


def replicate(tally, hospital, n, costs, rng):
    patients = cohort(hospital, n, rng)
    chosen_by, certify = halves(patients, rng, stratified=True)
    cut, everybody = choose(chosen_by, costs), choose(patients, costs)
    counts, all_counts = confusion_at(certify, cut), confusion_at(patients, everybody)
    known = counts.n_positive and counts.n_negative
    for delta in DELTAS:
        key = (n, delta)
        value = certificate_of(counts, costs, delta).value
        tally[(*key, "class-wise")].append(value >= truth(hospital, cut, costs))
        both = certificate_of(all_counts, costs, delta, honesty="uniform").value
        tally[(*key, "class-wise-dkw")].append(both >= truth(hospital, everybody, costs))
        if known and costs.target[0] == costs.target[1]:
            pooled = certificate_of(reweighted(counts, costs.target[0]), costs.plain, delta).value
            tally[(*key, "TRAP pooled")].append(pooled >= truth(hospital, cut, costs))


def study(job):
    name, replicates = job
    cells = {}
    for n in SIZES:
        for fn, fp in COSTS:
            for target in TARGETS:
                tally = defaultdict(list)
                costs = Costs(cost_fn=fn, cost_fp=fp, target=target)
                rng = np.random.default_rng([n, int(fn), int(fp), int(100 * target[0])])
                for _ in range(replicates):
                    replicate(tally, pairs()[name][0], n, costs, rng)
                cells |= {(name, fn, fp, target, *key): held for key, held in tally.items()}
    return {key: (len(held), sum(held)) for key, held in cells.items()}


def show(cells):
    rows = defaultdict(list)
    for (*_, delta, bound), (total, held) in cells.items():
        error = math.sqrt(delta * (1 - delta) / total)
        rows[bound].append((held / total - (1 - delta), (held / total - (1 - delta)) / error))
    print("| bound | cells | worst coverage - (1 - delta) | worst z | cells with z below -4 |")
    print("|---|---|---|---|---|")
    for bound, found in sorted(rows.items()):
        gaps, z = zip(*found, strict=True)
        failed = sum(one < -4 for one in z)
        print(f"| {bound} | {len(found)} | {min(gaps):+.3f} | {min(z):+.1f} | {failed} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=500)
    replicates = parser.parse_args().replicates
    cells = {}
    with Pool(2) as pool:
        for part in pool.imap_unordered(study, [(name, replicates) for name in pairs()]):
            cells |= part
    show(cells)


if __name__ == "__main__":
    main()

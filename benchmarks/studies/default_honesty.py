"""Which patients choose and which check: what is certified, and what the cut-off really costs.

``half``: one half chooses, the other checks. ``70 %``: 30 % choose, 70 % check. ``all``: everybody
does both, with the scan. For each population, number of patients and pair of costs `stable` chooses
a cut-off and `auto` bounds its risk, at delta 0.1. ``certified`` and ``true``: the certified value
and the true cost of the cut-off, ``useless``: the share of certificates that are not better than
calling everybody or nobody. Costs are in units of a false alarm. Populations: the first hospitals
of `benchmarks.studies.coverage.populations`, and ``clear``: binormal, d = 1.5, 30 % ill. From 400
patients on, unequal costs have a quarter of the replicates, because their exact bound takes long.

Run: python benchmarks/studies/default_honesty.py [--replicates 400] [--jobs 2]
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.coverage.populations import Hospital, one, pairs
from benchmarks.studies.honesty import choose
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut import PatientScores
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import cut_just_below
from steadycut.core.records import Costs

SIZES, COSTS = (50, 100, 200, 500), ((1.0, 1.0), (5.0, 1.0))
CLEAR = Hospital(0.3, one(1.5), one(0.0))
WAYS = {"half": 0.5, "70 %": 0.7, "all": None}


def one_way(patients, costs, rng, share):
    if share is None:
        cut = cut_just_below(choose(patients, costs), patients.scores)
        return cut, certificate_of(confusion_at(patients, cut), costs, 0.1, honesty="uniform")
    order = rng.permutation(patients.n_patients)
    check = round(patients.n_patients * share)
    cut = choose(patients.take(np.sort(order[check:])), costs)
    return cut, certificate_of(confusion_at(patients.take(np.sort(order[:check])), cut), costs, 0.1)


def one_study(hospital, n, costs, rng):
    scores, labels = hospital.draw(n, rng)
    patients, found = PatientScores(scores=scores, labels=labels), {}
    for name, share in WAYS.items():
        cut, certificate = one_way(patients, costs, rng, share)
        found[f"certified, {name}"] = certificate.value
        found[f"true, {name}"] = float(hospital.risk(cut, costs))
        found[f"useless, {name}"] = float(certificate.vacuous)
    return found


def main():
    asked = options("default_honesty", __doc__, 400, 2026)
    first = {pair[0]: name for name, pair in reversed(pairs().items())}
    hospitals = {name: hospital for hospital, name in first.items()} | {"clear": CLEAR}
    settings = {
        f"{name}, {n}, {fn:g}:{fp:g}": (hospital, n, Costs(cost_fn=fn, cost_fp=fp))
        for n, (fn, fp), (name, hospital) in product(SIZES, COSTS, hospitals.items())
    }
    means = means_of(
        settings,
        OneByOne(one_study),
        asked,
        fewer=lambda setting: 4 if setting[1] >= 400 and not setting[2].equal else 1,
    )
    rows = []
    for n, (fn, fp), who in product(SIZES, COSTS, ("all", "clear")):
        names = hospitals if who == "all" else ("clear",)
        mine = [means[f"{name}, {n}, {fn:g}:{fp:g}"] for name in names]
        row = {key: float(np.mean([one[key].mean for one in mine])) for key in mine[0]}
        rows.append({"populations": who, "patients": n, "cost_fn": fn, **row})
    store(asked, {"populations": len(hospitals), "rows": rows})


if __name__ == "__main__":
    main()

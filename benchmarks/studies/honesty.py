"""Which honesty serves a user better: half the patients choose and half certify, or all do both?

For each population, number of patients and pair of costs: `stable` chooses a cut-off among the
exact cuts, `auto` bounds its risk. ``certified``: the mean certified value. ``at_p`` and ``at_q``:
what the cut-off really costs at P and at Q above the best cut there. These are means over
populations and costs, in parts of the more expensive error. ``not_better``: share of certificates
that are not better than calling everybody or nobody. From 400 patients on, unequal costs have a
quarter of the replicates, because their exact bound takes long.

Run: python benchmarks/studies/honesty.py [--replicates 1000] [--jobs 2]
"""

import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.coverage.populations import pairs
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut import PatientScores
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import cut_just_below, exact_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.registry import chosen_cut, parse_rule

SIZES = (40, 92, 200, 400, 1000)
COSTS = ((1.0, 1.0), (1.0, 3.0), (10.0, 1.0))
GRID = np.linspace(-15, 15, 6001)
FIGURES = ("certified", "at_p", "at_q", "not_better")


def choose(patients, costs):
    return chosen_cut(exact_cuts(patients), parse_rule("stable"), costs)


@cache
def best(hospital, costs):
    return float(hospital.risk(GRID, costs).min())


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


def one_study(p, q, n, costs, rng):
    """Return what each honesty certifies, and what its cut-off really costs."""
    scores, labels = p.draw(n, rng)
    patients, found = PatientScores(scores=scores, labels=labels), {}
    for name, way in (("split", by_split), ("uniform", by_uniform)):
        cut, certificate = way(patients, costs, rng)
        values = [certificate.value, *(h.risk(cut, costs) - best(h, costs) for h in (p, q))]
        figures = [*(float(value) / costs.largest for value in values), certificate.vacuous]
        found |= {f"{one}_{name}": v for one, v in zip(FIGURES, figures, strict=True)}
    return found


def main():
    asked = options("honesty", __doc__, 1000, 2026)
    settings = {
        f"{name}, {n}, {fn:g}:{fp:g}": (*pair, n, Costs(cost_fn=fn, cost_fp=fp))
        for n, (fn, fp), (name, pair) in product(SIZES, COSTS, pairs().items())
    }
    means = means_of(
        settings,
        OneByOne(one_study),
        asked,
        fewer=lambda setting: 4 if setting[2] >= 400 and not setting[3].equal else 1,
    )
    rows = []
    for n in SIZES:
        mine = [means[key] for key, setting in settings.items() if setting[2] == n]
        rows.append(
            {"patients": n} | {k: float(np.mean([one[k].mean for one in mine])) for k in mine[0]}
        )
    store(asked, {"pairs": len(pairs()), "costs": len(COSTS), "rows": rows})


if __name__ == "__main__":
    main()

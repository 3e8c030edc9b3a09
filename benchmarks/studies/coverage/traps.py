"""Two ways to certify that look right and are not, where they do harm, beside what holds.

1. A split stratified by label with a pooled exact bound. Both halves then share the class ratio to
   which the cut-off adapted. It shows where the score says little and the classes are as many: the
   cut calls everybody or nobody, whichever suits the ratio that the certifying half has too.
   (At delta 0.1 the smaller noise of the shared ratio makes up for it, at 0.2 it does not.)
2. The paper's Base with an estimated Shift, where many patients of P certify and few of Q have
   labels: Base is then little more than what these few showed, and no term allows for their noise.

Run: python benchmarks/studies/coverage/traps.py [--replicates 2000]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.coverage.populations import Hospital, one
from benchmarks.studies.coverage.run import choose, cohort, halves
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.records import Costs
from steadycut.core.shift.parts import absolute_shift

SAYS_LITTLE = {
    "the same score for everybody": Hospital(0.5, one(0.0, step=100.0), one(0.0, step=100.0)),
    "a score of few values": Hospital(0.5, one(0.2, step=2.0), one(0.0, step=2.0)),
    "a weak score": Hospital(0.5, one(0.3), one(0.0)),
    "a good score": Hospital(0.5, one(1.8), one(0.0)),
}
SHARP = Hospital(0.4, one(6.0), one(0.0))
MOVED = {
    "more ill, more missed, more alarms": (
        Hospital(0.2, one(6.0), one(0.0)),
        Hospital(0.6, one(3.0), one(2.0)),
    ),
    "more missed, more alarms": (SHARP, Hospital(0.4, one(3.5), one(2.5))),
    "more alarms": (SHARP, Hospital(0.4, one(6.0), one(2.5))),
}


def stratified_split(hospital, n, rng, delta=0.2):
    """Return whether the pooled bound held after a split by label, and after a blind one."""
    patients, costs, held = cohort(hospital, n, rng), Costs(), {}
    for name, stratified in (("trap", True), ("blind", False)):
        chosen_by, certify = halves(patients, rng, stratified=stratified)
        cut = choose(chosen_by, costs)
        value = certificate_of(confusion_at(certify, cut), costs, delta).value
        held[name] = value >= hospital.risk(cut, costs)
    return held


def base(hospitals, n_q, rng, delta=0.1):
    """Return whether the plug-in Base, the valid Base and the direct bound held."""
    (p, q), costs = hospitals, Costs()
    cut = choose(cohort(p, 500, rng), costs)
    here, there = (confusion_at(cohort(*one_of, rng), cut) for one_of in ((p, 500), (q, n_q)))
    shift = absolute_shift(here, there, costs).total
    direct = certificate_of(there, costs, delta)
    truth = q.risk(cut, costs)
    return {
        "trap": certificate_of(here, costs, delta).value + shift >= truth,
        "valid_base": here.risk(costs) + shift + direct.generalization >= truth,
        "direct": direct.value >= truth,
    }


def rows_of(study, populations, sizes, promised, asked):
    """Return how often everything held, for every population and size."""
    settings = {f"{name}, {n}": (one, n) for name, one in populations.items() for n in sizes}
    means = means_of(settings, OneByOne(study), asked)
    return [
        {"population": name, "patients": n, "promised": promised} | means[f"{name}, {n}"]
        for name in populations
        for n in sizes
    ]


def main():
    asked = options("coverage_traps", __doc__, 2000, 2026)
    split = rows_of(stratified_split, SAYS_LITTLE, (92, 200, 500, 1000), 0.8, asked)
    store(asked, {"split": split, "base": rows_of(base, MOVED, (10, 20, 46), 0.9, asked)})


if __name__ == "__main__":
    main()

"""Two ways to certify that look right and are not, where they do harm, beside what holds.

1. A split stratified by label with a pooled exact bound. Both halves then share the class ratio to
   which the cut-off adapted. It shows where the score says little and the classes are as many: the
   cut calls everybody or nobody, whichever suits the ratio that the certifying half has too.
   (At delta 0.1 the smaller noise of the shared ratio makes up for it, at 0.2 it does not.)
2. The paper's Base with an estimated Shift, where many patients of P certify and few of Q have
   labels: Base is then little more than what these few showed, and no term allows for their noise.

Run: python benchmarks/studies/coverage/traps.py [--replicates 2000]
"""

import argparse

import numpy as np
from populations import Hospital, one
from run import choose, cohort, halves

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


def stratified_split(hospital, n, delta, replicates):
    """Return how often the pooled bound held after a split by label, and after a blind one."""
    held, costs = np.zeros(2), Costs()
    rng = np.random.default_rng([n, int(100 * delta)])
    for _ in range(replicates):
        patients = cohort(hospital, n, rng)
        for place, stratified in enumerate((True, False)):
            chosen_by, certify = halves(patients, rng, stratified=stratified)
            cut = choose(chosen_by, costs)
            value = certificate_of(confusion_at(certify, cut), costs, delta).value
            held[place] += value >= hospital.risk(cut, costs)
    return held / replicates


def base(hospitals, n_q, delta, replicates):
    """Return how often the plug-in Base, the valid Base and the direct bound held."""
    (p, q), held, costs = hospitals, np.zeros(3), Costs()
    rng = np.random.default_rng([n_q, int(100 * delta)])
    for _ in range(replicates):
        cut = choose(cohort(p, 500, rng), costs)
        here, there = (confusion_at(cohort(*one_of, rng), cut) for one_of in ((p, 500), (q, n_q)))
        shift = absolute_shift(here, there, costs).total
        direct = certificate_of(there, costs, delta)
        values = (
            certificate_of(here, costs, delta).value + shift,
            here.risk(costs) + shift + direct.generalization,
            direct.value,
        )
        held += np.array(values) >= q.risk(cut, costs)
    return held / replicates


def show_row(*cells):
    texts = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells)
    print("| " + " | ".join(texts) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    replicates = parser.parse_args().replicates
    show_row("population", "patients", "promised", "split by label, TRAP", "split, labels not seen")
    print("|---" * 5 + "|")
    for name, hospital in SAYS_LITTLE.items():
        for n in (92, 200, 500, 1000):
            show_row(name, n, "0.8", *stratified_split(hospital, n, 0.2, replicates).tolist())
    print()
    show_row("at Q", "patients of Q", "promised", "plug-in Base, TRAP", "valid Base", "direct")
    print("|---" * 6 + "|")
    for name, hospitals in MOVED.items():
        for n_q in (10, 20, 46):
            show_row(name, n_q, "0.9", *base(hospitals, n_q, 0.1, replicates).tolist())


if __name__ == "__main__":
    main()

"""Attack ``--small-cells``: what follows from all results of one study, for all numbers together?

    python -m benchmarks.trust.run differencing [--quick] [--seed 0]

The attacker has the results of one study for every N from a smallest one on, knows how they are
made, and wants a count of 1 to N - 1 patients of a class between two scores.

*Differences*: rule.json and audit.json for every N, audits of rules of every N. All counts of a
class below a score, in all of them, are taken from each other. Each difference must be 0 or at
least the smallest N.

*Inference*: all classes of few patients in few base cells. Those that give the same cells for every
N cannot be told apart. A count that all of them share must be 0 or at least the smallest N.

*Twins*: patients who are moved inside their base cells, so that the cut-off stays where it is. No
byte of the results may change, except hashes, and which checks noticed something.
"""

import itertools
import json
import warnings

import numpy as np

from benchmarks.trust.row import Row
from steadycut import PatientScores, audit, fit
from steadycut.errors import SteadycutError, SteadycutWarning
from steadycut.study.small_cells import joined, step_of

NUMBERS = range(2, 13)
# What may change if patients are moved: hashes, and which checks noticed something.
MAY_CHANGE = ("sha256", "data_sha256", "warnings")


# Differences -----------------------------------------------------------------------------------


def random_cohort(rng):
    """Patients of both classes: spread or tied, with or without a long tail, few or many."""
    n = int(rng.integers(60, 400))
    labels = (rng.random(n) < rng.uniform(0.25, 0.75)).astype(int)
    scores = rng.normal(size=n) + rng.uniform(0, 4) * labels * rng.choice([-1, 1])
    kind = int(rng.integers(4))
    if kind == 0:
        scores = scores.round(1)
    elif kind == 1:
        scores = np.exp(2 * scores)
    elif kind == 2:
        scores = 1000 + scores
    return PatientScores(scores=scores * 10.0 ** rng.integers(-3, 4), labels=labels)


def all_results(cohort, other, numbers, direction):
    """Return (N, result) for the rule and its audits, for every N that is possible."""
    study = fit(cohort, n_bootstrap=10, direction=direction)
    found, rules = [], [study.freeze()]
    for least in numbers:
        try:
            rules.append(study.freeze(small_cells=least))
        except SteadycutError:
            break
        found.append((least, "rule", json.loads(rules[-1].to_bytes())))
    for rule, least in itertools.product(rules, numbers):
        try:
            found.append((least, "audit", audit(rule, other, small_cells=least).to_dict()))
        except SteadycutError:
            break
    return found


def class_counts(kind, content):
    """Return every number of positive and negative patients, from the lowest score up, in a result.

    Where high scores are called, those who are not called are below the cut-off.
    """
    high = content["direction"] == "ge"
    if kind == "rule":
        held = content["reference"]
        bins = [np.cumsum(held["bins"][name]).tolist() for name in ("positive", "negative")]
        return [*bins[0], held["fn" if high else "tp"]], [*bins[1], held["tn" if high else "fp"]]
    point, explorer = content["operating_point"], content["explorer"]
    sizes = point["tp"] + point["fn"], point["fp"] + point["tn"]
    positive, negative = [sizes[0], point["fn" if high else "tp"]], [sizes[1]]
    negative.append(point["tn" if high else "fp"])
    if explorer is not None:
        positive += [one if high else sizes[0] - one for one in explorer["missed"]]
        negative += [sizes[1] - one if high else one for one in explorer["alarms"]]
    return positive, negative


def differences(results, smallest):
    """Return the differences of counts of a class that are small, over all results."""
    small = []
    for kind in ("rule", "audit"):
        several = [class_counts(one, content) for _, one, content in results if one == kind]
        for label in (0, 1):
            counts = sorted({0}.union(*(one[label] for one in several)))
            small += [gap for gap in np.diff(counts).tolist() if gap < smallest]
    return small


def difference_attack(times, rng):
    tried = leaks = 0
    for _ in range(times):
        cohort, other = random_cohort(rng), random_cohort(rng)
        smallest = int(rng.integers(2, 8))
        direction = str(rng.choice(["ge", "le"]))
        results = all_results(cohort, other, range(smallest, smallest + 6), direction)
        tried += len(results)
        leaks += bool(differences(results, smallest))
    return Row(
        "results with --small-cells, differences over all N and files",
        tried,
        {"studies with a small cell": leaks},
    )


# Inference -------------------------------------------------------------------------------------


def consistent(n_base, most_patients, smallest, largest, cells=joined):
    """Return classes of up to some patients in some base cells, by the cells that they give."""
    found = {}
    for counts in itertools.product(range(most_patients + 1), repeat=n_base):
        if 2 * smallest <= sum(counts) <= most_patients:
            base = np.repeat(np.arange(n_base), counts)
            seen = []
            for least in range(smallest, min(largest, base.size // 2) + 1):
                ends = cells(base, least)
                sizes = np.bincount(np.searchsorted(ends, base), minlength=ends.size)
                seen.append((*ends.tolist(), *sizes.tolist()))
            found.setdefault(tuple(seen), []).append(counts)
    return list(found.values())


def known_small(alike, smallest):
    """Count the intervals with a small count that all classes that look alike share."""
    sums = np.cumsum(np.pad(np.array(alike), ((0, 0), (1, 0))), axis=1)
    ends = itertools.combinations(range(sums.shape[1]), 2)
    between = [sums[:, high] - sums[:, low] for low, high in ends]
    return sum(bool((one == one[0]).all() and 0 < one[0] < smallest) for one in between)


def inference_attack(sizes):
    tried = leaks = 0
    for size in sizes:
        for alike in consistent(*size):
            tried += 1
            leaks += bool(known_small(alike, size[2]))
    return Row(
        "all small classes, by what their cells for all N tell",
        tried,
        {"with a small cell that follows": leaks},
    )


# Twins -----------------------------------------------------------------------------------------


def moved(cohort, which, rng):
    """Move some patients inside their base cells."""
    step = step_of(cohort.scores)
    base = np.floor(cohort.scores / step)
    scores = np.where(which, (base + rng.uniform(0.01, 0.99, base.size)) * step, cohort.scores)
    return PatientScores(scores=scores, labels=cohort.labels)


def told(content):
    if isinstance(content, dict):
        return {name: told(one) for name, one in content.items() if name not in MAY_CHANGE}
    return [told(one) for one in content] if isinstance(content, list) else content


def twins(times, rng):
    tried = differ = 0
    for _ in range(times):
        cohort, other = random_cohort(rng), random_cohort(rng)
        study, least = fit(cohort, n_bootstrap=10), int(rng.integers(2, 8))
        certifying = np.zeros(cohort.n_patients, dtype=bool)
        certifying[study.roles.certify] = True
        pairs = [(other, moved(other, np.ones(other.n_patients, dtype=bool), rng), None)]
        pairs.append((cohort, moved(cohort, certifying, rng), study))
        for one, two, made in pairs:
            same_base = step_of(one.scores) == step_of(two.scores)
            again = None if made is None else fit(two, n_bootstrap=10)
            same_choice = made is None or (
                np.array_equal(made.roles.certify, again.roles.certify)
                and made.threshold == again.threshold
            )
            if not (same_base and same_choice):
                continue
            try:
                found = [
                    audit(study.freeze(), side, small_cells=least, force=True).to_dict()
                    if made is None
                    else json.loads((made, again)[side is two].freeze(small_cells=least).to_bytes())
                    for side in (one, two)
                ]
            except SteadycutError:
                continue
            tried += 1
            differ += told(found[0]) != told(found[1])
    return Row(
        "results of patients who are moved inside their base cells",
        tried,
        {"differences": differ},
    )


def stage(*, quick, seed):
    rng = np.random.default_rng(seed)
    sizes = [(4, 8, 2, 4), (5, 9, 3, 4)]
    sizes += [] if quick else [(6, 8, 2, 4), (5, 12, 4, 6), (6, 10, 3, 5), (5, 13, 5, 6)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SteadycutWarning)
        yield difference_attack(5 if quick else 25, rng)
        yield inference_attack(sizes)
        yield twins(10 if quick else 150, rng)

"""What the rule does to patients who were not used to choose, where all patients choose.

The patients are dealt into parts. Each part is decided by a cut-off that the others chose by the
same rule. The counts say what cut-offs chosen in this way do; those of the published cut-off, among
the patients who chose it, are a little too good.
"""

import hashlib

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, LabelArray
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.errors import SteadycutError
from steadycut.study.choosing import choose
from steadycut.study.fitted import FittedStudy, without_bootstrap

PARTS = 10


def cross_fitted(study: FittedStudy) -> Confusion | None:
    """Count every patient at a cut-off of the others; None if others checked, or cannot choose."""
    if study.options.honesty != "uniform" or not study.given:
        return None
    parts = parts_of(study)
    try:
        counts = sum(_counts(study, np.flatnonzero(parts == part)) for part in range(PARTS))
    except SteadycutError:
        return None
    return Confusion.of_counts(np.asarray(counts))


def parts_of(study: FittedStudy) -> IntArray:
    """Return the part of every patient; neither names nor the order of rows matter.

    The random numbers come from the seed and the labels along the ranks of the scores. Patients
    with equal scores and labels are interchangeable.
    """
    first, *others = study.given
    scores = first.oriented(study.options.direction).scores
    keys: list[FloatArray | LabelArray] = [*(other.scores for other in others), first.fates, scores]
    order = np.lexsort(keys)
    ranks = np.unique(scores, return_inverse=True)[1][order].astype("<i8")
    digest = hashlib.sha256(ranks.tobytes() + first.fates[order].tobytes()).digest()
    rng = np.random.default_rng([study.options.seed, *digest])
    parts = np.empty(order.size, dtype=np.int64)
    parts[order] = rng.permutation(order.size) % PARTS
    return parts


def _counts(study: FittedStudy, out: IntArray) -> IntArray:
    """Return the counts of some patients at the cut-off of all others."""
    options, rest = study.options, np.setdiff1d(np.arange(study.patients.n_patients), out)
    _, seed = np.random.SeedSequence(options.seed).spawn(2)
    others = [candidate.take(rest) for candidate in study.given]
    choice = choose(others, np.arange(rest.size), without_bootstrap(options), seed)
    there = choice.scores_of([candidate.take(out) for candidate in study.given])
    return confusion_at(there.oriented(options.direction), choice.chosen.threshold).counts

"""Ensembles on the quantile scale: mid-ranks, weights, whole cuts, and the study's own figures."""

import random
from math import inf

import numpy as np

from steadycut import PatientScores
from steadycut.core.ensemble import equal_weights, gls_weights, thin, whole_weights
from tests.slow_reference import ensembles
from tests.slow_reference.any_scores import fit
from tests.slow_reference.compare_cuts import erm_rank
from tests.slow_reference.differences import all_differ, differ

PARTS = 10_000


def weights(cohort):
    """Least variance, every set of methods tried; a part of ten thousand may be rounded."""
    rng = random.Random(cohort.seed)  # noqa: S311
    methods, n = rng.choice([2, 3]), rng.choice([5, 20])
    draws = [[2 * rng.randint(0, 4 + 3 * m) for _ in range(n)] for m in range(methods)]
    found = gls_weights(np.array(draws))
    yield from differ("parts", found.sum(), PARTS)
    wanted = [float(w) * PARTS for w in ensembles.least_variance_weights(draws)]
    yield from all_differ("gls weight", found, wanted, absolute=1.5)
    yield from all_differ("equal weight", equal_weights(np.array(draws)), [1] * methods)
    shares = [rng.randint(0, 9) + 1 for _ in range(methods)]
    whole = whole_weights(np.array(shares) / sum(shares))
    yield from all_differ("whole", whole, [PARTS * s / sum(shares) for s in shares], absolute=1)
    yield from differ("whole parts", whole.sum(), PARTS)


def thinned(cohort):
    ordered, most = sorted(cohort.scores), 1 + cohort.seed % 30
    wanted = ordered
    if len(ordered) > most > 1:
        wanted = [ordered[i * (len(ordered) - 1) // (most - 1)] for i in range(most)]
    if most > 1:
        yield from all_differ("thinned", thin(np.array(ordered), most), wanted)


def studies(cohort):
    """The whole ensemble of two methods by erm: scores, cut, threshold, decisions."""
    ill = sum(cohort.labels)
    if min(ill, len(cohort.labels) - ill) < 2:
        return
    rng = random.Random(cohort.seed)  # noqa: S311
    other = [float(rng.randint(0, 9) + 3 * y) for y in cohort.labels]
    pair = {
        name: PatientScores(scores=scores, labels=cohort.labels)
        for name, scores in (("one", cohort.scores), ("two", other))
    }
    study = fit(
        pair, rule="erm", ensemble="quantile", n_bootstrap=5, direction=cohort.direction,
        cost_fn=cohort.cost_fn, cost_fp=cohort.cost_fp, bound="hoeffding",
    )  # fmt: skip
    chose = study.roles.select.tolist()
    sign = 1 if cohort.direction == "ge" else -1
    oriented = [[sign * score for score in scores] for scores in (cohort.scores, other)]
    references = [[scores[i] for i in chose] for scores in oriented]
    labels = [cohort.labels[i] for i in chose]
    ranks = [erm_rank(r, labels, cohort.cost_fn, cohort.cost_fp, None) for r in references]
    steps = 4 * len(chose)
    points = [ensembles.points(pair, references, (1, 1)) for pair in zip(*oriented, strict=True)]
    own = [p if sign == 1 else steps - p for p in points]
    yield from all_differ("ensemble score", study.patients.scores, [p / steps for p in own], 1e-12)
    cut = 2 * sum(ranks)
    threshold = (cut - 0.5) / steps
    wanted = threshold if sign == 1 else 1 - threshold
    if cut in {0, steps}:
        # All methods call everybody, or nobody.
        wanted = sign * (inf if cut else -inf)
    yield from differ("ensemble threshold", study.threshold, wanted, absolute=1e-12)
    calls = [sign * score >= sign * study.threshold for score in study.patients.scores]
    yield from all_differ("decision", calls, [p >= cut for p in points])

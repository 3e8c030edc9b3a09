"""What a cut does to patients: characteristics, exact and melded intervals, the AUC."""

import random

import numpy as np

from steadycut import operating_point
from steadycut.core import rates as characteristics
from steadycut.core.intervals.auc import auc, auc_interval
from steadycut.core.intervals.rates import at_fixed_cut, spread_points
from steadycut.core.intervals.threshold import quantile_interval
from tests.slow_reference import areas, criteria, operating_points
from tests.slow_reference.compare_bounds import confusion_of, counts_for
from tests.slow_reference.compare_cuts import costs_of, patients_of
from tests.slow_reference.differences import all_differ, differ

NAMES = (
    "sensitivity", "specificity", "ppv", "npv", "plr", "nlr", "odds_ratio", "risk_ratio",
    "accuracy", "kappa", "f1", "jaccard", "chi_squared", "mcc",
)  # fmt: skip


def values(cohort):
    counts = counts_for(cohort)
    for name in NAMES:
        found = float(getattr(characteristics, name)(*counts))
        wanted = getattr(criteria, name)(*counts)
        yield from differ(name, None if np.isnan(found) else found, wanted, 1e-12, 1e-15)
    found = float(characteristics.net_benefit(0.2)(*counts))
    wanted = criteria.net_benefit(criteria.Fraction(1, 5))(*counts)
    yield from differ("net benefit", found, wanted, 1e-12, 1e-15)


def share_intervals(cohort):
    """Clopper-Pearson, from the public function in either direction."""
    threshold = random.Random(cohort.seed).choice(cohort.scores)  # noqa: S311
    sign = 1 if cohort.direction == "ge" else -1
    point = operating_point(
        cohort.scores, cohort.labels, threshold, confidence=1 - cohort.delta,
        direction=cohort.direction,
    )  # fmt: skip
    called = [sign * score >= sign * threshold for score in cohort.scores]
    pairs = list(zip(called, cohort.labels, strict=True))
    counts = [pairs.count(pair) for pair in ((True, 1), (False, 1), (True, 0), (False, 0))]
    for name in operating_points.SHARES:
        wanted = operating_points.share_interval(name, counts, cohort.delta)
        got = point.fixed[name].interval
        yield from differ(f"{name} known", got is not None, wanted is not None)
        if got is not None and wanted is not None:
            yield from all_differ(name, got, wanted, 1e-9, 1e-12)


def melded(cohort):
    """The ratio of two Beta variables on the product's own lattice of points."""
    counts = counts_for(cohort)
    tp, fn, fp, tn = counts
    if not (tp and fn and fp and tn):
        return
    found = at_fixed_cut(confusion_of(counts), costs_of(cohort, None), cohort.delta)["plr"]
    lattice = spread_points(3)[:2].T.tolist()
    low, high = operating_points.melded_plr(counts, lattice)
    for got, drawn, level in (
        (found.interval[0], low, cohort.delta / 2),
        (found.interval[1], high, 1 - cohort.delta / 2),
    ):
        place = level * len(drawn)
        around = drawn[max(int(place) - 2, 0)], drawn[min(int(place) + 2, len(drawn) - 1)]
        yield from differ("melded plr", around[0] <= got <= around[1], 1)


def areas_under_curves(cohort):
    ill = [s for s, y in zip(cohort.scores, cohort.labels, strict=True) if y]
    well = [s for s, y in zip(cohort.scores, cohort.labels, strict=True) if not y]
    patients = patients_of(cohort)
    yield from differ("auc", auc(patients), areas.area(ill, well), 1e-12)
    found = auc_interval(patients, cohort.delta)
    yield from all_differ(
        "auc interval", found, areas.interval(ill, well, cohort.delta), 1e-6, 1e-6
    )


def order_statistics(cohort):
    level = random.Random(cohort.seed).choice([0.05, 0.1, 0.5, 0.8])  # noqa: S311
    found = quantile_interval(np.array(cohort.scores), level, cohort.delta)
    wanted = operating_points.quantile_interval(cohort.scores, level, cohort.delta)
    yield from all_differ("quantile interval", found, wanted)

"""Ways to choose a cut-off: the rules of steadycut, and what its peers do.

Every method takes `Cohorts` and returns one threshold a cohort.
"""

import numpy as np
from ranked import Ranked, former

from steadycut import PatientScores
from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import TIE, count_errors, risk_at_cuts
from steadycut.core.rules.registry import ERM, cuts_at_rank, parse_rule

GRID = 100
EVEN_CUTS = 200
FOLDS = 5
BOOTSTRAPS = 100


def by_rule(name):
    """A rule of steadycut on the exact cuts."""
    rule = parse_rule(name)
    return lambda cohorts, costs, _rng: cohorts.thresholds_at(
        rule(count_errors(cohorts.cells), costs)
    )


def one_by_one(name, *, grid="exact", halved=False):
    """The same on cuts of each cohort; ``halved``: the other half is kept for the certificate."""
    rule = parse_rule(name)

    def choose(cohorts, costs, rng):
        thresholds = []
        for scores, labels in zip(cohorts.scores, cohorts.labels, strict=True):
            chosen = rng.permutation(labels.size)[: labels.size // (2 if halved else 1)]
            cuts = cuts_of(PatientScores(scores=scores[chosen], labels=labels[chosen]), grid)
            curve = count_errors(cuts.cells[None, :])
            first, last = cuts_at_rank(curve.ranks, rule(curve, costs))
            thresholds.append(cuts.place(first, last)[0])
        return np.array(thresholds)

    return choose


def erm_first(cohorts, costs, rng):
    """The first of all minimisers."""
    del rng
    curve = count_errors(cohorts.cells)
    risk = risk_at_cuts(curve, costs)
    first = (risk <= risk.min(axis=1, keepdims=True) + TIE * costs.largest).argmax(axis=1)
    return cohorts.thresholds_at(curve.ranks[np.arange(first.size), first])


def bootstrapped(middle):
    """cutpointr's: the mean or median, on the scale of the score, of bootstrap cut-offs."""

    def choose(cohorts, costs, rng):
        thresholds = []
        for scores, cells in zip(cohorts.scores, cohorts.cells, strict=True):
            values = np.unique(scores)
            m = values.size
            own = np.concatenate([cells[:m], cells[cells.size // 2 :][:m]])
            drawn = resample(own[None, :], BOOTSTRAPS, rng)[0]
            curve = count_errors(drawn)
            first, last = cuts_at_rank(curve.ranks, ERM(curve, costs))
            padded = np.concatenate([[values[0] - 1e-9], values, [values[-1] + 1e-9]])
            thresholds.append(middle((padded[first] + padded[last + 1]) / 2))
        return np.array(thresholds)

    return choose


def tuned_cv(cohorts, costs, rng):
    """scikit-learn's TunedThresholdClassifierCV: 100 points, the mean curve of five folds."""
    thresholds = []
    for scores, labels in zip(cohorts.scores, cohorts.labels, strict=True):
        grid = np.linspace(scores.min(), scores.max(), GRID)
        fold = np.empty(labels.size, dtype=np.int64)
        for label in (0, 1):
            members = rng.permutation(np.flatnonzero(labels == label))
            fold[members] = np.arange(members.size) % FOLDS
        curves = [
            _fold_risk(scores[fold == k], labels[fold == k], grid, costs) for k in range(FOLDS)
        ]
        thresholds.append(grid[np.argmin(np.mean(curves, axis=0))])
    return np.array(thresholds)


def _fold_risk(scores, labels, grid, costs):
    """A fold's risk at its own scores, interpolated on the grid, as scikit-learn does it."""
    own = np.linspace(scores.min(), scores.max(), GRID)
    misses = np.searchsorted(np.sort(scores[labels == 1]), own, side="left")
    negative = np.sort(scores[labels == 0])
    alarms = negative.size - np.searchsorted(negative, own, side="left")
    risk = (costs.cost_fn * misses + costs.cost_fp * alarms) / labels.size
    return np.interp(grid, own, risk)


def kernel(cohorts, costs, rng):
    """Gaussian kernel estimates of both classes (Silverman's width), then minimum risk."""
    del rng
    from scipy.special import ndtr

    thresholds = []
    for scores, labels in zip(cohorts.scores, cohorts.labels, strict=True):
        grid = np.linspace(scores.min(), scores.max(), 512)
        risk = np.zeros(grid.size)
        for label, cost in ((1, costs.cost_fn), (0, costs.cost_fp)):
            own = scores[labels == label]
            quartiles = np.subtract(*np.quantile(own, [0.75, 0.25])) / 1.349
            spread = min(own.std(ddof=1), quartiles) if quartiles > 0 else own.std(ddof=1)
            width = max(0.9 * spread * own.size**-0.2, 1e-12 + 1e-6 * np.ptp(scores))
            values, counts = np.unique(own, return_counts=True)
            below = ndtr((grid[:, None] - values) / width) @ counts
            risk += cost * (below if label == 1 else own.size - below)
        thresholds.append(grid[risk.argmin()])
    return np.array(thresholds)


def former_rule(cohorts, costs, rng):
    """The rule `stable` as it was; see `ranked.former`."""
    del rng
    return former(Ranked(cohorts.scores, cohorts.labels), [(costs.cost_fn, costs.cost_fp)])[0]


METHODS = {
    "erm": by_rule("erm"),
    "stable": by_rule("stable"),
    "erm, first minimiser": erm_first,
    "youden": by_rule("youden"),
    "sensitivity:0.95": by_rule("sensitivity:0.95"),
    "specificity:0.90": by_rule("specificity:0.90"),
    "kernel-smoothed risk": kernel,
    "bootstrap mean (cutpointr)": bootstrapped(np.mean),
    "bootstrap median (cutpointr)": bootstrapped(np.median),
    "TunedThresholdClassifierCV": tuned_cv,
    "stable, 200 even cuts": one_by_one("stable", grid=EVEN_CUTS),
    "stable, half of the patients": one_by_one("stable", halved=True),
    "erm, half of the patients": one_by_one("erm", halved=True),
    "former rule": former_rule,
}

"""What users would do instead: every method takes `Ranked` cohorts and gives one array a cost."""

import numpy as np
from methods import tuned_cv
from ranked import Ranked
from scipy.special import ndtr

from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule
from steadycut.core.rules.ties import middle_of_widest_flat

BOOTSTRAPS = 50
GRID = 256


def erm(ranked, costs):
    """The smallest observed risk; of several best cuts the middle of the widest flat."""
    return [ranked.thresholds(widest_flat(ranked, ranked.cost(pair))) for pair in costs]


def youden(ranked, costs):
    ill = np.maximum(ranked.n_ill, 1)[:, None]
    loss = ranked.misses / ill + ranked.alarms / np.maximum(ranked.n - ill, 1)
    rank = widest_flat(ranked, np.where(ranked.is_cut, loss, np.inf))
    return [ranked.thresholds(rank)] * len(costs)


def widest_flat(ranked, loss):
    rank = np.empty(loss.shape[0], dtype=np.int64)
    for row in ranked.rows:
        cuts = np.flatnonzero(ranked.is_cut[row])
        rank[row] = middle_of_widest_flat(loss[row, cuts][None], cuts[None], 1e-9)[0]
    return rank


def by_curve(name):
    """A rule of steadycut, one cohort after the other."""
    rule = parse_rule(name)

    def choose(ranked, costs):
        found = []
        for pair in costs:
            rank = [int(rule(curve, costs_of(pair))[0]) for curve in curves(ranked)]
            found.append(ranked.thresholds(np.array(rank)))
        return found

    return choose


def curves(ranked):
    from steadycut.core.cuts.risk_curve import Curve

    for row in ranked.rows:
        cuts = np.flatnonzero(ranked.is_cut[row])
        yield Curve(misses=ranked.misses[[row]][:, cuts], alarms=ranked.alarms[[row]][:, cuts])


def costs_of(pair):
    return Costs(cost_fn=pair[0], cost_fp=pair[1])


def isotonic(ranked, costs):
    """Isotonic regression, cut at its probability: of the cuts of smallest risk the lowest."""
    return [ranked.thresholds(ranked.cost(pair).argmin(axis=1)) for pair in costs]


def kernel(ranked, costs):
    """Gaussian kernel estimates of both classes (Silverman's width), then smallest risk."""
    found = np.empty((len(costs), ranked.scores.shape[0]))
    for row in ranked.rows:
        scores, labels = ranked.scores[row], ranked.labels[row]
        grid = np.linspace(scores[0], scores[-1], GRID)
        below = [smooth_below(scores[labels == label], grid, scores) for label in (0, 1)]
        for place, pair in enumerate(costs):
            risk = pair[0] * below[1] + pair[1] * ((labels == 0).sum() - below[0])
            found[place, row] = grid[risk.argmin()]
    return list(found)


def smooth_below(own, grid, scores):
    quartiles = np.subtract(*np.quantile(own, [0.75, 0.25])) / 1.349
    spread = min(own.std(ddof=1), quartiles) if quartiles > 0 else own.std(ddof=1)
    width = max(0.9 * spread * own.size**-0.2, 1e-12 + 1e-6 * np.ptp(scores))
    values, counts = np.unique(own, return_counts=True)
    return ndtr((grid[:, None] - values) / width) @ counts


def bootstrap_mean(ranked, costs):
    """cutpointr's: the mean, on the scale of the score, of the cut-offs of resampled patients."""
    found = np.empty((len(costs), ranked.scores.shape[0]))
    rng = np.random.default_rng(0)
    for row in ranked.rows:
        chosen = np.sort(rng.integers(0, ranked.n, (BOOTSTRAPS, ranked.n)), axis=1)
        drawn = Ranked(ranked.scores[row][chosen], ranked.labels[row][chosen])
        for place, pair in enumerate(costs):
            rank = drawn.cost(pair).argmin(axis=1)
            ends = drawn.scores[:, 0], drawn.scores[:, -1]
            found[place, row] = np.clip(drawn.thresholds(rank), *ends).mean()
    return list(found)


def tuned(ranked, costs):
    """scikit-learn's TunedThresholdClassifierCV."""
    rng = np.random.default_rng(0)
    return [tuned_cv(ranked, costs_of(pair), rng) for pair in costs]


def treat_all(ranked, costs):
    return [np.full(ranked.scores.shape[0], -np.inf)] * len(costs)


def treat_none(ranked, costs):
    return [np.full(ranked.scores.shape[0], np.inf)] * len(costs)


def ignore_score(ranked, costs):
    """The cheaper of calling everybody and calling nobody."""
    stakes = [ranked.stake(pair) for pair in costs]
    return [np.where(ill >= well, -np.inf, np.inf) for ill, well in stakes]


def untouched(ranked, costs):
    """A score that is a probability, cut where the costs say, without looking at the patients."""
    cuts = [pair[1] / (pair[0] + pair[1]) for pair in costs]
    return [np.full(ranked.scores.shape[0], cut) for cut in cuts]

"""Ways to choose the boundaries: jointly, one by one, and from fitted normal distributions."""

import numpy as np
from scipy.optimize import brentq

from steadycut.core.records import PatientScores
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import grade_cells
from steadycut.core.strata.draws import draw_strata
from steadycut.core.strata.rules import parse_strata_rule

GRID = 200
NORMAL_95 = 1.6448536269514722


def jointly(rule):
    """All boundaries at once."""

    def choose(scores, grades, costs, n_draws, seed):
        cuts, cells = grade_cells(PatientScores(scores=scores), grades, costs.n_grades, GRID)
        rng = np.random.default_rng(seed)
        found = draw_strata(cuts, cells, parse_strata_rule(rule), costs, n_draws, rng)
        return found.thresholds, found.draws

    return choose


def one_by_one(rule):
    """Each boundary as a question of its own, with the costs of the two strata beside it.

    The same random numbers resample the same patients for every boundary.
    """

    def choose(scores, grades, costs, n_draws, seed):
        pairs = [CostMatrix(costs.values[:, k : k + 2]) for k in range(costs.n_boundaries)]
        found = [jointly(rule)(scores, grades, pair, n_draws, seed) for pair in pairs]
        thresholds, draws = zip(*found, strict=True)
        return np.concatenate(thresholds), np.hstack(draws)

    return choose


def normal_roots(scores, grades, costs, n_draws, seed):
    """The equations of ThresholdROC's thres3 with normal grades, each boundary in its own stretch.

    The first lies between the 5 % quantile of the lowest grade and the middle of the second, the
    second between that and the 95 % quantile of the highest; NaN where an equation has no root
    there, which is an error in R. Patients are resampled as a whole.
    """
    rng = np.random.default_rng(seed)
    thresholds = _roots(scores, grades, costs)
    draws = []
    for _ in range(n_draws):
        index = rng.integers(0, scores.size, scores.size)
        draws.append(_roots(scores[index], grades[index], costs))
    return thresholds, np.array(draws)


def _roots(scores, grades, costs):
    groups = [scores[grades == grade] for grade in range(3)]
    if min(map(len, groups)) < 2:
        return np.full(2, np.nan)
    means = np.array([group.mean() for group in groups])
    spreads = np.array([group.std(ddof=1) or 1e-9 for group in groups])
    shares = np.array([len(group) for group in groups]) / scores.size
    ends = means[0] - NORMAL_95 * spreads[0], means[2] + NORMAL_95 * spreads[2]
    stretches = (ends[0], means[1]), (means[1], ends[1])
    found = []
    for k, (low, high) in enumerate(stretches):
        weights = shares * costs.steps[:, k] / spreads

        def slope(at, weights=weights):
            return weights @ np.exp(-(((at - means) / spreads) ** 2) / 2)

        crosses = low < high and slope(low) * slope(high) < 0
        found.append(brentq(slope, low, high) if crosses else np.nan)
    return np.array(found)


METHODS = {
    "joint stable": jointly("stable"),
    "single stable": one_by_one("stable"),
    "joint erm": jointly("erm"),
    "single erm": one_by_one("erm"),
}

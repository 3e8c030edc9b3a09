"""The rule ``logistic``: a logistic regression on the score, cut where the costs say."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import Curve
from steadycut.core.records import Costs
from steadycut.core.rules.rank_logistic import edges_of, fit_line, grouped
from steadycut.core.rules.score_rules import ScoreRule
from steadycut.core.rules.stable import class_weights

# Beyond so many cuts, neighbouring patients are counted together, at their mean score.
EDGES = edges_of(1024)
# Steeper than this in standard deviations of the score counts as rising.
FLATTEST = 1e-9


@dataclass(frozen=True, slots=True)
class Logistic(ScoreRule):
    """The cut where the fitted risk of disease is cost_fp / (cost_fn + cost_fp).

    Fitted are the log odds a + b score, without a penalty and with the targets (n1 + 1) / (n1 + 2)
    for the n1 ill and 1 / (n0 + 2) for the n0 healthy patients. They keep the line finite where the
    score separates the classes. If the line does not rise, or reaches this risk beyond all
    patients, everybody is called, or nobody. A target prevalence moves the odds.

    Unlike most rules, this one depends on the distances between scores. A transform of the scores
    changes the result.

    References
    ----------
    Platt (1999), in Advances in Large Margin Classifiers; Elkan (2001), IJCAI.
    """

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        values, n = self.values_along(curve), curve.n_patients
        size = np.diff(curve.ranks)
        middle = (size * values).sum(axis=1, keepdims=True) / n
        spread = np.sqrt((size * (values - middle) ** 2).sum(axis=1, keepdims=True) / n)
        score = (values - middle) / np.where(spread > 0, spread, 1.0)
        intercept, slope = fit_line(*_targets(curve, score), FLATTEST)
        miss, alarm = class_weights(curve, costs.unit)
        above = np.log(alarm / miss)[:, 0] - intercept
        place = np.where(above > 0, np.inf, -np.inf)
        np.divide(above, slope, out=place, where=slope > FLATTEST)
        below = [row.searchsorted(cut) for row, cut in zip(score, place, strict=True)]
        return np.take_along_axis(curve.ranks, np.array(below)[:, None], axis=1)[:, 0]


def _targets(curve: Curve, score: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the scores, and what counts as ill and as healthy at each of them."""
    total = np.zeros(curve.ranks.shape)
    np.cumsum(np.diff(curve.ranks) * score, axis=1, out=total[:, 1:])
    ranks, misses, total = grouped((curve.ranks, curve.misses, total), EDGES)
    size, positive = np.diff(ranks), np.diff(misses)
    target = (curve.n_positive + 1) / (curve.n_positive + 2), 1 / (curve.n_negative + 2)
    ill = target[0] * positive + target[1] * (size - positive)
    return np.diff(total) / np.maximum(size, 1), ill, size - ill

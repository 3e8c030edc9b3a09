"""Intervals for the cut-off itself, under every rule.

There are two different questions. Where would the rule put the cut-off if it had all patients of
the population? And where would another study with as many patients put it?
"""

import math
import re
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc

from steadycut.core.bootstrap.draws import ThresholdDraws
from steadycut.core.checks import FloatArray, Interval
from steadycut.core.intervals.rates import spread_points, tails
from steadycut.core.intervals.repeated_study import repeated_ranks
from steadycut.core.records import PatientScores

ROC_RULE = re.compile(r"(sensitivity|specificity):([0-9.eE+-]+)")
ORDER_STATISTICS, BOOTSTRAP = "order statistics", "bootstrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class CutInterval:
    """Where the cut-off would lie with all patients of the population, and in a repeated study.

    ``method`` is the method of the first interval; the second one always comes from the bootstrap.
    An end is infinite if the patients give no bound there.
    """

    population: Interval
    method: str
    repeated: Interval

    def times(self, sign: float) -> "CutInterval":
        """Return the intervals for scores times ``sign``, which is 1 or -1."""
        if sign > 0:
            return self
        first, second = (
            (-high + 0.0, -low + 0.0) for low, high in (self.population, self.repeated)
        )
        return CutInterval(population=first, method=self.method, repeated=second)


def cut_interval(
    chose: PatientScores, draws: ThresholdDraws, rule: str, delta: float
) -> CutInterval:
    """Return both intervals, from the patients who chose the cut-off.

    Notes
    -----
    The rules ``sensitivity:X`` and ``specificity:X`` aim at a quantile of the scores of one class.
    Two order statistics are an exact interval for it, for any distribution. For all other rules the
    percentile interval of the ranks of the bootstrap cut-offs is used. It goes from the last score
    below to the first called score, because the patients do not say where between two scores a
    cut-off lies. This is a heuristic: no bootstrap is consistent for the minimiser of a step
    function.
    """
    roc_rule = ROC_RULE.fullmatch(rule)
    if roc_rule:
        population = roc_cut_interval(chose, roc_rule[1], float(roc_rule[2]), delta)
    else:
        population = scores_around(chose.scores, tails(draws.ranks, draws.ranks, delta))
    again = repeated_ranks(draws, spread_points(2))
    return CutInterval(
        population=population,
        method=ORDER_STATISTICS if roc_rule else BOOTSTRAP,
        repeated=scores_around(chose.scores, tails(again, again, delta)),
    )


def roc_cut_interval(patients: PatientScores, rate: str, floor: float, delta: float) -> Interval:
    """Return an exact interval for the cut at which a rate of the population is ``floor``."""
    if rate == "sensitivity":
        return quantile_interval(patients.positive_scores, 1 - floor, delta)
    return quantile_interval(patients.negative_scores, floor, delta)


def quantile_interval(scores: FloatArray, level: float, delta: float) -> Interval:
    """Return two order statistics around the quantile; an end is infinite if none is far enough.

    The number of scores up to the quantile is at least Binomial(n, level). The number of scores
    below it is at most Binomial(n, level).

    Examples
    --------
    >>> quantile_interval(np.arange(1.0, 101.0), 0.5, 0.05)
    (40.0, 61.0)
    """
    ordered = np.concatenate([[-np.inf], np.sort(scores), [np.inf]])
    # For X ~ Binomial(n, level): Pr(X <= k) is the upper, Pr(X > k) the lower beta integral.
    above, left = np.arange(1, scores.size + 1), np.arange(scores.size, 0, -1)
    lowest = np.count_nonzero(betaincc(above, left, level) <= delta / 2)
    highest = 1 + np.count_nonzero(betainc(above, left, level) > delta / 2)
    return float(ordered[lowest]), float(ordered[highest])


def scores_around(scores: FloatArray, ranks: Interval) -> Interval:
    """Return the last score below the lower cut, and the first score that the upper cut calls.

    ``ranks`` are the numbers of scores below the two cuts.
    """
    ordered = np.concatenate([[-np.inf], np.sort(scores), [np.inf]])
    low, high = math.floor(max(ranks[0], 0)), math.ceil(min(ranks[1], scores.size))
    return float(ordered[low]), float(ordered[high + 1])

"""Intervals for a repeated study, in which the cut-off is chosen again.

The cut-off T of this study and the cut-off T' of another study of the same size are independent
draws from the same distribution. T' - T is therefore symmetric about 0. Its spread is that of the
difference of two independent bootstrap cut-offs t*_b - t*_c. So T' is drawn as T + t*_b - t*_c, on
the scale of ranks among the choosing patients. A percentile interval of t*_b alone would ignore
that T itself is only one draw.
"""

import numpy as np

from steadycut.core.bootstrap.draws import ThresholdDraws
from steadycut.core.checks import FloatArray, Interval
from steadycut.core.intervals.rates import (
    DIMENSIONS,
    Table,
    melded_intervals,
    quantities,
    spread_points,
)
from steadycut.core.records import Costs, PatientScores


def repeated_ranks(draws: ThresholdDraws, points: FloatArray) -> FloatArray:
    """Return how many of the choosing patients lie below the cut-off of another study.

    ``points``, shape (2, n), select the two bootstrap replicates. One number per point is returned.
    """
    first, second = (points * draws.ranks.size).astype(np.int64)
    return draws.rank + draws.ranks[first] - draws.ranks[second]


def cuts_at(scores: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return a cut with this many scores below; infinite if it calls nobody, or everybody."""
    ordered = np.sort(scores)
    middles = (ordered[1:] + ordered[:-1]) / 2
    placed = np.concatenate([ordered[:1], middles])
    inside = np.interp(ranks, np.arange(placed.size), placed)
    return np.where(ranks < 1, -np.inf, np.where(ranks > ordered.size - 1, np.inf, inside))


def counts_at(patients: PatientScores, cuts: FloatArray) -> Table:
    """Return the four counts at each cut."""
    fn = np.searchsorted(patients.positive_scores, cuts)
    tn = np.searchsorted(patients.negative_scores, cuts)
    return patients.n_positive - fn, fn, patients.n_negative - tn, tn


def at_rechosen_cut(
    chose: PatientScores, judge: PatientScores, draws: ThresholdDraws, costs: Costs, delta: float
) -> dict[str, Interval]:
    """Return an interval for every characteristic at the cut-off of a repeated study.

    Parameters
    ----------
    chose
        The patients who chose the cut-off.
    judge
        Patients on whom the cut-offs are evaluated, preferably others than those who chose.
    draws
        The cut-off, and the cut-offs that the same rule chose in bootstrap replicates of ``chose``.
    costs
        As in `at_fixed_cut`.
    delta
        Each single interval should miss with this probability.

    Notes
    -----
    The interval is for this value: the characteristic, in the population, of the cut-off that
    another study with as many patients would choose. Every such cut-off T' has its own counts of
    ``judge``. The limits of the rates are melded as at a fixed cut. If all T' were equal, the
    interval would be that at the fixed cut. It is a bootstrap interval, so it is approximate. A
    characteristic of a class that ``judge`` does not have is left out.
    """
    points = spread_points(2 + DIMENSIONS)
    again = repeated_ranks(draws, points[DIMENSIONS:])
    table = counts_at(judge, cuts_at(chose.scores, again))
    known = {
        name: quantity
        for name, quantity in quantities(costs).items()
        if not np.isnan(quantity.of_counts(*table)).all()
    }
    return melded_intervals(known, table, points[:DIMENSIONS], delta)

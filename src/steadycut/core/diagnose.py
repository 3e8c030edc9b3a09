"""How far a cut-off can be trusted: flips, and where the bootstrap is ill-posed."""

import numpy as np

from steadycut.core.bootstrap import ThresholdDraws
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts import Cuts
from steadycut.core.records import Costs
from steadycut.core.risk_curve import TIE, count_errors, risk_at_cuts
from steadycut.core.rules import excess_risk

# A share of draws this large on the far side of a barrier makes a second basin.
SECOND_BASIN = 0.10
# A risk this many standard errors above the smallest makes a barrier.
BARRIER = 2.5
# Draws whose middle 80 % spread over more than this share of the patients have a flat minimum.
FLAT = 0.25
FEW_PATIENTS = 10


def flip_probability(scores: FloatArray, threshold: float, draws: FloatArray) -> FloatArray:
    """Return, for each score, the share of draws that decide otherwise than the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> flip_probability(np.array([0.2, 0.5, 0.9]), 0.5, np.array([0.1, 0.4, 0.6, 0.7]))
    array([0.25, 0.5 , 0.  ])
    """
    calls = np.searchsorted(np.sort(draws), scores, side="right")
    return np.where(scores >= threshold, draws.size - calls, calls) / draws.size


def flip_rate(scores: FloatArray, threshold: float, draws: FloatArray) -> float:
    """Return the mean flip probability: how often a resampled study decides otherwise."""
    return float(flip_probability(scores, threshold, draws).mean())


def stability_warnings(cuts: Cuts, draws: ThresholdDraws, costs: Costs) -> list[str]:
    """Say where the bootstrap thresholds have no single, well-marked place."""
    found = []
    share = basin_share(cuts, draws, costs)
    if share >= SECOND_BASIN:
        found.append(
            f"multi-modal minimum: {share:.0%} of the bootstrap cut-offs lie beyond a stretch of "
            "clearly higher risk, in a second basin; the radius mixes the two."
        )
    low, high = np.quantile(draws.ranks, [0.1, 0.9]) / cuts.n_patients
    if high - low > FLAT:
        found.append(
            f"flat minimum: the middle 80 % of the bootstrap cut-offs spread over "
            f"{high - low:.0%} of the patients; the data do not settle the cut-off."
        )
    return found


def basin_share(cuts: Cuts, draws: ThresholdDraws, costs: Costs) -> float:
    """Return the share of draws that a barrier of clearly higher risk parts from the rest.

    A barrier is a cut whose risk lies more than `BARRIER` paired standard errors above the
    smallest risk on its left, and above that on its right. The smaller side counts; 0 where
    there is no barrier among the draws.
    """
    curve = count_errors(cuts.cells[None, :])
    risk, ranks = risk_at_cuts(curve, costs)[0], curve.ranks[0]
    every = np.arange(ranks.size)
    left, right = lowest_so_far(risk), ranks.size - 1 - lowest_so_far(risk[::-1])[::-1]
    high = np.ones(ranks.size, dtype=bool)
    for basin in (left, right):
        excess, error = excess_risk(curve, costs, 0, every, basin)
        high &= excess > BARRIER * error + TIE * costs.largest
    barrier = ranks[high]
    if not barrier.size:
        return 0.0
    ordered = np.sort(draws.ranks)
    below = np.searchsorted(ordered, barrier, side="left") / ordered.size
    above = 1 - np.searchsorted(ordered, barrier, side="right") / ordered.size
    return float(np.minimum(below, above).max())


def lowest_so_far(risk: FloatArray) -> IntArray:
    """Return, for each cut, which cut up to it has the smallest risk."""
    new_low = risk <= np.minimum.accumulate(risk)
    return np.maximum.accumulate(np.where(new_low, np.arange(risk.size), 0))


def class_warnings(name: str, n_positive: int, n_negative: int) -> list[str]:
    """Say where a class has few patients, or none."""
    found = []
    for kind, count in (("positive", n_positive), ("negative", n_negative)):
        if count < FEW_PATIENTS:
            found.append(
                f"few patients: {count} {kind} patients {name}; expect a rough cut-off and a wide "
                f"certificate below {FEW_PATIENTS}."
            )
    return found

"""Rules that use the scores themselves: the cut nearest to their mean, or to the prevalence."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self, cast

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.grid import Cuts, EvenCuts, ExactCuts
from steadycut.core.cuts.risk_curve import TIE, Curve
from steadycut.core.records import Costs
from steadycut.core.rules.ties import middle_of_widest_flat

Target = Callable[[Curve, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """A rule that uses the scores themselves.

    ``values`` holds one score for each bin of patients; `on_cuts` sets them. Without them,
    neighbouring bins are one step apart.
    """

    values: FloatArray | None = field(default=None, repr=False, compare=False)

    def on_cuts(self, cuts: Cuts) -> Self:
        """Return the same rule along the scores of ``cuts``."""
        return replace(self, values=bin_values(cuts))

    def values_along(self, curve: Curve) -> FloatArray:
        """Return the score of each bin of patients of the curve."""
        return np.arange(curve.ranks.shape[-1] - 1.0) if self.values is None else self.values


@dataclass(frozen=True, slots=True)
class NearestScore(ScoreRule):
    """The cut whose smallest called score is nearest to a target.

    On evenly spaced cuts the score of a bin is the middle of its step of the grid. Target and cut
    are then accurate to half a step.
    """

    target: Target

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        del costs
        size, values = np.diff(curve.ranks), self.values_along(curve)
        apart = np.full(curve.ranks.shape, np.inf)
        # A bin without drawn patients has no score to call, and neither has call-nobody.
        apart[:, :-1] = np.where(size > 0, np.abs(values - self.target(curve, values)), np.inf)
        return middle_of_widest_flat(apart, curve.ranks, TIE * float(np.abs(values).max()))


def bin_values(cuts: Cuts) -> FloatArray:
    """Return the score of each bin of patients; on an even grid, the middle of its step."""
    if not isinstance(cuts, EvenCuts):
        return cast("ExactCuts", cuts).values
    lower = cuts.last_in_gap[:-1]
    upper = np.minimum(lower + 1, cuts.thresholds.size - 2)
    return (cuts.thresholds[lower] + cuts.thresholds[upper]) / 2


def mean_score(curve: Curve, values: FloatArray) -> FloatArray:
    """Return the mean score of the patients of each curve, shape (rows, 1)."""
    size = np.diff(curve.ranks)
    return np.asarray((size * values).sum(axis=-1, keepdims=True) / curve.n_patients)


def prevalence_as_score(curve: Curve, values: FloatArray) -> FloatArray:
    """Return the prevalence of each curve on the scale of the scores, shape (rows, 1).

    Scores between 0 and 1 are treated as probabilities. Other scores are treated as if their range
    were mapped to 0 to 1.
    """
    prevalence = curve.n_positive / curve.n_patients
    if values[0] >= 0 and values[-1] <= 1:
        return prevalence
    return values[0] + prevalence * (values[-1] - values[0])

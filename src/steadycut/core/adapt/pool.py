"""Scores of the first hospital by class, and of the next one without labels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import FloatArray
from steadycut.core.records import Costs


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HomeScores:
    """Oriented scores of the first hospital, where a high score is called.

    ``positive`` and ``negative`` are quantiles in equal steps, ascending, or the scores themselves.
    """

    positive: FloatArray
    negative: FloatArray
    n_positive: int
    n_negative: int

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return self.n_positive + self.n_negative

    @property
    def prevalence(self) -> float:
        """The share of ill patients."""
        return self.n_positive / self.n_patients

    @property
    def cuts(self) -> FloatArray:
        """Cut-offs that decide differently, ascending; the last one calls nobody."""
        return np.append(np.unique(np.concatenate([self.positive, self.negative])), np.inf)

    def shares_below(self, cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the shares of ill and of healthy patients below each cut-off."""
        return share_below(self.positive, cuts), share_below(self.negative, cuts)

    def smallest_risk(self, prevalence: float, costs: Costs) -> float:
        """Return the smallest mean cost of a cut-off, if the prevalence were this one.

        Examples
        --------
        >>> ill, well = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0])
        >>> home = HomeScores(positive=ill, negative=well, n_positive=4, n_negative=2)
        >>> home.smallest_risk(0.5, Costs()), home.smallest_risk(0.5, Costs(cost_fn=8))
        (0.125, 0.25)
        """
        missed, spared = self.shares_below(self.cuts)
        risk = costs.cost_fn * prevalence * missed + costs.cost_fp * (1 - prevalence) * (1 - spared)
        return float(risk.min())


def share_below(ascending: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return the share of scores below each cut-off."""
    return np.searchsorted(ascending, cuts, side="left") / max(ascending.size, 1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pool:
    """Oriented scores of the next hospital, ascending."""

    scores: FloatArray

    @classmethod
    def of(cls, scores: ArrayLike) -> "Pool":
        """Return the pool of patients with these oriented scores."""
        return cls(scores=np.sort(np.asarray(scores, dtype=float)))

    def rank_of(self, cut: float) -> float:
        """Return the share of patients below a cut-off."""
        return float(share_below(self.scores, np.array([cut]))[0])

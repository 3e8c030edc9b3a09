"""Scores of the first hospital by class, of the next one without labels, and their cut-offs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import FloatArray, IntArray


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


def share_below(ascending: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return the share of scores below each cut-off."""
    return np.searchsorted(ascending, cuts, side="left") / max(ascending.size, 1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pool:
    """Oriented scores, ascending, and the cut-offs that decide differently about them.

    A cut-off lies at the score of the first patient whom it calls, and the last one just above all
    scores. So an increasing transform of the scores transforms the cut-offs exactly. ``ranks`` are
    the shares of patients below each cut-off.
    """

    scores: FloatArray
    cuts: FloatArray
    ranks: FloatArray

    @classmethod
    def of(cls, scores: ArrayLike) -> "Pool":
        """Return the pool of patients with these oriented scores."""
        ascending = np.sort(np.asarray(scores, dtype=float))
        above = np.nextafter(ascending[-1], np.inf)
        cuts = np.append(np.unique(ascending), above)
        return cls(scores=ascending, cuts=cuts, ranks=share_below(ascending, cuts))

    def rank_of(self, cut: float) -> float:
        """Return the share of patients below a cut-off."""
        return float(share_below(self.scores, np.array([cut]))[0])

    def nearest(self, ranks: ArrayLike) -> IntArray:
        """Return which cut-off has the rank nearest to each given one; of two the lower."""
        given = np.asarray(ranks, dtype=float)
        after = np.clip(np.searchsorted(self.ranks, given), 1, self.ranks.size - 1)
        closer_below = given - self.ranks[after - 1] <= self.ranks[after] - given
        return np.asarray(np.where(closer_below, after - 1, after))

    def at_rank(self, rank: float) -> float:
        """Return the cut-off whose rank is nearest."""
        return float(self.cuts[self.nearest(rank)])

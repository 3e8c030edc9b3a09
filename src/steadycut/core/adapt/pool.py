"""Unlabelled patients of the next hospital, and the cut-offs between them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.adapt.home import share_below
from steadycut.core.checks import FloatArray, IntArray


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

"""What a rule knows of the first hospital: quantiles of the scores of each class."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray


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

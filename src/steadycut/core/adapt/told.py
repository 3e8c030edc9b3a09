"""Where the first hospital would cut, if its prevalence were another one.

The weights are those of `steadycut.core.rules.stable`, with another weight per patient, and the
classes weighted so that the prevalence is the stated one. The mean is that of the ranks, over all
basins. It needs the quantiles of the scores by class only.
"""

from dataclasses import dataclass

import numpy as np

from steadycut.core.adapt.home import HomeScores
from steadycut.core.checks import FloatArray
from steadycut.core.records import Costs
from steadycut.core.rules.stable import prior_mass

# Beyond these a stated prevalence is not followed further.
PREVALENCES = (0.001, 0.999)
# As how many patients each patient of the first hospital counts, from 30 patients on.
WEIGHT, FEW = 0.25, 30


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Told:
    """The weight of every cut-off of the first hospital at a stated prevalence.

    ``ranks`` are the shares of patients below each cut-off at that prevalence, and
    ``smallest_risk`` is the smallest mean cost among them.
    """

    cuts: FloatArray
    ranks: FloatArray
    weights: FloatArray
    smallest_risk: float

    @property
    def rank(self) -> float:
        """The weighted mean rank: the share of patients not to call."""
        return float(self.weights @ self.ranks)

    @property
    def same_score(self) -> float:
        """The cut-off of the first hospital with the rank nearest to the mean."""
        return float(self.cuts[np.abs(self.ranks - self.rank).argmin()])


def told(home: HomeScores, prevalence: float, costs: Costs, patients: float | None = None) -> Told:
    """Return where the first hospital would cut at a stated prevalence.

    Parameters
    ----------
    home
        Quantiles of the first hospital.
    prevalence
        The share of ill patients at the next hospital.
    costs
        What the two errors cost.
    patients
        As how many patients all of the first hospital count at most; None for all of them.

    Examples
    --------
    >>> ill, well = np.linspace(1, 3, 101), np.linspace(0, 2, 101)
    >>> home = HomeScores(positive=ill, negative=well, n_positive=50, n_negative=50)
    >>> few, many = (told(home, share, Costs()).same_score for share in (0.1, 0.6))
    >>> few > many
    True
    """
    share, n = float(np.clip(prevalence, *PREVALENCES)), home.n_patients
    cuts = home.cuts
    missed, spared = home.shares_below(cuts)
    ranks = share * missed + (1 - share) * spared
    stake = (costs.cost_fn * share, costs.cost_fp * (1 - share))
    errors = n * (stake[0] * missed + stake[1] * (1 - spared)) / sum(stake)
    fewest = errors.min()
    smallest = float(fewest * sum(stake) / n)
    weight = WEIGHT * max(FEW / n, 1.0) ** 2 * min(1.0, (patients or n) / n)
    odds = np.log((n - fewest + 1) / (fewest + 1))
    weights = prior_mass(ranks[None, :])[0] * np.exp(-weight * odds * (errors - fewest))
    return Told(cuts=cuts, ranks=ranks, weights=weights / weights.sum(), smallest_risk=smallest)

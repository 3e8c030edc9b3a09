"""Where the first hospital would cut at a stated prevalence, and how far to follow that.

`told` says where the first hospital would cut, if its prevalence were the stated one. The weights
are those of `steadycut.core.rules.stable`, with another weight per patient, and the classes
weighted so that the prevalence is the stated one. The mean is that of the ranks, over all basins.
It needs the quantiles of the scores by class only.

A stated prevalence can be wrong, and scores can have moved in another way than the method assumes.
So the frozen cut-off is never replaced outright. On the ranks of the new patients,

    rank = (1 - pull) frozen rank + pull told rank,
    pull = 3/4 (2 + d²) / (2 + d² + 40 s²),

where d is the difference of the log odds of disease between the hospitals, and s is half of the
distance between the told ranks at the ends of the stated range, each end moved by `DOUBT`. The pull
is weaker if the stated range is wide, if a wrong number would move the cut-off far, and if the
stated odds are near those of the first hospital. ``benchmarks/studies/adapt`` measures it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.checks import FloatArray
from steadycut.core.records import Costs
from steadycut.core.rules.stable import prior_mass

# Beyond these a stated prevalence is not followed further.
PREVALENCES = (0.001, 0.999)
# As how many patients each patient of the first hospital counts, from 30 patients on.
WEIGHT, FEW = 0.25, 30
# By this factor the stated odds may be wrong, either way.
DOUBT = 1.5
STRONGEST, NEAR, SPREAD = 0.75, 2.0, 40.0


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Mix:
    """A cut-off between the frozen one and the one that a stated prevalence asks for."""

    cut: float
    pull: float
    prevalence: float
    told: Told


def mix(
    home: HomeScores, pool: Pool, frozen: float, prevalence: tuple[float, float], costs: Costs
) -> Mix:
    """Return the cut-off for a hospital that states its prevalence, as a range.

    Where it decides about the pool as the frozen cut-off does, it is the frozen one.
    """
    low, high = logit(np.clip(prevalence, *PREVALENCES))
    middle, doubt = (low + high) / 2, np.log(DOUBT)
    followed = told(home, expit(middle), costs)
    ends = [told(home, expit(end), costs).rank for end in (low - doubt, high + doubt)]
    pull = pull_of(
        middle - logit(np.clip(home.prevalence, *PREVALENCES)), abs(np.diff(ends)[0]) / 2
    )
    rank = (1 - pull) * pool.rank_of(frozen) + pull * followed.rank
    cut = pool.at_rank(rank)
    same = pool.rank_of(cut) == pool.rank_of(frozen)
    return Mix(
        cut=frozen if same else cut, pull=pull, prevalence=float(expit(middle)), told=followed
    )


def pull_of(log_odds_ratio: float, spread: float) -> float:
    """Return how far the told rank is followed; see the module.

    Examples
    --------
    >>> round(pull_of(0.0, 0.1), 3), round(pull_of(2.0, 0.1), 3), round(pull_of(0.0, 0.3), 3)
    (0.625, 0.703, 0.268)
    """
    near = NEAR + log_odds_ratio**2
    return float(STRONGEST * near / (near + SPREAD * spread**2))

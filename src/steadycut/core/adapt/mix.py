"""How far to follow a stated prevalence, and how far to stay with the frozen cut-off.

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

from steadycut.core.adapt.home import HomeScores
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.told import PREVALENCES, Told, told
from steadycut.core.records import Costs

# By this factor the stated odds may be wrong, either way.
DOUBT = 1.5
STRONGEST, NEAR, SPREAD = 0.75, 2.0, 40.0


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

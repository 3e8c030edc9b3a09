"""Frozen boundaries and patients who did not choose them -> a certificate at every boundary.

There are two statements. Each fails with probability at most delta. First, the mean cost is at most
its certified value. Second, all miss rates and alarm rates of all boundaries are at most their
limits (2K exact limits at delta / 2K each). Both together fail with probability at most 2 delta.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.binomial import deviation, upper_limit
from steadycut.core.bounds.concentration import mean_limit
from steadycut.core.certify import Certificate
from steadycut.core.checks import BoolArray, FloatArray, IntArray, check_choice, check_fraction
from steadycut.core.strata.costs import CostMatrix
from steadycut.errors import BadOption

# From this many patients on the betting bound is slow.
MANY_BETS = 10_000
# An upper limit of the mean of losses between 0 and 1.
LossBound = Callable[[FloatArray, float], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """An error rate at a boundary, the ``n_patients`` who can show it, and its upper limit."""

    errors: int
    n_patients: int
    limit: float

    @property
    def rate(self) -> float | None:
        """The observed rate; None without patients."""
        return self.errors / self.n_patients if self.n_patients else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryCertificate:
    """What is certified at one boundary.

    ``miss``: patients whose grade belongs above the boundary and who are put below it. ``alarm``:
    patients whose grade belongs below it and who are put above it. Grades for which the boundary
    makes no difference count in neither. ``delta`` is the failure probability of each of the two
    limits.
    """

    miss: RateLimit
    alarm: RateLimit
    delta: float


def certify_boundaries(
    strata: IntArray, grades: IntArray, costs: CostMatrix, delta: float
) -> tuple[BoundaryCertificate, ...]:
    """Return the limits at every boundary. They all hold at once with probability 1 - delta.

    Each one is the exact Clopper-Pearson limit at delta / 2K, given the number of patients of each
    grade. The split may therefore use the grades.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> strata, grades = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])
    >>> first, second = certify_boundaries(strata, grades, costs, 0.2)
    >>> first.miss.errors, first.miss.n_patients, first.alarm.errors, round(first.alarm.limit, 3)
    (1, 3, 0, 0.95)
    """
    share = check_fraction("delta", delta) / (2 * costs.n_boundaries)
    found = []
    for boundary in range(costs.n_boundaries):
        step, above = costs.steps[grades, boundary], strata > boundary
        found.append(
            BoundaryCertificate(
                miss=_rate_limit(~above, step > 0, share),
                alarm=_rate_limit(above, step < 0, share),
                delta=share,
            )
        )
    return tuple(found)


def _rate_limit(wrong: BoolArray, members: BoolArray, delta: float) -> RateLimit:
    errors, n = int(np.count_nonzero(wrong & members)), int(np.count_nonzero(members))
    return RateLimit(errors=errors, n_patients=n, limit=upper_limit(errors, n, delta))


def certify_cost(
    strata: IntArray, grades: IntArray, costs: CostMatrix, delta: float, bound: str = "auto"
) -> Certificate:
    """Return a bound on the mean cost. It holds with probability 1 - delta.

    The bound is vacuous if it is not below the cost of putting everybody into the cheapest stratum.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> found = certify_cost(np.array([0, 0, 1, 2] * 9), np.array([0, 1, 1, 2] * 9), costs, 0.1)
    >>> found.risk, found.bound, found.trivial_risk, bool(found.value < 0.45)
    (0.25, 'betting', 0.5, True)
    """
    check_fraction("delta", delta)
    name = choose_loss_bound(bound, costs, grades.size)
    losses = (costs.of_patients(grades, strata) - costs.smallest) / costs.spread
    risk = float(costs.of_patients(grades, strata).mean())
    value = costs.smallest + costs.spread * LOSS_BOUNDS[name](losses, delta)
    return Certificate(
        risk=risk,
        generalization=max(value - risk, 0.0),
        bound=name,
        delta=delta,
        honesty="split",
        n_patients=losses.size,
        trivial_risk=float(costs.values[grades].mean(axis=0).min()),
    )


def lowest_cost(
    strata: IntArray, grades: IntArray, costs: CostMatrix, delta: float, bound: str = "auto"
) -> float:
    """Return a limit that the mean cost exceeds with probability 1 - delta.

    It is the bound of `certify_cost`, applied to what each loss leaves of the largest one.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [1, 0]])
    >>> round(lowest_cost(np.array([0, 0, 0]), np.array([1, 1, 1]), costs, 0.1), 3)
    0.464
    """
    check_fraction("delta", delta)
    name = choose_loss_bound(bound, costs, grades.size)
    left = (costs.largest - costs.of_patients(grades, strata)) / costs.spread
    return costs.largest - costs.spread * LOSS_BOUNDS[name](left, delta)


def members_of(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return grade and stratum of each patient from the counts by grade and stratum.

    Examples
    --------
    >>> members_of(np.array([[2, 0], [1, 1]]))
    (array([0, 0, 1, 1]), array([0, 0, 0, 1]))
    """
    grades, strata = np.indices(counts.shape).reshape(2, -1)
    return np.repeat(grades, counts.ravel()), np.repeat(strata, counts.ravel())


def _exact(losses: FloatArray, delta: float) -> float:
    return upper_limit(int(np.count_nonzero(losses)), losses.size, delta)


def _bentkus(losses: FloatArray, delta: float) -> float:
    return mean_limit(float(losses.mean()), losses.size, delta)


def _hoeffding(losses: FloatArray, delta: float) -> float:
    return min(float(losses.mean()) + deviation(losses.size, delta), 1.0)


LOSS_BOUNDS: dict[str, LossBound] = {
    "clopper-pearson": _exact,
    "betting": betting_limit,
    "bentkus": _bentkus,
    "hoeffding": _hoeffding,
}


def choose_loss_bound(name: str, costs: CostMatrix, n_patients: int = 0) -> str:
    """Return the bound to use. ``auto`` depends on costs and number of patients only.

    If the costs have two values, losses are 0 or 1 and the exact limit applies. Otherwise ``auto``
    is the betting bound, which was the narrowest of the three in nearly all tested settings
    (docs/evidence/strata.md). It takes seconds for very many patients. From `MANY_BETS` patients
    on, ``auto`` is therefore ``bentkus``, which is nearly as narrow.
    """
    check_choice("bound", name, ("auto", *LOSS_BOUNDS))
    two_values = np.unique(costs.values).size == 2  # noqa: PLR2004
    if name == "auto" and not two_values:
        return "betting" if n_patients < MANY_BETS else "bentkus"
    if name == "auto":
        return "clopper-pearson"
    if name == "clopper-pearson" and not two_values:
        msg = (
            "bound 'clopper-pearson' needs costs of two values only; choose one of auto, betting, "
            "bentkus, hoeffding."
        )
        raise BadOption(msg)
    return name

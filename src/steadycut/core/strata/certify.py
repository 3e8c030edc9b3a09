"""Frozen boundaries and patients who did not choose them -> a certificate at every boundary.

There are two statements. Each fails with probability at most delta. First, the mean cost is at most
its certified value. Second, all miss rates and alarm rates of all boundaries are at most their
limits (2K exact limits at delta / 2K each). Both together fail with probability at most 2 delta.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.binomial import deviation, upper_limit
from steadycut.core.bounds.concentration import choose_bound, lower_risk_limit, mean_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import FloatArray, IntArray, check_choice, check_fraction
from steadycut.core.confusion import Confusion
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
    rate: float | None
    limit: float


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """How many patients of those who can show an error of one kind are decided wrongly."""

    wrong: int
    n_patients: int

    @property
    def value(self) -> float | None:
        """The share; None without patients."""
        return self.wrong / self.n_patients if self.n_patients else None

    @property
    def opposite(self) -> "ErrorRate":
        """The same patients, with right and wrong exchanged."""
        return ErrorRate(wrong=self.n_patients - self.wrong, n_patients=self.n_patients)


def error_rates(counts: IntArray, matrix: CostMatrix) -> list[ErrorRate]:
    """Return the miss rate and the alarm rate at every boundary between two actions.

    Examples
    --------
    >>> error_rates(np.array([[45, 5], [4, 16]]), CostMatrix([[0, 1], [1, 0]]))
    [ErrorRate(wrong=4, n_patients=20), ErrorRate(wrong=5, n_patients=50)]
    """
    rates = []
    for boundary, steps in enumerate(matrix.steps.T):
        belongs_above, belongs_below = counts[steps > 0], counts[steps < 0]
        missed = belongs_above[:, : boundary + 1].sum()
        alarmed = belongs_below[:, boundary + 1 :].sum()
        rates += [
            ErrorRate(wrong=int(missed), n_patients=int(belongs_above.sum())),
            ErrorRate(wrong=int(alarmed), n_patients=int(belongs_below.sum())),
        ]
    return rates


def certify_boundaries(
    counts: IntArray, costs: CostMatrix, delta: float
) -> tuple[BoundaryCertificate, ...]:
    """Return the limits at every boundary. They all hold at once with probability 1 - delta.

    ``counts`` are the patients by grade and stratum. Each limit is the exact Clopper-Pearson limit
    at delta / 2K, given the number of patients of each grade. The split may therefore use the
    grades.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> counts = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    >>> first, second = certify_boundaries(counts, costs, 0.2)
    >>> first.miss.errors, first.miss.n_patients, first.alarm.errors, round(first.alarm.limit, 3)
    (1, 3, 0, 0.95)
    """
    rates = error_rates(counts, costs)
    share = check_fraction("delta", delta) / len(rates)
    limits = limited(rates, lambda rate: upper_limit(rate.wrong, rate.n_patients, share))
    return tuple(
        BoundaryCertificate(miss=miss, alarm=alarm, delta=share)
        for miss, alarm in zip(limits[::2], limits[1::2], strict=True)
    )


def limited(rates: Sequence[ErrorRate], limit: Callable[[ErrorRate], float]) -> list[RateLimit]:
    """Return error rates with an upper limit each."""
    return [
        RateLimit(errors=one.wrong, n_patients=one.n_patients, rate=one.value, limit=limit(one))
        for one in rates
    ]


def certify_cost(
    strata: IntArray, grades: IntArray, costs: CostMatrix, delta: float, bound: str = "auto"
) -> Certificate:
    """Return a bound on the mean cost. It holds with probability 1 - delta.

    The bound is vacuous if it is not below the cost of putting everybody into the cheapest stratum.
    For one boundary between two grades it is that of one cut-off.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> found = certify_cost(np.array([0, 0, 1, 2] * 9), np.array([0, 1, 1, 2] * 9), costs, 0.1)
    >>> found.risk, found.bound, found.trivial_risk, bool(found.value < 0.45)
    (0.25, 'betting', 0.5, True)
    """
    plain = costs.of_one_cut_off
    if plain is not None:
        return certificate_of(Confusion.of_calls(grades, strata > 0), plain, delta, bound=bound)
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
    plain = costs.of_one_cut_off
    if plain is not None:
        return lower_risk_limit(Confusion.of_calls(grades, strata > 0), plain, delta)
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

    One boundary between two grades has the bounds of one cut-off. Otherwise, if the costs have two
    values, losses are 0 or 1 and the exact limit applies. If they have more, ``auto`` is the
    betting bound, which was the narrowest of the three in nearly all tested settings
    (benchmarks/notes/strata.md). It takes seconds for very many patients. From `MANY_BETS` patients
    on, ``auto`` is therefore ``bentkus``, which is nearly as narrow.
    """
    plain = costs.of_one_cut_off
    if plain is not None:
        return choose_bound(name, plain, "split")
    check_choice("bound", name, ("auto", *LOSS_BOUNDS))
    two_values = np.unique(costs.values).size == 2  # noqa: PLR2004
    if name == "auto" and not two_values:
        return "betting" if n_patients < MANY_BETS else "bentkus"
    if name == "auto":
        return "clopper-pearson"
    if name == "clopper-pearson" and not two_values:
        raise BadOption(
            "bound 'clopper-pearson' needs costs of two values only; choose one of auto, betting, "
            "bentkus, hoeffding."
        )
    return name

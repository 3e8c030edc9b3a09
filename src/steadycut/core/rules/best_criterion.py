"""The rule that takes the best cut by a criterion, with or without limits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import BoolArray, FloatArray, IntArray
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import TIE, Curve, count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.criteria import Counts, Criterion, counts_along, of_counts
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.errors import BadOption, NoFeasibleCut

# The prefix of the name of a user's function.
USERS = "python:"
# Counts with which a user's function is called before any patient is used.
PROBE = ([[3, 2, 0]], [[0, 1, 3]], [[4, 1, 0]], [[0, 3, 4]])


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that a criterion must reach: at least, or at most if its smallest value is best."""

    criterion: Criterion
    value: float

    def shortfall(self, ends: tuple[Counts, ...], costs: Costs) -> FloatArray:
        """Return the relative shortfall of every cut; infinite where it is undefined."""
        wanted = self.criterion.sign * self.value
        return (wanted - self.criterion.merit(ends, costs)) / self.value

    def __str__(self) -> str:
        return f"{self.criterion.name} {'>=' if self.criterion.sign > 0 else '<='} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Best:
    """The best cut by the first goal. The next goals and the widest flat stretch break ties.

    Only cuts within all ``limits`` are considered. In a replicate without any such cut, the cuts
    that come nearest to the limits are used; the largest relative shortfall counts. In the cohort
    itself `refuse_infeasible` raises an error instead.

    With ``near``, another rule, there are no goals: of the cuts within the limits the one with the
    rank nearest to what that rule chooses is taken, and of two equally near the lower.
    """

    goals: tuple[Criterion, ...]
    limits: tuple[Limit, ...] = ()
    near: Callable[[Curve, Costs], IntArray] | None = None

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        ends = counts_along(curve, costs)
        chosen = self.allowed(ends, costs)
        if self.near is not None:
            return nearest_chosen(curve.ranks, chosen, self.near(curve, costs))
        for goal in self.goals:
            merit = goal.merit(ends, costs)
            # A ratio is infinite if an error never occurred. That is not evidence for a cut.
            chosen = best_of(np.where(np.isinf(merit), -np.inf, merit), chosen)
        return middle_of_widest_flat(np.where(chosen, 0.0, 1.0), curve.ranks, 0.0)

    def allowed(self, ends: tuple[Counts, ...], costs: Costs) -> BoolArray:
        """Return which cuts are within the limits; without any, those that come nearest."""
        shortfall = self.shortfall(ends, costs)
        within = shortfall <= TIE
        nearest = best_of(-shortfall, np.ones_like(within))
        return np.where(within.any(axis=-1, keepdims=True), within, nearest)

    def shortfall(self, ends: tuple[Counts, ...], costs: Costs) -> FloatArray:
        """Return the largest relative shortfall of every cut."""
        without = np.full(ends[0].tp.shape, -np.inf)
        return reduce(np.maximum, (limit.shortfall(ends, costs) for limit in self.limits), without)

    def n_infeasible(self, curve: Curve, costs: Costs) -> int:
        """Return how many curves have no cut within the limits."""
        nearest = self.shortfall(counts_along(curve, costs), costs).min(axis=-1)
        return int(np.count_nonzero(nearest > TIE))

    def refuse_infeasible(self, cuts: Cuts, costs: Costs, where: str) -> None:
        """Raise an error if no cut is within the limits, or if a function allows none."""
        curve = count_errors(cuts.cells[None, :])
        ends = counts_along(curve, costs)
        self._refuse_forbidden(ends, costs, where)
        if not self.n_infeasible(curve, costs):
            return
        reached = ", ".join(
            f"{limit.criterion.name} {_reached(limit, float(limit.shortfall(ends, costs).min()))}"
            for limit in self.limits
        )
        raise NoFeasibleCut(
            f"no cut-off of {where} has {self.wanted} among the patients used to choose; the best "
            f"at any cut is {reached}. Ask for less, or choose by another rule."
        )

    def _refuse_forbidden(self, ends: tuple[Counts, ...], costs: Costs, where: str) -> None:
        for goal in self.goals:
            is_users = goal.name.startswith(USERS)
            if is_users and not np.isfinite(goal.merit(ends, costs)).any():
                raise NoFeasibleCut(
                    f"the rule {goal.name} allows no cut-off of {where}: it is NaN or infinite at "
                    "every cut. Fix the function, or choose by another rule."
                )

    @property
    def wanted(self) -> str:
        """The limits in words."""
        return " and ".join(str(limit) for limit in self.limits)


def nearest_chosen(ranks: IntArray, chosen: BoolArray, rank: IntArray) -> IntArray:
    """Return, of the chosen cuts of each row, the rank that is nearest to a given one.

    Examples
    --------
    >>> nearest_chosen(np.array([[0, 1, 4, 6]]), np.array([[True, False, True, True]]), [2])
    array([0])
    """
    apart = np.where(chosen, np.abs(ranks - np.asarray(rank)[:, None]), np.iinfo(np.int64).max)
    return ranks[np.arange(len(ranks)), apart.argmin(axis=1)]


def _reached(limit: Limit, shortfall: float) -> str:
    value = limit.value * (1 - limit.criterion.sign * shortfall)
    return "undefined" if shortfall == np.inf else f"{value:.4g}"


def best_of(merit: FloatArray, chosen: BoolArray) -> BoolArray:
    """Return which of the chosen cuts have the largest merit of their row, up to rounding."""
    merit = np.where(chosen, merit, -np.inf)
    size = np.abs(merit, where=np.isfinite(merit), out=np.zeros_like(merit))
    slack = TIE * size.max(axis=-1, keepdims=True)
    return chosen & (merit >= merit.max(axis=-1, keepdims=True) - slack)


def criterion_near(criterion: Criterion, value: float) -> Criterion:
    """Return the criterion that is best where another one is nearest to a value."""

    def apart(counts: Counts, costs: Costs) -> FloatArray:
        return np.abs(criterion.measure(counts, costs) - value)

    name = f"{criterion.name}-near:{value:g}"
    return Criterion(name, apart, f"{criterion.name} as near to {value:g} as can be", sign=-1)


def criterion_of(function: Callable[..., object]) -> Criterion:
    """Return a user's function ``(tp, fn, fp, tn) -> value to maximise`` as a criterion.

    The four arrays have the same shape, with cuts along the last axis. The result must have that
    shape, and NaN for cuts that are not allowed. The function is called once as a test. Its name is
    recorded.
    """
    name = name_of(function)
    checked = partial(_checked, name, function)
    checked(*(np.array(count) for count in PROBE))
    return Criterion(name, of_counts(checked), "largest value of a function of the counts")


def name_of(function: Callable[..., object]) -> str:
    """Return the name under which a function is recorded."""
    name = getattr(function, "__name__", "")
    if not str(name).isidentifier():
        raise BadOption(
            f"a rule must have a name to be recorded by; got {name or type(function).__name__}. "
            "Define the function with def, or set its __name__."
        )
    return f"{USERS}{name}"


def _real(values: NDArray[Any]) -> FloatArray:
    """Return numbers as floats. Complex numbers are an error."""
    if values.dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    return values.astype(np.float64)


def _checked(name: str, function: Callable[..., object], *counts: ArrayLike) -> FloatArray:
    """Return what a user's function makes of counts; a result of the wrong shape is an error."""
    try:
        with np.errstate(all="ignore"):
            value = _real(np.asarray(function(*counts)))
    except Exception as error:
        raise BadOption(
            f"the rule {name} must take the arrays tp, fn, fp, tn and return an array; it raised "
            f"{type(error).__name__}: {error}. For a function of four numbers use numpy.vectorize."
        ) from error
    if value.shape != np.shape(counts[0]):
        raise BadOption(
            f"the rule {name} must return one value per cut, an array of shape "
            f"{np.shape(counts[0])}; got shape {value.shape}."
        )
    return value

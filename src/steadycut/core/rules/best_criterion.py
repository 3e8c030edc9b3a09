"""The rule that takes the best cut by a criterion, under constraints if there are any."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import TIE, Curve, count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.criteria import Counts, Criterion, counts_along, of_counts
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.errors import BadOption, NoFeasibleCut

# How the name of a user's function begins.
USERS = "python:"
# What a callable is tried with before any patient is looked at.
PROBE = ([[3, 2, 0]], [[0, 1, 3]], [[4, 1, 0]], [[0, 3, 4]])


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that a criterion must reach: at least it, or at most where the smallest is best."""

    criterion: Criterion
    value: float

    def shortfall(self, ends: tuple[Counts, ...], costs: Costs) -> FloatArray:
        """Return by how much of the limit every cut fails it; infinite where undefined."""
        wanted = self.criterion.sign * self.value
        return (wanted - self.criterion.merit(ends, costs)) / self.value

    def __str__(self) -> str:
        return f"{self.criterion.name} {'>=' if self.criterion.sign > 0 else '<='} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Best:
    """The cut that is best by the first goal; of several, by the next; then the middle of the flat.

    Only cuts within all ``limits`` are looked at. In a replicate where there is none, the cuts
    that come nearest to the limits, by the largest shortfall as a part of its limit, take their
    place; in the cohort itself `refuse_infeasible` says so instead.
    """

    goals: tuple[Criterion, ...]
    limits: tuple[Limit, ...] = ()

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the patients below the chosen cut of each curve."""
        ends = counts_along(curve, costs)
        chosen = self.allowed(ends, costs)
        for goal in self.goals:
            merit = goal.merit(ends, costs)
            # A ratio is infinite where an error was never made: that is no evidence for a cut.
            chosen = best_of(np.where(np.isinf(merit), -np.inf, merit), chosen)
        return middle_of_widest_flat(np.where(chosen, 0.0, 1.0), curve.ranks, 0.0)

    def allowed(self, ends: tuple[Counts, ...], costs: Costs) -> NDArray[np.bool_]:
        """Return which cuts are within the limits; in a row without any, which come nearest."""
        shortfall = self.shortfall(ends, costs)
        within = shortfall <= TIE
        nearest = best_of(-shortfall, np.ones_like(within))
        return np.where(within.any(axis=-1, keepdims=True), within, nearest)

    def shortfall(self, ends: tuple[Counts, ...], costs: Costs) -> FloatArray:
        """Return the largest shortfall of every cut, as a part of its limit."""
        without = np.full(ends[0].tp.shape, -np.inf)
        return reduce(np.maximum, (one.shortfall(ends, costs) for one in self.limits), without)

    def n_infeasible(self, curve: Curve, costs: Costs) -> int:
        """Return how many curves have no cut within the limits."""
        nearest = self.shortfall(counts_along(curve, costs), costs).min(axis=-1)
        return int(np.count_nonzero(nearest > TIE))

    def refuse_infeasible(self, cuts: Cuts, costs: Costs, where: str) -> None:
        """Refuse patients none of whose cuts is within the limits, or allowed by a function."""
        curve = count_errors(cuts.cells[None, :])
        ends = counts_along(curve, costs)
        self._refuse_forbidden(ends, costs, where)
        if not self.n_infeasible(curve, costs):
            return
        reached = ", ".join(
            f"{limit.criterion.name} {_reached(limit, float(limit.shortfall(ends, costs).min()))}"
            for limit in self.limits
        )
        msg = (
            f"no cut-off of {where} has {self.wanted} among the patients who choose; the best at "
            f"any cut is {reached}. Ask for less, or choose by another rule."
        )
        raise NoFeasibleCut(msg)

    def _refuse_forbidden(self, ends: tuple[Counts, ...], costs: Costs, where: str) -> None:
        for goal in self.goals:
            is_users = goal.name.startswith(USERS)
            if is_users and not np.isfinite(goal.merit(ends, costs)).any():
                msg = (
                    f"the rule {goal.name} allows no cut-off of {where}: it is NaN or infinite at "
                    "every cut. Mend the function, or choose by another rule."
                )
                raise NoFeasibleCut(msg)

    @property
    def wanted(self) -> str:
        """The limits in words."""
        return " and ".join(str(limit) for limit in self.limits)


def _reached(limit: Limit, shortfall: float) -> str:
    value = limit.value * (1 - limit.criterion.sign * shortfall)
    return "undefined" if shortfall == np.inf else f"{value:.4g}"


def best_of(merit: FloatArray, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the chosen cuts have the largest merit of their row, up to rounding."""
    merit = np.where(chosen, merit, -np.inf)
    size = np.abs(merit, where=np.isfinite(merit), out=np.zeros_like(merit))
    slack = TIE * size.max(axis=-1, keepdims=True)
    return chosen & (merit >= merit.max(axis=-1, keepdims=True) - slack)


def criterion_near(criterion: Criterion, value: float) -> Criterion:
    """Return the criterion to come as near to a value as can be."""

    def apart(counts: Counts, costs: Costs) -> FloatArray:
        return np.abs(criterion.measure(counts, costs) - value)

    name = f"{criterion.name}-near:{value:g}"
    return Criterion(name, apart, f"{criterion.name} as near to {value:g} as can be", sign=-1)


def criterion_of(function: Callable[..., object]) -> Criterion:
    """Return a user's function ``(tp, fn, fp, tn) -> value to maximise`` as a criterion.

    The four arrays have one shape, cuts run along the last axis; the result must have that
    shape, NaN where a cut is not allowed. The function is tried once, and its name is recorded.
    """
    name = name_of(function)
    checked = _Checked(name, function)
    checked(*(np.array(count) for count in PROBE))
    return Criterion(name, of_counts(checked), "largest value of a function of the counts")


def name_of(function: Callable[..., object]) -> str:
    """Return the name under which a function is recorded."""
    name = getattr(function, "__name__", "")
    if not str(name).isidentifier():
        msg = (
            f"a rule must have a name to be recorded by; got {name or type(function).__name__}. "
            "Define the function with def, or set its __name__."
        )
        raise BadOption(msg)
    return f"{USERS}{name}"


def _real(values: NDArray[Any]) -> FloatArray:
    """Return numbers as floats; of complex ones numpy would take a part."""
    if values.dtype.kind == "c":
        msg = "complex numbers have no order"
        raise TypeError(msg)
    return values.astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Checked:
    """A user's function whose result has the right shape, or is refused."""

    name: str
    function: Callable[..., object]

    def __call__(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        try:
            with np.errstate(all="ignore"):
                value = _real(np.asarray(self.function(tp, fn, fp, tn)))
        except Exception as error:
            msg = (
                f"the rule {self.name} must take the arrays tp, fn, fp, tn and return an array; it "
                f"raised {type(error).__name__}: {error}. For a function of four numbers use "
                "numpy.vectorize."
            )
            raise BadOption(msg) from error
        if value.shape != np.shape(tp):
            msg = (
                f"the rule {self.name} must return one value a cut, an array of shape "
                f"{np.shape(tp)}; got shape {value.shape}."
            )
            raise BadOption(msg)
        return value

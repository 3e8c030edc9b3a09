"""Rules that choose one of the cuts.

A rule takes the patients counted between the cuts, for one cohort or many replicates of it at
once, and returns for each how many patients lie below the chosen cut. Most rules minimise an
objective along the cuts; ``stable`` averages all cuts by how well they do; ``pointwise`` adds
an instability map to the risk.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from steadycut.core.basins import excess_risk
from steadycut.core.checks import FloatArray, IntArray, check_fraction
from steadycut.core.cuts import Cuts
from steadycut.core.flat import middle_of_widest_flat
from steadycut.core.pointwise import Pointwise
from steadycut.core.records import Costs
from steadycut.core.risk_curve import TIE, Curve, count_errors, risk_at_cuts
from steadycut.core.stable import Stable
from steadycut.errors import BadOption

__all__ = [
    "ERM",
    "AtLeast",
    "Minimise",
    "Pointwise",
    "Rule",
    "Stable",
    "cuts_at_rank",
    "excess_risk",
    "on_cuts",
    "parse_rule",
    "youden_loss",
]

Objective = Callable[[Curve, Costs], FloatArray]


class Rule(Protocol):
    """What every rule along the cuts can do."""

    def __call__(self, cells: IntArray, costs: Costs, rng: np.random.Generator) -> IntArray:
        """Return the patients below the chosen cut, for each row of ``cells`` (rows, 2m)."""
        ...

    def on_curve(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the patients below the chosen cut of each curve."""
        ...


@runtime_checkable
class Spaced(Protocol):
    """A rule that wants to know where the thresholds lie, and not only their order."""

    def on_cuts(self, cuts: Cuts) -> Rule:
        """Return the same rule along the thresholds of ``cuts``."""
        ...


def on_cuts(rule: Rule, cuts: Cuts) -> Rule:
    """Return the rule, told where the thresholds lie if it wants to know."""
    return rule.on_cuts(cuts) if isinstance(rule, Spaced) else rule


@dataclass(frozen=True, slots=True)
class Minimise:
    """The cut that minimises an objective; of several, the middle of the widest flat."""

    objective: Objective

    def __call__(self, cells: IntArray, costs: Costs, rng: np.random.Generator) -> IntArray:
        """Return the patients below the chosen cut, for each row."""
        del rng
        return self.on_curve(count_errors(cells), costs)

    def on_curve(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the patients below the chosen cut of each curve."""
        tie = TIE * costs.largest
        return middle_of_widest_flat(self.objective(curve, costs), curve.ranks, tie)

    def reach(
        self, smallest: FloatArray, n_positive: IntArray, n_negative: IntArray, costs: Costs
    ) -> FloatArray:
        """Return how much more a cut may cost and still tie; everything, if not cost decides."""
        if self.objective is not risk_at_cuts:
            return np.full(smallest.shape, np.inf)
        # Twice the tie: a cut that is left out must not be one that rounding would let in.
        return smallest * TIE + 2 * TIE * costs.largest * (n_positive + n_negative)


def youden_loss(curve: Curve, costs: Costs) -> FloatArray:
    """Return 1 - J = miss rate + alarm rate at every cut, in units of the dearer cost.

    Costs do not weigh the rates; the unit keeps ties as wide as those of a risk.
    """
    miss_rate = curve.misses / np.maximum(curve.n_positive, 1)
    return costs.largest * (miss_rate + curve.alarms / np.maximum(curve.n_negative, 1))


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The cut that keeps one rate at a floor and does best in the other.

    ``sensitivity:x`` takes, of all cuts with a sensitivity of at least x, those with the fewest
    alarms, and of these the one with the fewest misses; ``specificity:x`` the other way round.
    """

    rate: str
    floor: float

    def __call__(self, curve: Curve, costs: Costs) -> FloatArray:
        """Return the objective at every cut; ``inf`` where the floor is not met."""
        kept, other = (curve.misses, curve.alarms)
        n_kept, n_other = (curve.n_positive, curve.n_negative)
        if self.rate == "specificity":
            kept, other, n_kept, n_other = other, kept, n_other, n_kept
        # A rate of 0.95 that is met exactly must not fail for the last bit of 19 / 20.
        allowed = kept <= (1 - self.floor) * n_kept + TIE * n_kept
        return np.where(allowed, costs.largest * (other + kept / (n_kept + 1)), np.inf)


def cuts_at_rank(ranks: IntArray, rank: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last cut of each row with ``rank`` patients below."""
    first = np.count_nonzero(ranks < rank[:, None], axis=1)
    last = np.count_nonzero(ranks <= rank[:, None], axis=1) - 1
    return first, last


ERM = Minimise(risk_at_cuts)

PLAIN_RULES: dict[str, Rule] = {
    "erm": ERM,
    "youden": Minimise(youden_loss),
    "stable": Stable(),
    "pointwise": Pointwise(),
}
RATE_RULES = ("sensitivity", "specificity")


def parse_rule(text: str) -> Rule:
    """Return the rule named by ``text``, such as ``stable`` or ``sensitivity:0.95``.

    Examples
    --------
    >>> parse_rule("specificity:0.9")
    Minimise(objective=AtLeast(rate='specificity', floor=0.9))
    """
    if isinstance(text, str) and text in PLAIN_RULES:
        return PLAIN_RULES[text]
    name, _, floor = str(text).partition(":")
    if name not in RATE_RULES or not _is_number(floor):
        allowed = ", ".join([*PLAIN_RULES, *(f"{rate}:X" for rate in RATE_RULES)])
        msg = f"rule must be one of {allowed} (X between 0 and 1); got {text!r}."
        raise BadOption(msg)
    return Minimise(AtLeast(name, check_fraction(f"the {name} of the rule", float(floor))))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

"""Rule out below one cut-off, rule in from another one: each is chosen by one rate.

The lower cut-off rules out as many healthy patients as it can while sensitivity, or NPV, is at
least what was asked for. The upper one rules in as many ill patients as it can while specificity,
or PPV, is. Patients between them need further tests.

The two may cross: then single cuts meet both limits, and both cut-offs are the one of them nearest
to the middle. Some cut between the two always meets both. Sensitivity falls with the cut and
specificity grows, so with one of them an end of the stretch does. Take NPV at least a and PPV at
least b, where a + b > 1. If the upper end had no PPV of at least b, at least a share b of the
patients between would be ill. If the lower end had no NPV of at least a, at least a share a of them
would be healthy. Both cannot be true.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steadycut.core.asked_rates import share_in
from steadycut.core.checks import IntArray, refuse
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import TIE, Curve
from steadycut.core.records import Costs
from steadycut.core.rules.best_criterion import Best, Limit, nearest_chosen
from steadycut.core.rules.criteria import CRITERIA, counts_along
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import BoundaryCurves
from steadycut.core.verdict import RateName
from steadycut.errors import BadOption, argument

# The rates by which each side may be limited, and what is then made as large as can be.
SIDES: Mapping[str, tuple[RateName, RateName]] = {
    "rule_out": ("sensitivity", "npv"),
    "rule_in": ("specificity", "ppv"),
}
GOALS = {"rule_out": ("specificity", "sensitivity"), "rule_in": ("sensitivity", "specificity")}
# No rate of these rules depends on costs.
ANY_COSTS = Costs()


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoCuts:
    """The rule that chooses a cut-off for each of two limits, in order.

    Examples
    --------
    >>> from steadycut.core.strata.cuts import boundary_curves
    >>> costs = CostMatrix([[0, 0.25, 1], [1, 0.25, 0]])
    >>> cells = np.array([[[4, 3, 2, 1, 0], [0, 1, 2, 3, 4]]])
    >>> TwoCuts.of("sensitivity:0.9", "specificity:0.9")(boundary_curves(cells, costs), costs)
    array([[ 8, 12]])
    """

    rule_out: Best
    rule_in: Best

    @classmethod
    def of(cls, rule_out: object, rule_in: object) -> "TwoCuts":
        """Return the rule of two limits such as ``sensitivity:0.95`` and ``ppv:0.9``."""
        two = cls(rule_out=_side("rule_out", rule_out), rule_in=_side("rule_in", rule_in))
        if set(two.asked) == {"npv", "ppv"} and sum(two.asked.values()) <= 1 + TIE:
            refuse("rule_out", f"be above npv:{1 - two.asked['ppv']:g} with this PPV", rule_out)
        return two

    @property
    def asked(self) -> dict[RateName, float]:
        """The rates that were asked for with their values, that of the lower cut-off first."""
        limits = (*self.rule_out.limits, *self.rule_in.limits)
        names = (name for side in SIDES.values() for name in side)
        rates = {limit.criterion.name: limit.value for limit in limits}
        return {name: rates[name] for name in names if name in rates}

    def __str__(self) -> str:
        (out, low), (into, high) = self.asked.items()
        return f"rule-out:{out}:{low!r},rule-in:{into}:{high!r}"

    def __call__(self, curves: BoundaryCurves, costs: CostMatrix) -> IntArray:
        """Return the number of patients below each cut-off, shape (rows, 2)."""
        del costs
        healthy, ill = curves.below[:, 0], curves.below[:, 1]
        curve = Curve(misses=ill, alarms=healthy[:, -1:] - healthy)
        low, high = self.rule_out(curve, ANY_COSTS), self.rule_in(curve, ANY_COSTS)
        both = Best((), (*self.rule_out.limits, *self.rule_in.limits))
        within = both.allowed(counts_along(curve, ANY_COSTS), ANY_COSTS)
        # Twice the ranks, because the middle may lie half a patient off.
        middle = nearest_chosen(2 * curve.ranks, within, low + high) // 2
        crossed = low > high
        return np.stack([np.where(crossed, middle, cuts) for cuts in (low, high)], axis=1)

    def refuse_infeasible(self, cuts: Cuts, where: str) -> None:
        """Raise an error if no cut-off meets one of the limits."""
        for limit in (self.rule_out, self.rule_in):
            limit.refuse_infeasible(cuts, ANY_COSTS, where)


def parse_two_cuts(text: str) -> TwoCuts | None:
    """Return the rule that `TwoCuts` writes as a text; None for other rules.

    Examples
    --------
    >>> str(parse_two_cuts("rule-out:npv:0.98,rule-in:ppv:0.90"))
    'rule-out:npv:0.98,rule-in:ppv:0.9'
    """
    out, comma, into = text.partition(",")
    if not comma or not (out.startswith("rule-out:") and into.startswith("rule-in:")):
        return None
    return TwoCuts.of(out.removeprefix("rule-out:"), into.removeprefix("rule-in:"))


def two_cuts_text(rule_out: object, rule_in: object) -> str | None:
    """Return the rule of two limits as a text; None if there are none.

    Examples
    --------
    >>> two_cuts_text("sensitivity:0.95", "specificity:0.9"), two_cuts_text(None, None)
    ('rule-out:sensitivity:0.95,rule-in:specificity:0.9', None)
    """
    if rule_out is None and rule_in is None:
        return None
    if rule_out is None or rule_in is None:
        given, other = ("rule_out", "rule_in") if rule_in is None else ("rule_in", "rule_out")
        example = f"{SIDES[other][0]}:0.95"
        msg = f"{argument(given)} needs {argument(other)} too; give both, such as {example}."
        raise BadOption(msg)
    return str(TwoCuts.of(rule_out, rule_in))


def _side(side: str, text: object) -> Best:
    name, _, number = str(text).strip().partition(":")
    names = SIDES[side]
    if not isinstance(text, str) or name not in names or not number:
        allowed = [f"{one}:{number}" for one in names]
        refuse(side, f"be {names[0]}:X or {names[1]}:X, with X such as 0.95", text, allowed)
    limit = Limit(CRITERIA[name], share_in(side, name, number))
    return Best(tuple(CRITERIA[goal] for goal in GOALS[side]), (limit,))

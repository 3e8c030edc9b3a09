"""At which ratio of the two costs a cut-off starts, and stops, being useful.

Let r = cost_fn / cost_fp, p the prevalence, se and sp the sensitivity and specificity. The cut-off
costs less than calling nobody if r > (1 - p)(1 - sp) / (p se), and less than calling everybody if
r < (1 - p) sp / (p (1 - se)).
"""

from dataclasses import dataclass

from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

# From one ratio of the costs to another; None if there is no end.
Ratios = tuple[float, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """Between which ratios ``cost_fn / cost_fp`` a cut-off is useful; None if at none.

    ``estimate`` is from the observed rates. ``shown`` holds with probability at least 1 - delta;
    None too where no such statement is made. ``stake`` is the share of the ill in the cost of all
    errors, cost_fn p / (cost_fn p + cost_fp (1 - p)).
    """

    estimate: Ratios | None
    shown: Ratios | None
    stake: float


def break_even(counts: Confusion, costs: Costs, delta: float | None = None) -> BreakEven:
    """Return at which costs a cut-off is useful.

    Parameters
    ----------
    counts
        The patients used to check.
    costs
        With a range of target prevalences the cut-off is useful at both ends, and so between them.
    delta
        How often ``shown`` may be wrong. None if the same patients chose the cut-off; then, and at
        a target prevalence, nothing is shown.

    Notes
    -----
    Given how many patients are called, the healthy among them are binomial, and so are the ill
    among the others. The odds of the two exact limits at delta / 2 are limits of both ratios.

    Examples
    --------
    >>> found = break_even(Confusion(tp=40, fn=10, fp=20, tn=130), Costs(), 0.1)
    >>> [round(ratio, 3) for ratio in (*found.estimate, *found.shown, found.stake)]
    [0.5, 13.0, 0.807, 7.464, 0.25]
    """
    lowest, highest = costs.target or (counts.prevalence, counts.prevalence)
    miss, alarm, middle = counts.miss_rate or 0.0, counts.alarm_rate or 0.0, (lowest + highest) / 2
    healthy = _share((1 - lowest) * alarm, lowest * (1 - miss))
    ill = _share(highest * miss, (1 - highest) * (1 - alarm))
    shown = None
    if delta is not None and costs.target is None:
        most_healthy = upper_limit(counts.fp, counts.tp + counts.fp, delta / 2)
        shown = _ratios(most_healthy, upper_limit(counts.fn, counts.fn + counts.tn, delta / 2))
    stake = _share(costs.cost_fn * middle, costs.cost_fp * (1 - middle))
    return BreakEven(estimate=_ratios(healthy, ill), shown=shown, stake=stake)


def _share(part: float, rest: float) -> float:
    """Return a part of the whole; all of it if there is nothing."""
    return part / (part + rest) if part + rest else 1.0


def _ratios(healthy: float, ill: float) -> Ratios | None:
    """Return the odds of the healthy among the called, and of the healthy among the others."""
    if healthy + ill >= 1:
        return None
    return healthy / (1 - healthy), (1 - ill) / ill if ill else None

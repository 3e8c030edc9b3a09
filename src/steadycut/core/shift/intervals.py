"""Intervals for the parts of R_Q - R_P. They include the sampling error of both hospitals."""

from itertools import product

from steadycut.core.bounds.binomial import rate_interval, two_sided
from steadycut.core.checks import Interval
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift.parts import Rates, reversed_values, signed_values

RATES = 6


def shift_intervals(
    internal: Confusion, external: Confusion, costs: Costs, delta: float, n_choices: int = 0
) -> dict[str, dict[str, Interval]]:
    """Return an interval for each part, in the paper's order and for the Shapley mean.

    Notes
    -----
    Prevalence, miss rate and alarm rate of each hospital are binomial, each given the previous
    ones. Each of these six rates gets its Clopper-Pearson interval at delta / 6, so that all of
    them hold together with probability 1 - delta. A part is linear in each rate. Its extremes over
    the six intervals therefore lie at their ends, and all parts hold at once. A class without
    patients leaves its rate open. If the patients of P chose the cut-off themselves, among
    ``n_choices`` scores, their miss and alarm rates get intervals that hold at all cuts
    (`rate_interval`).

    Examples
    --------
    >>> p = Confusion(tp=40, fn=10, fp=10, tn=40)
    >>> q = Confusion(tp=30, fn=20, fp=10, tn=40)
    >>> low, high = shift_intervals(p, q, Costs(), 0.1)["signed"]["total"]
    >>> low < 0.1 < high
    True
    """
    share = delta / RATES
    prevalence, *rates = _rate_counts(internal)
    p = [two_sided(*prevalence, share), *(rate_interval(*r, share, n_choices) for r in rates)]
    q = [two_sided(*pair, share) for pair in _rate_counts(external)]
    corners = [_orders(Rates(*ends[:3]), Rates(*ends[3:]), costs) for ends in product(*p, *q)]
    return {
        order: {
            part: (
                min(corner[order][part] for corner in corners),
                max(corner[order][part] for corner in corners),
            )
            for part in ("prevalence", "shape_positive", "shape_negative", "total")
        }
        for order in ("signed", "shapley")
    }


def _rate_counts(counts: Confusion) -> tuple[tuple[int, int], ...]:
    return (
        (counts.n_positive, counts.n_patients),
        (counts.fn, counts.n_positive),
        (counts.fp, counts.n_negative),
    )


def _orders(p: Rates, q: Rates, costs: Costs) -> dict[str, dict[str, float]]:
    """Return all parts in the paper's order, and the mean of both orders."""
    one, two = _with_total(*signed_values(p, q, costs)), _with_total(*reversed_values(p, q, costs))
    return {"signed": one, "shapley": {part: (one[part] + two[part]) / 2 for part in one}}


def _with_total(prevalence: float, positive: float, negative: float) -> dict[str, float]:
    return {
        "prevalence": prevalence,
        "shape_positive": positive,
        "shape_negative": negative,
        "total": prevalence + positive + negative,
    }

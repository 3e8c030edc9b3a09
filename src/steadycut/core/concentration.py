"""Upper bounds on risk: what must be added to an observed risk. One function a bound.

Every function takes the confusion counts of independent patients, the costs and delta, and
returns a number that, added to the observed risk, is at least the true risk with probability
1 - delta. A *pointwise* bound needs a threshold that was chosen without these patients; a
*uniform* one holds at all thresholds at once, so these patients may have chosen it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import betaincinv

from steadycut.core.buehler import buehler_limit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.errors import BadOption

Bound = Callable[[Confusion, Costs, float], float]


def paper(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the three terms of the paper's appendix: DKW in either class, Hoeffding for π.

    Uniform. With the observed prevalence as weight, which is as valid: add and subtract the other
    mixed term. π̂ √(1/n₁) is written √n₁ / n, so that an empty class does no harm.

    References
    ----------
    Debeaupuis, Hierarchical biomarker thresholding, Appendix, proof of Lemma 4.1.
    """
    root = math.sqrt(math.log(6 / delta) / 2)
    n = counts.n_patients
    classes = costs.cost_fn * math.sqrt(counts.n_positive)
    classes += costs.cost_fp * math.sqrt(counts.n_negative)
    return root * (classes / n + (costs.cost_fn + costs.cost_fp) / math.sqrt(n))


def dkw(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return (cost_fn + cost_fp) √(log(2/δ) / 2n).

    Uniform, and half of `paper`. Pr(Y=1, S<t) is the distribution function of S with every
    healthy patient moved to +∞, so the one-sided DKW inequality (Massart 1990) applies to it with
    all n patients; likewise to the alarms; each at δ/2.
    """
    n = counts.n_patients
    return (costs.cost_fn + costs.cost_fp) * math.sqrt(math.log(2 / delta) / (2 * n))


def hoeffding(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return max(cost) √(log(1/δ) / 2n), Hoeffding's inequality (1963) for a loss in [0, max].

    Pointwise.
    """
    return costs.largest * math.sqrt(math.log(1 / delta) / (2 * counts.n_patients))


def clopper_pearson(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the exact binomial upper limit of the error rate, minus the observed rate.

    Pointwise, for equal costs: the number of errors is then binomial.
    """
    n, errors = counts.n_patients, counts.fn + counts.fp
    upper = 1.0 if errors == n else float(betaincinv(errors + 1, n - errors, 1 - delta))
    return costs.largest * (upper - errors / n)


def buehler(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the exact upper limit of the mean cost, minus the observed one.

    Pointwise, for any costs (`steadycut.core.buehler`).

    References
    ----------
    Buehler, Confidence intervals for the product of two binomial parameters, JASA 1957.
    """
    return buehler_limit(counts, costs, delta) - counts.risk(costs)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundInfo:
    """A bound, and when it may be used."""

    compute: Bound
    uniform: bool
    any_costs: bool = True


BOUNDS = {
    "paper": BoundInfo(compute=paper, uniform=True),
    "dkw": BoundInfo(compute=dkw, uniform=True),
    "hoeffding": BoundInfo(compute=hoeffding, uniform=False),
    "buehler": BoundInfo(compute=buehler, uniform=False),
    "clopper-pearson": BoundInfo(compute=clopper_pearson, uniform=False, any_costs=False),
}


def choose_bound(name: str, costs: Costs, honesty: str) -> str:
    """Return the bound to use; ``auto`` is settled by costs and honesty, never by the data."""
    allowed = allowed_bounds(costs, honesty)
    if name == "auto":
        return allowed[0]
    if name in allowed:
        return name
    kind = "equal" if costs.equal else "unequal"
    msg = (
        f"bound must be one of auto, {', '.join(allowed)} with honesty '{honesty}' and {kind} "
        f"costs; got {name!r}."
    )
    raise BadOption(msg)


def allowed_bounds(costs: Costs, honesty: str) -> list[str]:
    """Return the bounds that hold, the one that ``auto`` takes first."""
    preferred = ["clopper-pearson", "buehler", "hoeffding", "dkw", "paper"]
    return [
        name
        for name in preferred
        if (BOUNDS[name].uniform or honesty == "split") and (BOUNDS[name].any_costs or costs.equal)
    ]


def lower_limit(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return a risk that the true risk exceeds with probability 1 - delta, at a fixed threshold.

    Exact binomial for equal costs, Hoeffding's inequality otherwise; never below 0.
    """
    n, errors = counts.n_patients, counts.fn + counts.fp
    if costs.equal:
        lowest = float(betaincinv(errors, n - errors + 1, delta)) if errors else 0.0
        return costs.largest * lowest
    return max(counts.risk(costs) - hoeffding(counts, costs, delta), 0.0)

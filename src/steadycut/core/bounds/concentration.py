"""Upper bounds on the risk: what must be added to an observed risk. One function per bound.

Every function takes the counts of independent patients, the costs and delta. It returns a number.
The observed risk plus this number is at least the true risk with probability 1 - delta. A
*pointwise* bound needs a threshold that was chosen on other patients. A *uniform* bound holds at
all thresholds at once, so the same patients may have chosen the threshold.

A new bound is one function and one entry of `BOUNDS`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.binomial import deviation, halve, upper_limit
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.bounds.scan import LEFT, scan_limit
from steadycut.core.checks import shown
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.errors import BadOption, argument, did_you_mean

Bound = Callable[[Confusion, Costs, float], float]


class PaperTerms(NamedTuple):
    """The three terms of the paper's gamma: one for each class, and one for the prevalence."""

    positive: float
    negative: float
    prevalence: float


def paper_terms(counts: Confusion, costs: Costs, delta: float) -> PaperTerms:
    """Return the terms of `paper`, one by one."""
    n, root = counts.n_patients, math.sqrt(math.log(6 / delta) / 2)
    return PaperTerms(
        positive=root * costs.cost_fn * math.sqrt(counts.n_positive) / n,
        negative=root * costs.cost_fp * math.sqrt(counts.n_negative) / n,
        prevalence=root * (costs.cost_fn + costs.cost_fp) / math.sqrt(n),
    )


def paper(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the three terms of the paper's appendix: DKW in each class, Hoeffding for π.

    Uniform. The observed prevalence is used as weight. This is also valid: add and subtract the
    other mixed term. π̂ √(1/n₁) is written as √n₁ / n, so that an empty class is not a problem.

    References
    ----------
    Debeaupuis, Hierarchical biomarker thresholding, Appendix, proof of Lemma 4.1.
    """
    return sum(paper_terms(counts, costs, delta))


def dkw(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return (cost_fn + cost_fp) √(log(2/δ) / 2n).

    Uniform, and half of `paper`. Pr(Y=1, S<t) is the distribution function of S if all healthy
    patients are moved to +∞. The one-sided DKW inequality (Massart 1990) therefore applies to it
    with all n patients, and likewise to the alarms, each at δ/2.
    """
    return (costs.cost_fn + costs.cost_fp) * deviation(counts.n_patients, delta / 2)


def hoeffding(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return max(cost) √(log(1/δ) / 2n), Hoeffding's inequality (1963) for a loss in [0, max].

    Pointwise.
    """
    return costs.largest * deviation(counts.n_patients, delta)


def clopper_pearson(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the exact binomial upper limit of the error rate, minus the observed rate.

    Pointwise, for equal costs, because the number of errors is then binomial.
    """
    n, errors = counts.n_patients, counts.fn + counts.fp
    return costs.largest * (upper_limit(errors, n, delta) - errors / n)


def bentkus(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the Hoeffding-Bentkus upper limit of the mean loss, minus the observed one.

    Pointwise, for any costs. It is the smaller of two limits: from Hoeffding's inequality in its
    relative-entropy form, and from Bentkus' inequality.

    References
    ----------
    Bates et al., Distribution-free, risk-controlling prediction sets, JACM 2021.
    """
    n, mean = counts.n_patients, counts.risk(costs) / costs.largest
    return costs.largest * (mean_limit(mean, n, delta) - mean)


def mean_limit(mean: float, n: int, delta: float) -> float:
    """Return the Hoeffding-Bentkus upper limit of the mean of losses between 0 and 1."""
    # Rounding must not push a whole number of errors up to the next one.
    upper = upper_limit(math.ceil(n * mean - 1e-9), n, delta / math.e)
    return min(upper, _entropy_limit(mean, n, delta))


def relative_entropy(p: float, q: float) -> float:
    """Return the relative entropy between coins with probabilities p and q."""
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def _entropy_limit(mean: float, n: int, delta: float) -> float:
    allowed = math.log(1 / delta) / n
    if mean >= 1 or relative_entropy(mean, 1 - 1e-15) <= allowed:
        return 1.0
    return halve(mean, 1 - 1e-15, lambda limit: relative_entropy(mean, limit) <= allowed, 60)


def buehler(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the exact upper limit of the mean cost, minus the observed one.

    Pointwise, for any costs (`steadycut.core.bounds.buehler`).

    References
    ----------
    Buehler, Confidence intervals for the product of two binomial parameters, JASA 1957.
    """
    return buehler_limit(counts, costs, delta) - counts.risk(costs)


def compression(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return a bound for a cut just below the score of one of these patients (`cut_just_below`).

    Such a cut is determined by that patient alone. An exact limit from the other n - 1 patients
    therefore holds for it. With delta / (n + 2) each, it holds for all n such cuts, for
    call-everybody and for call-nobody at once, whichever the patients chose. The patient who
    determines the cut is called. Leaving him out removes at most one error, so the errors of all n
    patients can be used for those of the others.

    References
    ----------
    Floyd and Warmuth, Sample compression, learnability, and the VC dimension, 1995.
    """
    n, share = counts.n_patients, delta / (counts.n_patients + 2)
    if n == 1:
        return costs.largest - counts.risk(costs)
    others = _one_fewer(counts)
    exact = clopper_pearson if costs.equal else buehler
    return others.risk(costs) + exact(others, costs, share) - counts.risk(costs)


def scan(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return a bound that holds at all cuts, however one was chosen: the scan over arcs.

    Where no limit was computed it is that of `compression`. Which of both depends on the number of
    patients, the costs and delta, never on the errors (`steadycut.core.bounds.scan`). Where so many
    errors show nothing it is that of `compression`, too, at the share of delta that was left.
    """
    limit = scan_limit(counts, costs, delta)
    if limit is None:
        return compression(counts, costs, delta)
    if limit == costs.largest:
        return compression(counts, costs, delta * LEFT)
    return limit - counts.risk(costs)


def _one_fewer(counts: Confusion) -> Confusion:
    """Leave out one patient: a correct decision if there is one, else a false alarm."""
    if counts.tp:
        return replace(counts, tp=counts.tp - 1)
    if counts.tn:
        return replace(counts, tn=counts.tn - 1)
    return replace(counts, fp=max(counts.fp - 1, 0))


def betting(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return the betting upper limit of the mean loss, minus the observed one.

    Pointwise, for any costs (`steadycut.core.bounds.betting`). Slow for many patients.
    """
    prices = [0.0, costs.cost_fn / costs.largest, costs.cost_fp / costs.largest]
    losses = np.repeat(prices, [counts.tp + counts.tn, counts.fn, counts.fp])
    return costs.largest * betting_limit(losses, delta) - counts.risk(costs)


def class_wise(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return an exact bound at a target prevalence, minus the observed risk there.

    Pointwise. Miss rate and alarm rate each get their Clopper-Pearson limit at δ/2, given the class
    sizes. The split may therefore be stratified by label. The worse end of the target range counts.
    """
    miss = upper_limit(counts.fn, counts.n_positive, delta / 2)
    alarm = upper_limit(counts.fp, counts.n_negative, delta / 2)
    return costs.worst_risk(miss, alarm) - counts.risk(costs)


def class_wise_dkw(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return a bound at a target prevalence that holds at all cuts at once, minus the risk there.

    Uniform. The one-sided DKW inequality is used in each class, at δ/2. The worse end of the target
    range counts.
    """
    miss, alarm = (
        errors / max(n, 1) + deviation(n, delta / 2)
        for errors, n in ((counts.fn, counts.n_positive), (counts.fp, counts.n_negative))
    )
    return costs.worst_risk(miss, alarm) - counts.risk(costs)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundInfo:
    """A bound, when it may be used, and what reports call it.

    ``pointwise``: it holds at a threshold that was chosen elsewhere. ``uniform``: it holds at a
    threshold that the same patients chose. ``class_wise``: it holds at a target prevalence, and
    only there. ``most_planned`` is the largest number of patients that a plan tries; 0 leaves the
    bound out of plans.
    """

    compute: Bound
    words: str
    uniform: bool = False
    pointwise: bool = True
    any_costs: bool = True
    class_wise: bool = False
    most_planned: int = 100_000_000

    def holds(self, costs: Costs, honesty: str) -> bool:
        """Return whether the bound is proven for these costs and this honesty."""
        allowed = self.pointwise if honesty == "split" else self.uniform
        at_target = costs.target is not None
        return allowed and self.class_wise == at_target and (self.any_costs or costs.equal)


# The tightest first: `auto` takes the first that holds.
BOUNDS = {
    "class-wise": BoundInfo(
        compute=class_wise,
        words="Clopper-Pearson in either class, exact at this cut-off and prevalence",
        class_wise=True,
    ),
    "class-wise-dkw": BoundInfo(
        compute=class_wise_dkw,
        words="Dvoretzky-Kiefer-Wolfowitz in either class, at every cut-off at once",
        uniform=True,
        class_wise=True,
    ),
    "clopper-pearson": BoundInfo(
        compute=clopper_pearson, words="Clopper-Pearson, exact at this cut-off", any_costs=False
    ),
    "buehler": BoundInfo(
        compute=buehler, words="Buehler, exact at this cut-off for any costs", most_planned=20_000
    ),
    "scan": BoundInfo(
        compute=scan,
        words="scan over arcs, at every cut-off at once",
        uniform=True,
        pointwise=False,
    ),
    "compression": BoundInfo(
        compute=compression,
        words="sample compression, exact at the cut-off that the same patients chose",
        uniform=True,
        pointwise=False,
    ),
    "bentkus": BoundInfo(compute=bentkus, words="Hoeffding-Bentkus, at this cut-off"),
    "hoeffding": BoundInfo(compute=hoeffding, words="Hoeffding, at this cut-off"),
    "dkw": BoundInfo(
        compute=dkw, words="Dvoretzky-Kiefer-Wolfowitz, at every cut-off at once", uniform=True
    ),
    "paper": BoundInfo(compute=paper, words="three terms, at every cut-off at once", uniform=True),
    "betting": BoundInfo(compute=betting, words="betting, at this cut-off", most_planned=0),
}


def choose_bound(name: str, costs: Costs, honesty: str) -> str:
    """Return the bound to use. ``auto`` depends on costs and honesty, never on the data."""
    allowed = allowed_bounds(costs, honesty)
    if isinstance(name, str) and name == "auto":
        return allowed[0]
    if isinstance(name, str) and name in allowed:
        return name
    kind = "equal" if costs.equal else "unequal"
    where = "at a target prevalence" if costs.target else f"with {kind} costs"
    # A bound that exists but does not hold here is not a typing error.
    meant = "" if isinstance(name, str) and name in BOUNDS else did_you_mean(name, allowed)
    raise BadOption(
        f"{argument('bound')} must be one of auto, {', '.join(allowed)} with honesty '{honesty}' "
        f"{where}; got {shown(name)}.{meant}"
    )


def allowed_bounds(costs: Costs, honesty: str) -> list[str]:
    """Return the bounds that hold; ``auto`` takes the first of them."""
    return [name for name, bound in BOUNDS.items() if bound.holds(costs, honesty)]


def lower_risk_limit(counts: Confusion, costs: Costs, delta: float) -> float:
    """Return a lower limit of the risk at a fixed threshold; it holds with probability 1 - delta.

    It is exact binomial for equal costs and, class by class, at a target prevalence. Otherwise it
    is the Hoeffding-Bentkus limit of the larger cost minus the loss.
    """
    n, errors = counts.n_patients, counts.fn + counts.fp
    if costs.target is not None:
        miss = 1 - upper_limit(counts.tp, counts.n_positive, delta / 2)
        alarm = 1 - upper_limit(counts.tn, counts.n_negative, delta / 2)
        return costs.worst_risk(miss, alarm)
    if costs.equal:
        return costs.largest * (1 - upper_limit(n - errors, n, delta))
    mean = counts.risk(costs) / costs.largest
    return costs.largest * (1 - mean_limit(1 - mean, n, delta))

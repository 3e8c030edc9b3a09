"""Every bound on the risk, the certificate's sum, planning, and betting as far as it is defined."""

import random
from itertools import permutations
from math import log

import numpy as np

from steadycut import certify, plan
from steadycut.core.asked_rates import certified_rates
from steadycut.core.bounds import betting, concentration
from steadycut.core.bounds.binomial import (
    dkw_width,
    lower_limit,
    rate_interval,
    two_sided,
    upper_limit,
)
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from tests.slow_reference import bounds, planning, risks, shift
from tests.slow_reference.compare_cuts import costs_of
from tests.slow_reference.differences import all_differ, differ

POINTWISE = ("paper", "dkw", "hoeffding", "bentkus")


def counts_for(cohort):
    """Return the counts at one of the scores."""
    rng = random.Random(cohort.seed)  # noqa: S311
    return risks.counts_at(cohort.scores, cohort.labels, rng.choice(cohort.scores))


def confusion_of(counts):
    return Confusion(**dict(zip(("tp", "fn", "fp", "tn"), counts, strict=True)))


def margins(cohort):
    counts, delta = counts_for(cohort), cohort.delta
    seen, plain = confusion_of(counts), costs_of(cohort, None)
    costs = cohort.cost_fn, cohort.cost_fp
    for name in POINTWISE:
        found = getattr(concentration, name)(seen, plain, delta)
        wanted = getattr(bounds, name)(counts, *costs, delta)
        yield from differ(name, found, wanted, 1e-7, 1e-9 * max(costs))
    for name in ("clopper_pearson", "compression"):
        found = getattr(concentration, name)(seen, Costs(), delta)
        wanted = getattr(bounds, name)(counts, 1.0, 1.0, delta)
        yield from differ(name, found, wanted, 1e-9, 1e-12)
    target = cohort.target or (0.2, 0.7)
    for name in ("class_wise", "class_wise_dkw"):
        found = getattr(concentration, name)(seen, costs_of(cohort, target), delta)
        wanted = getattr(bounds, name)(counts, *costs, target, delta)
        yield from differ(name, found, wanted, 1e-9, 1e-12 * max(costs))


def limits(cohort):
    """Clopper-Pearson: the rate at which so few, or so many, are just delta-likely."""
    rng = random.Random(cohort.seed)  # noqa: S311
    n = len(cohort.scores)
    count, delta, choices = rng.randint(0, n), cohort.delta, rng.randint(0, 3)
    yield from differ(
        "upper", upper_limit(count, n, delta), bounds.upper_limit(count, n, delta), 1e-9
    )
    yield from differ(
        "lower", lower_limit(count, n, delta), bounds.lower_limit(count, n, delta), 1e-9
    )
    wanted = shift.rate_interval(count, n, delta)
    yield from all_differ("two-sided", two_sided(count, n, delta), wanted, 1e-9)
    found = rate_interval(count, n, delta, choices)
    yield from all_differ("rate", found, shift.rate_interval(count, n, delta, choices), 1e-9, 1e-12)
    yield from differ("dkw width", dkw_width(n, delta), bounds.dkw_two_sided(n, delta), 1e-9)


def certificates(cohort):
    """Risk, margin, their sum, the rule without a score, and whether it is vacuous."""
    counts, own = counts_for(cohort), costs_of(cohort)
    costs = cohort.cost_fn, cohort.cost_fp, cohort.target
    found = certificate_of(confusion_of(counts), own, cohort.delta, bound="auto")
    wanted = risks.risk(counts, *costs)
    yield from differ("risk", found.risk, wanted, 1e-12, 1e-15)
    yield from differ("value", found.value, found.risk + found.generalization)
    trivial = risks.trivial_risk(counts, *costs)
    yield from differ("trivial", found.trivial_risk, trivial, 1e-12)
    near = abs(found.value - float(trivial)) < 1e-9 * max(costs[:2])
    yield from differ("vacuous", found.vacuous, found.vacuous if near else found.value >= trivial)
    candidates = 1 + cohort.seed % 3
    shared = certificate_of(
        confusion_of(counts), costs_of(cohort, None), cohort.delta,
        bound="dkw", honesty="uniform", n_candidates=candidates,
    )  # fmt: skip
    margin = bounds.dkw(counts, *costs[:2], cohort.delta / candidates)
    yield from differ("shared delta", shared.generalization, margin, 1e-9)


def certified_scores(cohort):
    """The public function, in either direction."""
    threshold = random.Random(cohort.seed).choice(cohort.scores)  # noqa: S311
    sign = 1 if cohort.direction == "ge" else -1
    scores = [sign * score for score in cohort.scores]
    found = certify(
        cohort.scores, cohort.labels, threshold,
        bound="hoeffding", cost_fn=cohort.cost_fn, cost_fp=cohort.cost_fp,
        delta=cohort.delta, direction=cohort.direction,
    )  # fmt: skip
    counts = risks.counts_at(scores, cohort.labels, sign * threshold)
    costs = cohort.cost_fn, cohort.cost_fp
    wanted = float(risks.risk(counts, *costs)) + bounds.hoeffding(counts, *costs, cohort.delta)
    yield from differ("certify", found.value, wanted, 1e-12)


def buehler(cohort):
    """No pair of rates that is delta-likely has a larger risk, and some pair nearly has it.

    On a lattice of shares of the risk that misses carry, up to 5 patients.
    """
    counts = counts_for(cohort)
    n = sum(counts)
    if n > 5:
        return
    dearer = max(cohort.cost_fn, cohort.cost_fp)
    cost_fn, cost_fp = cohort.cost_fn / dearer, cohort.cost_fp / dearer
    found = buehler_limit(
        confusion_of(counts), Costs(cost_fn=cost_fn, cost_fp=cost_fp), cohort.delta
    )
    wanted = bounds.buehler(counts[1], counts[2], n, cost_fn, cost_fp, cohort.delta)
    yield from differ("not below the largest likely risk", found >= wanted * (1 - 1e-9), 1)
    yield from differ("a thousandth above it at most", found <= wanted * 1.002 + 1e-9, 1)


def bets(cohort):
    """The capital of given bets; and the limit against all orders of up to five patients."""
    rng = random.Random(cohort.seed)  # noqa: S311
    losses = [rng.choice([0.0, 0.0, 1.0, 0.3]) for _ in range(rng.randint(1, 5))]
    shares = [rng.random() for _ in losses]
    mean = rng.choice([0.1, 0.5, 0.8])
    found = betting.mean_log_capital(np.array([losses]), np.array([shares]), mean)
    yield from differ("capital", found, log(bounds.capital(losses, shares, mean)), 1e-9, 1e-12)
    orders = [
        bounds.predictable_shares(list(order), cohort.delta) for order in permutations(losses)
    ]
    limit = bounds.betting_limit(list(permutations(losses)), orders, cohort.delta)
    found = betting.betting_limit(np.array(losses), cohort.delta)
    # 256 random orders stand for all.
    yield from differ("betting limit", found, limit, absolute=0.02)


def plans(cohort):
    """Enough from there on, and not enough just before; what n patients certify."""
    rng = random.Random(cohort.seed)  # noqa: S311
    risk, width = rng.choice([0.0, 0.05, 0.1, 0.2]), rng.choice([0.1, 0.15, 0.2])
    needed = plan(risk=risk, width=width, delta=cohort.delta)
    for row in needed.rows:
        if row.bound not in {"clopper-pearson", "hoeffding", "dkw"} or row.n_certify > 150:
            continue
        last = planning.last_too_few(row.bound, risk, width, cohort.delta, row.n_certify + 40)
        yield from differ(f"patients by {row.bound}", row.n_certify, last + 1)
        value = planning.certified(row.bound, row.n_certify, risk, cohort.delta)
        yield from differ(f"certified by {row.bound}", row.value, value, 1e-7)


def rates_asked_for(cohort):
    """The limits of sensitivity and specificity, together; what is shown; how many show it."""
    tp, fn, fp, tn = counts_for(cohort)
    rng = random.Random(cohort.seed)  # noqa: S311
    asked = {name: rng.choice([0.3, 0.6, 0.9]) for name in ("sensitivity", "specificity")}
    choices, level = rng.choice([0, 1, 3]), min(cohort.delta, 1) / 2
    found = certified_rates(confusion_of((tp, fn, fp, tn)).counts, asked, cohort.delta, choices)
    for one, (right, n) in zip(found, ((tp, tp + fn), (tn, tn + fp)), strict=True):
        low, high = bounds.lower_limit(right, n, level), bounds.upper_limit(right, n, level)
        if choices:
            width = bounds.dkw_one_sided(n, level / choices)
            low, high = max(right / max(n, 1) - width, 0.0), min(right / max(n, 1) + width, 1.0)
        yield from all_differ(one.rate, (one.lower, one.upper), (low, high), 1e-9, 1e-12)
        shown = n > 0 and bounds.rate_shown(right, n, one.asked, level, choices)
        yield from differ(f"{one.rate} shown", one.answer == "yes", shown)
        needed = one.patients_needed
        if needed is not None and needed <= n + 25:
            rate = right / n if n and right / n > one.asked else 1.0
            wanted = bounds.patients_to_show(rate, one.asked, level, choices, n, needed)
            yield from differ(f"patients who show {one.rate}", needed, wanted)

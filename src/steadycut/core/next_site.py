"""What several hospitals say about one that nobody has seen.

Here the hospital is the unit, not the patient. Hospital k has a true mean cost θ_k at its cut-off,
and U_k is an exact upper limit of θ_k: it is too low with probability at most delta. All statements
assume that the next hospital is to these K hospitals as they are to each other.

Worst hospital. If the K + 1 hospitals are exchangeable and none of them chose the cut-off, the next
one costs most with probability at most 1 / (K + 1), so

    Pr(θ_{K+1} <= max U_k) >= (1 - delta) K / (K + 1).

Only the limit of the hospital with the largest cost has to hold, so no correction for K is needed.
Where each U_k belongs to the cut-off that the other hospitals chose, the promise is K / (K + 1) - K
delta / 2 (an argument as for the jackknife+, Barber et al. 2021), for at least one of these
cut-offs.

Share of hospitals. A hospital passes if a test with error probability delta says so. If a share H
of all hospitals deserves to pass, at most H + delta (1 - H) of them pass. With the exact lower
limit p of the probability of passing, H >= (p - delta) / (1 - delta).

Normal limit. If the logits y_k of the rates are normal and independent, the next one is at most

    mean(y) + t(level, K - 1) sd(y) sqrt(1 + 1 / K).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, stdtrit

from steadycut.core.bounds.binomial import lower_limit, upper_limit
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.verdict import Comparison

# One hospital says nothing about another; two do not show how normal hospitals are.
LEAST_SITES, LEAST_NORMAL = 2, 3
# Error probability of each hospital's limit, where other hospitals chose the cut-off.
MOST_DELTA, LEAST_DELTA = 0.05, 0.01
# The leave-one-out promise loses at most half of this.
SHARED_DELTA = 0.1
# Beyond this many hospitals is not searched.
MOST_NEEDED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteResult:
    """A hospital, and what a cut-off does there that its own patients did not choose.

    ``threshold`` is oriented. It is None where it belongs to another score than the published one.
    """

    site: str
    threshold: float | None
    counts: Confusion


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRow(SiteResult):
    """One hospital in numbers: its counts, and limits of its own.

    ``cost`` is None where a target prevalence needs the rate of a class that has no patients there.
    ``limit``, ``miss_limit`` and ``alarm_limit`` are upper limits of the mean cost, the miss rate
    and the alarm rate, each too low with probability at most delta. ``useful`` says whether the
    cut-off is shown to cost less there than calling everybody and than calling nobody.
    """

    cost: float | None
    trivial_cost: float
    limit: float
    miss_limit: float
    alarm_limit: float
    useful: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstSite:
    """The largest limits of all hospitals; each holds at the next one with the ``promise``.

    ``site`` is the hospital with the largest ``limit`` of the mean cost.
    """

    limit: float
    miss_rate: float
    alarm_rate: float
    promise: float
    site: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """At least this share of hospitals deserves to pass, because so many were shown to pass."""

    passed: int
    n_sites: int
    at_least: float
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The share of hospitals where the cut-off is ``useful``, and where it costs little enough.

    ``cost`` is known where a cost was fixed beforehand.
    """

    useful: Share
    cost: Share | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalLimit:
    """Limits at the next hospital if the logits of the rates are normal; None where not known."""

    limit: float | None
    miss_rate: float | None
    alarm_rate: float | None
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSite:
    """Everything that K hospitals say about the next one.

    ``split`` says that other hospitals chose the cut-off. Otherwise each row has the cut-off that
    the other hospitals chose. ``costs`` has the prevalence there as its target, if one was given.
    """

    rows: tuple[SiteRow, ...]
    split: bool
    delta: float
    level: float
    costs: Costs
    cost_there: float | None
    worst: WorstSite
    share: Shares
    normal: NormalLimit | None

    @property
    def n_sites(self) -> int:
        """K, the number of hospitals that speak."""
        return len(self.rows)


def next_site(
    results: Sequence[SiteResult],
    costs: Costs,
    *,
    level: float = 0.9,
    split: bool = True,
    cost_there: float | None = None,
) -> NextSite:
    """Return what hospitals say about the next one.

    Parameters
    ----------
    results
        The hospitals, at least two of them.
    costs
        The costs. With a target prevalence, the cost of every hospital is taken at that prevalence,
        from its miss rate and its alarm rate; only these two must then be alike between hospitals.
    level
        Confidence of the shares and of the normal limit.
    split
        Whether other hospitals chose one cut-off for all. Otherwise every cut-off was chosen by the
        other hospitals.
    cost_there
        A mean cost, fixed before the data were seen.

    Examples
    --------
    >>> counts = [Confusion(tp=40 - k, fn=k, fp=2 * k, tn=60 - 2 * k) for k in (2, 4, 6)]
    >>> hospitals = [SiteResult(site=str(c.fn), threshold=0.5, counts=c) for c in counts]
    >>> found = next_site(hospitals, Costs())
    >>> round(found.worst.limit, 3), round(found.worst.promise, 4), found.worst.site
    (0.255, 0.7125, '6')
    """
    delta = site_delta(len(results), level, split=split)
    rows = tuple(site_row(result, costs, delta) for result in results)
    return NextSite(
        rows=rows,
        split=split,
        delta=delta,
        level=level,
        costs=costs,
        cost_there=cost_there,
        worst=worst_site(rows, promise(len(rows), delta, split=split)),
        share=shares(rows, delta, level, cost_there),
        normal=normal_limit(rows, costs, level),
    )


def site_delta(n_sites: int, level: float, *, split: bool) -> float:
    """Return the error probability of each hospital's limit; it depends on no data.

    With other hospitals choosing, it is as large as the level allows, within bounds.

    Examples
    --------
    >>> round(site_delta(10, 0.9, split=True), 4), site_delta(4, 0.9, split=True)
    (0.01, 0.05)
    >>> site_delta(4, 0.9, split=False), site_delta(20, 0.9, split=False)
    (0.01, 0.005)
    """
    if not split:
        return SHARED_DELTA / max(n_sites, 10)
    room = 1 - level * (n_sites + 1) / n_sites
    return min(max(room, LEAST_DELTA), MOST_DELTA) if room > 0 else MOST_DELTA


def promise(n_sites: int, delta: float, *, split: bool) -> float:
    """Return the probability with which the worst hospital's limit holds at the next one.

    Examples
    --------
    >>> round(promise(3, 0.05, split=True), 4), round(promise(3, 0.01, split=False), 3)
    (0.7125, 0.735)
    """
    known = n_sites / (n_sites + 1)
    return (1 - delta) * known if split else max(known - n_sites * delta / 2, 0.0)


def sites_needed(level: float, *, split: bool) -> int | None:
    """Return the smallest number of hospitals whose worst one is promised at this level.

    None if that takes more than are searched.

    Examples
    --------
    >>> sites_needed(0.9, split=True), sites_needed(0.9, split=False), sites_needed(0.5, split=True)
    (10, 19, 2)
    """
    for n_sites in range(LEAST_SITES, MOST_NEEDED):
        promised = promise(n_sites, site_delta(n_sites, level, split=split), split=split)
        # Rounding must not ask for one hospital more.
        if promised >= level - 1e-12:
            return n_sites
    return None


def site_row(result: SiteResult, costs: Costs, delta: float) -> SiteRow:
    """Return one hospital in numbers."""
    counts = result.counts
    compared = comparison_at(counts, costs)
    known = costs.target is None or (counts.n_positive and counts.n_negative)
    return SiteRow(
        site=result.site,
        threshold=result.threshold,
        counts=counts,
        cost=counts.risk(costs) if known else None,
        trivial_cost=counts.trivial_risk(costs),
        limit=certificate_of(counts, costs, delta).value,
        miss_limit=upper_limit(counts.fn, counts.n_positive, delta),
        alarm_limit=upper_limit(counts.fp, counts.n_negative, delta),
        useful=all(test(delta) for test in compared.tests_for_yes["useful"]),
    )


def comparison_at(counts: Confusion, costs: Costs) -> Comparison:
    """Return the comparison of a cut-off with calling everybody or nobody, at one hospital."""
    matrix = CostMatrix.of_errors(costs.cost_fn, costs.cost_fp)
    return Comparison(here=counts.counts, matrix=matrix, costs=costs, promised=0.0, vacuous=False)


def worst_site(rows: Sequence[SiteRow], promised: float) -> WorstSite:
    """Return the largest limits."""
    worst = max(rows, key=lambda row: row.limit)
    return WorstSite(
        limit=worst.limit,
        miss_rate=max(row.miss_limit for row in rows),
        alarm_rate=max(row.alarm_limit for row in rows),
        promise=promised,
        site=worst.site,
    )


def shares(rows: Sequence[SiteRow], delta: float, level: float, cost_there: float | None) -> Shares:
    """Return the shares of hospitals; two of them divide the error probability."""
    useful, gamma = [row.useful for row in rows], 1 - level
    if cost_there is None:
        return Shares(useful=share_of(useful, delta, gamma))
    cheap = [row.limit <= cost_there for row in rows]
    half = gamma / 2
    return Shares(useful=share_of(useful, delta, half), cost=share_of(cheap, delta, half))


def share_of(passed: Sequence[bool], delta: float, gamma: float) -> Share:
    """Return the share of all hospitals that deserves to pass, with confidence 1 - gamma.

    Examples
    --------
    >>> round(share_of([True] * 5, 0.05, 0.1).at_least, 3)
    0.612
    """
    n_passed = sum(passed)
    limit = lower_limit(n_passed, len(passed), gamma)
    return Share(
        passed=n_passed,
        n_sites=len(passed),
        at_least=max(limit - delta, 0.0) / (1 - delta),
        confidence=1 - gamma,
    )


def normal_limit(rows: Sequence[SiteRow], costs: Costs, level: float) -> NormalLimit | None:
    """Return the limits of normal hospitals; None with fewer than three.

    The mean cost is a rate where both errors cost the same. At a target prevalence it is combined
    from both rates, each at half of the error probability.
    """
    if len(rows) < LEAST_NORMAL:
        return None
    counts = [row.counts for row in rows]
    misses = [(site.fn, site.n_positive) for site in counts]
    alarms = [(site.fp, site.n_negative) for site in counts]
    cost = None
    if costs.target is not None:
        half = (1 + level) / 2
        miss, alarm = logit_limit(misses, half), logit_limit(alarms, half)
        if miss is not None and alarm is not None:
            cost = costs.worst_risk(miss, alarm)
    elif costs.equal:
        wrong = logit_limit([(site.fn + site.fp, site.n_patients) for site in counts], level)
        cost = None if wrong is None else costs.cost_fn * wrong
    return NormalLimit(
        limit=cost,
        miss_rate=logit_limit(misses, level),
        alarm_rate=logit_limit(alarms, level),
        level=level,
    )


def logit_limit(errors: Sequence[tuple[int, int]], level: float) -> float | None:
    """Return the limit of the next hospital's rate from the errors and patients of each hospital.

    None where a hospital has no such patients, or where at least half of the hospitals have no
    error, or nothing but errors: their logits then say how many patients they have, not how they
    differ. None also where all hospitals have the same rate, which does not show how they differ.

    Examples
    --------
    >>> round(logit_limit([(6, 100), (10, 100), (15, 100)], 0.9), 3)
    0.245
    """
    wrong, n = np.array(errors, dtype=float).T
    k = wrong.size
    extreme = max(np.count_nonzero(wrong == 0), np.count_nonzero(wrong == n))
    if np.any(n == 0) or 2 * extreme >= k or np.ptp(wrong / n) == 0:
        return None
    logits = np.log((wrong + 0.5) / (n - wrong + 0.5))
    width = float(stdtrit(k - 1, level)) * math.sqrt(1 + 1 / k)
    return float(expit(logits.mean() + width * logits.std(ddof=1)))

"""Survival at a horizon: who had the event by then, and what censored patients may hide.

With the horizon H a patient has label 1 if the event happened by H. The label is 0 if the patient
was followed to H without the event. The label is `UNKNOWN` if the patient was censored before H.

*Exact.* At a frozen cut-off a patient of unknown fate gets the label that makes the decision an
error (`worst_labels`). This label depends on this patient alone, so the patients stay independent.
No other fate makes the cost, the sensitivity or the specificity worse. An upper limit of the cost
of these labels is therefore one of the true cost, whatever the reason for the censoring.

*Approximate.* Patients of known fate are weighted by 1 / Z(min(T, H)-), where Z is the Kaplan-Meier
estimate of not being censored yet (`censoring_weights`). This is right for many patients, if
censoring has nothing to do with the score or with the fate.

References
----------
Uno et al., Evaluating prediction rules for t-year survivors with censored regression models, JASA
2007.
Korn and Graubard, Confidence intervals for proportions with small expected number of positive
counts estimated from survey data, Survey Methodology 1998.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtr

from steadycut.core.checks import BoolArray, FloatArray
from steadycut.core.confusion import Confusion, confusion_at, is_called
from steadycut.core.records import UNKNOWN, Costs, PatientScores
from steadycut.errors import Warned

# Weights are multiples of this, so that sums of them are exact and equal ranks are recognised.
STEP = 2.0**-20


def worst_labels(patients: PatientScores, threshold: float) -> PatientScores:
    """Return the patients with an error for everybody of unknown fate; high scores are called.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2], time=[3, 3], event=[0, 0], horizon=5)
    >>> worst_labels(cohort, 1.5).labels
    array([1, 0], dtype=int8)
    """
    return _labelled(patients, ~is_called(patients.scores, threshold))


def best_labels(patients: PatientScores, threshold: float) -> PatientScores:
    """Return the patients with a correct decision for everybody of unknown fate."""
    return _labelled(patients, is_called(patients.scores, threshold))


def _labelled(patients: PatientScores, ill: BoolArray) -> PatientScores:
    if not patients.n_unknown:
        return patients
    fates = patients.fates
    return replace(patients, labels=np.where(fates == UNKNOWN, ill, fates))


def unknown_warnings(patients: PatientScores, who: str = "used to check") -> list[str]:
    """Say how many patients have an unknown fate, and how they count."""
    if not patients.n_unknown:
        return []
    text = Warned.of("survival")(
        f"{patients.n_unknown} of {patients.n_patients} patients {who} were censored "
        f"before {patients.recipe.horizon:g}, so their fate is unknown. Each of them counts as an "
        "error in every rate and cost; the section on survival has the ranges. The limit of the "
        "cost holds for any censoring."
    )
    return [text]


def censoring_weights(time: FloatArray, event: NDArray[Any], horizon: float) -> FloatArray:
    """Return 1 / Z(min(T, H)-) for patients of known fate, and 0 for the others.

    Z is the Kaplan-Meier estimate of not being censored yet. At one moment events come before
    censoring.

    Examples
    --------
    >>> censoring_weights(np.array([1.0, 2.0, 3.0, 9.0]), np.array([1, 0, 1, 0]), 5.0).round(3)
    array([1. , 0. , 1.5, 1.5])
    """
    until = np.minimum(time, horizon)
    moments, place = np.unique(time, return_inverse=True)
    at_risk = time.size - np.searchsorted(np.sort(time), moments)
    events = np.bincount(place, weights=event != 0)
    censored = np.bincount(place) - events
    steps = 1 - censored / np.maximum(at_risk - events, 1)
    uncensored = np.concatenate(([1.0], np.cumprod(steps)))[np.searchsorted(moments, until)]
    known = (event != 0) | (time >= horizon)
    weights = np.zeros(time.size)
    weights[known] = np.rint(1 / uncensored[known] / STEP) * STEP
    return weights


def weights_of(patients: PatientScores) -> FloatArray:
    """Return the weight of each patient, from the follow-up of these patients."""
    assert patients.time is not None  # noqa: S101
    assert patients.event is not None  # noqa: S101
    assert patients.recipe.horizon is not None  # noqa: S101
    return censoring_weights(patients.time, patients.event, patients.recipe.horizon)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRate:
    """A weighted mean of losses from 0 to 1, and as how many patients it counts."""

    value: float | None
    n_effective: float

    def limit(self, delta: float) -> float:
        """Return an approximate upper limit: Clopper-Pearson's at the effective numbers."""
        if self.value is None:
            return 1.0
        wrong, n = self.value * self.n_effective, self.n_effective
        return 1.0 if wrong >= n else float(betaincinv(wrong + 1, n - wrong, 1 - delta))


def weighted_rate(
    losses: ArrayLike, weights: FloatArray, among: BoolArray | None = None
) -> WeightedRate:
    """Return the weighted mean of losses among some patients.

    It counts as the number of plain patients whose mean has the same variance, but not as more
    than the weights alone allow (Kish's effective number).

    Examples
    --------
    >>> weighted_rate([1, 0, 0, 0], np.ones(4))
    WeightedRate(value=0.25, n_effective=4.0)
    """
    weights = weights if among is None else np.where(among, weights, 0.0)
    total = float(weights.sum())
    if not total:
        return WeightedRate(value=None, n_effective=0.0)
    losses = np.asarray(losses)
    mean = float((weights * losses).sum() / total)
    variance = float(((weights * (losses - mean)) ** 2).sum()) / total**2
    alike, plain = total**2 / float((weights**2).sum()), mean * (1 - mean)
    return WeightedRate(value=mean, n_effective=min(alike, plain / variance) if variance else alike)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """What the weighted patients of known fate show of a cut-off; all of it is approximate.

    ``limit`` is an upper limit of the average cost, with confidence 1 - ``delta``.
    """

    approximate: Literal[True] = True
    risk: float
    limit: float
    delta: float
    sensitivity: float | None
    specificity: float | None
    ppv: float | None
    npv: float | None
    prevalence: float


def weighted_at(patients: PatientScores, threshold: float, costs: Costs, delta: float) -> Weighted:
    """Return what the weighted patients of known fate show; high scores are called."""
    weights, called = weights_of(patients), is_called(patients.scores, threshold)
    ill, healthy = patients.fates == 1, patients.fates == 0
    miss, alarm = (
        weighted_rate(called == wrong, weights, among)
        for wrong, among in ((False, ill), (True, healthy))
    )
    if costs.target is None:
        losses = costs.cost_fn * (ill & ~called) + costs.cost_fp * (healthy & called)
        cost = weighted_rate(losses / costs.largest, weights)
        risk, limit = (costs.largest * one for one in (cost.value or 0.0, cost.limit(delta)))
    else:
        risk = costs.worst_risk(miss.value or 0.0, alarm.value or 0.0)
        limit = costs.worst_risk(miss.limit(delta / 2), alarm.limit(delta / 2))
    return Weighted(
        risk=risk,
        limit=limit,
        delta=delta,
        sensitivity=None if miss.value is None else 1 - miss.value,
        specificity=None if alarm.value is None else 1 - alarm.value,
        ppv=weighted_rate(ill, weights, called).value,
        npv=weighted_rate(healthy, weights, ~called).value,
        prevalence=weighted_rate(ill, weights).value or 0.0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Extremes:
    """The counts if every unknown fate is an error, and if none is."""

    worst: Confusion
    best: Confusion
    n_unknown: int
    n_unknown_called: int


def extremes_at(patients: PatientScores, threshold: float) -> Extremes:
    """Return the counts at a cut-off at both extremes; high scores are called.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2, 3], time=[3, 3, 9], event=[0, 1, 0], horizon=5)
    >>> extremes_at(cohort, 1.5).best
    Confusion(tp=1, fn=0, fp=1, tn=1)
    """
    unknown = patients.fates == UNKNOWN
    return Extremes(
        worst=confusion_at(worst_labels(patients, threshold), threshold),
        best=confusion_at(best_labels(patients, threshold), threshold),
        n_unknown=patients.n_unknown,
        n_unknown_called=int(np.count_nonzero(unknown & is_called(patients.scores, threshold))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRankCut:
    """The cut with the largest log-rank statistic, and its p-value adjusted for the search.

    Patients with a score above ``threshold`` are compared with the others.
    """

    threshold: float
    statistic: float
    p_value: float


def log_rank_cut(
    scores: FloatArray, time: FloatArray, event: NDArray[Any], least: float = 0.1
) -> LogRankCut | None:
    """Return the maximally selected log-rank statistic, as R's maxstat and survminer do.

    Cuts that leave less than the share ``least`` of the patients on one side are not tried; None if
    there is no other cut. The p-value is the improved Bonferroni bound of Lausen, Sauerbrei and
    Schumacher (1994), ``pmethod="Lau94"`` in maxstat. It says whether the score has anything to do
    with survival. It does not say how well the cut-off decides about patients.

    References
    ----------
    Hothorn and Lausen, On the exact distribution of maximally selected rank statistics, CSDA 2003.
    """
    n, order = scores.size, np.argsort(scores, kind="stable")
    ranked, values = scores[order], log_rank_scores(time, event)[order]
    below = 1 + np.flatnonzero(np.diff(ranked))
    below = below[(below >= int(n * least)) & (below <= int(n * (1 - least)))]
    spread = n * float((values**2).sum()) - float(values.sum()) ** 2
    if not below.size or spread <= 0:
        return None
    expected = below / n * values.sum()
    variance = below * (n - below) / (n**2 * (n - 1)) * spread
    statistics = np.abs(np.cumsum(values)[below - 1] - expected) / np.sqrt(variance)
    best = int(statistics.argmax())
    return LogRankCut(
        threshold=float(ranked[below[best] - 1]),
        statistic=float(statistics[best]),
        p_value=lausen_p_value(float(statistics[best]), below, n),
    )


def log_rank_scores(time: FloatArray, event: NDArray[Any]) -> FloatArray:
    """Return the log-rank score of each patient; tied times share the largest rank."""
    order = np.argsort(time, kind="stable")
    rank = np.searchsorted(time[order], time, side="right")
    share = (event != 0) / (time.size - rank + 1)
    return np.asarray((event != 0) - np.cumsum(share[order])[rank - 1])


def lausen_p_value(statistic: float, below: NDArray[Any], n: int) -> float:
    """Return the p-value of the largest of the statistics at cuts with so many patients below."""
    first, second = below[:-1].astype(float), below[1:].astype(float)
    apart = np.sqrt(1 - first * (n - second) / ((n - first) * second))
    more = np.exp(-(statistic**2) / 2) / np.pi
    more *= apart - (statistic**2 / 4 - 1) * apart**3 / 6
    return float(np.clip(2 * ndtr(-statistic) + more.sum(), 0.0, 1.0))

"""What is written of patients: counts and quantiles for a later audit, and unknown fates."""

from collections.abc import Iterable

import numpy as np

from steadycut.core.asked_rates import CertifiedRate
from steadycut.core.bounds.concentration import lower_risk_limit
from steadycut.core.checks import IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs, PatientScores
from steadycut.core.shift.label_shift import bins_of
from steadycut.core.survival import LogRankCut, extremes_at, weighted_at
from steadycut.documents import parts
from steadycut.documents.frozen import Reference
from steadycut.study.curves import quantiles


def span_of(counts: IntArray | None) -> parts.InstancesPart | None:
    """Return how many instances or units per patient there are; None where that is not known."""
    if counts is None:
        return None
    return parts.InstancesPart(
        smallest=int(counts.min()), median=float(np.median(counts)), largest=int(counts.max())
    )


def reference_of(
    counts: Confusion, certify: PatientScores, n_instances: IntArray | None
) -> Reference:
    """Return what an audit needs of the patients who certify."""
    patients, without = certify.usable, certify.without_score
    called = np.full(without.n_patients, certify.recipe.unscored == "call")
    return Reference.of(
        counts,
        unscored=Confusion.of_calls(without.fates, called) if called.size else None,
        quantiles_positive=quantiles(patients.positive_scores),
        quantiles_negative=quantiles(patients.negative_scores),
        bins=bins_of(patients),
        instances_per_patient=span_of(n_instances),
    )


def unscored_of(patients: PatientScores) -> parts.UnscoredPart | None:
    """Return how many patients have no score; None if nothing says what is done to them."""
    policy, without = patients.recipe.unscored, patients.without_score
    if policy is None:
        return None
    positive = None if without.labels is None else int(np.count_nonzero(without.labels == 1))
    return parts.UnscoredPart(policy=policy, n_patients=without.n_patients, positive=positive)


def rate_parts(rates: Iterable[CertifiedRate]) -> list[parts.CertifiedRatePart] | None:
    """Return certified rates as a rule file holds them; None without any."""
    return [parts.CertifiedRatePart.of(one) for one in rates] or None


def survival_part(
    patients: PatientScores,
    threshold: float,
    costs: Costs,
    delta: float,
    upper: float,
    log_rank: LogRankCut | None = None,
) -> parts.SurvivalPart:
    """Return what is known at the horizon; ``upper`` is the limit that counts unknown as errors.

    The patients are oriented: high scores are called.
    """
    found = extremes_at(patients, threshold)
    worst, best = found.worst, found.best
    return parts.SurvivalPart.of(
        *(patients.recipe, patients),
        unknown=found.n_unknown,
        unknown_called=found.n_unknown_called,
        worst=parts.CountsPart.of(worst),
        best=parts.CountsPart.of(best),
        risk=(best.risk(costs), worst.risk(costs)),
        limits=(lower_risk_limit(best, costs, delta), upper),
        sensitivity=_right(worst.miss_rate, best.miss_rate),
        specificity=_right(worst.alarm_rate, best.alarm_rate),
        weighted=weighted_at(patients, threshold, costs, delta),
        log_rank=log_rank,
    )


def _right(worst: float | None, best: float | None) -> parts.Range | None:
    """Return the shares of right decisions; None without patients of the class."""
    return None if worst is None or best is None else (1 - worst, 1 - best)

"""Counts at many cut-offs, with which a page can move cut-off, costs and prevalence."""

import math
from dataclasses import replace

import numpy as np

from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_below
from steadycut.core.records import Costs, PatientScores
from steadycut.documents.parts import ExplorerPart
from steadycut.study.fitted import FittedStudy

MOST_CUTS = 200
# A patient is in the grey zone if at least this share of resampled studies decides otherwise.
GREY_ZONE = 0.1


def study_explorer(study: FittedStudy) -> ExplorerPart | None:
    """Return the certifying patients of a study, counted at every cut-off of a short list."""
    if study.has_unknown:
        return None
    return explorer_part(
        study.certified,
        study.chosen.threshold,
        study.chosen.draws.thresholds,
        study.options.search.costs,
        delta=study.certificate.delta,
        sign=study.options.sign,
        n_choices=study.n_choices,
    )


def explorer_part(
    patients: PatientScores,
    threshold: float,
    draws: FloatArray,
    costs: Costs,
    *,
    delta: float,
    sign: float = 1.0,
    n_choices: int = 0,
) -> ExplorerPart | None:
    """Return counts and limits of error rates at each of at most `MOST_CUTS` cut-offs.

    Parameters
    ----------
    patients
        Patients whose high scores are called.
    threshold, draws
        The frozen cut-off, and those of the resampled studies, on the same scale.
    costs
        Those of the study; its target range tells at which prevalence the page starts.
    delta
        Failure probability of the certificate; each class has half of it.
    sign
        -1 where low scores are called: cut-offs are then written with the opposite sign.
    n_choices
        Among how many scores these patients chose the cut-off themselves, 0 if they did not.

    Returns
    -------
    ExplorerPart or None
        Columns, one entry per cut-off, ascending; None where a class has no patient. At
        prevalence P the certificate is ``cost_fn P miss_limit + cost_fp (1 - P) alarm_limit``,
        which is `steadycut.core.bounds.concentration.class_wise`, or ``class_wise_dkw`` where the
        patients chose.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.1, 0.4, 0.6, 0.9], labels=[0, 1, 0, 1])
    >>> part = explorer_part(cohort, 0.5, np.array([0.3, 0.5, 0.7]), Costs(), delta=0.1)
    >>> part.missed, part.alarms, part.frozen
    ([0, 0, 1, 1, 2], [2, 1, 1, 0, 0], 2)
    """
    n_positive, n_negative = patients.n_positive, patients.n_negative
    if not (n_positive and n_negative):
        return None
    cuts = cuts_to_try(patients, threshold)
    positive, negative = patients.positive_scores, patients.negative_scores
    missed = count_below(positive, cuts)
    alarms = n_negative - count_below(negative, cuts)
    share = delta / max(n_choices, 1) / 2
    columns = {
        "thresholds": sign * cuts + 0.0,
        "missed": missed,
        "alarms": alarms,
        "miss_limit": rate_limits(missed, n_positive, share, n_choices),
        "alarm_limit": rate_limits(alarms, n_negative, share, n_choices),
        "grey_positive": count_grey(positive, cuts, draws),
        "grey_negative": count_grey(negative, cuts, draws),
    }
    order = slice(None) if sign > 0 else slice(None, None, -1)
    return ExplorerPart(
        n_positive=n_positive,
        n_negative=n_negative,
        bound="class-wise-dkw" if n_choices else "class-wise",
        delta=delta,
        prevalence=first_prevalence(patients, threshold, costs),
        grey_at_least=GREY_ZONE,
        frozen=int(np.flatnonzero(cuts[order] == threshold)[0]),
        **{name: column[order].tolist() for name, column in columns.items()},
    )


def cuts_to_try(patients: PatientScores, threshold: float) -> FloatArray:
    """Return the frozen cut-off among others that each decide otherwise, ascending.

    They are every cut between two neighbouring scores, or evenly spaced ones among them.
    """
    exact = exact_cuts(patients.scored)
    last = exact.values.size
    places = np.unique(np.linspace(0, last, min(MOST_CUTS, last + 1)).astype(np.int64))
    frozen = np.searchsorted(exact.values, threshold)
    others = places[places != frozen]
    return np.sort(np.append(exact.place(others, others), threshold))


def count_grey(scores: FloatArray, cuts: FloatArray, draws: FloatArray) -> IntArray:
    """Count the patients about whom enough draws decide otherwise than each cut.

    Enough draws lie at or below a score from the k-th smallest draw on, and above it before the
    k-th largest: the grey zone of a cut reaches from the smaller of it and the former to the
    larger of it and the latter.
    """
    # Rounded, because 0.1 * 30 is a little more than 3.
    enough = max(math.ceil(round(GREY_ZONE * draws.size, 6)), 1)
    ordered = np.sort(draws)
    low, high = ordered[enough - 1], ordered[-enough]
    above = count_below(scores, np.maximum(cuts, high))
    return above - count_below(scores, np.minimum(cuts, low))


def rate_limits(errors: IntArray, n: int, share: float, n_choices: int) -> FloatArray:
    """Return upper limits of an error rate: exact, or valid at all cuts if the patients chose."""
    if n_choices:
        return errors / n + math.sqrt(math.log(1 / share) / (2 * n))
    return np.array([upper_limit(int(count), n, share) for count in errors])


def first_prevalence(patients: PatientScores, threshold: float, costs: Costs) -> float:
    """Return the prevalence at which the study takes its risk, of a range the worse end."""
    counts = confusion_at(patients, threshold)
    if costs.target is None:
        return counts.prevalence
    risks = {end: counts.risk(replace(costs, target=(end, end))) for end in costs.target}
    return max(risks, key=lambda end: risks[end])

"""What a cut-off does to patients, with two kinds of intervals."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import (
    FloatArray,
    IntArray,
    Interval,
    LabelArray,
    check_finite,
    check_fraction,
    check_range,
)
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.frames import Columns, Framed
from steadycut.core.intervals import auc as area
from steadycut.core.intervals.rates import Estimate, at_fixed_cut
from steadycut.core.intervals.repeated_study import at_rechosen_cut
from steadycut.core.intervals.threshold import BOOTSTRAP, CutInterval, cut_interval
from steadycut.core.records import Costs, PatientScores, check_some, sign_of
from steadycut.documents import parts
from steadycut.documents.shown import point_columns
from steadycut.documents.study import CutIntervalPart, CutIntervals
from steadycut.errors import BadOption, SteadycutError, argument, explains_calls
from steadycut.study.choosing import choose
from steadycut.study.fitted import FittedStudy, without_bootstrap
from steadycut.study.new_patients import with_labels

CONFIDENCE = 0.95
# Into how many parts patients are dealt where all of them choose.
PARTS = 10
FIXED = (
    "if this cut-off is used: the true value of this very cut-off, for patients like these, who "
    "had no part in choosing it"
)
FIXED_BY_CHOOSERS = (
    "if this cut-off is used: the true value of this very cut-off; these patients chose it "
    "themselves, so the interval is one that holds at every cut-off at once"
)
RECHOSEN = (
    "if the whole study were repeated, cut-off included: the true value of the cut-off that "
    "another study of as many patients would choose with the same rule on the same score"
)
POPULATION = "where the rule would put the cut-off if it had all patients of the population"
REPEATED = "where another study of as many patients would put the cut-off"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OperatingPoint(Framed):
    """The characteristics of a cut-off.

    ``fixed`` holds for every characteristic its value among the patients and an interval *if this
    cut-off is used*; ``rechosen`` an interval *if the whole study were repeated, cut-off included*
    and is empty where there is no study to repeat. Each interval holds with ``confidence`` on its
    own, not all of them at once. The area under the ROC curve (``auc``) has no cut-off in it, and
    so only one interval. ``n_choices`` is among how many scores the patients chose the cut-off
    themselves, 0 if they did not.
    """

    counts: Confusion
    confidence: float
    target_prevalence: tuple[float, float] | None
    fixed: Mapping[str, Estimate]
    rechosen: Mapping[str, Interval] = field(default_factory=dict)
    n_choices: int = 0

    def __repr__(self) -> str:
        """Return sensitivity and specificity; no patient is shown."""
        known = [
            f"{name} {self.fixed[name].value:.3g}"
            for name in ("sensitivity", "specificity")
            if self.fixed[name].value is not None
        ]
        n = self.counts.n_patients
        return f"OperatingPoint of {n} patients: {', '.join(known)}; to_frame() has all"

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"operating_point": lambda: point_columns(point_part(self))}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers; an end without a limit is None, as is an interval not known."""
        return point_part(self).to_plain()


def point_part(point: OperatingPoint) -> parts.OperatingPointPart:
    """Return an operating point as it is written."""
    fixed = parts.FixedCutPart(
        meaning=FIXED_BY_CHOOSERS if point.n_choices else FIXED,
        characteristics={
            name: parts.EstimatePart.model_validate(
                {"value": _finite(part.value), **_ends(part.interval, part.method)}
            )
            for name, part in point.fixed.items()
        },
    )
    rechosen = parts.RechosenCutPart(
        meaning=RECHOSEN,
        characteristics={
            name: parts.IntervalPart.model_validate(_ends(point.rechosen.get(name), BOOTSTRAP))
            for name in point.fixed
            if name != "auc"
        },
    )
    return parts.OperatingPointPart.of(
        *(point.counts, point), fixed_cut=fixed, rechosen_cut=rechosen if point.rechosen else None
    )


@explains_calls
def operating_point(
    patients: PatientScores | ArrayLike,
    y: Mapping[Any, object] | ArrayLike | None = None,
    threshold: float | None = None,
    *,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    target_prevalence: float | tuple[float, float] | None = None,
    confidence: float = CONFIDENCE,
    direction: str = "ge",
) -> OperatingPoint:
    """Return what a cut-off that was chosen elsewhere does to patients, with intervals.

    Parameters
    ----------
    patients, y
        Scores and 0/1 labels, shape (n,), of patients who had no part in choosing the cut-off; or
        `PatientScores` with labels.
    threshold
        The cut-off; a patient with ``score >= threshold`` is called.
    cost_fn, cost_fp
        What a missed patient and a false alarm cost: the net benefit is taken at the threshold
        probability cost_fp / (cost_fn + cost_fp).
    target_prevalence
        Prevalence at which predictive values, accuracy, kappa and net benefit are wanted, or a
        range (low, high), at whose worse end they are taken. Default: the prevalence found.
    confidence
        Each interval holds with this probability.
    direction
        ``"le"`` calls patients with ``score <= threshold`` instead.

    Returns
    -------
    OperatingPoint

    Examples
    --------
    >>> point = operating_point([0.1, 0.2, 0.6, 0.4, 0.7, 0.9], [0, 0, 0, 1, 1, 1], 0.5)
    >>> point.fixed["sensitivity"].value, point.fixed["sensitivity"].method
    (0.6666666666666666, 'clopper-pearson')
    >>> [round(end, 4) for end in point.fixed["sensitivity"].interval]
    [0.0943, 0.9916]
    """
    check_fraction("confidence", confidence)
    target = None
    if target_prevalence is not None:
        target = check_range("target_prevalence", target_prevalence)
    costs = Costs(cost_fn=cost_fn, cost_fp=cost_fp, target=target)
    if threshold is None:
        raise BadOption(f"an operating point needs a cut-off; give {argument('threshold', 0.5)}.")
    oriented = sign_of(direction) * check_finite("threshold", threshold, cut_off=True)
    cohort = with_labels(patients, y)
    if not isinstance(cohort, PatientScores):
        msg = f"an operating point needs the labels of the patients; give {argument('y')}."
        raise BadOption(msg)
    check_some("an operating point needs", cohort.n_patients)
    return point_at(cohort.oriented(direction), oriented, costs, confidence)


def point_at(
    patients: PatientScores, threshold: float, costs: Costs, confidence: float, n_choices: int = 0
) -> OperatingPoint:
    """Return the operating point of patients whose high scores are called."""
    counts = confusion_at(patients, threshold)
    return with_auc(point_of(counts, costs, confidence, n_choices), patients)


def with_auc(point: OperatingPoint, patients: PatientScores) -> OperatingPoint:
    """Return an operating point with the area under the ROC curve of patients of known fate."""
    patients = patients.usable
    share = (1 - point.confidence) / max(point.n_choices, 1)
    interval = area.auc_interval(patients, share)
    found = Estimate(value=area.auc(patients), interval=interval, method=area.METHOD)
    return replace(point, fixed={**point.fixed, "auc": found})


def point_of(
    counts: Confusion, costs: Costs, confidence: float, n_choices: int = 0
) -> OperatingPoint:
    """Return what the four counts tell, which is everything but the area under the ROC curve."""
    delta = 1 - check_fraction("confidence", confidence)
    return OperatingPoint(
        counts=counts,
        confidence=confidence,
        target_prevalence=costs.target,
        fixed=at_fixed_cut(counts, costs, delta, n_choices),
        n_choices=n_choices,
    )


def study_point(study: FittedStudy, confidence: float) -> OperatingPoint:
    """Return the operating point of a study, with both kinds of intervals."""
    costs, chosen = study.options.search.costs, study.chosen
    point = point_at(study.certified, chosen.threshold, costs, confidence, study.n_choices)
    if study.has_unknown:
        # At another cut-off other decisions about patients of unknown fate would be errors.
        return point
    again = at_rechosen_cut(study.chose, study.certified, chosen.draws, costs, 1 - confidence)
    return replace(point, rechosen=again)


def study_cut_interval(study: FittedStudy, confidence: float) -> CutInterval:
    """Return where the cut-off would lie with all patients, and in a repeated study."""
    delta = 1 - check_fraction("confidence", confidence)
    rule = str(study.options.search.rule)
    found = cut_interval(study.chose, study.chosen.draws, rule, delta)
    return found.times(study.options.sign)


def cut_intervals(study: FittedStudy, confidence: float) -> CutIntervals:
    """Return both intervals of the cut-off as they are written."""
    found = study_cut_interval(study, confidence)
    population, repeated = _ends(found.population, found.method), _ends(found.repeated, BOOTSTRAP)
    return CutIntervals(
        confidence=confidence,
        population=CutIntervalPart.of(**population, meaning=POPULATION),
        repeated_study=CutIntervalPart.of(**repeated, meaning=REPEATED),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


def _ends(interval: Interval | None, method: str) -> dict[str, object]:
    low, high = (None, None) if interval is None else interval
    ends = {"low": _finite(low), "high": _finite(high)}
    return {**ends, "method": method, "known": interval is not None}


def cross_fitted(study: FittedStudy) -> Confusion | None:
    """Count every patient at a cut-off of the others; None if others checked, or cannot choose.

    The patients are dealt into parts. Each part is decided by a cut-off that the others chose by
    the same rule. The counts of the published cut-off, among the patients who chose it, are a
    little too good.
    """
    if study.options.honesty != "uniform" or not study.given:
        return None
    parts = parts_of(study)
    try:
        counts = sum(_counts_of_part(study, np.flatnonzero(parts == part)) for part in range(PARTS))
    except SteadycutError:
        return None
    return Confusion.of_counts(np.asarray(counts))


def parts_of(study: FittedStudy) -> IntArray:
    """Return the part of every patient; neither names nor the order of rows matter.

    The random numbers come from the seed and the labels along the ranks of the scores. Patients
    with equal scores and labels are interchangeable.
    """
    first, *others = study.given
    scores = first.oriented(study.options.direction).scores
    keys: list[FloatArray | LabelArray] = [*(other.scores for other in others), first.fates, scores]
    order = np.lexsort(keys)
    ranks = np.unique(scores, return_inverse=True)[1][order].astype("<i8")
    digest = hashlib.sha256(ranks.tobytes() + first.fates[order].tobytes()).digest()
    rng = np.random.default_rng([study.options.seed, *digest])
    parts = np.empty(order.size, dtype=np.int64)
    parts[order] = rng.permutation(order.size) % PARTS
    return parts


def _counts_of_part(study: FittedStudy, out: IntArray) -> IntArray:
    """Return the counts of some patients at the cut-off of all others."""
    options, rest = study.options, np.setdiff1d(np.arange(study.patients.n_patients), out)
    _, seed = np.random.SeedSequence(options.seed).spawn(2)
    others = [candidate.take(rest) for candidate in study.given]
    choice = choose(others, np.arange(rest.size), without_bootstrap(options), seed)
    there = choice.scores_of([candidate.take(out) for candidate in study.given])
    return confusion_at(there.oriented(options.direction), choice.chosen.threshold).counts

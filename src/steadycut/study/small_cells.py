"""Results in which no number stands for fewer than N patients, where smaller counts are forbidden.

Patients are replaced by groups of at least N of one class with neighbouring scores, all with one
score. A group that the cut-off divides counts as wrong. So errors are never counted lower than they
were, and a certificate of the groups holds; it is only more cautious.
"""

import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import MOST_REPLICATES, FloatArray, IntArray, check_count
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import PatientScores
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.guards import REFUSE, Finding
from steadycut.documents.parts import (
    CertificatePart,
    InstancesPart,
    StabilityPart,
)
from steadycut.documents.rule import BinsPart, FrozenRule, Reference, RuleDocument
from steadycut.errors import BadOption, TooFewPatients, argument
from steadycut.study.fitted import FittedStudy
from steadycut.study.reference import rate_parts, reference_of


def grouped_patients(
    patients: PatientScores, threshold: float, sign: float, least: int
) -> PatientScores:
    """Return patients whose every score is shared by at least ``least`` of their class.

    ``sign`` is -1 where low scores are called. Without labels all patients are of one class, and a
    group that is divided stays where its mean is.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2, 3, 6, 4, 7, 8, 9], labels=[0, 0, 0, 0, 1, 1, 1, 1])
    >>> grouped_patients(cohort, 5.0, 1.0, 2).scores.round(6)
    array([1.5, 1.5, 5. , 5. , 5. , 5. , 8.5, 8.5])
    """
    check_enough(patients, least)
    scores, cut = sign * patients.scores, sign * threshold
    grouped = np.empty_like(scores)
    labels = patients.labels
    for label in (None,) if labels is None else (0, 1):
        own = np.ones(scores.size, dtype=bool) if label is None else labels == label
        grouped[own] = _grouped(scores[own], cut, label, least)
    return PatientScores(scores=sign * grouped + 0.0, labels=labels, recipe=patients.recipe)


def grouped_for(rule: FrozenFile[Any], patients: PatientScores, least: int) -> PatientScores:
    """Return grouped patients for the audit of a cut-off; refuse other kinds of frozen files."""
    if not isinstance(rule, FrozenRule):
        msg = (
            f"{argument('small_cells', least)} is for the audit of a rule.json, not of "
            f"a {rule.file_name}. Leave it out."
        )
        raise BadOption(msg)
    return grouped_patients(patients, rule.threshold, rule.sign, least)


def _grouped(scores: FloatArray, cut: float, label: int | None, least: int) -> FloatArray:
    """Return the mean of each score's group; of a divided one a place on the wrong side."""
    order = np.argsort(scores, kind="stable")
    group = np.minimum(np.arange(scores.size) // least, scores.size // least - 1)
    ordered = scores[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    lowest, highest = ordered[first], ordered[np.append(first[1:], scores.size) - 1]
    # A rounded mean of scores at the cut may lie beyond it, and decide otherwise than they do.
    means = np.bincount(group, weights=ordered) / np.bincount(group)
    means = np.clip(means, lowest, highest)
    divided = (lowest < cut) & (highest >= cut)
    if label == 1:
        means = np.where(divided, np.minimum(means, np.nextafter(cut, -np.inf)), means)
    elif label == 0:
        means = np.where(divided, np.maximum(means, cut), means)
    found = np.empty_like(scores)
    found[order] = means[group]
    return found


def check_enough(patients: PatientScores, least: int) -> None:
    """Refuse fewer than two groups of a class."""
    check_count("small_cells", least, at_least=2, at_most=MOST_REPLICATES)
    known = patients.labels is not None
    sizes = (patients.n_positive, patients.n_negative) if known else (patients.n_patients,)
    if min(sizes) < 2 * least:
        msg = (
            f"{argument('small_cells', least)} needs at least {2 * least} patients of "
            "each class who choose, certify or are audited; there are fewer. Take a smaller "
            "number, or more patients."
        )
        raise TooFewPatients(msg)


def noticed(findings: Iterable[Finding], least: int) -> list[str]:
    """Return what to record of an audit: how it was made, and what was noticed, without numbers."""
    made = (
        f"small cells: patients of one class were put into groups of at least {least}; a group "
        "that the cut-off divides counts as wrong."
    )
    forced = {True: "forced: ", False: ""}
    return [
        made,
        *(
            f"{forced[one.severity == REFUSE]}{one.name}: noticed; the numbers are left out."
            for one in findings
        ),
    ]


def rounded_at_home(rule: FrozenFile[Any]) -> list[str]:
    """Return what an audit with labels says of a rule that was frozen without small cells."""
    if not isinstance(rule, FrozenRule) or rule.document.provenance.options.small_cells is None:
        return []
    text = (
        "small cells: the errors where the rule was made are rounded up in it, so that the change "
        "of risk and its parts contain that rounding."
    )
    return [text]


def check_possible(
    least: int, ensemble: str | None, bound: str, test_size: float | None = None
) -> None:
    """Refuse studies whose rule cannot do without the scores of single patients."""
    check_count("small_cells", least, at_least=2, at_most=MOST_REPLICATES)
    if ensemble is not None:
        msg = (
            f"{argument('small_cells')} does not work for an ensemble, whose scale is made of "
            "patients' scores."
        )
        raise BadOption(msg)
    if test_size is not None:
        msg = (
            f"{argument('small_cells')} writes no result of patients who are held out; leave out "
            f"{argument('test_size')}."
        )
        raise BadOption(msg)
    if bound == "betting":
        msg = (
            f"{argument('small_cells')} needs a bound that is made of counts; got 'betting'. "
            "Take 'auto'."
        )
        raise BadOption(msg)


def without_small_cells(document: RuleDocument, study: FittedStudy, least: int) -> RuleDocument:
    """Return a rule in which no number stands for fewer than ``least`` patients."""
    options = study.options
    check_possible(least, options.ensemble, options.bound, options.test_size)
    check_enough(study.chose, least)
    grouped = grouped_patients(study.certify_patients, study.threshold, options.sign, least)
    counts = confusion_at(grouped.oriented(options.direction), study.chosen.threshold)
    step, provenance = _coarse_step(study.patients.scores), document.provenance
    marked = provenance.options.model_copy(update={"small_cells": least})
    cuts = [round(cut / (step / 10)) * (step / 10) for cut in document.bootstrap_thresholds]
    return document.model_copy(
        update={
            "operating_value": None,
            "score_range": _outwards(document.score_range, step),
            "bootstrap_thresholds": cuts,
            "certificate": CertificatePart.of(_certificate(study, counts)),
            "certified_rates": rate_parts(study.rates_of(counts)),
            "stability": _without_numbers(document.stability),
            "reference": _coarse_reference(document.reference, counts, grouped, least),
            "provenance": provenance.model_copy(update={"options": marked}),
            "units_per_patient": coarse_span(document.units_per_patient),
        }
    )


def _without_numbers(stability: StabilityPart) -> StabilityPart:
    """Leave out warnings with a number, which may tell the score of a patient."""
    kept = [text for text in stability.warnings if not re.search(r"\d", text)]
    return stability.model_copy(update={"warnings": kept})


def _coarse_reference(
    exact: Reference, counts: Confusion, grouped: PatientScores, least: int
) -> Reference:
    """Return the reference of grouped patients.

    The bins are of the patients themselves, so that an audit without labels stays valid.
    """
    return reference_of(counts, grouped, None).model_copy(
        update={
            "bins": merged_bins(exact.bins, least),
            "instances_per_patient": coarse_span(exact.instances_per_patient),
        }
    )


def _certificate(study: FittedStudy, counts: Confusion) -> Certificate:
    """Return the certificate of a study for other counts."""
    exact = study.certificate
    return certificate_of(
        counts,
        study.options.search.costs,
        exact.delta,
        bound=study.options.bound,
        honesty=exact.honesty,
        n_candidates=exact.n_candidates,
    )


def merged_bins(bins: BinsPart, least: int) -> BinsPart:
    """Return bins merged until each class has none or at least ``least`` patients in each.

    Examples
    --------
    >>> bins = BinsPart(edges=[1.0, 2.0, 3.0], positive=[0, 1, 2, 3], negative=[4, 2, 1, 0])
    >>> merged_bins(bins, 3)
    BinsPart(edges=[1.0, 3.0], positive=[0, 3, 3], negative=[4, 3, 0])
    """
    edges, kept, run = [*bins.edges, math.inf], [], np.zeros(2, dtype=np.int64)
    for edge, *counts in zip(edges, bins.positive, bins.negative, strict=True):
        run = run + counts
        if _is_large(run, least):
            kept.append((edge, run))
            run = np.zeros(2, dtype=np.int64)
    # What is left at the end joins those before it, until that is large enough.
    while kept and not _is_large(run, least) and run.any():
        run = run + kept.pop()[1]
    if run.any():
        kept.append((math.inf, run))
    positive, negative = np.array([counts for _, counts in kept]).T.tolist()
    return BinsPart(edges=[edge for edge, _ in kept[:-1]], positive=positive, negative=negative)


def _is_large(counts: IntArray, least: int) -> bool:
    return bool(counts.any() and ((counts == 0) | (counts >= least)).all())


def coarse_span(span: InstancesPart | None) -> InstancesPart | None:
    """Return the smallest and the largest number as powers of two around them.

    Examples
    --------
    >>> coarse_span(InstancesPart(smallest=5, median=30.0, largest=90))
    InstancesPart(smallest=4, median=30.0, largest=128)
    """
    if span is None:
        return None
    return InstancesPart(
        smallest=2 ** int(math.log2(span.smallest)),
        median=span.median,
        largest=2 ** math.ceil(math.log2(span.largest)),
    )


def _coarse_step(scores: FloatArray) -> float:
    """Return a power of ten, between a tenth of the range of the scores and all of it."""
    span = float(scores.max() - scores.min())
    return 10.0 ** math.floor(math.log10(span)) if span > 0 else 1.0


def _outwards(score_range: tuple[float, float], step: float) -> tuple[float, float]:
    low, high = score_range
    return math.floor(low / step) * step, math.ceil(high / step) * step

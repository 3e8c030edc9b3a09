"""A rule in which no number stands for fewer than so many patients, for those who must not show it.

Counts go to multiples of N, always against the rule: errors up, correct decisions down. More errors
and fewer correct decisions raise every bound, so that the certificate still holds and is only more
careful. What is the score of a single patient becomes a mean of N, or is rounded, or left out.
"""

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import FloatArray, check_count
from steadycut.core.confusion import Confusion
from steadycut.curves import quantiles
from steadycut.errors import BadOption, TooFewPatients

if TYPE_CHECKING:
    from steadycut.study import Study

Content = dict[str, Any]
Bin = tuple[float, int, int]


def check_small_cells(study: "Study", least: int) -> None:
    """Refuse studies whose rule cannot do without the scores of single patients."""
    check_count("small_cells", least, at_least=2)
    if study.ensemble is not None:
        msg = "small_cells cannot be had of an ensemble, whose scale is made of patients' scores."
        raise BadOption(msg)
    if study.certificate.bound == "betting":
        msg = "small_cells needs a bound that is made of counts; got 'betting'. Take 'auto'."
        raise BadOption(msg)
    certify = study.certify_patients
    fewest = min(certify.n_positive, certify.n_negative)
    if fewest < 2 * least:
        msg = (
            f"small_cells={least} needs at least {2 * least} certifying patients of each class; "
            "there are fewer. Take a smaller number, or more patients."
        )
        raise TooFewPatients(msg)


def without_small_cells(content: Content, study: "Study", least: int) -> Content:
    """Return the content of a rule file in which every count is of at least ``least`` patients."""
    check_small_cells(study, least)
    step = _coarse_step(study.patients.scores)
    provenance = content["provenance"]
    return {
        **content,
        "operating_value": None,
        "score_range": _outwards(content["score_range"], step),
        "bootstrap_thresholds": _rounded(content["bootstrap_thresholds"], step / 10),
        "certificate": coarse_certificate(study, least).to_dict(),
        "stability": {
            **content["stability"],
            # A caution may count few patients.
            "warnings": [t for t in content["stability"]["warnings"] if not re.search(r"\d", t)],
        },
        "reference": _coarse_reference(content["reference"], study, least),
        "provenance": {
            **provenance,
            "options": {**provenance["options"], "small_cells": least},
            "patients": {k: least * round(n / least) for k, n in provenance["patients"].items()},
        },
    }


def coarse_counts(counts: Confusion, least: int) -> Confusion:
    """Return counts in multiples of ``least``: errors up, correct decisions down.

    Examples
    --------
    >>> coarse_counts(Confusion(tp=33, fn=6, fp=9, tn=52), 5)
    Confusion(tp=30, fn=10, fp=10, tn=50)
    """
    fn, fp = (-(-n // least) * least for n in (counts.fn, counts.fp))
    tp, tn = (n // least * least for n in (counts.tp, counts.tn))
    return Confusion(tp=tp, fn=fn, fp=fp, tn=tn)


def coarse_certificate(study: "Study", least: int) -> Certificate:
    """Return the certificate of coarse counts, never below that of the study."""
    exact, options = study.certificate, study.options
    coarse = certificate_of(
        coarse_counts(study.counts, least),
        options.search.costs,
        exact.delta,
        bound=options.bound,
        honesty=exact.honesty,
        n_candidates=exact.n_candidates,
    )
    lacking = max(exact.value - coarse.value, 0.0)
    return replace(coarse, generalization=coarse.generalization + lacking)


def grouped_means(scores: FloatArray, least: int) -> FloatArray:
    """Return every score replaced by the mean of its group of at least ``least`` neighbours.

    Examples
    --------
    >>> grouped_means(np.array([4.0, 1.0, 2.0, 9.0, 5.0]), 2)
    array([1.5, 1.5, 6. , 6. , 6. ])
    """
    ordered = np.sort(scores)
    group = np.minimum(np.arange(ordered.size) // least, max(ordered.size // least - 1, 0))
    means: FloatArray = np.bincount(group, weights=ordered) / np.bincount(group)
    return means[group]


def merged_bins(bins: Content, least: int) -> Content:
    """Return bins merged until each class has none or at least ``least`` patients in each.

    Examples
    --------
    >>> bins = {"edges": [1.0, 2.0, 3.0], "positive": [0, 1, 2, 3], "negative": [4, 2, 1, 0]}
    >>> merged_bins(bins, 3)
    {'edges': [1.0, 3.0], 'positive': [0, 3, 3], 'negative': [4, 3, 0]}
    """
    ends = [*bins["edges"], math.inf]
    kept: list[Bin] = []
    open_ = (0, 0)
    for end, positive, negative in zip(ends, bins["positive"], bins["negative"], strict=True):
        open_ = (open_[0] + positive, open_[1] + negative)
        if _is_large(open_, least):
            kept.append((end, *open_))
            open_ = (0, 0)
    if any(open_):
        kept.append((math.inf, *open_))
    while len(kept) > 1 and not _is_large(kept[-1][1:], least):
        last, before = kept.pop(), kept.pop()
        kept.append((math.inf, before[1] + last[1], before[2] + last[2]))
    return {
        "edges": [end for end, _, _ in kept[:-1]],
        "positive": [positive for _, positive, _ in kept],
        "negative": [negative for _, _, negative in kept],
    }


def _is_large(counts: tuple[int, int], least: int) -> bool:
    return any(counts) and all(n == 0 or n >= least for n in counts)


def _coarse_reference(reference: Content, study: "Study", least: int) -> Content:
    patients = study.certify_patients
    counts = coarse_counts(study.counts, least)
    instances = reference["instances_per_patient"]
    return {
        "tp": counts.tp,
        "fn": counts.fn,
        "fp": counts.fp,
        "tn": counts.tn,
        "quantiles_positive": quantiles(grouped_means(patients.positive_scores, least)),
        "quantiles_negative": quantiles(grouped_means(patients.negative_scores, least)),
        "bins": merged_bins(reference["bins"], least),
        "instances_per_patient": instances and coarse_span(instances),
    }


def coarse_span(span: dict[str, float]) -> dict[str, float]:
    """Return the smallest and the largest number as powers of two around them.

    Examples
    --------
    >>> coarse_span({"smallest": 5, "median": 30.0, "largest": 90})
    {'smallest': 4, 'median': 30.0, 'largest': 128}
    """
    return {
        "smallest": 2 ** int(math.log2(span["smallest"])),
        "median": span["median"],
        "largest": 2 ** math.ceil(math.log2(span["largest"])),
    }


def _coarse_step(scores: FloatArray) -> float:
    """Return a power of ten, between a tenth of the range of the scores and all of it."""
    span = float(scores.max() - scores.min())
    return 10.0 ** math.floor(math.log10(span)) if span > 0 else 1.0


def _outwards(score_range: tuple[float, float], step: float) -> tuple[float, float]:
    low, high = score_range
    return math.floor(low / step) * step, math.ceil(high / step) * step


def _rounded(values: list[float], step: float) -> list[float]:
    return [round(value / step) * step for value in values]

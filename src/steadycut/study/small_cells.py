"""Results in which no number stands for fewer than N patients, where smaller counts are forbidden.

The axis of the score is divided into narrow base cells of one fixed width. For each class,
neighbouring base cells are joined until each cell has at least N patients of the class. For a
larger N more of them are joined, so that its cells are unions of those for a smaller N: differences
between results for several N are whole cells too. Cells depend neither on the cut-off nor on any
option. Everything is counted from the cells. A cell that the cut-off lies in counts as wrong,
whoever is in it. So errors are never counted lower than they were, and a certificate of the cells
holds; it is only more cautious.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import MOST_REPLICATES, FloatArray, IntArray, check_count
from steadycut.core.confusion import confusion_at
from steadycut.core.diagnose import flip_rate
from steadycut.core.records import PatientScores
from steadycut.core.shift.label_shift import RankBins
from steadycut.documents.frozen import BinsPart, FrozenFile, Rounded
from steadycut.documents.guards import REFUSE, Finding
from steadycut.documents.parts import CertificatePart, InstancesPart, StabilityPart
from steadycut.documents.rule import RuleDocument
from steadycut.errors import (
    WITHOUT_NUMBERS,
    BadOption,
    BadPatients,
    TooFewPatients,
    Warned,
    argument,
    kind_of,
)
from steadycut.study.fitted import FittedStudy
from steadycut.study.reference import rate_parts, reference_of
from steadycut.study.unlabelled import Home

# Further away the numbers of base cells are not exact.
MOST_STEPS = 1e15
# What a reader must know where a rule counts errors too high, by the reason.
ROUNDED: dict[Rounded, str] = {
    "unknown fate": Warned.of("survival")(
        "where the rule was made, patients censored before the horizon count as errors, so "
        "that the change of risk and its parts contain them."
    ),
    "small cells": Warned.of("small cells")(
        "the errors where the rule was made are rounded up in it, so that the change "
        "of risk and its parts contain that rounding."
    ),
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cells:
    """The cells of one class.

    Base cells have whole numbers: that of a score is the largest one below ``score / step``. A cell
    ends with the base cell ``ends[i]`` and begins after the end before it; the first one has no
    beginning. With ``sign`` -1 the axis is reversed. So one side has a last end, beyond which there
    is nobody: that on which the patients of the other class are.
    """

    step: float
    sign: float
    ends: FloatArray

    def base(self, scores: ArrayLike) -> FloatArray:
        """Return the base cell of each score, on the axis that is perhaps reversed."""
        found: FloatArray = self.sign * np.floor(np.asarray(scores) / self.step)
        return found

    def number(self, scores: ArrayLike) -> IntArray:
        """Return the cell of each score; the number of cells for a score beyond the last end."""
        return np.searchsorted(self.ends, self.base(scores))

    def middle(self, numbers: IntArray) -> FloatArray:
        """Return a score in the middle of each cell; in the last base cell of the first one."""
        begins = np.append(self.ends[0], self.ends[:-1] + 1)
        centre = self.sign * (begins + self.ends) / 2 + 0.5
        found: FloatArray = (centre * self.step)[numbers]
        return found

    @property
    def edges(self) -> FloatArray:
        """The base cells, on the axis as it is, with which a cell or nothing begins."""
        return self.ends + 1 if self.sign > 0 else -self.ends

    def may_begin(self, base: float) -> bool:
        """Whether no cell is divided if a bin begins with a base cell."""
        last = self.edges[-1]
        return base in self.edges or (base > last if self.sign > 0 else base < last)


def cells_of(patients: PatientScores, label: int, least: int, step: float) -> Cells:
    """Return the cells of a class.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2, 3, 6, 4, 7, 8, 9], labels=[0, 0, 0, 0, 1, 1, 1, 1])
    >>> cells_of(cohort, 0, 2, step=1.0).ends, cells_of(cohort, 1, 2, step=1.0).edges
    (array([2., 6.]), array([8., 4.]))
    """
    means = patients.positive_scores.mean(), patients.negative_scores.mean()
    own, other = means if label == 1 else means[::-1]
    alone = Cells(step=step, sign=1.0 if own <= other else -1.0, ends=np.zeros(1))
    scores = patients.positive_scores if label == 1 else patients.negative_scores
    return replace(alone, ends=joined(alone.base(scores), least))


def joined(base: FloatArray, least: int) -> FloatArray:
    """Return the ends of cells with at least ``least`` patients, given the base cell of each.

    The smallest cell (the first one of several) is joined to its smaller neighbour (the next one of
    two) until every cell is large enough. So a larger ``least`` only joins more of them.

    Examples
    --------
    >>> joined(np.array([1, 1, 2, 3, 5, 5, 9]), 2), joined(np.array([1, 1, 2, 3, 5, 5, 9]), 3)
    (array([1., 3., 9.]), array([3., 9.]))
    """
    ends, sizes = np.unique(np.asarray(base, dtype=np.float64), return_counts=True)
    while ends.size > 1 and sizes.min() < least:
        small, last = int(sizes.argmin()), ends.size - 1
        is_left = small == last or (small > 0 and sizes[small - 1] < sizes[small + 1])
        first = small - is_left
        sizes[first + 1] += sizes[first]
        ends, sizes = np.delete(ends, first), np.delete(sizes, first)
    return ends


def step_of(scores: FloatArray) -> float:
    """Return the width of base cells: a quarter of a power of ten.

    The middle half of the patients is in 4 to 40 of them.
    """
    low, high = np.quantile(scores, [0.25, 0.75])
    span = float(high - low) or float(scores.max() - scores.min()) or 1.0
    step = 10.0 ** math.floor(math.log10(span)) / 4
    if np.abs(scores).max() / step > MOST_STEPS:
        raise BadPatients(
            f"{argument('small_cells')} needs scores of a similar size; the largest is more than "
            "10^15 times the spread of the others. Correct it, or rescale the scores."
        )
    return step


def grouped_patients(
    patients: PatientScores, threshold: float, sign: float, least: int, step: float | None = None
) -> PatientScores:
    """Return patients whose every score is shared by at least ``least`` of their class.

    ``sign`` is -1 where low scores are called. ``step`` is that of base cells.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2, 3, 6, 4, 7, 8, 9], labels=[0, 0, 0, 0, 1, 1, 1, 1])
    >>> grouped_patients(cohort, 5.0, 1.0, 2, step=1.0).scores.round(6)
    array([2.5, 2.5, 5. , 5. , 5. , 5. , 8.5, 8.5])
    """
    check_enough(patients, least)
    labels, step = patients.known_labels, step_of(patients.scores) if step is None else step
    grouped, cut = np.empty_like(patients.scores), sign * threshold
    for label, wrong in ((0, cut), (1, np.nextafter(cut, -np.inf))):
        own, cells = labels == label, cells_of(patients, label, least, step)
        numbers = cells.number(patients.scores[own])
        # A cut-off that calls everybody or nobody divides no cell.
        divided = np.isfinite(threshold) & (numbers == cells.number(threshold))
        grouped[own] = np.where(divided, sign * wrong, cells.middle(numbers))
    return PatientScores(scores=grouped + 0.0, labels=labels, recipe=patients.recipe)


def grouped_for(rule: FrozenFile[Any], patients: PatientScores, least: int) -> PatientScores:
    """Return grouped patients for the audit of a cut-off; refuse what shows single patients."""
    if rule.cut_off is None:
        raise BadOption(
            f"{argument('small_cells', least)} needs one cut-off for all patients, around which "
            f"they are grouped; this {rule.file_name} has several. Leave it out."
        )
    if patients.labels is None:
        raise BadOption(
            f"{argument('small_cells', least)} needs labels: an audit without them compares single "
            "patients. Leave it out, or give labels."
        )
    return grouped_patients(patients, rule.cut_off, rule.sign, least)


def without_bins(home: Home) -> Home:
    """Return what is known of the first hospital, with all its patients in one bin.

    Then nothing is estimated or tested without labels: that takes single patients.
    """
    counts = home.counts
    positive, negative = np.array([[counts.n_positive], [counts.n_negative]])
    return replace(home, bins=RankBins(edges=np.empty(0), positive=positive, negative=negative))


def check_enough(patients: PatientScores, least: int) -> None:
    """Refuse fewer than two groups of a class."""
    check_count("small_cells", least, at_least=2, at_most=MOST_REPLICATES)
    if min(patients.n_positive, patients.n_negative) < 2 * least:
        raise TooFewPatients(
            f"{argument('small_cells', least)} needs at least {2 * least} patients of "
            "each class who choose, certify, test or are audited; there are fewer. Take a smaller "
            "number, or more patients."
        )


def noticed(findings: Sequence[Finding], least: int) -> list[str]:
    """Return what to record of an audit: how it was made, and what was noticed, without numbers."""
    made = Warned.of("small cells")(
        f"patients of one class were put into groups of at least {least}; the group "
        "around the cut-off counts as wrong."
    )
    hidden = [Warned(one.name, "noticed; the numbers are left out.") for one in findings]
    forced = [one.severity == REFUSE for one in findings]
    pairs = zip(hidden, forced, strict=True)
    return [made, *(Warned("forced", one) if was else one for one, was in pairs)]


def check_possible(
    least: int, ensemble: str | None, bound: str, test_size: float | None = None
) -> None:
    """Refuse studies whose rule cannot do without the scores of single patients."""
    check_count("small_cells", least, at_least=2, at_most=MOST_REPLICATES)
    if ensemble is not None:
        raise BadOption(
            f"{argument('small_cells')} does not work for an ensemble, whose scale is made of "
            "patients' scores."
        )
    if test_size is not None:
        raise BadOption(
            f"{argument('small_cells')} writes no result of patients who are held out; leave out "
            f"{argument('test_size')}."
        )
    if bound == "betting":
        msg = f"{argument('small_cells')} needs a bound that is made of counts: take 'auto'."
        raise BadOption(msg)


def without_small_cells(document: RuleDocument, study: FittedStudy, least: int) -> RuleDocument:
    """Return a rule in which no number stands for fewer than ``least`` patients."""
    options = study.options
    check_possible(least, options.ensemble, options.bound)
    if study.has_unknown:
        raise BadOption(
            f"{argument('small_cells')} cannot be combined with patients who were censored before "
            "the horizon. Leave it out, or take an earlier horizon."
        )
    for patients in (study.chose, *(() if study.held_out is None else (study.held_out.patients,))):
        check_enough(patients, least)
    base, certifying = step_of(study.patients.scores), study.certify_patients
    grouped = grouped_patients(certifying, study.threshold, options.sign, least, base)
    counts = confusion_at(grouped.oriented(options.direction), study.chosen.threshold)
    step, provenance = _coarse_step(study.patients.scores), document.provenance
    marked = provenance.options.model_copy(update={"small_cells": least})
    cuts = (np.round(np.array(document.bootstrap_thresholds) / (step / 10)) * (step / 10)).tolist()
    chose = grouped_patients(study.chose, study.threshold, options.sign, least, base).scores
    flips = flip_rate(
        options.sign * chose, options.sign * study.threshold, options.sign * np.array(cuts)
    )
    return document.model_copy(
        update={
            "operating_value": None,
            "all_patients": None,
            "score_range": _outwards(_outwards(document.score_range, base), step),
            "bootstrap_thresholds": cuts,
            "certificate": CertificatePart.of(
                study.certificate.again(counts, options.search.costs)
            ),
            "certified_rates": rate_parts(study.rates_of(counts)),
            "stability": _coarse_stability(
                document.stability,
                step / 10,
                2 * least * options.search.costs.largest / study.chose.n_patients,
                flips,
            ),
            "reference": reference_of(counts, grouped, None).model_copy(
                update={
                    "instances_per_patient": coarse_span(document.reference.instances_per_patient),
                    "bins": bins_of_cells(certifying, least, base),
                }
            ),
            "provenance": provenance.model_copy(update={"options": marked}),
            "units_per_patient": coarse_span(document.units_per_patient),
        }
    )


def _coarse_stability(
    exact: StabilityPart, step: float, fewest: float, flip_rate: float
) -> StabilityPart:
    """Return how far the cut-off moves, rounded up.

    A modulus counts the patients in a window: it becomes a power of two of at least ``fewest``.
    Of the warnings those without numbers stay; a number may tell the score of a patient.
    """
    lengths = {name: getattr(exact, name) for name in ("radius", "bias", "quantile")}
    shares = {name: getattr(exact, name) for name in ("modulus", "penalty")}
    return exact.model_copy(
        update={
            **{name: math.ceil(value / step) * step for name, value in lengths.items()},
            **{
                name: 2.0 ** math.ceil(math.log2(max(value, fewest)))
                for name, value in shares.items()
            },
            "flip_rate": flip_rate,
            "warnings": [text for text in exact.warnings if kind_of(text) in WITHOUT_NUMBERS],
        }
    )


def bins_of_cells(patients: PatientScores, least: int, step: float) -> BinsPart:
    """Return bins that divide no cell of either class, with the patients of each class.

    An audit without labels stays valid, because the patients are counted and not grouped.

    Examples
    --------
    >>> cohort = PatientScores(scores=[1, 2, 3, 4, 5, 6, 7, 8], labels=[0, 0, 0, 1, 0, 1, 1, 1])
    >>> bins_of_cells(cohort, 2, 1.0)
    BinsPart(edges=[3.0, 7.0], positive=[0, 2, 2], negative=[2, 2, 0])
    """
    both = [cells_of(patients, label, least, step) for label in (0, 1)]
    shared = sorted(
        base
        for base in {edge for cells in both for edge in cells.edges.tolist()}
        if all(cells.may_begin(base) for cells in both)
    )
    base = np.floor(patients.scores / step)
    filled = [edge for edge, n in zip(shared, _between(base, shared)[:-1], strict=True) if n]
    # The last edge has somebody above it, too.
    edges = [edge for edge in filled if (base >= edge).any()]
    positive = patients.known_labels == 1
    return BinsPart(
        edges=[edge * step for edge in edges],
        positive=_between(base[positive], edges),
        negative=_between(base[~positive], edges),
    )


def _between(base: FloatArray, edges: Sequence[float]) -> list[int]:
    """Count base cells between edges; one that is equal to an edge is above it."""
    places = np.searchsorted(np.array(edges, dtype=np.float64), base, side="right")
    found: list[int] = np.bincount(places, minlength=len(edges) + 1).tolist()
    return found


def coarse_span(span: InstancesPart | None) -> InstancesPart | None:
    """Return the smallest and the largest number as powers of two around them, the median as one.

    Examples
    --------
    >>> coarse_span(InstancesPart(smallest=5, median=30.0, largest=90))
    InstancesPart(smallest=4, median=32.0, largest=128)
    """
    if span is None:
        return None
    return InstancesPart(
        smallest=2 ** int(math.log2(span.smallest)),
        median=2.0 ** round(math.log2(span.median)),
        largest=2 ** math.ceil(math.log2(span.largest)),
    )


def _coarse_step(scores: FloatArray) -> float:
    """Return a power of ten, between a tenth of the range of the scores and all of it."""
    span = float(scores.max() - scores.min())
    return 10.0 ** math.floor(math.log10(span)) if span > 0 else 1.0


def _outwards(score_range: tuple[float, float], step: float) -> tuple[float, float]:
    """Return the range of whole steps that holds a range; a number at an end is inside."""
    low, high = score_range
    return math.floor(low / step) * step, (math.floor(high / step) + 1) * step

"""The risk modulus: the largest change of risk that a threshold error of a given size can cause.

It is the heaviest window [u, u + width) of the score, in which the patients are counted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.bounds.binomial import deviation
from steadycut.core.checks import FloatArray, IntArray, check_choice, check_fraction
from steadycut.core.cuts.risk_curve import worst_end
from steadycut.core.records import Costs, PatientScores

# So many neighbouring windows are looked at together first, unless there are few windows in all.
STEP, FEW = 32, 1_500


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Windows:
    """The distinct scores, and how many patients of each class lie below each of them.

    ``values`` ascend and have shape (values,). ``below`` has shape (classes, values + 1); its last
    column counts all patients.
    """

    values: FloatArray
    below: IntArray

    @property
    def n_patients(self) -> int:
        """How many patients there are."""
        return int(self.below[:, -1].sum())

    def counts(self, width: float, starts: IntArray | None = None) -> IntArray:
        """Count the patients of each class in the window that starts at each value.

        Shape (classes, values); only some values if ``starts`` are given. A patient at the start of
        a window is always in it, even where adding the width rounds to nothing. A window of width 0
        is empty.
        """
        starts = np.arange(self.values.size) if starts is None else starts
        return self.below.take(self._ends(width, starts), axis=1) - self.below.take(starts, axis=1)

    def largest(self, width: float, value: Callable[[IntArray], NDArray[Any]]) -> float:
        """Return the largest value of all windows. No value may fall where a count rises.

        `STEP` neighbouring windows lie in the window from the first start to the last end. Most
        groups of windows are left out, because even this one has less than some single window.
        """
        if self.values.size <= FEW:
            return float(value(self.counts(width)).max())
        first = np.arange(0, self.values.size, STEP)
        last = np.minimum(first + STEP, self.values.size) - 1
        around = self.below.take(self._ends(width, last), axis=1) - self.below.take(first, axis=1)
        found = first[value(around) >= value(self.counts(width, first)).max()]
        starts = (found[:, None] + np.arange(STEP)).ravel()
        return float(value(self.counts(width, starts[starts < self.values.size])).max())

    def heaviest(self, width: float, weights: FloatArray) -> float:
        """Return the largest sum of weights in any window; ``weights`` has one for each class."""
        # Not a matrix product, whose last bit depends on the processor.
        return self.largest(width, lambda counts: (weights[:, None] * counts).sum(axis=0))

    def _ends(self, width: float, starts: IntArray) -> IntArray:
        values = self.values.take(starts)
        ends = self.values.searchsorted(values + max(width, 0.0))
        return np.maximum(ends, starts + 1) if width > 0 else ends

    def between(self, low: float, high: float) -> IntArray:
        """Count the patients of each class with a score in [low, high)."""
        start, end = np.searchsorted(self.values, [low, high])
        return self.below[:, end] - self.below[:, start]


def windows_of(scores: FloatArray, classes: NDArray[np.integer], n_classes: int) -> Windows:
    """Return the patients in ascending order of their scores, ready to be counted in windows.

    ``classes`` holds the class of each patient, from 0 to ``n_classes`` - 1.

    Examples
    --------
    >>> windows = windows_of(np.array([0.0, 0.1, 0.15, 0.9]), np.array([0, 1, 0, 1]), 2)
    >>> windows.counts(0.12)
    array([[1, 1, 1, 0],
           [1, 1, 0, 1]])
    """
    return _windows([np.sort(scores[classes == label]) for label in range(n_classes)])


def label_windows(patients: PatientScores) -> Windows:
    """Return the windows of labelled patients: class 0 first, then class 1."""
    classes = [patients.negative_scores, patients.positive_scores]
    return patients.once("windows", lambda: _windows(classes))


def _windows(members: list[FloatArray]) -> Windows:
    """Return the windows of patients whose scores are given by class, ascending."""
    values = np.unique(np.concatenate(members))
    below = [np.append(np.searchsorted(scores, values), scores.size) for scores in members]
    return Windows(values=values, below=np.array(below))


FORMS = ("pairwise", "oscillation")


def modulus(patients: PatientScores, epsilon: float, costs: Costs, form: str = "pairwise") -> float:
    """Return ω(ε), the largest cost-weighted share of patients in any window [u, u + ε).

    Parameters
    ----------
    patients
        Patients with labels.
    epsilon
        Size of the threshold error. ω(0) = 0.
    costs
        A positive patient has weight ``cost_fn`` / n, a negative one ``cost_fp`` / n. At a target
        prevalence each class has the weight that it has there.
    form
        ``"pairwise"`` is the paper's definition. The paper's "oscillation form" looks ε to each
        side, so it equals ω(2ε) and not ω(ε). ``"oscillation"`` gives that.

    Notes
    -----
    The result is exact: no window of length ε holds more than the best one that starts at a score.
    A score s' is in the window that starts at s if ``s' < s + ε`` in floating point. The patients
    at s are always in it, even if s + ε rounds to s.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.0, 0.1, 0.15, 0.9], labels=[0, 1, 0, 1])
    >>> modulus(cohort, 0.12, Costs(cost_fn=3))
    1.0
    """
    width = width_of(epsilon, form)
    return 0.0 if width <= 0 else largest_mass(label_windows(patients), width, costs)


def width_of(epsilon: float, form: str) -> float:
    """Return how long the windows are for a threshold error of a given size."""
    check_choice("form", form, FORMS)
    return 2 * epsilon if form == "oscillation" else epsilon


def largest_mass(windows: Windows, width: float, costs: Costs) -> float:
    """Return the cost-weighted share of patients in the heaviest window of this width."""
    n_negative, n_positive = windows.below[:, -1].tolist()

    def risk(counts: IntArray) -> FloatArray:
        return worst_end(counts[1] / max(n_positive, 1), counts[0] / max(n_negative, 1), costs)

    if costs.target is not None:
        return windows.largest(width, risk)
    return windows.heaviest(width, costs.by_class) / windows.n_patients


def dkw_band_width(n_positive: int, n_negative: int, costs: Costs, delta: float) -> float:
    """Return what the paper's band adds to the empirical modulus.

    It is 2 (cost_fn p e₁ + cost_fp (1-p) e₀) + max(cost) eₚ. Here e_y = √(log(6/δ) / (2 n_y)) comes
    from the two-sided DKW inequality in each class, and eₚ = √(log(6/δ) / (2n)) from Hoeffding's
    inequality for the prevalence, each at δ/3. p e₁ is written as √n₁ / n, so that an empty class
    is not a problem. At a target prevalence only the two classes are estimated, each at δ/2.
    """
    check_fraction("delta", delta)
    if costs.target is not None:
        errors = [deviation(max(n, 1), delta / 4) for n in (n_positive, n_negative)]
        return 2 * costs.worst_risk(*errors)
    n = n_positive + n_negative
    classes = costs.cost_fn * math.sqrt(n_positive) + costs.cost_fp * math.sqrt(n_negative)
    root = math.sqrt(math.log(6 / delta) / 2)
    return root * (2 * classes / n + costs.largest / math.sqrt(n))


def dkw_band(
    patients: PatientScores, epsilon: float, costs: Costs, delta: float, form: str = "pairwise"
) -> float:
    """Return an upper band on ω(ε). It holds for all ε at once with probability 1 - delta.

    It bounds the modulus at a given ε. It does not say that the threshold is off by at most ε.
    """
    added = dkw_band_width(patients.n_positive, patients.n_negative, costs, delta)
    return modulus(patients, epsilon, costs, form) + added

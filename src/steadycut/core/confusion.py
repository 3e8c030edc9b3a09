"""The four counts of one threshold on patients with known labels, and its risk."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import BoolArray, FloatArray, IntArray
from steadycut.core.records import Costs, PatientScores

# Below every score that a patient can have.
LOWEST = -np.finfo(np.float64).max


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Patients by class, and by whether they are called."""

    tp: int
    fn: int
    fp: int
    tn: int

    @classmethod
    def of_counts(cls, counts: IntArray) -> "Confusion":
        """Return patients counted by grade and action, both ascending, as two by two.

        Positive is any grade but the lowest, called any action but the lowest.

        Examples
        --------
        >>> Confusion.of_counts(np.array([[5, 2, 1], [0, 3, 4]]))
        Confusion(tp=7, fn=0, fp=3, tn=5)
        """
        return cls(
            tp=int(counts[1:, 1:].sum()),
            fn=int(counts[1:, 0].sum()),
            fp=int(counts[0, 1:].sum()),
            tn=int(counts[0, 0]),
        )

    @classmethod
    def of_calls(cls, labels: NDArray[np.integer[Any]], called: BoolArray) -> "Confusion":
        """Count the calls of patients with 0/1 labels."""
        return cls.of_counts(count_decisions(labels, called.astype(np.int8), (2, 2)))

    @property
    def counts(self) -> IntArray:
        """The patients by class and by whether they are called, both ascending."""
        return np.array([[self.tn, self.fp], [self.fn, self.tp]], dtype=np.int64)

    @property
    def n_positive(self) -> int:
        """Number of patients with the disease."""
        return self.tp + self.fn

    @property
    def n_negative(self) -> int:
        """Number of patients without the disease."""
        return self.fp + self.tn

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return self.n_positive + self.n_negative

    @property
    def prevalence(self) -> float:
        """π, the share of patients with the disease."""
        return self.n_positive / self.n_patients

    @property
    def miss_rate(self) -> float | None:
        """F₁⁻(t), the share of diseased patients who are not called; None if there are none."""
        return self.fn / self.n_positive if self.n_positive else None

    @property
    def alarm_rate(self) -> float | None:
        """1 - F₀⁻(t), the share of healthy patients who are called; None if there are none."""
        return self.fp / self.n_negative if self.n_negative else None

    @property
    def sensitivity(self) -> float | None:
        """The share of diseased patients who are called; None if there are none."""
        return None if self.miss_rate is None else 1 - self.miss_rate

    @property
    def specificity(self) -> float | None:
        """The share of healthy patients who are not called; None if there are none."""
        return None if self.alarm_rate is None else 1 - self.alarm_rate

    @property
    def call_rate(self) -> float:
        """The share of all patients who are called."""
        return (self.tp + self.fp) / self.n_patients

    def risk(self, costs: Costs) -> float:
        """Return the mean cost per patient; with a target range, at the end where it is larger."""
        if costs.target is not None:
            return costs.worst_risk(self.miss_rate or 0.0, self.alarm_rate or 0.0)
        return (costs.cost_fn * self.fn + costs.cost_fp * self.fp) / self.n_patients

    def standard_error(self, costs: Costs) -> float:
        """Return the bootstrap standard error of the risk, in the limit of many replicates."""
        if costs.target is not None:
            return self._class_wise_error(costs)
        square = costs.cost_fn**2 * self.fn + costs.cost_fp**2 * self.fp
        variance = square / self.n_patients - self.risk(costs) ** 2
        return float(np.sqrt(max(variance, 0.0) / self.n_patients))

    def trivial_risk(self, costs: Costs) -> float:
        """Return the risk of calling nobody or of calling everybody, whichever is smaller."""
        if costs.target is not None:
            weights = costs.class_weights
            return min(max(miss for miss, _ in weights), max(alarm for _, alarm in weights))
        nobody, everybody = costs.cost_fn * self.n_positive, costs.cost_fp * self.n_negative
        return min(nobody, everybody) / self.n_patients

    def at_ends(self, costs: Costs) -> list[tuple[float, float, float]]:
        """Return each end of the target range, with the risk there and that without a score.

        Both are linear in the prevalence. A rule that costs less than calling everybody and than
        calling nobody at both ends therefore costs less at every prevalence between them.

        Examples
        --------
        >>> found = Confusion(tp=8, fn=2, fp=1, tn=9).at_ends(Costs(target=(0.1, 0.5)))
        >>> [tuple(round(one, 3) for one in end) for end in found]
        [(0.1, 0.11, 0.1), (0.5, 0.15, 0.5)]
        """
        rates = self.miss_rate or 0.0, self.alarm_rate or 0.0
        return [
            (miss / costs.cost_fn, miss * rates[0] + alarm * rates[1], min(miss, alarm))
            for miss, alarm in costs.class_weights
        ]

    def _class_wise_error(self, costs: Costs) -> float:
        miss, alarm = self.miss_rate or 0.0, self.alarm_rate or 0.0
        miss_weight, alarm_weight = costs.worse_end(miss, alarm)
        variance = miss_weight**2 * miss * (1 - miss) / max(self.n_positive, 1)
        variance += alarm_weight**2 * alarm * (1 - alarm) / max(self.n_negative, 1)
        return float(np.sqrt(variance))


def count_decisions(
    grades: NDArray[np.integer[Any]], actions: NDArray[np.integer[Any]], shape: tuple[int, ...]
) -> IntArray:
    """Count patients by grade and action; ``shape`` is the number of either."""
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (grades, actions), 1)
    return counts


def is_called(scores: FloatArray, threshold: float) -> BoolArray:
    """Return who is called, by oriented scores: also with a threshold of -∞ nobody with one of -∞.

    That is who has no score and is left.
    """
    return scores >= max(threshold, LOWEST)


def confusion_at(patients: PatientScores, threshold: float) -> Confusion:
    """Count patients by class, and by whether their score is at least the threshold.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.1, 0.4, 0.4, 0.9], labels=[0, 0, 1, 1])
    >>> confusion_at(cohort, 0.4)
    Confusion(tp=2, fn=0, fp=1, tn=1)
    """
    positive, negative = patients.positive_scores, patients.negative_scores
    cut = max(threshold, LOWEST)
    fn, tn = (int(np.searchsorted(scores, cut)) for scores in (positive, negative))
    return Confusion(tp=positive.size - fn, fn=fn, fp=negative.size - tn, tn=tn)

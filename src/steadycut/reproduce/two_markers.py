"""Two markers at two sites, for the paper's figure 2, which prints nothing about its data.

Given the label both markers are normal and independent, so that every true risk is a sum of two
normal distribution functions.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from steadycut.core.checks import FloatArray
from steadycut.core.records import PatientScores, Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """Means and standard deviations of one marker at one site, (negative, positive)."""

    means: tuple[float, float]
    sds: tuple[float, float]

    def moved(self, shift: float) -> "Marker":
        """Return the marker with all scores moved."""
        low, high = self.means
        return Marker(means=(low + shift, high + shift), sds=self.sds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Everything about figure 2's data; nothing of it is printed.

    Marker 1 is moved at Q by ``shift``; marker 2 separates a little worse and is less changed:
    at Q its positives lie ``fade`` lower. ``cap_in`` is the unit of the movement cap of figure 1's
    penalty.
    """

    n_internal: int = 200
    n_external: int = 200
    prevalence_internal: float = 0.4
    prevalence_external: float = 0.3
    first: Marker = Marker(means=(0.0, 2.0), sds=(1.0, 1.0))
    second: Marker = Marker(means=(0.0, 2.0), sds=(1.0, 1.4))
    shift: float = 0.5
    fade: float = 0.2
    cap_in: str = "score"

    @property
    def internal(self) -> tuple[Marker, Marker]:
        """Both markers at P."""
        return self.first, self.second

    @property
    def external(self) -> tuple[Marker, Marker]:
        """Both markers at Q."""
        low, high = self.second.means
        faded = Marker(means=(low, high - self.fade), sds=self.second.sds)
        return self.first.moved(self.shift), faded


def draw_site(
    markers: tuple[Marker, Marker], n_patients: int, prevalence: float, rng: np.random.Generator
) -> list[PatientScores]:
    """Return the same patients with each marker; both classes occur."""
    labels = (rng.random(n_patients) < prevalence).astype(np.int8)
    labels[:2] = 0, 1
    return [
        PatientScores(
            scores=np.array(marker.means)[labels]
            + np.array(marker.sds)[labels] * rng.normal(size=n_patients),
            labels=labels,
            recipe=Recipe(score=f"marker {number}"),
        )
        for number, marker in enumerate(markers, start=1)
    ]


def true_risk(marker: Marker, prevalence: float, thresholds: FloatArray) -> FloatArray:
    """Return R(t) with equal costs: Pr(positive and below t) + Pr(negative and not below t).

    Examples
    --------
    >>> marker = Marker(means=(0.0, 2.0), sds=(1.0, 1.0))
    >>> true_risk(marker, 0.5, np.array([-9.0, 1.0, 9.0])).round(3)
    array([0.5  , 0.159, 0.5  ])
    """
    below = [
        ndtr((thresholds - mean) / sd) for mean, sd in zip(marker.means, marker.sds, strict=True)
    ]
    return np.asarray(prevalence * below[1] + (1 - prevalence) * (1 - below[0]))

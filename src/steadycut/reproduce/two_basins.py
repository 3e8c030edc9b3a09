"""The two-basin mixture of the paper's figure 1: a sharp subgroup inside a flat one, at two sites.

The appendix prints means, deviations and noise. What it does not print is in `Setting`, one field
each, with the value taken here.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray
from steadycut.core.records import PatientScores


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Scores of one site; pairs are (negative, positive), noise is (amplitude, centre, width)."""

    sharp_means: tuple[float, float]
    sharp_sds: tuple[float, float]
    flat_means: tuple[float, float]
    flat_sd: float
    noise: tuple[float, float, float]


# As printed.
INTERNAL = Mixture(
    sharp_means=(1.9, 2.1),
    sharp_sds=(0.15, 0.13),
    flat_means=(2.5, 4.5),
    flat_sd=1.0,
    noise=(2.0, 0.90, 0.28),
)
EXTERNAL = Mixture(
    sharp_means=(1.95, 2.05),
    sharp_sds=(0.16, 0.14),
    flat_means=(2.55, 4.35),
    flat_sd=1.05,
    noise=(1.8, 2.00, 0.32),
)
# Where the sharp subgroup lies at P: two standard deviations around its two means.
SHARP = (1.9 - 2 * 0.15, 2.1 + 2 * 0.13)

Noise = Literal["added", "widened", "none"]
Unit = Literal["patients", "cells", "pooled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One reading of the description.

    Parameters
    ----------
    sharp_share
        Share of the sharp subgroup at P, printed as 0.12.
    n_patients, n_cells, n_external
        Printed: 180 patients of 800 cells, 6,000 external scores.
    prevalence
        Not printed, at neither site.
    sharp_share_external
        Share of the sharp subgroup at Q, not printed.
    noise
        What heteroskedastic noise is. ``"added"``: a normal deviate with standard deviation
        amplitude · exp(-(s - centre)² / (2 width²)) is added to a score s. ``"widened"``: the
        distance to the mean is multiplied by 1 + that. ``"none"``: left out.
    unit
        What has the mixture. ``"patients"``: a patient's score, with cells scattered around it,
        and the patient's score is their mean. ``"cells"``: the cells of a patient, and a patient's
        score is their mean. ``"pooled"``: the cells, each of them counted as a patient.
    cell_sd
        Standard deviation of cells around their patient's score.
    cap_in
        Unit of the movement cap 0.90: the score, or the range of the thresholds.
    drawn
        Whether the map is of 200 drawn replicates, or of their limit in closed form.
    """

    sharp_share: float = 0.12
    n_patients: int = 180
    n_cells: int = 800
    n_external: int = 6000
    prevalence: float = 0.5
    sharp_share_external: float = 0.12
    noise: Noise = "added"
    unit: Unit = "patients"
    cell_sd: float = 1.0
    cap_in: str = "score"
    drawn: bool = False


def draw_internal(setting: Setting, rng: np.random.Generator) -> PatientScores:
    """Return the patients of P."""
    labels = draw_labels(setting.n_patients, setting, rng)
    if setting.unit == "patients":
        own = draw_scores(INTERNAL, labels, setting.sharp_share, setting.noise, rng)
        # The mean of the cells around a patient's score is normal; the cells need not be drawn.
        scores = own + rng.normal(0, setting.cell_sd / np.sqrt(setting.n_cells), own.size)
        return PatientScores(scores=scores, labels=labels)
    cells = np.repeat(labels, setting.n_cells)
    scores = draw_scores(INTERNAL, cells, setting.sharp_share, setting.noise, rng)
    if setting.unit == "pooled":
        return PatientScores(scores=scores, labels=cells)
    return PatientScores(scores=scores.reshape(-1, setting.n_cells).mean(axis=1), labels=labels)


def draw_external(setting: Setting, rng: np.random.Generator) -> PatientScores:
    """Return the patients of Q."""
    labels = draw_labels(setting.n_external, setting, rng)
    share = setting.sharp_share_external
    return PatientScores(
        scores=draw_scores(EXTERNAL, labels, share, setting.noise, rng), labels=labels
    )


def draw_labels(n: int, setting: Setting, rng: np.random.Generator) -> NDArray[np.int8]:
    """Return labels, each positive with the prevalence; never all the same."""
    labels = (rng.random(n) < setting.prevalence).astype(np.int8)
    labels[:2] = 0, 1
    return labels


def draw_scores(
    site: Mixture, labels: NDArray[np.int8], share: float, noise: Noise, rng: np.random.Generator
) -> FloatArray:
    """Return one score of the mixture for each label.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = draw_scores(INTERNAL, np.repeat([0, 1], 50_000), 1.0, "none", rng)
    >>> scores.reshape(2, -1).mean(axis=1).round(2), scores.reshape(2, -1).std(axis=1).round(2)
    (array([1.9, 2.1]), array([0.15, 0.13]))
    """
    sharp = rng.random(labels.size) < share
    means = np.where(sharp, np.array(site.sharp_means)[labels], np.array(site.flat_means)[labels])
    sds = np.where(sharp, np.array(site.sharp_sds)[labels], site.flat_sd)
    scores = means + sds * rng.normal(size=labels.size)
    amplitude, centre, width = site.noise
    height = amplitude * np.exp(-((scores - centre) ** 2) / (2 * width**2))
    extra = rng.normal(size=labels.size)
    if noise == "none":
        return scores
    return scores + height * (extra if noise == "added" else scores - means)

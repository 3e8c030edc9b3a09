"""Patients with cells, for the paper's figure S1, which prints nothing about its data.

A patient has cells with features. In a sick patient some cells are affected: they lie elsewhere,
partly in a way that no straight line tells. Every patient has a background of his own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Everything about figure S1's data; nothing of it is printed."""

    n_cells: int = 8
    n_features: int = 6
    prevalence: float = 0.4
    affected_share: float = 0.5
    background_sd: float = 0.5


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cells:
    """Features of all cells, patient after patient, and the label of each patient."""

    features: FloatArray
    labels: NDArray[np.int64]

    @property
    def patient(self) -> NDArray[np.int64]:
        """The patient of each cell."""
        n = self.labels.size
        return np.repeat(np.arange(n), len(self.features) // n)


def draw_cells(n_patients: int, setting: Setting, rng: np.random.Generator) -> Cells:
    """Return patients with their cells; both classes occur.

    Examples
    --------
    >>> cells = draw_cells(5, Setting(), np.random.default_rng(0))
    >>> cells.features.shape, cells.patient[:9].tolist()
    ((40, 6), [0, 0, 0, 0, 0, 0, 0, 0, 1])
    """
    labels = (rng.random(n_patients) < setting.prevalence).astype(np.int64)
    labels[:2] = 0, 1
    shape = (n_patients, setting.n_cells, setting.n_features)
    features = rng.normal(size=shape) + rng.normal(
        0, setting.background_sd, (*shape[:1], 1, shape[2])
    )
    affected = (rng.random(shape[:2]) < setting.affected_share) & (labels[:, None] == 1)
    features[..., 0] += 1.6 * affected
    # Affected cells lie on either side of the healthy ones in the second feature.
    features[..., 1] += 2.0 * affected * np.where(rng.random(shape[:2]) < 0.5, 1, -1)  # noqa: PLR2004
    return Cells(features=features.reshape(-1, setting.n_features), labels=labels)

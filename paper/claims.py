"""Statements of the paper, and in how many replicates they came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SCHEMA = "steadycut.reproduce/1"
# A statement holds if it is true in more than this share of replicates; it fails below half.
NEARLY_ALL, HALF = 0.9, 0.5


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the paper, what came out here, and in what share of the replicates.

    The statement holds if ``share`` is above ``needed``, which is a half where the paper says
    "most". ``share`` is None for a statement that is not about replicates; then ``holds`` decides.
    """

    paper: str
    found: str
    share: float | None = None
    needed: float = NEARLY_ALL
    holds: bool | None = None

    @property
    def verdict(self) -> str:
        """``holds``, ``does not hold`` or ``mixed``."""
        if self.share is None:
            return "holds" if self.holds else "does not hold"
        if self.share > self.needed:
            return "holds"
        return "mixed" if self.share > HALF else "does not hold"

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain values."""
        return {name: getattr(self, name) for name in ("paper", "found", "share", "verdict")}


def share_of(outcomes: Sequence[bool]) -> float:
    """Return the share of outcomes that are true.

    Examples
    --------
    >>> share_of([True, False, True, True])
    0.75
    """
    return float(np.mean(np.asarray(outcomes, dtype=np.float64)))


def spread_of(values: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and the middle 90 % over replicates."""
    array = np.asarray(values, dtype=np.float64)
    values = (array.mean(), array.std(), *np.quantile(array, [0.05, 0.95]))
    return dict(zip(("mean", "sd", "low", "high"), map(float, values), strict=True))

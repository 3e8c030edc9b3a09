"""Whether a score that is a probability says how many patients are ill: intercept and slope.

The log odds of disease are modelled as a + b logit(score). The slope is b. The intercept is a with
b = 1, "calibration in the large". A perfect score has the intercept 0 and the slope 1. The
intervals are those of the normal approximation.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from steadycut.core.adapt.refit import agreeing_shift
from steadycut.core.checks import FloatArray
from steadycut.core.rules.rank_logistic import fit_line

# Scores nearer to 0 or 1 count as these.
ENDS = 0.001, 0.999
NO_PRIOR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Intercept and slope, each with its interval, and the ``line`` of the curve, a and b."""

    intercept: float
    intercept_range: tuple[float, float]
    slope: float
    slope_range: tuple[float, float]
    line: tuple[float, float]

    def curve(self, risks: FloatArray) -> FloatArray:
        """Return the fitted share of ill patients at some scores."""
        return np.asarray(expit(self.line[0] + self.line[1] * logit(np.clip(risks, *ENDS))))


def calibration(ill: FloatArray, well: FloatArray, confidence: float) -> Calibration | None:
    """Return how well scores are calibrated; None if they are no probabilities, or separate.

    ``ill`` and ``well`` are the scores of ill and of healthy patients.

    Examples
    --------
    >>> made = calibration(np.array([0.2, 0.8, 0.9]), np.array([0.1, 0.2, 0.8]), 0.95)
    >>> round(made.intercept, 3), round(made.slope, 3)
    (0.0, 0.551)
    """
    if not (ill.size and well.size) or ill.min() >= well.max() or ill.max() <= well.min():
        return None
    risks = np.concatenate([ill, well])
    if not 0 <= risks.min() <= risks.max() <= 1:
        return None
    odds, is_ill = logit(np.clip(risks, *ENDS)), np.repeat([1.0, 0.0], [ill.size, well.size])
    shift = agreeing_shift(odds, np.ones(odds.size), float(ill.size))
    line = [
        float(value[0]) for value in fit_line(odds[None], is_ill[None], 1 - is_ill[None], NO_PRIOR)
    ]
    fitted, moved = expit(line[0] + line[1] * odds), expit(odds + shift)
    design = np.stack([np.ones(odds.size), odds])
    errors = np.linalg.inv((design * (fitted * (1 - fitted))) @ design.T)
    times = float(ndtri((1 + confidence) / 2))
    wide = times / np.sqrt(float((moved * (1 - moved)).sum())), times * np.sqrt(float(errors[1, 1]))
    return Calibration(
        intercept=shift,
        intercept_range=(float(shift - wide[0]), float(shift + wide[0])),
        slope=line[1],
        slope_range=(float(line[1] - wide[1]), float(line[1] + wide[1])),
        line=(line[0], line[1]),
    )

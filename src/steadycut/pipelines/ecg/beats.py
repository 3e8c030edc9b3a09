"""Where the beats are: peaks of the slope, all leads together."""

import numpy as np
from scipy import ndimage

from steadycut.core.checks import FloatArray, IntArray
from steadycut.pipelines.ecg.clean import RATE

# Seconds: width of the average, shortest time between two beats (240 a minute).
SMOOTH, REFRACTORY = 0.10, 0.25
# Height of a beat, in parts of a high one.
LOWEST = 0.35
HIGH_SHARE = 98.0


def find_beats(leads: FloatArray) -> IntArray:
    """Return the samples at which the ventricles fire, in leads as `clean` gives them.

    The squared slope, summed over the leads and averaged over 0.1 s, has its peaks at the QRS
    complexes. A peak counts from 0.35 of the 98 % quantile on, 0.25 s after the one before.
    """
    from scipy.signal import find_peaks

    slope = np.diff(leads, axis=1, prepend=leads[:, :1])
    energy = ndimage.uniform_filter1d((slope**2).sum(axis=0), round(SMOOTH * RATE))
    height = LOWEST * np.percentile(energy, HIGH_SHARE)
    peaks, _ = find_peaks(energy, height=height, distance=round(REFRACTORY * RATE))
    return peaks

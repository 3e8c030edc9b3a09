"""Find the heart beats: peaks of the slope, over all leads together."""

import numpy as np
from scipy import ndimage

from steadycut.core.checks import FloatArray, IntArray
from steadycut.pipelines.ecg.clean import RATE

# In seconds: width of the average, and shortest time between two beats (240 per minute).
SMOOTH, REFRACTORY = 0.10, 0.25
# Smallest height of a beat, as a share of a high one; a high one is this percentile.
LOWEST = 0.35
HIGH_SHARE = 98.0


def find_beats(leads: FloatArray) -> IntArray:
    """Return the samples of the QRS complexes, in leads as `clean` returns them.

    The squared slope, summed over the leads and averaged over 0.1 s, peaks at the QRS complexes.
    A peak counts if it reaches 0.35 of the 98 % quantile and comes 0.25 s after the one before.
    """
    from scipy.signal import find_peaks

    slope = np.diff(leads, axis=1, prepend=leads[:, :1])
    energy = ndimage.uniform_filter1d((slope**2).sum(axis=0), round(SMOOTH * RATE))
    height = LOWEST * np.percentile(energy, HIGH_SHARE)
    peaks, _ = find_peaks(energy, height=height, distance=round(REFRACTORY * RATE))
    return peaks

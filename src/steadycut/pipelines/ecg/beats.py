"""Find the heart beats: peaks of the slope, over all leads together."""

import numpy as np
from scipy import ndimage

from steadycut.core.checks import FloatArray, IntArray
from steadycut.pipelines.ecg.clean import RATE

# In seconds: width of the average, and shortest time between two beats (240 per minute).
SMOOTH, REFRACTORY = 0.10, 0.25
# Smallest height of a beat, as a share of the usual one around it.
LOWEST = 0.35
# The usual height is the median of the largest values of this many stretches, of so many seconds.
STRETCHES, STRETCH = 3, 2.0


def find_beats(leads: FloatArray) -> IntArray:
    """Return the samples of the QRS complexes, in leads as `clean` returns them.

    The slope of each lead is divided by its standard deviation, because a lead of noise has the
    steepest slopes. The squares, summed over the leads and averaged over 0.1 s, peak at the QRS
    complexes. A peak counts if it reaches 0.35 of the usual height around it and comes 0.25 s after
    the one before. ``benchmarks/studies/beats.py`` compares it with the detectors of wfdb.
    """
    from scipy.signal import find_peaks

    slope = np.diff(leads, axis=1, prepend=leads[:, :1])
    scaled = slope / slope.std(axis=1, keepdims=True)
    energy = ndimage.uniform_filter1d((scaled**2).sum(axis=0), round(SMOOTH * RATE))
    height = LOWEST * usual_height(energy)
    peaks, _ = find_peaks(energy, height=height, distance=round(REFRACTORY * RATE))
    return peaks


def usual_height(energy: FloatArray) -> FloatArray:
    """Return how high beats are around each sample.

    An artefact does not change it, except in the first and the last stretch.

    Examples
    --------
    >>> energy = np.tile([0.0, 1.0, 0.0], 2500)
    >>> energy[3000] = 50.0
    >>> np.unique(usual_height(energy)).tolist()
    [1.0]
    """
    n = max(energy.size // round(STRETCH * RATE), 1)
    largest = [part.max() for part in np.array_split(energy, n)]
    usual = ndimage.median_filter(largest, STRETCHES, mode="nearest")
    middles = (np.arange(n) + 0.5) * energy.size / n
    return np.maximum(np.interp(np.arange(energy.size), middles, usual), energy.mean())

"""Make leads comparable: one sampling rate, without drift and noise, with unit variance.

scipy.signal is imported in the functions, because it would slow down the start of commands.
"""

from fractions import Fraction

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.errors import BadFile
from steadycut.pipelines.ecg.records import Record

RATE = 500.0
# The usual band for monitoring, in Hz. It keeps the waves and removes drift, mains and muscle.
LOW, HIGH = 0.5, 40.0
ORDER = 3
SHORTEST = 2.0
LARGEST_DENOMINATOR = 1000


def clean(record: Record) -> FloatArray:
    """Return the leads at 500 Hz, detrended, band-passed from 0.5 to 40 Hz, and each z-scored.

    The Butterworth filter runs forwards and backwards, so no wave is delayed.
    """
    from scipy.signal import butter, sosfiltfilt

    if record.signal.shape[1] < SHORTEST * record.rate:
        seconds = record.signal.shape[1] / record.rate
        raise BadFile(f"it lasts {seconds:.1f} s; at least {SHORTEST:g} s are needed.")
    band = butter(ORDER, (LOW, HIGH), btype="bandpass", fs=RATE, output="sos")
    passed = sosfiltfilt(band, detrend(resample(record.signal, record.rate)), axis=1)
    centred = passed - passed.mean(axis=1, keepdims=True)
    return centred / centred.std(axis=1, keepdims=True)


def detrend(signal: FloatArray) -> FloatArray:
    """Return a signal (lead, sample) without the straight line that fits it best.

    Examples
    --------
    >>> float(abs(detrend(np.array([[3.0, 5.0, 7.0, 9.0]]))).max())
    0.0
    """
    time = np.arange(signal.shape[1]) - (signal.shape[1] - 1) / 2
    centred = signal - signal.mean(axis=1, keepdims=True)
    return centred - (centred @ time / (time @ time))[:, None] * time


def resample(signal: FloatArray, rate: float) -> FloatArray:
    """Return a signal (lead, sample) at 500 Hz.

    Examples
    --------
    >>> resample(np.ones((1, 1000)), 250.0).shape
    (1, 2000)
    """
    if rate == RATE:
        return signal
    from scipy.signal import resample_poly

    ratio = Fraction(RATE / rate).limit_denominator(LARGEST_DENOMINATOR)
    # The mean is added back afterwards, because the filter assumes zeros beyond both ends.
    mean = signal.mean(axis=1, keepdims=True)
    return resample_poly(signal - mean, ratio.numerator, ratio.denominator, axis=1) + mean

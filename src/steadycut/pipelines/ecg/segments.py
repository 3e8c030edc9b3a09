"""Cut a record into windows of equal length, or into single beats."""

from collections.abc import Iterator

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.pipelines.ecg.clean import RATE

# One beat is the signal from this many seconds before to after the QRS complex.
BEFORE, AFTER = 0.30, 0.50


def windows(n_samples: int, window: float, step: float) -> Iterator[tuple[int, int]]:
    """Yield start and stop of windows of ``window`` seconds, one every ``step`` seconds.

    Examples
    --------
    >>> list(windows(5000, 5.0, 2.5))
    [(0, 2500), (1250, 3750), (2500, 5000)]
    """
    length, stride = round(window * RATE), round(step * RATE)
    for start in range(0, n_samples - length + 1, stride):
        yield start, start + length


def whole_beats(beats: IntArray, n_samples: int) -> IntArray:
    """Return the beats whose waves are completely inside the record."""
    return beats[(beats >= BEFORE * RATE) & (beats < n_samples - AFTER * RATE)]


def beat_shapes(leads: FloatArray, beats: IntArray) -> FloatArray:
    """Return every beat (beat, lead, sample), from 0.3 s before to 0.5 s after its QRS complex."""
    span = np.arange(-round(BEFORE * RATE), round(AFTER * RATE))
    return leads[:, beats[:, None] + span].transpose(1, 0, 2)

"""Numbers that describe a segment: its rhythm, and the waves of its mean beat in every lead."""

from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray, IntArray
from steadycut.pipelines.ecg.clean import RATE
from steadycut.pipelines.ecg.records import LEADS
from steadycut.pipelines.ecg.segments import BEFORE, beat_shapes

RHYTHM = ("rate", "rr_deviation", "rr_jump")
# Wave -> its start and end in seconds from the QRS complex, and what is computed there.
WAVES: dict[str, tuple[float, float, Any]] = {
    "p": (-0.20, -0.08, np.ptp),
    "qrs": (-0.06, 0.06, np.ptp),
    "st": (0.08, 0.12, np.mean),
    "t": (0.16, 0.40, np.ptp),
}
# The level in this stretch, in seconds from the complex, counts as zero.
ZERO = (-0.08, -0.05)
NAMES = RHYTHM + tuple(f"{wave}_{lead}" for wave in WAVES for lead in LEADS)
FEWEST_BEATS = 2


def segment_features(leads: FloatArray, whole: IntArray, beats: IntArray) -> FloatArray:
    """Return the features of a segment in the order of `NAMES`.

    Parameters
    ----------
    leads
        The whole record, as `clean` returns it.
    whole
        Beats of the segment whose waves lie inside the record.
    beats
        All beats of the segment, which give the rhythm (for a single beat: those around it).

    Notes
    -----
    ``rate`` is beats per minute. ``rr_deviation`` is the standard deviation of the times between
    beats, ``rr_jump`` the mean change from one to the next, both divided by the mean time. Waves
    are in units of the lead's standard deviation: for P, QRS and T the range of the mean beat, for
    ST its height above the level before the complex.
    """
    mean_beat = beat_shapes(leads, whole).mean(axis=0)
    level = _part(mean_beat, *ZERO).mean(axis=1)
    shapes = [
        how(_part(mean_beat, start, stop), axis=1) - (level if how is np.mean else 0)
        for start, stop, how in WAVES.values()
    ]
    return np.concatenate([rhythm(beats), *shapes])


def rhythm(beats: IntArray) -> FloatArray:
    """Return the rate, and the deviation and jump of the times between beats.

    Examples
    --------
    >>> rhythm(np.array([0, 500, 1000, 1500])).tolist()
    [60.0, 0.0, 0.0]
    """
    between = np.diff(beats) / RATE
    jump = np.abs(np.diff(between)).mean() if between.size > 1 else 0.0
    return np.array([60.0, between.std(), jump]) / between.mean()


def _part(beat: FloatArray, start: float, stop: float) -> FloatArray:
    return beat[:, round((BEFORE + start) * RATE) : round((BEFORE + stop) * RATE)]

"""12-lead ECG records: filter, find beats, cut segments, describe and score them.

============  ===============================================================
``records``   read a WFDB record: twelve leads in millivolts
``clean``     one sampling rate, without drift and noise
``beats``     find the heart beats
``segments``  cut a record into windows or single beats
``features``  numbers that describe a segment
``pipeline``  all steps from records to features, one row per segment
``scorer``    the logistic regression that scores segments
``training``  which patients train the scorer
``plot``      a picture of a record
============  ===============================================================
"""

from steadycut.pipelines.ecg.pipeline import EcgOptions, Segments, read_segments
from steadycut.pipelines.ecg.scorer import SegmentScorer, train_scorer

__all__ = ["EcgOptions", "SegmentScorer", "Segments", "read_segments", "train_scorer"]

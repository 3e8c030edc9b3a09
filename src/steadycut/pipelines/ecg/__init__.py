"""12-lead ECGs: records, filter, beats, segments, features and a scorer of segments."""

from steadycut.pipelines.ecg.pipeline import EcgOptions, Segments, read_segments
from steadycut.pipelines.ecg.scorer import SegmentScorer, train_scorer

__all__ = ["EcgOptions", "SegmentScorer", "Segments", "read_segments", "train_scorer"]

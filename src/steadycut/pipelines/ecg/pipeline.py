"""Records -> one row per segment: its record, where it lies, and its features."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray, check_choice, check_positive, refuse
from steadycut.errors import BadFile
from steadycut.ingest.patients import Progress
from steadycut.pipelines.driver import process_files
from steadycut.pipelines.ecg.beats import find_beats
from steadycut.pipelines.ecg.clean import RATE, clean
from steadycut.pipelines.ecg.features import FEWEST_BEATS, NAMES, segment_features
from steadycut.pipelines.ecg.records import RECORDS, read_record
from steadycut.pipelines.ecg.segments import beat_shapes, whole_beats, windows
from steadycut.pipelines.models.interface import RunOptions
from steadycut.pipelines.models.scorer import Scorer
from steadycut.pipelines.parallel import map_in_processes
from steadycut.pipelines.skipped import SkippedFile

KINDS = ("windows", "beats")
# The rhythm of a single beat is that of this many beats on either side.
AROUND = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EcgOptions:
    """How a record is cut: into ``windows`` of some seconds, or into single ``beats``.

    ``window`` is the length of a window, ``step`` the time from one start to the next, in seconds.
    """

    segments: str = "windows"
    window: float = 5.0
    step: float = 2.5

    def __post_init__(self) -> None:
        check_choice("segments", self.segments, KINDS)
        check_positive("window", self.window)
        check_positive("step", self.step)
        if self.window < 2:  # noqa: PLR2004
            refuse("window", "be at least 2 seconds, to hold two beats", self.window)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Segments:
    """One row per segment; ``start`` in seconds, ``record`` is an index into the list of files.

    ``features`` has the columns of `features.NAMES`, or one column of scores if a model gave them.
    """

    record: IntArray
    number: IntArray
    start: FloatArray
    beats: IntArray
    features: FloatArray

    def take(self, kept: NDArray[np.bool_]) -> "Segments":
        """Return some of the segments."""
        return Segments(**{part.name: getattr(self, part.name)[kept] for part in fields(self)})


# Start and number of beats, and the features, the score, or the leads of a segment.
Row = tuple[tuple[float, int], FloatArray]
# A model of the user: its file and how it runs.
ModelFile = tuple[Path, RunOptions]
AXES = 3


def read_segments(
    paths: Sequence[Path],
    options: EcgOptions,
    n_jobs: int = 1,
    progress: Progress | None = None,
    model: ModelFile | None = None,
) -> tuple[Segments, list[SkippedFile]]:
    """Return the segments of all records; a record that cannot be used is skipped.

    With a ``model``, segments have its score instead of features.
    """
    work = partial(read_one, options=options, model=model)
    spread = partial(map_in_processes, n_jobs=n_jobs)
    done, skipped = process_files(work, paths, RECORDS, spread, progress)
    rows = [
        (place, number, *row, features)
        for place, path in enumerate(paths)
        for number, (row, features) in enumerate(done.get(path, ()))
    ]
    record, number, start, beats, features = list(zip(*rows, strict=True)) or [()] * 5
    return Segments(
        record=np.array(record, dtype=np.int64),
        number=np.array(number, dtype=np.int64),
        start=np.array(start, dtype=float),
        beats=np.array(beats, dtype=np.int64),
        features=np.array(features, dtype=float).reshape(-1, len(NAMES) if model is None else 1),
    ), skipped


def read_one(path: Path, options: EcgOptions, model: ModelFile | None = None) -> list[Row]:
    """Return the start, the number of beats and the features of every segment of one record.

    With a ``model``, the score of a segment stands where its features do.
    """
    leads = clean(read_record(path))
    beats = find_beats(leads)
    cut = _cut_windows if options.segments == "windows" else _cut_beats
    segments = list(cut(leads, beats, options, raw=model is not None))
    if not segments:
        raise BadFile(f"no segment is left: {beats.size} beats in {leads.shape[1] / RATE:.1f} s.")
    return segments if model is None else _scored(segments, model)


def _scored(segments: list[Row], model: ModelFile) -> list[Row]:
    scorer = load_scorer(*model)
    batch = np.stack([leads for _, leads in segments]).astype(np.float32)
    scores = scorer.score_batch(batch).reshape(-1, 1)
    return [(place, score) for (place, _), score in zip(segments, scores, strict=True)]


@cache
def load_scorer(path: Path, options: RunOptions) -> Scorer:
    """Load a model once in every process; it takes batches (segment, lead, sample)."""
    return Scorer(path, options, AXES)


def _cut_windows(
    leads: FloatArray, beats: IntArray, options: EcgOptions, *, raw: bool
) -> Iterator[Row]:
    whole = whole_beats(beats, leads.shape[1])
    for start, stop in windows(leads.shape[1], options.window, options.step):
        inside, seen = (part[(part >= start) & (part < stop)] for part in (whole, beats))
        if inside.size and seen.size >= FEWEST_BEATS:
            row = leads[:, start:stop] if raw else segment_features(leads, inside, seen)
            yield (start / RATE, seen.size), row


def _cut_beats(
    leads: FloatArray, beats: IntArray, options: EcgOptions, *, raw: bool
) -> Iterator[Row]:
    del options
    for beat in whole_beats(beats, leads.shape[1]):
        place = int(np.searchsorted(beats, beat))
        around = beats[max(place - AROUND, 0) : place + AROUND + 1]
        if around.size >= FEWEST_BEATS:
            own = np.array([beat])
            row = beat_shapes(leads, own)[0] if raw else segment_features(leads, own, around)
            yield (float(beat) / RATE, 1), row

"""Records -> one row a segment: whose it is, where it lies, and its features."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray, check_choice, check_positive
from steadycut.errors import BadFile, BadOption
from steadycut.pipelines.ecg.beats import find_beats
from steadycut.pipelines.ecg.clean import RATE, clean
from steadycut.pipelines.ecg.features import FEWEST_BEATS, NAMES, segment_features
from steadycut.pipelines.ecg.records import read_record
from steadycut.pipelines.ecg.segments import whole_beats, windows
from steadycut.pipelines.skipped import LeftOut, left_out
from steadycut.study.fit import Progress

KINDS = ("windows", "beats")
# Beats on either side that give a single beat its rhythm.
AROUND = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EcgOptions:
    """How a record is cut: ``windows`` of so many seconds every so many, or single ``beats``."""

    segments: str = "windows"
    window: float = 5.0
    step: float = 2.5

    def __post_init__(self) -> None:
        check_choice("segments", self.segments, KINDS)
        check_positive("window", self.window)
        check_positive("step", self.step)
        if self.window < 2:  # noqa: PLR2004
            msg = f"window must be at least 2 seconds, to hold two beats; got {self.window:g}."
            raise BadOption(msg)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Segments:
    """One row a segment; ``start`` in seconds, ``record`` is the place in the list of files."""

    record: IntArray
    number: IntArray
    start: FloatArray
    beats: IntArray
    features: FloatArray

    def of_records(self, wanted: NDArray[np.bool_]) -> "Segments":
        """Return the segments of some records; ``wanted`` has one entry a file."""
        kept = wanted[self.record]
        return Segments(
            record=self.record[kept],
            number=self.number[kept],
            start=self.start[kept],
            beats=self.beats[kept],
            features=self.features[kept],
        )


def read_segments(
    paths: Sequence[Path], options: EcgOptions, n_jobs: int = 1, progress: Progress | None = None
) -> tuple[Segments, list[LeftOut]]:
    """Return the segments of all records; a record that cannot be used is left out."""
    rows: list[tuple[int, int, float, int]] = []
    features: list[FloatArray] = []
    problems: list[LeftOut] = []
    work = partial(_try_record, options)
    for place, found in enumerate(_over(work, paths, n_jobs)):
        if progress:
            progress("records", place, len(paths))
        if isinstance(found, LeftOut):
            problems.append(found)
            continue
        rows += [(place, number, *row) for number, (row, _) in enumerate(found)]
        features += [values for _, values in found]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return Segments(
        record=np.array(columns[0], dtype=np.int64),
        number=np.array(columns[1], dtype=np.int64),
        start=np.array(columns[2], dtype=float),
        beats=np.array(columns[3], dtype=np.int64),
        features=np.array(features, dtype=float).reshape(-1, len(NAMES)),
    ), problems


Row = tuple[tuple[float, int], FloatArray]


def read_one(path: Path, options: EcgOptions) -> list[Row]:
    """Return start, number of beats and features of every segment of one record."""
    leads = clean(read_record(path))
    beats = find_beats(leads)
    cut = _cut_windows if options.segments == "windows" else _cut_beats
    found = list(cut(leads, beats, options))
    if not found:
        msg = f"no segment is left: {beats.size} beats in {leads.shape[1] / RATE:.1f} s."
        raise BadFile(msg)
    return found


def _cut_windows(leads: FloatArray, beats: IntArray, options: EcgOptions) -> Iterator[Row]:
    whole = whole_beats(beats, leads.shape[1])
    for start, stop in windows(leads.shape[1], options.window, options.step):
        inside, seen = (part[(part >= start) & (part < stop)] for part in (whole, beats))
        if inside.size and seen.size >= FEWEST_BEATS:
            yield (start / RATE, seen.size), segment_features(leads, inside, seen)


def _cut_beats(leads: FloatArray, beats: IntArray, options: EcgOptions) -> Iterator[Row]:
    del options
    for beat in whole_beats(beats, leads.shape[1]):
        place = int(np.searchsorted(beats, beat))
        around = beats[max(place - AROUND, 0) : place + AROUND + 1]
        if around.size >= FEWEST_BEATS:
            yield (float(beat) / RATE, 1), segment_features(leads, np.array([beat]), around)


def _try_record(options: EcgOptions, path: Path) -> list[Row] | LeftOut:
    try:
        return read_one(path, options)
    except (BadFile, OSError) as error:
        return left_out(path, error)


def _over(
    work: Callable[[Path], list[Row] | LeftOut], paths: Sequence[Path], n_jobs: int
) -> Iterator[list[Row] | LeftOut]:
    if n_jobs == 1:
        yield from map(work, paths)
        return
    import joblib

    pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    yield from pool(joblib.delayed(work)(path) for path in paths)

"""The numbers of some patients, from their scores leaf by leaf.

Every engine ends here. Scores are sorted within their leaves and sums are exact. So the result is
the same to the last bit for any order of rows, any number of threads or parts, and any engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate.aggregators import Segments, order_grouped, sort_segments
from steadycut.core.aggregate.clusters import ClusterSums, cluster_sums
from steadycut.core.checks import FloatArray, IntArray
from steadycut.ingest.request import Request

Array = NDArray[Any]
CLUSTER_COLUMNS = tuple(part.name for part in fields(ClusterSums))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Part:
    """Scores of consecutive patients.

    ``offsets`` says where each leaf begins in the scores, and its last entry where the last leaf
    ends; no leaf is empty. ``steps`` lead from leaves to patients, level by level, as
    `core.aggregate.nest` gives them: whole numbers from 0, without gaps, one step per level.
    ``scores`` are changed in place.
    """

    offsets: IntArray
    steps: tuple[IntArray, ...]
    scores: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Finished:
    """Numbers of consecutive patients by (score, aggregator), and how similar their rows are.

    ``n_units`` counts the leaves of each patient: the units of the innermost level, if there are
    levels. ``clusters`` is empty if the request does not ask for it.
    """

    scores: Mapping[tuple[str, str], FloatArray]
    n_units: IntArray
    clusters: Mapping[str, ClusterSums]


def finish_part(part: Part, request: Request) -> Finished:
    """Return the numbers of the patients in a part.

    Examples
    --------
    >>> part = Part(offsets=np.array([0, 2, 3]), steps=(), scores={"s": np.array([4.0, 2.0, 1.0])})
    >>> finish_part(part, Request(patient="id", scores=("s",), hows=("max",))).scores
    {('s', 'max'): array([4., 1.])}
    """
    numbers, clusters = {}, {}
    readers = request.level_aggregators[:1] or request.aggregators
    for name in request.scores:
        leaves = order_grouped(part.scores[name], part.offsets, readers)
        if request.clusters:
            clusters[name] = cluster_sums(_by_patient(leaves, part.steps))
        for parents, aggregator in zip(part.steps, request.level_aggregators, strict=True):
            leaves = sort_segments(parents, aggregator(leaves))
        for aggregator in request.aggregators:
            numbers[name, aggregator.name] = aggregator(leaves)
    n_units = count_leaves(part.offsets.size - 1, part.steps)
    return Finished(scores=numbers, n_units=n_units, clusters=clusters)


def join_finished(parts: Sequence[Finished], request: Request) -> Finished:
    """Join the numbers of several parts."""
    several = [to_arrays(part) for part in parts]
    joined = {name: np.concatenate([arrays[name] for arrays in several]) for name in several[0]}
    return from_arrays(joined, request)


def to_arrays(finished: Finished) -> dict[str, Array]:
    """Return the numbers as named arrays, for a file or a cluster."""
    arrays: dict[str, Array] = {
        f"scores{i}": numbers for i, numbers in enumerate(finished.scores.values())
    }
    arrays["units"] = finished.n_units
    for i, sums in enumerate(finished.clusters.values()):
        arrays |= {f"{name}{i}": getattr(sums, name) for name in CLUSTER_COLUMNS}
    return arrays


def from_arrays(arrays: Mapping[str, Array], request: Request) -> Finished:
    """Return the numbers from the arrays of `to_arrays`."""
    hows = [aggregator.name for aggregator in request.aggregators]
    keys = [(score, how) for score in request.scores for how in hows]
    return Finished(
        scores={key: arrays[f"scores{i}"] for i, key in enumerate(keys)},
        n_units=arrays["units"],
        clusters={
            score: ClusterSums(**{name: arrays[f"{name}{i}"] for name in CLUSTER_COLUMNS})
            for i, score in enumerate(request.scores)
            if request.clusters
        },
    )


def count_leaves(n_leaves: int, steps: Sequence[IntArray]) -> IntArray:
    """Return how many leaves each patient has."""
    patient_of = np.arange(n_leaves)
    for parents in steps:
        patient_of = parents[patient_of]
    return np.bincount(patient_of)


def _by_patient(leaves: Segments, steps: Sequence[IntArray]) -> Segments:
    """Return the rows of each patient; the leaves of a patient are next to each other."""
    offsets = leaves.offsets
    for parents in steps:
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        offsets = np.append(offsets[first], offsets[-1])
    return Segments(values=leaves.values, offsets=offsets)

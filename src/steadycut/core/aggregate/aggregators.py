"""Instance scores -> one score per patient, identical to the last bit for any order of the rows.

An aggregator turns the scores of a group into one number. Groups are nested: tiles in slides,
slides in patients. Aggregators work on `Segments`, where the order statistics that they read are in
their places. They therefore never depend on the order of the rows. Sums are correctly rounded
(`steadycut.core.aggregate.exact_sums`), so they do not depend on it either.

A new aggregator is one entry of `AGGREGATORS`, and one of ``rule_reader.AGGREGATORS``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from steadycut.core.aggregate.exact_sums import exact_sums
from steadycut.core.checks import FloatArray, IntArray, read_only, refuse
from steadycut.errors import BadOption
from steadycut.rule_reader import AGGREGATORS as READER
from steadycut.rule_reader import noisy_or as noisy_or_of

# For fewer values a full sort is faster than a partial one.
FEW_TO_SORT = 64


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Segments:
    """Scores of several groups, one group after another, ascending within each group.

    ``offsets`` has one entry more than there are groups: group ``g`` holds
    ``values[offsets[g]:offsets[g + 1]]``. No group is empty. If `order_grouped` made the segments
    for certain aggregators, only the order statistics that these read are in place: smaller scores
    are before them and larger scores after them.
    """

    values: FloatArray
    offsets: IntArray

    @property
    def sizes(self) -> IntArray:
        """The number of scores in each group."""
        return np.diff(self.offsets)

    def split(self) -> list[FloatArray]:
        """Return the scores of each group."""
        return np.split(self.values, self.offsets[1:-1])


Kernel = Callable[[Segments], FloatArray]
Places = Callable[[int], tuple[int, ...]]
How = str | Callable[[FloatArray], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregator:
    """A named way to turn the scores of each group into one number.

    ``places`` takes the size of a group and returns which order statistics ``kernel`` reads,
    counted from 0. None means all.

    Examples
    --------
    >>> segments = sort_segments(np.array([0, 1, 0]), np.array([0.5, 0.25, 1.0]))
    >>> parse_aggregator("max")(segments)
    array([1.  , 0.25])
    """

    name: str
    kernel: Kernel
    places: Places | None = None

    def __call__(self, segments: Segments) -> FloatArray:
        """Return one number per group."""
        return self.kernel(segments)


def parse_aggregator(how: How) -> Aggregator:
    """Return the aggregator with the name ``how``, or one that applies a function.

    Parameters
    ----------
    how
        One of the names in `aggregator_names`, such as ``"mean"`` or ``"quantile:0.9"``. Or a
        function that takes the scores of a group in ascending order and returns one finite number;
        its name is then ``callable:NAME``, which is not the name of an aggregator.

    Raises
    ------
    BadOption
        If no aggregator has this name, or if its number is out of range.

    Examples
    --------
    >>> parse_aggregator("quantile:0.9").name
    'quantile:0.9'
    >>> parse_aggregator(np.ptp).name
    'callable:ptp'
    >>> parse_aggregator("quantile:2")
    Traceback (most recent call last):
        ...
    steadycut.errors.BadOption: quantile:Q needs Q to be a number from 0 to 1; got 'quantile:2'.
    """
    if callable(how):
        return _from_function(how)
    family_name, _, number = str(how).partition(":")
    family = AGGREGATORS.get(family_name)
    if family is None:
        names = aggregator_names()
        refuse("an aggregator", f"be one of {', '.join(names)}", how, names)
    return family.bind(family_name, how, number)


def aggregator_names() -> tuple[str, ...]:
    """Return the names of all aggregators, with a letter in place of the number.

    Examples
    --------
    >>> aggregator_names()[:5]
    ('mean', 'median', 'max', 'min', 'quantile:Q')
    """
    return tuple(family.spelled(name) for name, family in AGGREGATORS.items())


def sort_segments(groups: IntArray, values: FloatArray) -> Segments:
    """Return ``values`` sorted by group and then by value.

    Parameters
    ----------
    groups
        Group of each value, shape (n,), whole numbers from 0 without gaps.
    values
        Finite scores, shape (n,).

    Examples
    --------
    >>> segments = sort_segments(np.array([1, 0, 1]), np.array([0.9, 0.4, 0.1]))
    >>> segments.values, segments.offsets
    (array([0.4, 0.1, 0.9]), array([0, 1, 3]))
    """
    grouped = np.asarray(values, dtype=np.float64)[np.argsort(groups, kind="stable")]
    return order_grouped(grouped, offsets_of(np.bincount(groups)))


def order_grouped(
    values: FloatArray, offsets: IntArray, aggregators: Sequence[Aggregator] | None = None
) -> Segments:
    """Sort ``values`` in place within each group; the values are already group by group.

    Parameters
    ----------
    values
        Finite scores, shape (n,). They are changed.
    offsets
        The start of each group and, as last entry, the end of the last group.
    aggregators
        The aggregators that will read the groups. Only what they need is put in order. None sorts
        all.

    Examples
    --------
    >>> order_grouped(np.array([0.4, 0.9, 0.1]), np.array([0, 1, 3])).values
    array([0.4, 0.1, 0.9])
    """
    # Adding 0.0 turns negative zero into zero. The two compare as equal, so their order in a sort,
    # and the sign of a maximum, would depend on the order of the rows.
    values += 0.0
    sizes = np.diff(offsets)
    places = {size: _places_read(size, aggregators) for size in np.unique(sizes).tolist()}
    for start, size in zip(offsets[:-1].tolist(), sizes.tolist(), strict=True):
        _put_in_order(values[start : start + size], places[size])
    return Segments(values=read_only(values), offsets=read_only(offsets))


def _places_read(size: int, aggregators: Sequence[Aggregator] | None) -> list[int] | None:
    """Return which places of a group must be correct; None means all."""
    found: set[int] = set()
    for aggregator in aggregators or ():
        if aggregator.places is None:
            return None
        found.update(aggregator.places(size))
    return None if aggregators is None else sorted(found)


def _put_in_order(group: FloatArray, places: list[int] | None) -> None:
    if places is None or (places and group.size < FEW_TO_SORT):
        group.sort()
    elif places:
        group.partition(places)


def offsets_of(sizes: IntArray) -> IntArray:
    """Return the start of each group of the given sizes and, last, the end of the last group.

    Examples
    --------
    >>> offsets_of(np.array([1, 2]))
    array([0, 1, 3])
    """
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def nest(patients: IntArray, levels: Sequence[IntArray]) -> tuple[IntArray, ...]:
    """Return, step by step from rows to patients, the group of each member.

    Parameters
    ----------
    patients
        Patient of each row, shape (n,), whole numbers from 0 without gaps.
    levels
        Code of each row in each level, innermost first. Codes must be unique only within the same
        patient and the same outer levels: slide 1 of patient 0 and slide 1 of patient 1 are two
        slides.

    Returns
    -------
    tuple of arrays
        The first array has one entry per row. Each further array has one entry per group of the
        step before. The last one holds patients.

    Examples
    --------
    >>> nest(np.array([0, 0, 1, 1]), [np.array([5, 7, 5, 5])])
    (array([0, 1, 2, 2]), array([0, 0, 1]))
    """
    outer, parents = np.asarray(patients, dtype=np.int64), []
    for level in reversed(levels):
        width = int(level.max(initial=0)) + 1
        keys, inner = np.unique(outer * width + level, return_inverse=True)
        parents.append(keys // width)
        outer = inner
    return (outer, *reversed(parents))


# One function per aggregator -------------------------------------------------------------


def mean(segments: Segments) -> FloatArray:
    """Return the mean of each group: the correctly rounded sum, then one division.

    It is equal to `statistics.fmean` to the last bit.
    """
    return exact_sums(segments.values, segments.offsets) / segments.sizes


def median(segments: Segments) -> FloatArray:
    """Return the median of each group, as `numpy.median` computes it."""
    first, sizes = segments.offsets[:-1], segments.sizes
    below, above = first + (sizes - 1) // 2, first + sizes // 2
    return np.asarray((segments.values[below] + segments.values[above]) / 2)


def maximum(segments: Segments) -> FloatArray:
    """Return the largest score of each group."""
    return segments.values[segments.offsets[1:] - 1]


def minimum(segments: Segments) -> FloatArray:
    """Return the smallest score of each group."""
    return segments.values[segments.offsets[:-1]]


def quantile(segments: Segments, level: float) -> FloatArray:
    """Return a quantile of each group, equal to `numpy.quantile` to the last bit.

    The formula is numpy's. Between two neighbours a and b with weight w it is a + (b - a) w if w <
    1/2, and b - (b - a)(1 - w) otherwise.
    """
    last = segments.sizes - 1
    position = last * level
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, last)
    weight = position - below
    first = segments.offsets[:-1]
    return _interpolate(segments.values[first + below], segments.values[first + above], weight)


def _neighbours(size: int, level: float) -> tuple[int, int]:
    """Return the two order statistics between which the quantile lies."""
    below = math.floor((size - 1) * level)
    return below, min(below + 1, size - 1)


def top_k(segments: Segments, k: int) -> FloatArray:
    """Return the mean of the ``k`` largest scores of each group, or of all if there are fewer."""
    stops, kept = segments.offsets[1:], np.minimum(segments.sizes, min(k, segments.values.size))
    return _means(segments.values, stops - kept, stops)


def fraction_above(segments: Segments, cut: float) -> FloatArray:
    """Return the share of each group's scores that lie strictly above ``cut``."""
    above = (segments.values > cut).astype(np.int64)
    return np.add.reduceat(above, segments.offsets[:-1]) / segments.sizes


def noisy_or(segments: Segments) -> FloatArray:
    """Return 1 - prod(1 - p): the probability of at least one positive, if independent."""
    low, high = segments.values.min(), segments.values.max()
    if low < 0 or high > 1:
        raise BadOption(
            f"noisy-or needs scores from 0 to 1; these run from {low:g} to {high:g}. "
            "Choose another aggregator, or turn the scores into probabilities."
        )
    return np.array([noisy_or_of(sorted(group.tolist())) for group in segments.split()])


def trimmed_mean(segments: Segments, share: float) -> FloatArray:
    """Return the mean of each group without ``int(share * n)`` scores at each end.

    `scipy.stats.trim_mean` uses the same convention.
    """
    cut = (share * segments.sizes).astype(np.int64)
    starts, stops = segments.offsets[:-1] + cut, segments.offsets[1:] - cut
    return _means(segments.values, starts, stops)


def _means(values: FloatArray, starts: IntArray, stops: IntArray) -> FloatArray:
    sizes = stops - starts
    offsets = offsets_of(sizes)
    taken = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
    return exact_sums(values[taken], offsets) / sizes


def _interpolate(low: FloatArray, high: FloatArray, weight: FloatArray) -> FloatArray:
    gap = high - low
    return np.where(weight < 0.5, low + gap * weight, high - gap * (1 - weight))  # noqa: PLR2004


def _from_function(function: Callable[[FloatArray], Any]) -> Aggregator:
    name = getattr(function, "__name__", type(function).__name__)

    def kernel(segments: Segments) -> FloatArray:
        return np.array([_one_number(name, function(group)) for group in segments.split()])

    # A user's function may be called mean. The frozen rule must not mistake it for ours.
    return Aggregator(name=f"callable:{name}", kernel=kernel)


def _one_number(name: str, value: object) -> float:
    number = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    if not isinstance(number, Real) or not math.isfinite(number):
        text = f"{number}" if isinstance(number, Real) else f"a {type(number).__name__}"
        msg = f"aggregator {name!r} must return one finite number per group; it returned {text}."
        raise BadOption(msg)
    return float(number)


# The registry: names, numbers and allowed values ------------------------------------------


def _no_place(*_: object) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Family:
    """One entry of the registry: an aggregator whose number is not yet known.

    Parameters
    ----------
    function
        Takes the segments, and the number if there is one. Returns one value per group.
    places
        Takes the size of a group, and the number if there is one. Returns which order statistics
        ``function`` reads.
    words
        The description in reports. ``{inner}`` stands for the values, ``{number}`` for the number.
    letter
        The placeholder of the number in lists of names; empty if there is no number.
    rule
        Which numbers ``rule_reader.AGGREGATORS`` allows, in words.
    """

    function: Callable[..., FloatArray]
    places: Callable[..., tuple[int, ...]]
    words: str
    letter: str = ""
    rule: str = "a finite number"

    def spelled(self, name: str) -> str:
        """Return the name with its letter, such as ``quantile:Q``."""
        return f"{name}:{self.letter}" if self.letter else name

    def bind(self, name: str, how: str, number: str) -> Aggregator:
        """Return the aggregator with its number."""
        if not self.letter:
            if how != name:
                raise BadOption(f"{name} takes no number; got {how!r}. Write {name!r}.")
            return Aggregator(name=how, kernel=self.function, places=self.places)
        value = _allowed(name, number)
        if value is None:
            msg = f"{self.spelled(name)} needs {self.letter} to be {self.rule}; got {how!r}."
            raise BadOption(msg)
        return Aggregator(
            name=how,
            kernel=lambda segments: self.function(segments, value),
            places=lambda size: self.places(size, value),
        )


def _allowed(name: str, number: str) -> float | None:
    """Return a number that the rule reader takes too; None if it does not."""
    _, read, allows = READER[name]
    try:
        value: float = read(number)
    except ValueError:
        return None
    return value if allows(value) else None


AGGREGATORS = {
    "mean": Family(mean, _no_place, "the mean of {inner}"),
    "median": Family(median, lambda size: ((size - 1) // 2, size // 2), "the median of {inner}"),
    "max": Family(maximum, lambda size: (size - 1,), "the largest value of {inner}"),
    "min": Family(minimum, lambda _: (0,), "the smallest value of {inner}"),
    "quantile": Family(
        quantile, _neighbours, "the {number} quantile of {inner}", "Q", "a number from 0 to 1"
    ),
    "top-k": Family(
        top_k,
        lambda size, k: (size - k,) if k < size else (),
        "the mean of the {number} largest values of {inner}",
        "K",
        "a whole number of at least 1",
    ),
    "fraction-above": Family(
        fraction_above, _no_place, "the share of values of {inner} above {number}", "X"
    ),
    "noisy-or": Family(noisy_or, _no_place, "the noisy-or of {inner}"),
    "trimmed-mean": Family(
        trimmed_mean,
        lambda size, share: (int(share * size), size - 1 - int(share * size)),
        "the mean of {inner} without the outer {number} of the values at either end",
        "X",
        "a number from 0 up to, but not, 0.5",
    ),
}

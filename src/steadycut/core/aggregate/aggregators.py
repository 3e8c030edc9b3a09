"""Instance scores -> one score a patient, to the last bit independent of the order of rows.

An aggregator turns the scores of a group into one number. Groups nest: tiles into slides,
slides into patients. Every aggregator works on `Segments`, where the order statistics that it
reads stand in their places, so that it never sees the order in which rows came; sums are
correctly rounded (`core.exact_sums`), so that they do not depend on an order either.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from steadycut.core.aggregate.exact_sums import exact_sums
from steadycut.core.checks import FloatArray, IntArray, read_only, shown
from steadycut.errors import BadOption

LARGEST_TRIM = 0.5
# Below this many values it takes less time to sort all than to find some.
FEW_TO_SORT = 64


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Segments:
    """Scores of several groups, one group after the other, ascending within each.

    ``offsets`` has one entry more than there are groups: group ``g`` holds
    ``values[offsets[g]:offsets[g + 1]]``, and no group is empty. Made for some aggregators by
    `order_grouped`, a group is ascending only as far as these can tell: what they read stands in
    its place, smaller scores before it and larger ones behind.
    """

    values: FloatArray
    offsets: IntArray

    @property
    def sizes(self) -> IntArray:
        """How many scores each group holds."""
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

    ``places`` tells, for the size of a group, which order statistics the kernel reads, counted
    from 0; None stands for all.

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
        """Return one number a group."""
        return self.kernel(segments)


def parse_aggregator(how: How) -> Aggregator:
    """Return the aggregator that ``how`` names, or the one that wraps a function.

    Parameters
    ----------
    how
        One of the names in `aggregator_names`, such as ``"mean"`` or ``"quantile:0.9"``; or a
        function of a group's scores, in ascending order, that returns one finite number; it is
        named ``callable:NAME``, which is the name of no aggregator.

    Raises
    ------
    BadOption
        If no aggregator has this name, or its number lies outside what it allows.

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
        msg = f"an aggregator must be one of {', '.join(aggregator_names())}; got {shown(how)}."
        raise BadOption(msg)
    return family.bind(family_name, how, number)


def aggregator_names() -> tuple[str, ...]:
    """Return every aggregator as it is written, with a letter where it needs a number.

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
    """Order ``values``, which stand group by group already, in place within each group.

    Parameters
    ----------
    values
        Finite scores, shape (n,); they are changed.
    offsets
        Where groups begin and, last, where all end.
    aggregators
        Who will read the groups: no more is put in order than these need. None sorts.

    Examples
    --------
    >>> order_grouped(np.array([0.4, 0.9, 0.1]), np.array([0, 1, 3])).values
    array([0.4, 0.1, 0.9])
    """
    # Adding 0.0 turns negative zero into zero: the two compare as equal, so that their order
    # in a sort, and with it the sign of a maximum, would depend on the order of rows.
    values += 0.0
    sizes = np.diff(offsets)
    places = {size: _places_read(size, aggregators) for size in np.unique(sizes).tolist()}
    for start, size in zip(offsets[:-1].tolist(), sizes.tolist(), strict=True):
        _put_in_order(values[start : start + size], places[size])
    return Segments(values=read_only(values), offsets=read_only(offsets))


def _places_read(size: int, aggregators: Sequence[Aggregator] | None) -> list[int] | None:
    """Return which places of a group must be right; None stands for all."""
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
    """Return where groups of these sizes begin and, last, where all end.

    Examples
    --------
    >>> offsets_of(np.array([1, 2]))
    array([0, 1, 3])
    """
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def nest(patients: IntArray, levels: Sequence[IntArray]) -> tuple[IntArray, ...]:
    """Return, step by step from rows to patients, which group each member belongs to.

    Parameters
    ----------
    patients
        Patient of each row, shape (n,), whole numbers from 0 without gaps.
    levels
        Code of each row in each level, innermost first. Codes need to tell groups apart only
        inside the same patient and the same outer levels: slide 1 of patient 0 and slide 1 of
        patient 1 are two slides.

    Returns
    -------
    tuple of arrays
        The first has one entry a row, each next one entry a group of the step before; the
        last holds patients.

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


def patient_segments(
    steps: Sequence[IntArray], values: FloatArray, aggregators: Sequence[Aggregator]
) -> Segments:
    """Return the values that reach each patient after all inner levels.

    Parameters
    ----------
    steps
        What `nest` returns: one step a level, then patients.
    values
        Score of each row, shape (n,).
    aggregators
        One a level, innermost first; one fewer than ``steps``.

    Examples
    --------
    >>> steps = nest(np.array([0, 0, 0]), [np.array([0, 0, 1])])
    >>> patient_segments(steps, np.array([0.2, 0.8, 0.5]), [parse_aggregator("max")]).values
    array([0.5, 0.8])
    """
    for groups, aggregator in zip(steps[:-1], aggregators, strict=True):
        values = aggregator(sort_segments(groups, values))
    return sort_segments(steps[-1], values)


def aggregate_chain(
    patients: IntArray, levels: Sequence[IntArray], values: FloatArray, chain: Sequence[How]
) -> tuple[FloatArray, IntArray]:
    """Return one score a patient, and how many rows each patient has.

    Parameters
    ----------
    patients
        Patient of each row, shape (n,), whole numbers from 0 without gaps.
    levels
        Code of each row in each level, innermost first, as in ``Recipe.levels``.
    values
        Score of each row, shape (n,), all of them finite.
    chain
        One aggregator a level, innermost first, and last the one over a patient.

    Notes
    -----
    The aggregator A of the paper's problem setup, nested. The result does not depend on the
    order of rows, to the last bit.

    Examples
    --------
    Two slides, the largest tile of each, then their mean:

    >>> scores, n_instances = aggregate_chain(
    ...     np.array([0, 0, 0]), [np.array([0, 0, 1])], np.array([0.25, 0.75, 0.5]), ["max", "mean"]
    ... )
    >>> scores, n_instances
    (array([0.625]), array([3]))
    """
    *inner, last = [parse_aggregator(how) for how in chain]
    segments = patient_segments(nest(patients, levels), values, inner)
    return last(segments), np.bincount(patients)


# One function an aggregator --------------------------------------------------------------


def mean(segments: Segments) -> FloatArray:
    """Return the mean of each group: the correctly rounded sum, then one division.

    Equal to `statistics.fmean` to the last bit.
    """
    return exact_sums(segments.values, segments.offsets) / segments.sizes


def median(segments: Segments) -> FloatArray:
    """Return the median of each group, as `numpy.median` computes it."""
    first, sizes = segments.offsets[:-1], segments.sizes
    below, above = first + (sizes - 1) // 2, first + sizes // 2
    middle: FloatArray = (segments.values[below] + segments.values[above]) / 2
    return middle


def maximum(segments: Segments) -> FloatArray:
    """Return the largest score of each group."""
    return segments.values[segments.offsets[1:] - 1]


def minimum(segments: Segments) -> FloatArray:
    """Return the smallest score of each group."""
    return segments.values[segments.offsets[:-1]]


def quantile(segments: Segments, level: float) -> FloatArray:
    """Return a quantile of each group, equal to `numpy.quantile` to the last bit.

    Numpy's formula: between neighbours a and b at weight w, a + (b - a) w below one half and
    b - (b - a)(1 - w) from there on.
    """
    last = segments.sizes - 1
    position = last * level
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, last)
    weight = position - below
    first = segments.offsets[:-1]
    return _interpolate(segments.values[first + below], segments.values[first + above], weight)


def _neighbours(size: int, level: float) -> tuple[int, int]:
    """Return which order statistics a quantile lies between."""
    below = math.floor((size - 1) * level)
    return below, min(below + 1, size - 1)


def top_k(segments: Segments, k: int) -> FloatArray:
    """Return the mean of the ``k`` largest scores of each group; of all, if there are fewer."""
    stops, kept = segments.offsets[1:], np.minimum(segments.sizes, min(k, segments.values.size))
    return _means(segments.values, stops - kept, stops)


def fraction_above(segments: Segments, cut: float) -> FloatArray:
    """Return the share of each group's scores that lie strictly above ``cut``."""
    above = (segments.values > cut).astype(np.int64)
    return np.add.reduceat(above, segments.offsets[:-1]) / segments.sizes


def noisy_or(segments: Segments) -> FloatArray:
    """Return 1 - prod(1 - p) of each group: at least one instance is positive, if independent."""
    low, high = segments.values.min(), segments.values.max()
    if low < 0 or high > 1:
        msg = (
            f"noisy-or needs scores from 0 to 1; these run from {low:g} to {high:g}. "
            "Choose another aggregator, or turn the scores into probabilities."
        )
        raise BadOption(msg)
    return np.array([_noisy_or(group.tolist()) for group in segments.split()])


def trimmed_mean(segments: Segments, share: float) -> FloatArray:
    """Return each group's mean without ``int(share * n)`` scores at either end.

    The convention of `scipy.stats.trim_mean`.
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


def _noisy_or(group: list[float]) -> float:
    if max(group) == 1:
        return 1.0
    # Adding 0.0 turns the negative zero of an all-zero group into zero.
    return -math.expm1(math.fsum(math.log1p(-p) for p in group)) + 0.0


def _from_function(function: Callable[[FloatArray], Any]) -> Aggregator:
    name = getattr(function, "__name__", type(function).__name__)

    def kernel(segments: Segments) -> FloatArray:
        return np.array([_one_number(name, function(group)) for group in segments.split()])

    # One's own function may be named mean; a rule must not be frozen as if it were ours.
    return Aggregator(name=f"callable:{name}", kernel=kernel)


def _one_number(name: str, value: object) -> float:
    number = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    if not isinstance(number, Real) or not math.isfinite(number):
        shown = f"{number}" if isinstance(number, Real) else f"a {type(number).__name__}"
        msg = f"aggregator {name!r} must return one finite number a group; it returned {shown}."
        raise BadOption(msg)
    return float(number)


# The registry: names, numbers and what those allow ---------------------------------------


def _no_place(*_: object) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One entry of the registry: an aggregator before its number is known.

    Parameters
    ----------
    function
        Takes the segments, and the number if there is one; returns one value per group.
    places
        Takes the size of a group, and the number if there is one; returns which order statistics
        ``function`` reads.
    words
        What reports call it. ``{inner}`` stands for the values, ``{number}`` for the number.
    letter
        Stands for the number where names are listed; empty without a number.
    read, allows, rule
        How the number is read, whether it is allowed, and that rule in words.
    """

    function: Callable[..., FloatArray]
    places: Callable[..., tuple[int, ...]]
    words: str
    letter: str = ""
    read: Callable[[str], Any] = float
    allows: Callable[[Any], bool] = math.isfinite
    rule: str = "a finite number"

    def spelled(self, name: str) -> str:
        """Return the name with its letter, such as ``quantile:Q``."""
        return f"{name}:{self.letter}" if self.letter else name

    def bind(self, name: str, how: str, number: str) -> Aggregator:
        """Return the aggregator with its number."""
        if not self.letter:
            if how != name:
                msg = f"{name} takes no number; got {how!r}. Write {name!r}."
                raise BadOption(msg)
            return Aggregator(name=how, kernel=self.function, places=self.places)
        value = self._value(number)
        if value is None:
            msg = f"{self.spelled(name)} needs {self.letter} to be {self.rule}; got {how!r}."
            raise BadOption(msg)
        return Aggregator(
            name=how,
            kernel=lambda segments: self.function(segments, value),
            places=lambda size: self.places(size, value),
        )

    def _value(self, number: str) -> float | None:
        try:
            value: float = self.read(number)
        except ValueError:
            return None
        return value if self.allows(value) else None


AGGREGATORS = {
    "mean": Family(function=mean, places=_no_place, words="the mean of {inner}"),
    "median": Family(
        function=median,
        places=lambda size: ((size - 1) // 2, size // 2),
        words="the median of {inner}",
    ),
    "max": Family(
        function=maximum,
        places=lambda size: (size - 1,),
        words="the largest value of {inner}",
    ),
    "min": Family(function=minimum, places=lambda _: (0,), words="the smallest value of {inner}"),
    "quantile": Family(
        function=quantile,
        places=_neighbours,
        words="the {number} quantile of {inner}",
        letter="Q",
        allows=lambda level: 0 <= level <= 1,
        rule="a number from 0 to 1",
    ),
    "top-k": Family(
        function=top_k,
        places=lambda size, k: (size - k,) if k < size else (),
        words="the mean of the {number} largest values of {inner}",
        letter="K",
        read=int,
        allows=lambda k: k >= 1,
        rule="a whole number of at least 1",
    ),
    "fraction-above": Family(
        function=fraction_above,
        places=_no_place,
        words="the share of values of {inner} above {number}",
        letter="X",
    ),
    "noisy-or": Family(function=noisy_or, places=_no_place, words="the noisy-or of {inner}"),
    "trimmed-mean": Family(
        function=trimmed_mean,
        places=lambda size, share: (int(share * size), size - 1 - int(share * size)),
        words="the mean of {inner} without the outer {number} of the values at either end",
        letter="X",
        allows=lambda share: 0 <= share < LARGEST_TRIM,
        rule="a number from 0 up to, but not, 0.5",
    ),
}

"""Correctly rounded sums: the order of the values does not change the last bit."""

import math
from collections.abc import Iterator

import numpy as np

from steadycut.core.checks import FloatArray, IntArray

# For fewer values `math.fsum` is faster than numpy. The result is the same.
FEW_VALUES = 400
BLOCK = 1 << 16
MANTISSA = 53
LARGEST_EXPONENT = 1020


def exact_sum(values: FloatArray) -> float:
    """Return the correctly rounded sum of finite values: a faster `math.fsum` for many values.

    Parameters
    ----------
    values
        Shape (n,). The order does not matter, not even for the last bit.

    Notes
    -----
    Take a power of two above n times the largest value. Adding and subtracting it splits each value
    into a high part, which is a multiple of a common unit, and a rest. The high parts add up
    without rounding, in any order. What remains after three such splits is summed by `math.fsum`.

    References
    ----------
    S. M. Rump, T. Ogita, S. Oishi (2008). Accurate floating-point summation, part I. SIAM Journal
    on Scientific Computing 31(1).

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 200))
    200.0
    """
    if values.size < FEW_VALUES:
        return math.fsum(values.tolist())
    numbers: list[float] = []
    for start in range(0, values.size, BLOCK):
        parts, rest = _cut(values[start : start + BLOCK], np.zeros(1, dtype=np.int64))
        numbers += [*np.concatenate(parts).tolist(), *rest[rest != 0].tolist()]
    return math.fsum(numbers)


def exact_sums(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the sum of each group of values, rounded as `exact_sum` does.

    Parameters
    ----------
    values
        Finite values, shape (n,).
    offsets
        The start of each group and, as last entry, the end of the last group. No group is empty.

    Examples
    --------
    >>> exact_sums(np.array([0.5, 0.25, 1.0]), np.array([0, 2, 3]))
    array([0.75, 1.  ])
    """
    sums = np.empty(offsets.size - 1)
    for groups, rows in blocks_of(offsets):
        sums[groups] = _block_sums(values[rows], offsets[groups] - rows.start)
    return sums


def blocks_of(offsets: IntArray) -> Iterator[tuple[slice, slice]]:
    """Yield groups and their rows in blocks that fit into the processor's cache.

    Examples
    --------
    >>> list(blocks_of(np.array([0, 2, 3])))
    [(slice(0, 2, None), slice(0, 3, None))]
    """
    first = 0
    while first < offsets.size - 1:
        reached = int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1
        last = max(reached, first + 1)
        yield slice(first, last), slice(int(offsets[first]), int(offsets[last]))
        first = last


def _block_sums(values: FloatArray, starts: IntArray) -> FloatArray | list[float]:
    """Return the sums of the groups in one block."""
    if starts.size > 1:
        parts, rest = _cut(values, starts)
        if not rest.any():
            return _added(parts)
    return [exact_sum(group) for group in np.split(values, starts[1:])]


def _added(parts: list[FloatArray]) -> FloatArray | list[float]:
    """Return the sums of several parts, rounded once."""
    if len(parts) <= 2:  # noqa: PLR2004 (one addition rounds once)
        return sum(parts[1:], parts[0])
    return [math.fsum(numbers) for numbers in zip(*(part.tolist() for part in parts), strict=True)]


def _cut(values: FloatArray, starts: IntArray) -> tuple[list[FloatArray], FloatArray]:
    """Return exact sums of the high parts of each group, and what is left of the values."""
    bits = int(np.diff(starts, append=values.size).max()).bit_length()
    exponent = math.frexp(float(np.abs(values).max()))[1] + bits
    parts, rest = [np.zeros(starts.size)], values
    if exponent > LARGEST_EXPONENT:
        return parts, rest
    parts = []
    for _ in range(3):
        anchor = math.ldexp(1.5, exponent)
        high = (rest + anchor) - anchor
        parts.append(np.add.reduceat(high, starts))
        rest = rest - high
        if not rest.any():
            break
        exponent += bits - MANTISSA
    return parts, rest

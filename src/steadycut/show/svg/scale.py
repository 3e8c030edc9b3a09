"""One axis of a drawing: its limits, its ticks, and where values lie on it."""

import math
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray

# Distances between ticks, up to a power of ten.
STEPS = (1, 2, 2.5, 5, 10)
# Limits that are closer, relative to their size, count as equal.
TINY = 1e-13
# The room on either side of values that are all the same, relative to their size.
ROOM = 0.05
# Ticks outside these sizes are written with an exponent.
SMALL_STEP, LARGE_VALUE = 1e-4, 1e6


class Share(tuple[float, ...]):
    """Places as shares of the length of an axis, not in its units."""

    __slots__ = ()


class Scale:
    """What an axis has seen, and what was set: limits, ticks, label. ``ends`` are in points."""

    def __init__(self) -> None:
        self.seen: list[float] = []
        self.given: tuple[float | None, float | None] = (None, None)
        self.given_ticks: tuple[FloatArray, list[str]] | None = None
        self.ends = (0.0, 1.0)
        self.label = ""
        self.whole_numbers = False

    def see(self, values: Any) -> None:
        """Make room for values; shares of the axis need none."""
        if not isinstance(values, Share):
            numbers = np.asarray(values, dtype=np.float64)
            finite = numbers[np.isfinite(numbers)]
            self.seen += [float(finite.min()), float(finite.max())] if finite.size else []

    def limits(self) -> tuple[float, float]:
        """Return the values at both ends: those given, otherwise those seen and a margin."""
        low, high = min(self.seen, default=0.0), max(self.seen, default=1.0)
        margin = ROOM * (high - low)
        low = low - margin if self.given[0] is None else self.given[0]
        high = high + margin if self.given[1] is None else self.given[1]
        if abs(high - low) <= TINY * max(abs(low), abs(high)):
            room = ROOM * abs(low) or ROOM
            return low - room, high + room
        return low, high

    def place(self, values: Any) -> FloatArray:
        """Return where values lie, in points."""
        shares = np.array(values, dtype=np.float64)
        if not isinstance(values, Share):
            low, high = self.limits()
            shares = (shares - low) / (high - low)
        start, end = self.ends
        return start + (end - start) * shares

    def ticks(self, most: int) -> tuple[FloatArray, list[str]]:
        """Return the ticks with their labels: those given, or at most ``most`` and one more."""
        if self.given_ticks is not None:
            return self.given_ticks
        low, high = sorted(self.limits())
        step = nice_step((high - low) / most)
        if self.whole_numbers:
            step = max(round(step), 1)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        ticks = step * np.arange(first, last + 1, dtype=np.float64)
        return ticks, tick_labels(ticks, step)


def nice_step(least: float) -> float:
    """Return a round distance between ticks that is at least ``least``.

    Examples
    --------
    >>> nice_step(0.07), nice_step(0.21), nice_step(3)
    (0.1, 0.25, 5.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in STEPS if factor * power >= least * (1 - 1e-9))


def tick_labels(ticks: FloatArray, step: float) -> list[str]:
    """Write ticks with as many digits as their distance needs.

    Examples
    --------
    >>> tick_labels(np.array([0, 0.25]), 0.25), tick_labels(np.array([1e7, 3e7]), 1e7)
    (['0.00', '0.25'], ['1e+07', '3e+07'])
    """
    largest = float(np.abs(ticks).max(initial=step))
    form = f".{len(f'{step:.8f}'.rstrip('0').partition('.')[2])}f"
    if step < SMALL_STEP or largest >= LARGE_VALUE:
        form = f".{math.floor(math.log10(largest / step)) + 2}g"
    return [f"{tick:{form}}".replace("-", "\N{MINUS SIGN}") for tick in ticks.tolist()]

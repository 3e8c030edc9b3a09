"""Two answers to one question, and whether they are the same."""

from collections import Counter
from math import inf, isnan

# How many pairs of answers were looked at in this process.
LOOKED_AT = Counter()


def is_near(got, want, relative=0.0, absolute=0.0):
    """Return whether two numbers differ by no more than rounding; None only equals None."""
    if got is None or want is None:
        return got is None and want is None
    got, want = float(got), float(want)
    if isnan(got) or isnan(want) or inf in {abs(got), abs(want)}:
        return got == want
    return abs(got - want) <= max(relative * max(abs(got), abs(want)), absolute)


def differ(what, got, want, relative=0.0, absolute=0.0):
    """Yield one line where the product's answer is not the reference's."""
    LOOKED_AT["pairs"] += 1
    if not is_near(got, want, relative, absolute):
        yield f"{what}: steadycut {got!r}, reference {want!r}"


def all_differ(what, got, want, relative=0.0, absolute=0.0):
    """Yield one line a place where two lists of numbers are not the same."""
    got, want = list(got), list(want)
    yield from differ(f"length of {what}", len(got), len(want))
    for place, pair in enumerate(zip(got, want, strict=False)):
        yield from differ(f"{what} {place}", *pair, relative, absolute)

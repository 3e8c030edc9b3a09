"""The scan over arcs by its definition: all orders of few points, all arcs, all grid paths."""

from itertools import product
from math import comb


def chance_by_orders(n, costs, length, spent):
    """Return the probability that some arc of cost ``length`` has errors of cost at most ``spent``.

    Every point is on the left, on the right or elsewhere, and those near 0 come in some order: each
    sequence of sides and each number of points is taken by itself.
    """
    miss, alarm = costs
    left, right = length / miss, length / alarm
    found = 0.0
    for near in range(n + 1):
        for sides in product("LR", repeat=near):
            ill = sides.count("L")
            errors = [alarm * (near - ill)]
            for side in sides:
                errors.append(errors[-1] + (miss if side == "L" else -alarm))
            if min(errors) <= spent + 1e-9:
                order = left**ill * right ** (near - ill)
                found += comb(n, near) * order * (1 - left - right) ** (n - near)
    return found


def fewest_on_an_arc(points, length):
    """Return the fewest of some points on a circle that an arc through 0 has, of all such arcs."""
    starts = [0.0, *(p - 1 for p in points if p > 1 - length), *(p - length for p in points)]
    # An arc is open: it loses the points at its ends.
    return min(
        sum(p < start + length - 1e-12 or p > 1 + start + 1e-12 for p in points)
        for start in starts
        if -length <= start <= 0
    )


def worst_path(n, cells, levels):
    """Return the largest probability, of all monotone paths on a grid, that the limits fail.

    With k errors the limit is ``levels[k] / cells``. A place (a, b) of the path fails if a cell
    less reaches it: the path itself lies up to one cell further out on either side.
    """
    top = levels[-1] - 1
    start = {(j, 0, j): _binomial(n, j, top / cells) for j in range(n + 1)}

    def reach(a, b, states, lost):
        bar = max((k for k, level in enumerate(levels) if level - 1 <= a + b), default=-1)
        lost += sum(p for (_, i, j), p in states.items() if i + j <= bar)
        states = {key: p for key, p in states.items() if key[1] + key[2] > bar}
        if (a, b) == (top, 0):
            return lost
        found = []
        if a < top and a + b < top:
            found.append(reach(a + 1, b, _gain(states, n, 1 / (cells - top - a)), lost))
        if b:
            found.append(reach(a, b - 1, _lose(states, 1 / b), lost))
        return max(found)

    return reach(0, top, start, 0.0)


def _gain(states, n, p):
    after = {}
    for (right, i, j), weight in states.items():
        for more in range(n - right - i + 1):
            key = right, i + more, j
            after[key] = after.get(key, 0.0) + weight * _binomial(n - right - i, more, p)
    return after


def _lose(states, p):
    after = {}
    for (right, i, j), weight in states.items():
        for fewer in range(j + 1):
            key = right, i, j - fewer
            after[key] = after.get(key, 0.0) + weight * _binomial(j, fewer, p)
    return after


def _binomial(n, k, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k)

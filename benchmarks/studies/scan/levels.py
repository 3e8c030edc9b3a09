"""Limits of the risk that hold at every cut at once: the numbers of ``scan_levels.json``.

For n patients and errors of cost T (in units of the smaller cost) the limit is K / N, where N cells
make one unit. The levels K begin as the exact limits for one target (a flat risk) at delta' = c
sqrt(u / the largest u); ``game.cpp`` then computes an upper bound on the probability that they fail
at any cut of any score. c is lowered until that bound is below delta (docs/theory/bounds.md, "The
scan"). Costs 1:1 and 5:1, delta 0.1. This takes hours. It needs g++.

Run as ``python benchmarks/studies/scan/levels.py [N ...]``; it writes
``benchmarks/results/scan_levels.json`` with every bound, adding to what is there, and copies the
levels to ``src/steadycut/core/bounds/scan_levels.json``.
"""

import json
import subprocess
import sys
import tempfile
from functools import cache
from math import log, sqrt
from pathlib import Path

from steadycut.core.bounds.scan import LEFT, _of_all, _walk_chance, arc_chance

HERE = Path(__file__).parent
RESULT = HERE.parents[1] / "results" / "scan_levels.json"
PACKAGE = HERE.parents[2] / "src/steadycut/core/bounds/scan_levels.json"
DELTA, TRIES = 0.1, 4
FEW = (*range(11, 31), *range(32, 47, 2), *range(50, 101, 5), 110, 120, 135)
# By the ratio of the costs.
SIZES = {1: FEW, 5: (*range(20, 51, 5), *range(60, 101, 10))}


def grain(n):
    """Return the cells per patient: fewer where the game is large."""
    return next(
        cells for most, cells in ((30, 16), (42, 8), (60, 5), (104, 4), (999, 3)) if n <= most
    )


@cache
def chance(n, ratio, length, spent):
    if ratio == 1:
        return arc_chance(n, length, spent)
    return _walk_chance(_of_all(n, length / ratio, length), (float(ratio), 1.0), spent)


def levels_of(n, ratio, cells, c):
    """Return the errors and the cells of every level."""
    top = int(cells * ratio / (1 + ratio))
    stride, levels, least, spent = 1 if ratio == 1 or n <= 60 else 2, [], 1, 0
    while least <= top:
        low, high = least, top + 1
        while low < high:
            middle = (low + high) // 2
            if chance(n, ratio, middle / cells, spent) <= c * sqrt(middle / top):
                high = middle
            else:
                low = middle + 1
        if low > top:
            break
        levels.append((spent, low))
        least, spent = low + 1, spent + stride
    return levels


def failing(game, n, cells, ratio, levels):
    """Return an upper bound on the probability that some cut has a risk above its limit."""
    text = "\n".join(f"{spent} {level}" for spent, level in levels)
    command = [game, str(n), str(cells), str(ratio), "1"]
    return float(
        subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    )


def solve(game, n, ratio, c):
    """Return the largest levels that were found to hold."""
    cells, best = n * grain(n), None
    for _ in range(TRIES):
        levels = levels_of(n, ratio, cells, c)
        if not levels:
            return best
        bound = failing(game, n, cells, ratio, levels)
        print(ratio, n, cells, c, bound, flush=True)
        if bound <= DELTA * (1 - LEFT) and (best is None or bound > best["bound"]):
            best = {"cells": cells, "c": c, "bound": bound, "levels": levels}
        if best is not None and best["bound"] > 0.97 * DELTA:
            break
        c *= 0.991 * DELTA / bound
    return best


def nearest(known, n):
    """Return where to begin: at the c of the nearest size."""
    if not known:
        return 0.08
    size = min(map(int, known), key=lambda other: abs(log(other / n)))
    return known[str(size)]["c"] * (size / n) ** 0.2


def in_package(known):
    """Return the levels as the package reads them: one for each cost of the errors."""
    rows = {}
    for n in sorted(known, key=int):
        row = [known[n]["cells"]]
        for spent, level in known[n]["levels"]:
            row += [level] * (spent + 2 - len(row))
        rows[n] = row
    return rows


def write(tables):
    """Write both files."""
    RESULT.write_text(
        json.dumps(tables, indent=None).replace('"bound"', '\n"bound"') + "\n", "utf-8"
    )
    plain = [
        {"delta": DELTA, "ratio": int(one), "levels": in_package(tables[one])} for one in tables
    ]
    text = json.dumps({"made_by": "benchmarks/studies/scan/levels.py", "tables": plain})
    PACKAGE.write_text(text.replace('], "', '],\n"') + "\n", "utf-8")


def main():
    asked = list(map(int, sys.argv[1:]))
    tables = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        game = f"{folder}/game"
        command = ["g++", "-Ofast", "-march=native", "-o", game, str(HERE / "game.cpp")]
        subprocess.run(command, check=True)
        for ratio, sizes in SIZES.items():
            known = tables.setdefault(str(ratio), {})
            for n in (n for n in asked or sizes if str(n) not in known):
                if found := solve(game, n, ratio, nearest(known, n)):
                    known[str(n)] = found
                    write(tables)
                chance.cache_clear()
    write(tables)


if __name__ == "__main__":
    main()

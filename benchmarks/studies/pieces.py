"""Run a simulation in pieces, go on where it was stopped, and store what it found.

A study has settings with names. A piece is some replicates of one setting, with random numbers that
depend only on the seed, the name and the number of the piece. Finished pieces are kept as lines of
``build/pieces/NAME.jsonl``, so the same command goes on after a stop, and a larger number of
replicates only adds pieces. After a change to the code, start anew with ``--fresh``.
"""

import argparse
import json
import math
import zlib
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "benchmarks" / "results"


@dataclass(frozen=True)
class Mean:
    """The mean of some values, the standard error of the mean, and their number."""

    count: int
    total: float
    squares: float

    @property
    def mean(self):
        return self.total / self.count if self.count else math.nan

    @property
    def error(self):
        spread = max(self.squares / self.count - self.mean**2, 0.0)
        return math.sqrt(spread / self.count)


def pooled(means):
    """Return the mean of all values of several means."""
    parts = [(one.count, one.total, one.squares) for one in means]
    return Mean(*(sum(part) for part in zip(*parts, strict=True)))


def options(name, text, replicates, seed, **more):
    """Return what was typed: replicates, seed, jobs and where to write; ``more`` has defaults."""
    parser = argparse.ArgumentParser(description=text.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=replicates)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fresh", action="store_true", help="do not use stored pieces")
    parser.add_argument("--out", type=Path, default=RESULTS / f"{name}.json")
    kept = REPOSITORY / "build" / "pieces" / f"{name}.jsonl"
    parser.add_argument("--pieces", type=Path, default=kept)
    for option, default in more.items():
        parser.add_argument(f"--{option}", nargs="+", type=type(default[0]), default=default)
    return parser.parse_args()


@dataclass(frozen=True)
class OneByOne:
    """Make a piece of a function of a setting and random numbers that returns named values."""

    one: Callable

    def __call__(self, setting, rng, n):
        found = defaultdict(list)
        for _ in range(n):
            for name, value in self.one(*setting, rng).items():
                found[name].append(value)
        return found


def run_piece(piece, key, setting, n):
    """Return number, sum and sum of squares of every named value; nan and None do not count."""
    seed, name, place = key[:3]
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), place])
    found = {}
    for what, values in piece(setting, rng, n).items():
        known = np.asarray(values, dtype=float).ravel()
        known = known[~np.isnan(known)]
        found[what] = [known.size, float(known.sum()), float((known**2).sum())]
    return found


def read_pieces(path):
    """Return the finished pieces of a file; a line that was not written to its end is left out."""
    done = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            key, found = json.loads(line)
        except ValueError:
            continue
        done[tuple(key)] = found
    return done


def means_of(settings, piece, asked, size=100, fewer=lambda _: 1):
    """Return the `Mean` of every named value in every setting.

    ``settings`` maps names to what ``piece(setting, rng, n)`` takes. ``size`` replicates make a
    piece. A setting has ``fewer(setting)`` times fewer replicates than were asked for.
    """
    jobs = [
        ((asked.seed, name, place, n), setting)
        for name, setting in settings.items()
        for place, n in enumerate(_sizes(math.ceil(asked.replicates / fewer(setting)), size))
    ]
    if asked.fresh:
        asked.pieces.unlink(missing_ok=True)
    done = read_pieces(asked.pieces)
    todo = [(piece, key, setting, key[3]) for key, setting in jobs if key not in done]
    asked.pieces.parent.mkdir(parents=True, exist_ok=True)
    with asked.pieces.open("a", encoding="utf-8") as file:
        file.write("\n")  # ends a line that was torn
        for (_, key, *_), found in zip(todo, _each(todo, asked.jobs), strict=True):
            file.write(json.dumps([key, found]) + "\n")
            file.flush()
            done[key] = found
    sums = {name: {} for name in settings}
    for key, _ in jobs:
        for what, new in done[key].items():
            old = sums[key[1]].get(what, (0, 0.0, 0.0))
            sums[key[1]][what] = tuple(a + b for a, b in zip(old, new, strict=True))
    return {name: {what: Mean(*s) for what, s in found.items()} for name, found in sums.items()}


def _sizes(replicates, size):
    return [size] * (replicates // size) + [replicates % size] * bool(replicates % size)


def _each(todo, jobs):
    if jobs == 1:
        yield from starmap(run_piece, todo)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run_piece, *zip(*todo, strict=True))


def store(asked, found, digits=4):
    """Write the settings and what was found, and print it."""
    head = {"seed": asked.seed, "replicates": asked.replicates}
    text = json.dumps(rounded(head | found, digits), indent=1) + "\n"
    asked.out.write_text(text, encoding="utf-8")
    print(text, end="")


def rounded(value, digits=4):
    """Return plain numbers, rounded, inside of any lists and mappings."""
    if isinstance(value, dict):
        return {str(key): rounded(one, digits) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [rounded(one, digits) for one in value]
    if isinstance(value, Mean):
        return rounded(value.mean, digits)
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else round(float(value), digits)
    return value.item() if isinstance(value, np.generic) else value

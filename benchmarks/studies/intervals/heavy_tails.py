"""Where `stable` puts the cut-off if the scores have heavy tails, and what its interval says.

The population is that of `run.py`. ``cut`` is the mean of the chosen cut-offs, ``spread`` their
standard deviation, ``excess`` the mean risk above that of the best cut, and ``held`` the share of
95 % intervals that contain the best cut.

Run: python benchmarks/studies/intervals/heavy_tails.py [--replicates 200]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.coverage.populations import pairs
from benchmarks.studies.intervals.run import DELTA, best_cuts, choose, draw, truth
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.intervals.threshold import cut_interval
from steadycut.core.rules.registry import parse_rule

NAME = "heavy tails"
RULES = ("stable", "erm")
SIZES = (200, 500, 2000, 10_000)


def one_study(n, rule, rng):
    """Return the cut-off of one study, its excess risk, and whether the interval holds."""
    hospital = pairs()[NAME][0]
    chose, best = draw(hospital, n, rng), best_cuts(hospital, rule)
    draws = choose(chose, parse_rule(rule), rng)
    low, high = cut_interval(chose, draws, rule, DELTA).population
    excess = truth(hospital, best[0])["accuracy"] - truth(hospital, draws.threshold)["accuracy"]
    held = low <= best[1] and high >= best[0]
    return {"cut": draws.threshold, "excess": excess, "held": held}


def main():
    asked = options("heavy_tails", __doc__, 200, 3)
    settings = {f"{rule}, {n}": (n, rule) for rule in RULES for n in SIZES}
    found = means_of(settings, OneByOne(one_study), asked, size=20)
    spread = {name: row["cut"].error * row["cut"].count ** 0.5 for name, row in found.items()}
    rows = [
        {"rule": rule, "patients": n, "spread": spread[f"{rule}, {n}"], **found[f"{rule}, {n}"]}
        for rule in RULES
        for n in SIZES
    ]
    best = best_cuts(pairs()[NAME][0], "stable")
    store(asked, {"best": sum(best) / 2, "rows": rows})


if __name__ == "__main__":
    main()

"""How often the intervals hold what they say they hold, on populations that are known.

All at 95 %:

- ``fixed``: patients who did not choose judge a cut that others chose; the true value is that of
  this very cut;
- ``uniform``: the same where the patients chose the cut themselves (honesty uniform);
- ``rechosen``: the true value is that of the cut that *another* study of as many patients chooses;
- ``cut``: is the cut that the rule takes of the whole population inside (overlapping, where a
  stretch of cuts is equally good), and is that of another study?

Every replicate measures the cut, and sensitivity and specificity at the cut of another study. The
first two kinds do not depend on how the cut was chosen, and take long: they, and the other
characteristics, are measured in every fifth replicate.

Stored as JSON, and as tables in a text file beside it.

Run: python benchmarks/studies/intervals/run.py [--replicates 1000] [--jobs 2] [--rules erm youden]
"""

import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.coverage.populations import pairs
from benchmarks.studies.pieces import means_of, options, pooled, store
from steadycut import PatientScores
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.intervals.auc import auc, auc_interval
from steadycut.core.intervals.rates import (
    DIMENSIONS,
    at_fixed_cut,
    high_rate,
    low_rate,
    quantities,
    spread_points,
    tails,
)
from steadycut.core.intervals.repeated_study import (
    at_rechosen_cut,
    counts_at,
    cuts_at,
    repeated_ranks,
)
from steadycut.core.intervals.threshold import cut_interval
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

DELTA = 0.05
COSTS = Costs()
NAMES = {
    "P = Q": "binormal",
    "two basins": "two basins",
    "many ties": "ties",
    "rare, 2 %": "rare, 2 %",
    "heavy tails": "heavy tails",
}
SIZES = (20, 50, 200, 500)
RULES = ("stable", "erm", "youden", "sensitivity:0.9", "specificity:0.9")
GRID = np.linspace(-14, 14, 28001)
STEP = GRID[1] - GRID[0]
# Far out as well, for tails that are heavy.
WIDE = np.sinh(np.linspace(-14, 14, 40001))


def draw(hospital, n, rng):
    """Patients with two of each class, as `fit` demands."""
    while True:
        scores, labels = hospital.draw(n, rng)
        if 1 < labels.sum() < n - 1:
            return PatientScores(scores=scores, labels=labels)


def choose(patients, rule, rng, n_bootstrap=200):
    return draw_thresholds(cuts_of(patients, "exact"), rule, COSTS, n_bootstrap, rng)


def truth(hospital, cut):
    """Every characteristic of a cut in the population."""
    rates = 1 - hospital.positive.below(cut), hospital.negative.below(cut)
    return {
        name: float(one.of_rates(*rates, hospital.prevalence))
        for name, one in quantities(COSTS).items()
    }


@cache
def true_auc(hospital):
    """The area under the ROC curve, ties half, from differences of the two distributions."""
    below = hospital.negative.below(WIDE)
    mass = np.diff(hospital.positive.below(WIDE))
    return float((mass * (below[1:] + below[:-1]) / 2).sum())


@cache
def best_cuts(hospital, rule):
    """First and last of the cuts that the rule takes of the whole population."""
    miss, alarm = hospital.positive.below(GRID), 1 - hospital.negative.below(GRID)
    name, _, floor = rule.partition(":")
    if name == "sensitivity":
        value = np.where(miss <= 1 - float(floor) + 1e-12, alarm, 9.0)
    elif name == "specificity":
        value = np.where(alarm <= 1 - float(floor) + 1e-12, miss, 9.0)
    elif name == "youden":
        value = miss + alarm
    else:
        value = hospital.prevalence * miss + (1 - hospital.prevalence) * alarm
    best = np.flatnonzero(value <= value.min() + 1e-9)
    return GRID[best[0]] - STEP, GRID[best[-1]] + STEP


def holds(interval, value):
    """Whether the value lies inside; None where one of the two is not known."""
    if interval is None or not np.isfinite(value):
        return None
    return interval[0] - 1e-9 <= value <= interval[1] + 1e-9


def fixed_cut(hospital, chose, judge, cut):
    """Return whether the intervals at a fixed cut hold."""
    true, found = truth(hospital, cut), {}
    for kind, patients, n_choices in (("fixed", judge, 0), ("uniform", chose, 1)):
        intervals = at_fixed_cut(confusion_at(patients, cut), COSTS, DELTA, n_choices)
        found |= {
            f"{kind} {name}": holds(one.interval, true[name]) for name, one in intervals.items()
        }
    if auc(judge) is not None:
        found["fixed auc"] = holds(auc_interval(judge, DELTA), true_auc(hospital))
    return found


def rates_rechosen(chose, judge, draws, true):
    """Return whether the intervals of both rates hold, as `at_rechosen_cut` makes them."""
    points = spread_points(2 + DIMENSIONS)
    again = repeated_ranks(draws, points[DIMENSIONS:])
    tp, fn, fp, tn = counts_at(judge, cuts_at(chose.scores, again))
    found = {}
    for name, good, bad in (("sensitivity", tp, fn), ("specificity", tn, fp)):
        ends = low_rate(good, bad, points[0]), high_rate(good, bad, points[0])
        found[f"rechosen {name}"] = holds(tails(*ends, DELTA), true[name])
    return found


def one_study(hospital, n, rule, rng, *, whole):
    """Return which intervals hold: all, or those of the cut and of both rates."""
    chose, judge, other = (draw(hospital, n, rng) for _ in range(3))
    draws = choose(chose, parse_rule(rule), rng)
    again = choose(other, parse_rule(rule), rng, n_bootstrap=0).threshold
    true, best = truth(hospital, again), best_cuts(hospital, rule)
    of_cut = cut_interval(chose, draws, rule, DELTA)
    low, high = of_cut.population
    found = {
        "cut of_population": low <= best[1] and high >= best[0],
        "cut of_another_study": holds(of_cut.repeated, again),
    }
    if not whole:
        return found | rates_rechosen(chose, judge, draws, true)
    intervals = at_rechosen_cut(chose, judge, draws, COSTS, DELTA)
    found |= {f"rechosen {name}": holds(one, true[name]) for name, one in intervals.items()}
    return found | fixed_cut(hospital, chose, judge, draws.threshold)


def piece(setting, rng, n):
    """Return what held in some replicates."""
    key, size, rule = setting
    hospital, found = pairs()[key][0], defaultdict(list)
    for place in range(n):
        held = one_study(hospital, size, rule, rng, whole=place % 5 == 0)
        for name, value in held.items():
            found[name].append(value)
    return found


def settings(rules):
    """Return every population, size and rule."""
    return {
        (name, n, rule): (key, n, rule)
        for rule in rules
        for key, name in NAMES.items()
        for n in SIZES
        if name != "rare, 2 %" or n >= 200
    }


def table(means, kind, columns, by):
    """Return one row for every population and ``by``, the others pooled."""
    groups = defaultdict(list)
    for (population, n, rule), found in means.items():
        words = {"population": population, "patients": n, "rule": rule}
        groups[tuple((name, words[name]) for name in by)].append(found)
    return [
        dict(group) | {name: pooled(one[f"{kind} {name}"] for one in found) for name in columns}
        for group, found in groups.items()
    ]


def total(means, kind):
    """Return how many intervals of a kind there were, and which share of them held."""
    every = pooled(
        one
        for found in means.values()
        for name, one in found.items()
        if name.startswith(f"{kind} ")
    )
    return {"intervals": every.count, "held": every.mean}


HEADINGS = {
    "fixed": "At the fixed cut, judged by other patients",
    "uniform": "At the fixed cut, judged by those who chose it",
    "rechosen": "With the cut re-chosen",
    "rechosen_by_rule": "With the cut re-chosen, rule by rule",
    "rechosen_by_setting": "With the cut re-chosen, size by size",
    "cut": "The cut-off itself",
    "cut_by_setting": "The cut-off itself, size by size",
}


def as_text(found):
    """Return the tables in Markdown, with the number of intervals of each kind."""
    parts = []
    for name, heading in HEADINGS.items():
        heads = [
            head.replace("_", " ") if name.startswith("cut") else head for head in found[name][0]
        ]
        lines = [f"### {heading}", "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        for row in found[name]:
            cells = (
                str(one) if isinstance(one, str | int) else f"{one.mean:.3f}"
                for one in row.values()
            )
            lines.append("| " + " | ".join(cells) + " |")
        total = found["total"][name.partition("_")[0]]
        parts += [*lines, "", f"{total['intervals']} intervals, {total['held']:.3f} held.", ""]
    return "\n".join(parts)


def main():
    asked = options("intervals", __doc__, 1000, 1, rules=RULES)
    cells = settings(asked.rules)
    named = {f"{name}, {n}, {rule}": place for (name, n, rule), place in cells.items()}
    means = dict(zip(cells, means_of(named, piece, asked).values(), strict=True))
    heads, by_size = tuple(quantities(COSTS)), ("population", "patients")
    by_rule, cut = ("population", "rule"), ("of_population", "of_another_study")
    found = {
        "fixed": table(means, "fixed", (*heads, "auc"), by_size),
        "uniform": table(means, "uniform", heads, by_size),
        "rechosen": table(means, "rechosen", heads, by_size),
        "rechosen_by_rule": table(means, "rechosen", heads, by_rule),
        "rechosen_by_setting": table(means, "rechosen", heads, (*by_rule, "patients")),
        "cut": table(means, "cut", cut, by_rule),
        "cut_by_setting": table(means, "cut", cut, (*by_rule, "patients")),
        "total": {kind: total(means, kind) for kind in ("fixed", "uniform", "rechosen", "cut")},
    }
    store(asked, {"delta": DELTA} | found, digits=3)
    head = f"{asked.replicates} studies a setting, {len(asked.rules)} rules, seed {asked.seed}.\n\n"
    asked.out.with_suffix(".txt").write_text(head + as_text(found), encoding="utf-8")


if __name__ == "__main__":
    main()

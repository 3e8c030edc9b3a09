"""How often the intervals hold what they say they hold, on populations that are known.

Four tables, all at 95 %:

1. at the fixed cut: patients who did not choose judge a cut that others chose; the true value is
   that of this very cut;
2. the same where the patients chose the cut themselves (honesty uniform);
3. with the cut re-chosen: the true value is that of the cut that *another* study of as many
   patients chooses;
4. the cut-off itself: is the cut that the rule takes of the whole population inside (overlapping,
   where a stretch of cuts is equally good), and is that of another study?

Run: python benchmarks/studies/intervals/run.py [--studies 100] [--seed 1] [--jobs 2]
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "coverage"))

from populations import pairs

from steadycut import PatientScores
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.intervals.auc import auc, auc_interval
from steadycut.core.intervals.rates import at_fixed_cut, quantities
from steadycut.core.intervals.repeated_study import at_rechosen_cut
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


def true_auc(hospital):
    """The area under the ROC curve, ties half, from differences of the two distributions."""
    below = hospital.negative.below(WIDE)
    mass = np.diff(hospital.positive.below(WIDE))
    return float((mass * (below[1:] + below[:-1]) / 2).sum())


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


class Tally:
    """Whether intervals held, by setting and name."""

    def __init__(self):
        self.rows = {}

    def add(self, setting, name, held):
        if held is not None:
            self.rows.setdefault(setting, {}).setdefault(name, []).append(held)

    def print(self, title, heads, first):
        """Print the shares, with ``first`` parts of a setting in a row and the others pooled."""
        pooled = {}
        for setting, found in self.rows.items():
            for name, held in found.items():
                row = pooled.setdefault(tuple(setting[place] for place in first), {})
                row.setdefault(name, []).extend(held)
        columns = [("population", "n", "rule")[place] for place in first]
        print(f"\n### {title}\n\n| " + " | ".join([*columns, *heads]) + " |")
        print("|---" * (len(columns) + len(heads)) + "|")
        for setting, found in pooled.items():
            cells = [f"{np.mean(found[head]):.3f}" for head in heads]
            print("| " + " | ".join([*map(str, setting), *cells]) + " |")
        every = np.concatenate([held for found in pooled.values() for held in found.values()])
        print(f"\n{every.size} intervals, {every.mean():.3f} held.", flush=True)


def one_study(hospital, setting, rule, rng, tallies, area, best, last):
    """Run one study and judge its intervals; return what the next study will be judged by."""
    fixed, uniform, again, cuts = tallies
    n = setting[1]
    chose, judge = draw(hospital, n, rng), draw(hospital, n, rng)
    draws = choose(chose, rule, rng)
    true = truth(hospital, draws.threshold)
    for tally, patients, n_choices in ((fixed, judge, 0), (uniform, chose, 1)):
        found = at_fixed_cut(confusion_at(patients, draws.threshold), COSTS, DELTA, n_choices)
        for name, one in found.items():
            tally.add(setting, name, holds(one.interval, true[name]))
    fixed.add(
        setting, "auc", None if auc(judge) is None else holds(auc_interval(judge, DELTA), area)
    )
    if last is not None:
        for name, interval in last[0].items():
            again.add(setting, name, holds(interval, true[name]))
        cuts.add(setting, "another study's", holds(last[1].repeated, draws.threshold))
    of_cut = cut_interval(chose, draws, setting[2], DELTA)
    low, high = of_cut.population
    cuts.add(setting, "the population's", low <= best[1] and high >= best[0])
    return at_rechosen_cut(chose, judge, draws, COSTS, DELTA), of_cut


def settings():
    for key, name in NAMES.items():
        for n in SIZES:
            if name != "rare, 2 %" or n >= 200:
                yield from ((key, (name, n, rule)) for rule in RULES)


def run_setting(place, key, setting, n_studies, seed):
    """Return the tallies of one setting; every setting has random numbers of its own."""
    hospital, rng = pairs()[key][0], np.random.default_rng([seed, place])
    area, best, last = true_auc(hospital), best_cuts(hospital, setting[2]), None
    rule, tallies = parse_rule(setting[2]), tuple(Tally() for _ in range(4))
    for _ in range(n_studies):
        last = one_study(hospital, setting, rule, rng, tallies, area, best, last)
    print(place, setting, file=sys.stderr, flush=True)
    return tallies


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    tallies = tuple(Tally() for _ in range(4))
    with ProcessPoolExecutor(asked.jobs) as pool:
        tasks = [
            pool.submit(run_setting, place, *setting, asked.studies, asked.seed)
            for place, setting in enumerate(settings())
        ]
        for task in tasks:
            for tally, found in zip(tallies, task.result(), strict=True):
                tally.rows |= found.rows
    print(f"{asked.studies} studies a setting, {len(RULES)} rules, seed {asked.seed}.")
    heads = tuple(quantities(COSTS))
    tallies[0].print("At the fixed cut, judged by other patients", (*heads, "auc"), (0, 1))
    tallies[1].print("At the fixed cut, judged by those who chose it", heads, (0, 1))
    tallies[2].print("With the cut re-chosen", heads, (0, 1))
    tallies[2].print("With the cut re-chosen, rule by rule", heads, (0, 2))
    cuts = ("the population's", "another study's")
    tallies[3].print("The cut-off itself", cuts, (0, 2))
    tallies[3].print("The cut-off itself, size by size", cuts, (0, 2, 1))


if __name__ == "__main__":
    main()

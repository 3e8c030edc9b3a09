"""Labels drawn with known probabilities: do the limits hold, and how many labels do they save?

Scores are normal with spread 1, those of the ill around ``distance``. The home of the rule has 200
ill and 200 healthy patients at evenly spaced quantiles, and the same classes.

- ``miss``, ``alarm``, ``cost``: how often the upper limit is at least the truth. ``both`` is how
  often those of both rates are. They must be at least 0.9 (each rate alone: 0.95).
- ``low``: how often both lower limits of the rates and that of the cost hold.
- ``up_to``: where a stratum has no labels, how often the miss rate is at most the target whenever
  the share of ill patients there is at most the stated share.
- ``ratio``: labels by a plan, as a share of random labels, for the same mean upper limit of the
  miss rate at a prevalence of 2 %. ``ratio_new`` does not count labels of called patients, nor
  those among the random ones.

Run as ``python benchmarks/studies/label_sampling.py [--replicates N]``; it writes
``benchmarks/results/label_sampling.json``. The seed is fixed.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from steadycut.core.adapt.pool import HomeScores
from steadycut.core.adapt.sampling import Expected, chances_for, counted, lower_edge, strata_of
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.bounds.sampled import Drawn, highest_below
from steadycut.core.records import Costs

RESULT = Path(__file__).parents[1] / "results" / "label_sampling.json"
SEED, DELTA, COSTS, HOME, MARGIN = 20261116, 0.1, Costs(cost_fn=5, cost_fp=1), 200, 0.1
# Patients, prevalence, distance, cut-off; probabilities or a number of labels; what is special.
SETTINGS = {
    "3 strata, 2 % ill, 400 labels": (4000, 0.02, 3.0, 2.0, 400, ""),
    "3 strata, 5 % ill, 300 labels": (2000, 0.05, 2.5, 1.5, 300, ""),
    "3 strata, 30 % ill, 200 labels": (600, 0.3, 2.0, 1.0, 200, ""),
    "2 strata, 2 % ill": (4000, 0.02, 3.0, 2.0, (1.0, 0.1), ""),
    "2 strata, 10 % ill": (1000, 0.1, 2.0, 1.0, (0.5, 0.2), ""),
    "3 strata, the missed lie far below": (3000, 0.02, 3.5, 2.0, (1.0, 0.5, 0.1), "far"),
    "3 strata, whole numbers (ties)": (2000, 0.05, 2.5, 2.0, (1.0, 0.5, 0.1), "ties"),
    "3 strata, few patients": (200, 0.05, 2.0, 1.0, (1.0, 0.5, 0.2), ""),
    "2 strata, often nobody ill": (100, 0.02, 2.0, 1.0, (1.0, 0.3), ""),
    "far below more often than just below": (1000, 0.05, 2.0, 1.0, (0.5, 0.1, 0.4), ""),
    "no labels far below": (2000, 0.05, 3.0, 1.5, (1.0, 0.5, 0.0), ""),
    "no labels below": (2000, 0.05, 3.0, 1.5, (1.0, 0.0), ""),
    "one ill patient in five has no label": (2000, 0.05, 2.5, 1.5, (1.0, 0.5, 0.1), "lost"),
}
FAR, LOST, EDGE = 0.2, 0.2, 1.5
# At 2 %: distance of the means and miss rate; so many random labels.
PREVALENCE, RANDOM, SIZES = 0.02, 4000, (0.3, 0.5, 0.7, 0.95)


def home_of(distance):
    """Return what the rule knows of its home."""
    levels = (np.arange(HOME) + 0.5) / HOME
    return HomeScores(
        positive=ndtri(levels) + distance, negative=ndtri(levels), n_positive=HOME, n_negative=HOME
    )


def draw(n, prevalence, distance, special, rng):
    """Return the scores and who is ill."""
    ill = rng.random(n) < prevalence
    scores = rng.normal(size=n) + distance * ill
    if special == "far":
        scores = np.where(ill & (rng.random(n) < FAR), rng.normal(size=n) - 1, scores)
    return (np.round(scores) if special == "ties" else scores), ill


def below(value, distance, special):
    """Return the probability of a score below a value, for the ill and the healthy."""
    value = np.ceil(value) - 0.5 if special == "ties" else value
    ill = ndtr(value - distance)
    if special == "far":
        ill = (1 - FAR) * ill + FAR * ndtr(value + 1)
    return float(ill), float(ndtr(value))


def one_setting(number, name, replicates):
    """Return how often each limit holds in one setting."""
    n, prevalence, distance, cut, asked, special = SETTINGS[name]
    rng, home = np.random.default_rng([SEED, number]), home_of(distance)
    three = not isinstance(asked, tuple) or len(asked) == 3
    budget = asked if not isinstance(asked, tuple) else 0.1 * n
    edges = [cut, lower_edge(home, cut, prevalence, budget)] if three else [cut]
    if special == "ties":
        edges[1] = 1.0
    miss, right = below(cut, distance, special)
    alarm, cost = 1 - right, 5 * prevalence * miss + (1 - prevalence) * (1 - right)
    lowest_ill, lowest_well = below(edges[-1], distance, special)
    hidden = prevalence * lowest_ill / (prevalence * lowest_ill + (1 - prevalence) * lowest_well)
    held = dict.fromkeys(("miss", "alarm", "both", "cost", "low", "up_to"), 0)
    sums = np.zeros(4)
    for _ in range(replicates):
        scores, ill = draw(n, prevalence, distance, special, rng)
        strata = strata_of(scores, edges)
        chances = asked
        if not isinstance(asked, tuple):
            sizes = np.bincount(strata, minlength=3)
            chances = chances_for(Expected.of(home, edges, prevalence, asked).ratios, sizes, asked)
        drawn = rng.random(n) < np.array(chances)[strata]
        lost = ill & (rng.random(n) < LOST) if special == "lost" else np.zeros(n, dtype=bool)
        worst = counted(strata, np.where(lost, strata > 0, ill), drawn, chances)
        best = counted(strata, np.where(lost, strata == 0, ill), drawn, chances)
        top = worst.highest_miss(DELTA / 2), worst.highest_alarm(DELTA / 2)
        low = best.lowest_miss(DELTA / 2), best.lowest_alarm(DELTA / 2)
        most = worst.highest_cost(COSTS, DELTA)
        held["miss"] += top[0] >= miss
        held["alarm"] += top[1] >= alarm
        held["both"] += top[0] >= miss and top[1] >= alarm
        held["cost"] += most >= cost
        held["low"] += low[0] <= miss and low[1] <= alarm and best.lowest_cost(COSTS, DELTA) <= cost
        inside = worst.highest_miss(DELTA / 2, 0.0) if worst.n_hidden else 1.0
        target = min(inside + MARGIN, 1.0)
        stated = worst.most_hidden(DELTA / 2, target) if target < 1 else 0.0
        held["up_to"] += miss <= target or hidden > stated
        sums += [drawn.sum(), (drawn & ill).sum(), top[0], top[1]]
    means = dict(zip(("labels", "ill", "mean_miss", "mean_alarm"), sums / replicates, strict=True))
    if 0.0 not in tuple(chances):
        del held["up_to"]
    return {
        "setting": name,
        "true_miss": round(miss, 4),
        "true_alarm": round(alarm, 4),
        **{key: round(float(value), 3) for key, value in means.items()},
        **{key: round(value / replicates, 4) for key, value in held.items()},
    }


def mean_limit(home, cut, distance, labels, strata, draws, rng):
    """Return the mean upper limit of the miss rate for so many labels by a plan."""
    edges = [cut]
    if strata == 3:
        edges.append(lower_edge(home, cut, PREVALENCE, labels))
    ill, healthy = (
        -np.diff([1.0, *one, 0.0])
        for one in zip(*(below(e, distance, "") for e in edges), strict=True)
    )
    patients = PREVALENCE * ill + (1 - PREVALENCE) * healthy
    ratios = Expected.of(home, edges, PREVALENCE, labels).ratios
    chances = tuple(float(f"{one:.3g}") for one in ratios / ratios.max())
    scale = labels / (patients @ chances)
    counts = rng.poisson(scale * np.array(chances) * PREVALENCE * ill, size=(draws, strata))
    limits = [
        highest_below(Drawn(counts=tuple(map(int, one)), chances=chances), DELTA) for one in counts
    ]
    return float(np.mean(limits)), float(scale * chances[0] * patients[0])


def savings(distance, miss, draws):
    """Return which share of random labels a plan needs for the same mean upper limit."""
    home, cut = home_of(distance), distance + float(ndtri(miss))
    rng = np.random.default_rng([SEED, 99])
    totals = rng.poisson(PREVALENCE * RANDOM, size=20_000)
    missed = rng.binomial(totals, miss)
    random = float(
        np.mean([upper_limit(int(x), int(m), DELTA) for x, m in zip(missed, totals, strict=True)])
    )
    called = PREVALENCE * (1 - miss) + (1 - PREVALENCE) * float(ndtr(-cut))
    row = {
        "auc": round(float(ndtr(distance / np.sqrt(2))), 3),
        "miss": miss,
        "called": round(called, 3),
        "random_limit": round(random, 3),
    }
    for strata in (2, 3):
        found = [
            mean_limit(
                home, cut, distance, size * RANDOM, strata, draws, np.random.default_rng([SEED, 7])
            )
            for size in SIZES
        ]
        limits, of_called = np.array(found).T
        size = float(np.exp(np.interp(-random, -limits, np.log(SIZES))))
        new = size - np.interp(size, SIZES, of_called) / RANDOM
        key = "" if strata == 3 else "_two_strata"
        row[f"limit_at_half{key}"] = round(float(np.interp(0.5, SIZES, limits)), 3)
        row[f"ratio{key}"] = round(float(size), 2)
        row[f"ratio_new{key}"] = round(float(new / (1 - called)), 2)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--draws", type=int, default=150)
    asked = parser.parse_args()
    saved = []
    for distance in (2.5, 3.0, 3.5):
        for miss in (0.3, 0.2, 0.1):
            saved.append(savings(distance, miss, asked.draws))
            print(json.dumps(saved[-1]), flush=True)
    rows = []
    for number, name in enumerate(SETTINGS):
        rows.append(one_setting(number, name, asked.replicates))
        print(json.dumps(rows[-1]), flush=True)
    result = {
        "delta": DELTA,
        "replicates": asked.replicates,
        "draws": asked.draws,
        "random_labels": RANDOM,
        "coverage": rows,
        "savings": saved,
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

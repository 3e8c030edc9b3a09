"""What was tried before the intervals were chosen, and how often each held.

1. Likelihood ratios: the log method and melding, summed over all outcomes.
2. The area under the ROC curve: DeLong's interval and ours.
3. The cut-off of the population: percentile, basic and symmetric bootstrap intervals in ranks, and
   the percentile interval out to the scores around it.
4. Sensitivity and specificity of a cut that another study chooses, where the intervals fall short:
   the spread of the bootstrap cuts 1.5 and 2 times as wide, the same intervals at 99 %, and for
   ``sensitivity:X`` the exact distribution of the next study's cut. That is the kth lowest score of
   its ill patients, so the number of this study's ill below it is beta-binomial.

Run: python benchmarks/studies/intervals/alternatives.py [--replicates 1000]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtri
from scipy.stats import betabinom, binom

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.coverage.populations import pairs
from benchmarks.studies.intervals.run import (
    COSTS,
    DELTA,
    best_cuts,
    choose,
    draw,
    holds,
    true_auc,
    truth,
)
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.confusion import Confusion
from steadycut.core.intervals.auc import auc, auc_interval, delong_variance
from steadycut.core.intervals.rates import (
    DIMENSIONS,
    at_fixed_cut,
    melded_intervals,
    quantities,
    spread_points,
    tails,
)
from steadycut.core.intervals.repeated_study import counts_at, cuts_at, repeated_ranks
from steadycut.core.intervals.threshold import scores_around
from steadycut.core.rules.registry import parse_rule

Z = -float(ndtri(DELTA / 2))
SENSITIVITIES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
ALARMS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)


RATES = {name: quantities(COSTS)[name] for name in ("sensitivity", "specificity")}
WIDER = (("now", 1.0, DELTA), ("1_5", 1.5, DELTA), ("2", 2.0, DELTA), ("at_99", 1.0, DELTA / 5))
SHORT = (
    ("rare, 2 %", 200, "youden"),
    ("P = Q", 200, "sensitivity:0.9"),
    ("heavy tails", 50, "sensitivity:0.9"),
    ("rare, 2 %", 200, "sensitivity:0.9"),
    ("rare, 2 %", 500, "sensitivity:0.9"),
    ("two basins", 200, "erm"),
    ("two basins", 500, "erm"),
    ("heavy tails", 20, "sensitivity:0.9"),
    ("many ties", 500, "erm"),
    ("P = Q", 50, "erm"),
)


def log_interval(tp, fp, n):
    """The interval on the log scale, half a patient added to every count."""
    tp, fp = tp + 0.5, fp + 0.5
    error = Z * np.sqrt(1 / tp + 1 / fp - 2 / (n + 1))
    return tp / fp * np.exp(-error), tp / fp * np.exp(error)


def melded_interval(tp, fp, n):
    found = at_fixed_cut(Confusion(tp=tp, fn=n - tp, fp=fp, tn=n - fp), COSTS, DELTA)["plr"]
    return found.interval or (0.0, np.inf)


def ratio_shares(method, n):
    """How often the interval of LR+ holds, exactly, for every pair of rates."""
    count = np.arange(n + 1)
    ends = np.array([[method(i, j, n) for j in count] for i in count])
    for sens in SENSITIVITIES:
        for alarm in ALARMS:
            weight = np.outer(binom.pmf(count, n, sens), binom.pmf(count, n, alarm))
            holds = (ends[..., 0] <= sens / alarm) & (sens / alarm <= ends[..., 1])
            yield float((weight * holds).sum())


def delong_interval(patients, delta):
    area, error = auc(patients), -float(ndtri(delta / 2)) * np.sqrt(delong_variance(patients))
    return area - error, area + error


def cut_intervals(patients, draws):
    """Intervals of the cut-off by other ways."""
    low, high = tails(draws.ranks, draws.ranks, DELTA)
    reach = np.quantile(np.abs(draws.ranks - draws.rank), 1 - DELTA, method="inverted_cdf")
    ranks = {
        "percentile": (low, high),
        "basic": (2 * draws.rank - high, 2 * draws.rank - low),
        "symmetric": (draws.rank - reach, draws.rank + reach),
    }
    found = {name: cuts_at(patients.scores, np.array(ends)) for name, ends in ranks.items()}
    return {**found, "percentile_outwards": scores_around(patients.scores, (low, high))}


def of_auc(key, n, rng):
    """Return whether the intervals of the area hold."""
    hospital = pairs()[key][0]
    area, patients = true_auc(hospital), draw(hospital, n, rng)
    ends = {"delong": delong_interval(patients, DELTA), "ours": auc_interval(patients, DELTA)}
    return {name: low - 1e-6 <= area <= high + 1e-6 for name, (low, high) in ends.items()}


def of_cut(rule, key, rng):
    """Return whether the intervals of the cut-off hold that of the population."""
    hospital = pairs()[key][0]
    first, last = best_cuts(hospital, rule)
    patients = draw(hospital, 50, rng)
    found = cut_intervals(patients, choose(patients, parse_rule(rule), rng))
    return {name: low <= last and high >= first for name, (low, high) in found.items()}


def of_rechosen(key, n, rule, rng):
    """Return whether wider intervals hold sensitivity and specificity of another study's cut."""
    hospital = pairs()[key][0]
    chose, judge, other = (draw(hospital, n, rng) for _ in range(3))
    draws = choose(chose, parse_rule(rule), rng)
    true = truth(hospital, choose(other, parse_rule(rule), rng, n_bootstrap=0).threshold)
    points, found = spread_points(2 + DIMENSIONS), {}
    moved = repeated_ranks(draws, points[DIMENSIONS:]) - draws.rank
    ways = {name: (draws.rank + factor * moved, delta) for name, factor, delta in WIDER}
    if rule.startswith("sensitivity"):
        ways["exact"] = (
            exact_ranks(chose, float(rule.partition(":")[2]), points[DIMENSIONS:]),
            DELTA,
        )
    for name, (ranks, delta) in ways.items():
        table = counts_at(judge, cuts_at(chose.scores, ranks))
        ends = melded_intervals(RATES, table, points[:DIMENSIONS], delta)
        for rate, interval in ends.items():
            found[f"{rate}_{name}"] = holds(interval, true[rate])
            found[f"{rate}_width_{name}"] = interval[1] - interval[0]
    return found


def exact_ranks(chose, floor, points):
    """Return the ranks of the cut of another study that keeps a sensitivity, one per point."""
    n = chose.n_positive
    k = int((1 - floor) * n + 1e-9) + 1
    below = np.searchsorted(betabinom.cdf(np.arange(n + 1), n, k, n + 1 - k), points[0])
    ordered = np.sort(chose.scores)
    ranks = np.searchsorted(ordered, chose.positive_scores)
    edges = np.concatenate([[0], ranks, [ordered.size]])
    return edges[below] + points[1] * (edges[below + 1] - edges[below])


def rows_of(study, heads, cells, asked):
    """Return the words of every cell and how often each interval held there."""
    named = {", ".join(map(str, cell)): cell for cell in cells}
    means = means_of(named, OneByOne(study), asked)
    return [dict(zip(heads, cell, strict=True)) | means[key] for key, cell in named.items()]


def main():
    asked = options("interval_alternatives", __doc__, 1000, 2)
    ratios = {"log": log_interval, "melded": melded_interval}
    areas = ("P = Q", "two basins", "heavy tails", "many ties", "easy")
    rules = ("stable", "erm", "youden", "sensitivity:0.9")
    result = {
        "lr_plus_lowest": {name: min(ratio_shares(one, 20)) for name, one in ratios.items()},
        "lr_plus_pairs_of_rates": len(SENSITIVITIES) * len(ALARMS),
        "auc": rows_of(
            of_auc,
            ("population", "patients"),
            [(k, n) for k in areas for n in (20, 50, 200)],
            asked,
        ),
        "rechosen": rows_of(of_rechosen, ("population", "patients", "rule"), SHORT, asked),
        "cut": rows_of(
            of_cut, ("rule", "population"), [(r, k) for r in rules for k in areas[:4]], asked
        ),
    }
    store(asked, result, digits=3)


if __name__ == "__main__":
    main()

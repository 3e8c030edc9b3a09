"""Rule-out and rule-in: whether both certificates hold together.

Half of the patients choose two cut-offs, the others certify. True rates come from the distribution
functions, not from more draws.

- ``held``: how often both lower limits are at most the true rates; it must be at least 0.9.
- ``held_between``: how often the limits of the share between contain the true share.
- ``wrong_yes``: how often a rate that is below the limit is called shown.
- ``shown``: how often both sides are shown to reach 0.07 less than the limits that chose them.
- ``refused``: studies in which no cut-off met a limit among the patients used to choose.
- ``crossed``: how often both cut-offs are one.

Run as ``python benchmarks/studies/rule_out_in.py [--replicates N]``; it writes
``benchmarks/results/rule_out_in.json``. The seed is fixed.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from steadycut.core.asked_rates import rates_of_counts
from steadycut.core.bounds.binomial import two_sided
from steadycut.core.confusion import count_decisions
from steadycut.core.records import PatientScores
from steadycut.core.rules.registry import cuts_at_rank
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import stratum_of
from steadycut.core.strata.two_cuts import TwoCuts
from steadycut.errors import NoFeasibleCut

RESULT = Path(__file__).parents[1] / "results" / "rule_out_in.json"
DELTA, LESS = 0.1, 0.07
COSTS = CostMatrix([[0, 0.25, 1], [1, 0.25, 0]])
# Patients, prevalence, distance of the means, spread of the ill, step of rounding; then the limits.
SETTINGS = {
    "normal": ((200, 0.4, 1.8, 1.0, 0), ("npv:0.9", "ppv:0.9")),
    "whole numbers, many ties": ((200, 0.4, 1.8, 1.0, 1), ("npv:0.9", "ppv:0.8")),
    "rare disease": ((800, 0.05, 2.0, 1.0, 0), ("npv:0.99", "ppv:0.4")),
    "good score, cut-offs cross": ((200, 0.4, 3.5, 1.0, 0.1), ("npv:0.9", "ppv:0.9")),
    "weak score": ((300, 0.3, 0.7, 1.0, 0), ("npv:0.8", "ppv:0.5")),
    "few patients, unequal spreads": ((80, 0.5, 2.0, 2.5, 0), ("npv:0.8", "ppv:0.9")),
}
RATES = ("sensitivity:0.95", "specificity:0.95")


def draw(n, prevalence, distance, spread, step, rng):
    """Return the scores and who is ill."""
    ill = (rng.random(n) < prevalence).astype(np.int64)
    scores = rng.normal(size=n) * np.where(ill, spread, 1.0) + distance * ill
    return (np.round(scores / step) * step if step else scores), ill


def below(threshold, mean, spread, step):
    """Return the probability of a score below a threshold."""
    edge = step * (math.ceil(round(threshold / step, 6)) - 0.5) if step else threshold
    return float(ndtr((edge - mean) / spread))


def truth(thresholds, prevalence, distance, spread, step):
    """Return the true rates and the true share between the cut-offs."""
    (out0, in0), (out1, in1) = (
        [below(one, *shape, step) for one in thresholds]
        for shape in ((0.0, 1.0), (distance, spread))
    )
    ruled_out = (1 - prevalence) * out0 + prevalence * out1
    ruled_in = (1 - prevalence) * (1 - in0) + prevalence * (1 - in1)
    return {
        "sensitivity": 1 - out1,
        "specificity": in0,
        "npv": (1 - prevalence) * out0 / ruled_out if ruled_out else 1.0,
        "ppv": prevalence * (1 - in1) / ruled_in if ruled_in else 1.0,
        "between": 1 - ruled_out - ruled_in,
    }


def choose(rule, scores, ill):
    """Return the two cut-offs that some patients choose."""
    cuts, cells = grade_cells(PatientScores(scores=scores), ill, 2, "exact")
    rule.refuse_infeasible(cuts, "the score")
    curves = boundary_curves(cells[None], COSTS)
    ranks = rule(curves, COSTS)[0]
    return np.array([cuts.place(*cuts_at_rank(curves.ranks, np.array([r])))[0] for r in ranks])


def one_setting(name, number, limits, replicates):
    """Return the rates of one setting and one pair of limits."""
    shape, _ = SETTINGS[name]
    n, rule = shape[0], TwoCuts.of(*limits)
    rng = np.random.default_rng([20261116, number, limits is RATES])
    found = dict.fromkeys(("held", "held_between", "wrong_yes", "shown", "crossed"), 0.0)
    refused, between = 0, 0.0
    for _ in range(replicates):
        scores, ill = draw(*shape, rng)
        half = n // 2
        try:
            thresholds = choose(rule, scores[:half], ill[:half])
        except NoFeasibleCut:
            refused += 1
            continue
        true = truth(thresholds, *shape[1:])
        strata = stratum_of(scores[half:], thresholds)
        counts = count_decisions(ill[half:], strata, (2, 3))
        sides = rates_of_counts(counts, rule.asked, DELTA)
        low, high = two_sided(int(counts[:, 1].sum()), n - half, DELTA)
        found["held"] += all(one.lower <= true[one.rate] for one in sides)
        found["held_between"] += low <= true["between"] + 1e-12 and true["between"] <= high
        found["wrong_yes"] += any(
            one.answer == "yes" and true[one.rate] < one.asked for one in sides
        )
        found["shown"] += all(one.lower >= one.asked - LESS for one in sides)
        found["crossed"] += thresholds[0] == thresholds[1]
        between += true["between"]
    issued = replicates - refused
    return {
        "setting": name,
        "limits": " ".join(limits),
        "patients": n,
        "refused": refused,
        **{key: round(value / issued, 4) for key, value in found.items()},
        "mean_between": round(between / issued, 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=5000)
    replicates = parser.parse_args().replicates
    rows = []
    for number, (name, (_, values)) in enumerate(SETTINGS.items()):
        for limits in (RATES, values):
            rows.append(one_setting(name, number, limits, replicates))
            print(json.dumps(rows[-1]), flush=True)
    result = {"delta": DELTA, "replicates": replicates, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""How often the 95 % intervals of net benefit and kappa hold at a fixed cut.

For a perfect score the net benefit equals the prevalence. All possible counts are added up there,
without simulation error. The prevalence 2.5 / n is the worst for Jeffreys' Beta. For other scores,
counts are drawn. ``before`` has the prevalence from Jeffreys' Beta for both limits; ``now`` is what
`steadycut.core.intervals.rates` does.

Run as ``python benchmarks/studies/intervals/net_benefit.py [--replicates N]``; it writes
``benchmarks/results/net_benefit.json``. The seed is fixed.
"""

import argparse
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import binom

from steadycut.core.intervals.rates import estimate, quantities, sampling_intervals
from steadycut.core.records import Costs

RESULT = Path(__file__).parents[2] / "results" / "net_benefit.json"
DELTA, SIZES, PREVALENCES = 0.05, (20, 60, 200), (0.1, 0.3, 0.5)
RATES = ((0.95, 0.95), (0.7, 0.8))
COSTS = Costs(cost_fn=3.0, cost_fp=1.0)
NOW = {name: one for name, one in quantities(COSTS).items() if name in ("net_benefit", "kappa")}
BEFORE = replace(NOW["net_benefit"], rises_with_prevalence=False)
WANTED = {"now": NOW["net_benefit"], "before": BEFORE, "kappa": NOW["kappa"]}


@cache
def intervals(table):
    """Return the interval of each wanted characteristic, as it is printed; None if not known."""
    found = sampling_intervals(WANTED, table, DELTA)
    return {
        name: estimate(float(one.of_counts(*table)), found[name], "").interval
        for name, one in WANTED.items()
    }


def holds(interval, truth):
    """Return whether an interval holds; without one nothing is claimed."""
    return interval is None or interval[0] <= truth <= interval[1]


def perfect(n, prevalence):
    """Add up all counts of a perfect score."""
    shares = dict.fromkeys(("before", "now"), 0.0)
    for ill in range(n + 1):
        found = intervals((ill, 0, 0, n - ill))
        for name in shares:
            shares[name] += float(binom.pmf(ill, n, prevalence)) * holds(found[name], prevalence)
    return shares


def drawn(n, prevalence, rates, replicates):
    """Draw counts of a score with this sensitivity and specificity."""
    sens, spec = rates
    rng = np.random.default_rng([n, int(100 * prevalence), int(100 * sens)])
    ill = rng.binomial(n, prevalence, replicates)
    tp, tn = rng.binomial(ill, sens), rng.binomial(n - ill, spec)
    truth = {name: float(one.of_rates(sens, spec, prevalence)) for name, one in WANTED.items()}
    held = dict.fromkeys(WANTED, 0)
    for a, b, c in zip(tp.tolist(), tn.tolist(), ill.tolist(), strict=True):
        found = intervals((a, c - a, n - c - b, b))
        for name, value in truth.items():
            held[name] += holds(found[name], value)
    return {name: count / replicates for name, count in held.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=300)
    replicates = parser.parse_args().replicates
    exact, simulated = [], []
    for n in SIZES:
        for prevalence in (2.5 / n, *PREVALENCES):
            setting = {"patients": n, "prevalence": prevalence}
            exact.append({**setting, **perfect(n, prevalence)})
            print(json.dumps(exact[-1]), flush=True)
            for rates in RATES:
                held = drawn(n, prevalence, rates, replicates)
                simulated.append({**setting, "rates": rates, **held})
                print(json.dumps(simulated[-1]), flush=True)
    result = {"delta": DELTA, "replicates": replicates, "perfect": exact, "others": simulated}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""How often the limits of "how much more does it cost here than before" are wrong.

Two hospitals have patients of known prevalence, miss rate and alarm rate. Each limit is at level
0.05. A corner has no errors at one hospital or in one class; others have few events, a rare
disease, or very unequal numbers of patients. Counted are, for each setting:

low     the lower limit is above the true change (a false "worse", at most 0.05)
high    the upper limit is below the true change (a false "as good as before", at most 0.05)

Run as ``python benchmarks/studies/cost_change.py [--replicates N]``; it writes
``benchmarks/results/cost_change.json``. The seed is fixed. The limits are those of
`steadycut.core.cost_change`, written for many studies at once; the first studies of each setting
are compared with the package.
"""

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import betaincinv

from steadycut.core.cost_change import STRICTER, TwoHospitals

RESULT = Path(__file__).parents[1] / "results" / "cost_change.json"
LEVEL = 0.05
COMPARED = 5
# Patients at the first hospital and at this one.
SIZES = ((50, 50), (150, 150), (400, 50), (50, 400), (2000, 100), (40, 1000))
PREVALENCES = (0.05, 0.2, 0.5)
COSTS = (1.0, 5.0, 0.2)
# Miss rate and alarm rate, before and here.
RATES = (
    ((0.1, 0.1), (0.1, 0.1)),
    ((0.15, 0.3), (0.15, 0.3)),
    ((0.0, 0.0), (0.0, 0.0)),
    ((0.0, 0.02), (0.0, 0.02)),
    ((0.02, 0.005), (0.02, 0.005)),
    ((0.0, 0.0), (0.02, 0.01)),
    ((0.02, 0.01), (0.0, 0.0)),
    ((0.5, 0.01), (0.01, 0.3)),
    ((0.05, 0.5), (0.6, 0.02)),
    ((0.9, 0.02), (1.0, 0.0)),
    ((0.3, 0.05), (0.4, 0.1)),
)


def exact(wrong, n):
    """Return Clopper-Pearson limits, each at the stricter level."""
    level = STRICTER * LEVEL
    low = np.where(wrong > 0, betaincinv(np.maximum(wrong, 1), n - wrong + 1, level), 0.0)
    right = np.maximum(n - wrong, 1)
    high = np.where(wrong < n, betaincinv(wrong + 1, right, 1 - level), 1.0)
    return low, high


def draw(rng, n, prevalence, rates, replicates):
    """Return wrong and all patients of each class, healthy ones first."""
    ill = rng.binomial(n, prevalence, replicates)
    members = np.array([n - ill, ill])
    return rng.binomial(members, np.array(rates[::-1])[:, None]), members


def limits(here, before, costs, n):
    """Return the estimate and both limits of many studies."""
    (wrong, members), (were_wrong, were) = here, before
    weights = costs[:, None] * members / n
    now, was = wrong / members, were_wrong / were
    (low, high), (was_low, was_high) = exact(wrong, members), exact(were_wrong, were)
    change = now - was
    value = (weights * change).sum(axis=0)
    share = members[1] / n
    slope = costs[1] * change[1] - costs[0] * change[0]
    fewer, more = (slope * (end - share) for end in exact(members[1], n))
    down = (weights**2 * ((now - low) ** 2 + (was_high - was) ** 2)).sum(axis=0)
    up = (weights**2 * ((high - now) ** 2 + (was - was_low) ** 2)).sum(axis=0)
    down, up = down + np.minimum(fewer, more) ** 2, up + np.maximum(fewer, more) ** 2
    return value, value - np.sqrt(down), value + np.sqrt(up)


def same_as_package(here, before, costs, found):
    """Whether the package finds the same limits."""
    for place in range(COMPARED):
        cells = [
            np.array([[n[0] - w[0], w[0]], [w[1], n[1] - w[1]]])
            for w, n in ([part[:, place] for part in pair] for pair in (here, before))
        ]
        matrix = np.array([[0.0, costs[0]], [costs[1], 0.0]])
        asked = TwoHospitals(here=cells[0], before=cells[1], costs=matrix)
        wanted = asked.value(), *asked.limits(LEVEL)
        assert np.allclose([part[place] for part in found], wanted, atol=1e-9)


def one_setting(rng, sizes, prevalence, cost_fn, rates, replicates):
    """Return how often each limit is wrong; studies that lack a class say nothing."""
    costs = np.array([1.0, cost_fn])
    before = draw(rng, sizes[0], prevalence, rates[0], replicates)
    here = draw(rng, sizes[1], prevalence, rates[1], replicates)
    known = (before[1] > 0).all(axis=0) & (here[1] > 0).all(axis=0)
    here, before = ([part[:, known] for part in pair] for pair in (here, before))
    found = limits(here, before, costs, sizes[1])
    same_as_package(here, before, costs, found)
    (miss_before, alarm_before), (miss, alarm) = rates
    true = cost_fn * prevalence * (miss - miss_before)
    true += (1 - prevalence) * (alarm - alarm_before)
    _, low, high = found
    return {
        "patients": sizes,
        "prevalence": prevalence,
        "cost_fn": cost_fn,
        "rates": rates,
        "low": float(np.sum(low > true + 1e-12) / replicates),
        "high": float(np.sum(high < true - 1e-12) / replicates),
        "width": float(np.mean(high - low)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=10_000)
    replicates = parser.parse_args().replicates
    rng = np.random.default_rng(0)
    rows = [
        one_setting(rng, *setting, replicates)
        for setting in product(SIZES, PREVALENCES, COSTS, RATES)
    ]
    worst = {name: max(rows, key=lambda row: row[name]) for name in ("low", "high")}
    result = {
        "level": LEVEL,
        "replicates": replicates,
        "settings": len(rows),
        "low_highest": worst["low"]["low"],
        "high_highest": worst["high"]["high"],
        "worst": worst,
        "rows": rows,
    }
    RESULT.write_text(json.dumps(result) + "\n", encoding="utf-8")
    for name in ("low", "high"):
        for row in sorted(rows, key=lambda row: -row[name])[:8]:
            print(name, row)


if __name__ == "__main__":
    main()

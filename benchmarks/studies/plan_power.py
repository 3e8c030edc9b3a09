"""How often planned studies reach what they were planned for.

Counted over all settings is the smallest share of studies that reach the target with the planned
number of patients, and with each of the next 20:

certificate  equal costs: exact, from the binomial distribution and Clopper-Pearson limits
unequal      costs 3:1 and 10:1, at seven mixes of misses and alarms: exact, over all outcomes that
             the order of Buehler's limit puts below the last one within the target
hospitals    the limits of all of 4 or 10 hospitals: exact
pilot        a pilot is drawn from a rate with a uniform distribution, a study is planned, and the
             study is drawn at the true rate: the mean of all is compared with the power

Beside them stands what the number of patients without power reaches. Run as ``python
benchmarks/studies/plan_power.py [--draws N]``; it writes ``benchmarks/results/plan_power.json``.
"""

import argparse
import json
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import binom

from steadycut.core.bounds import buehler
from steadycut.core.confusion import Confusion
from steadycut.core.next_site import site_delta
from steadycut.core.planning.certificates import Setting, patients_for
from steadycut.core.planning.power import members_needed, most_errors
from steadycut.core.records import Costs

RESULT = Path(__file__).parents[1] / "results" / "plan_power.json"
RISKS, WIDTHS, POWERS, DELTAS = (
    (0.0, 0.02, 0.05, 0.1, 0.2, 0.35),
    (0.05, 0.1, 0.2),
    (0.8, 0.9),
    (0.05, 0.1),
)
DELTA, NEXT = 0.1, 20


def reached(n, risk, target, delta):
    """Return the exact power of so many patients at equal costs."""
    most = most_errors(np.array([n]), target, delta)[0]
    return float(binom.cdf(most, n, risk))


def certificates():
    rows = []
    for risk, width, power, delta in product(RISKS, WIDTHS, POWERS, DELTAS):
        setting = Setting(delta=delta)
        alone = patients_for("clopper-pearson", risk, width, setting).n_certify
        sure = Setting(delta=delta, power=power)
        n = patients_for("clopper-pearson", risk, width, sure).n_certify
        powers = [reached(more, risk, risk + width, delta) for more in range(n, n + NEXT)]
        without = reached(alone, risk, risk + width, delta)
        rows.append({"power": power, "reached": min(powers), "without": without, "risk": risk})
    return rows


def costly(n, rates, costs, target):
    """Return the exact power of so many patients at unequal costs."""
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    i, j = i[i + j <= n], j[i + j <= n]
    ranks = buehler.rank(i, j, (costs.cost_fn, costs.cost_fp), DELTA)
    order = np.argsort(ranks, kind="stable")
    low, high = 0, order.size
    while low < high:
        middle = (low + high) // 2
        fn, fp = int(i[order[middle]]), int(j[order[middle]])
        counts = Confusion(tp=0, fn=fn, fp=fp, tn=n - fn - fp)
        within = buehler.buehler_limit(counts, costs, DELTA) <= target + 1e-8
        low, high = (middle + 1, high) if within else (low, middle)
    i, j = i[order[:low]], j[order[:low]]
    miss, alarm = rates
    rest = min(alarm / (1 - miss), 1.0)
    return float((binom.pmf(i, n, miss) * binom.pmf(j, n - i, rest)).sum())


def unequal():
    rows = []
    for ratio, (risk, width), power in product((3.0, 10.0), ((0.1, 0.2), (0.3, 0.3)), POWERS):
        costs = Costs(cost_fn=ratio)
        n = patients_for("buehler", risk, width, Setting(costs=costs, power=power)).n_certify
        powers = [
            costly(more, (share * risk / ratio, (1 - share) * risk), costs, risk + width)
            for more in (n, n + 3, n + 11)
            for share in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
        ]
        rows.append({"power": power, "reached": min(powers), "patients": n, "cost_fn": ratio})
    return rows


def hospitals():
    rows = []
    for sites, split, (risk, width), power in product(
        (4, 10), (True, False), ((0.05, 0.1), (0.2, 0.1)), POWERS
    ):
        delta = site_delta(sites, 0.9, split=split)
        n = members_needed(risk, risk + width, delta, power ** (1 / sites))
        found = [reached(more, risk, risk + width, delta) ** sites for more in range(n, n + NEXT)]
        rows.append({"power": power, "reached": min(found), "sites": sites})
    return rows


def pilots(rng, draws):
    """Return plans from pilots with rates from 0.05 to 0.3; the target is theirs + width."""
    rows = []
    for size, width, power in product((50, 200), (0.1, 0.2), POWERS):
        plan = {}
        found = []
        for _ in range(draws):
            true = rng.uniform(0.05, 0.3)
            wrong = int(rng.binomial(size, true))
            if wrong not in plan:
                pilot = Confusion(tp=0, fn=0, fp=wrong, tn=size - wrong)
                setting = Setting(power=power, pilot=pilot)
                row = patients_for("clopper-pearson", wrong / size, width, setting)
                plan[wrong] = row.n_certify
            if plan[wrong] is not None:
                target = wrong / size + width
                found.append(reached(plan[wrong], true, target, DELTA))
        rows.append(
            {"power": power, "reached": float(np.mean(found)), "pilot": size, "width": width}
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10_000)
    draws, rng = parser.parse_args().draws, np.random.default_rng(36)
    kinds = {
        "certificate": certificates,
        "unequal": unequal,
        "hospitals": hospitals,
        "pilot": partial(pilots, rng, draws),
    }
    result = {"delta": DELTA, "draws": draws}
    for name, study in kinds.items():
        rows = study()
        spare = min(row["reached"] - row["power"] for row in rows)
        without = [row["without"] for row in rows if "without" in row]
        result[name] = {
            "rows": rows,
            "spare": spare,
            "without": [min(without, default=None), max(without, default=None)]
            if without
            else None,
        }
        print(name, spare, result[name]["without"], flush=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Do the statements of the scan hold where they are hardest to keep?

Of each population the patients are drawn, ties included, and every cut is looked at. ``limit``: in
how many studies some cut has a risk above its limit. ``target``: in how many some cut has so few
errors that a target is certified, though its risk is just above the target. No rule that chooses a
cut can fail more often. The populations put all cuts at the boundary: ``flat`` has one risk at all
cuts, ``v`` only healthy patients on the left, only ill on the right and both in between, ``zigzag``
goes up and down between two limits, ``v, ties`` and ``zigzag, ties`` have few different scores, and
``binormal`` is what studies look like. The risk is just above a limit of the table: that of few, of
some and of many errors.

Run as ``python benchmarks/studies/scan/run.py [--replicates N]``; it writes
``benchmarks/results/scan.json``.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.stats import norm

from steadycut.core.bounds.concentration import scan
from steadycut.core.bounds.scan import chance_at_target, scan_limit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

RESULT = Path(__file__).parents[2] / "results" / "scan.json"
DELTA, SIZES, PRICES = 0.1, (20, 50, 100, 135), ((1.0, 1.0), (5.0, 1.0))
ABOVE, FINE, TIES = 1 + 1e-9, 120, 7


def flat(risk, miss, alarm, points=FINE):
    """Return the masses A and B of cuts that all have this risk."""
    share = np.linspace(0, 1, points)
    return share * risk / miss, (1 - share) * risk / alarm


def with_ends(a, b, miss, alarm, points):
    """Add only healthy patients on the left, and only ill ones on the right."""
    ill = miss * alarm / (miss + alarm) / miss
    left, right = np.linspace(1 - ill, b[0], points), np.linspace(a[-1], ill, points)
    zero = np.zeros(points)
    return np.concatenate([zero, a, right]), np.concatenate([left, b, zero])


def zigzag(low, high, miss, alarm, points):
    """Return cuts that go up to one risk and down to another, in turn."""
    step, a, b = high - low, [0.0], [low / alarm]
    while b[-1] > step / alarm and len(a) < points:
        a += [a[-1] + step / miss] * 2
        b += [b[-1], b[-1] - step / alarm]
    return np.array([*a, low / miss]), np.array([*b, 0.0])


def populations(low, high, miss, alarm):
    yield "flat", flat(low, miss, alarm)
    for name, points in (("", FINE), (", ties", TIES)):
        yield f"v{name}", with_ends(*flat(low, miss, alarm, points), miss, alarm, points)
        yield (
            f"zigzag{name}",
            with_ends(*zigzag(low, high, miss, alarm, points), miss, alarm, points),
        )


def binormal(miss, alarm):
    ill, cuts = alarm / (miss + alarm), np.linspace(-4, 6, 200)
    return ill * norm.cdf(cuts - 2), (1 - ill) * norm.sf(cuts)


def errors_of(a, b, n, replicates, rng):
    """Return how many are missed and called wrongly at every cut, one row per study."""
    ill, healthy = np.diff(a, prepend=0.0), -np.diff(b, append=0.0)
    shares = np.maximum(np.concatenate([ill, healthy, [1 - ill.sum() - healthy.sum()]]), 0.0)
    drawn = rng.multinomial(n, shares / shares.sum(), size=replicates)
    missed, right = np.cumsum(drawn[:, : a.size], axis=1), drawn[:, a.size : -1]
    return missed, np.cumsum(right[:, ::-1], axis=1)[:, ::-1]


def false_alarms(n, number):
    return Confusion(tp=0, fn=0, fp=number, tn=n - number)


def limits_by_errors(n, costs):
    """Return the limit after errors of each cost, in units of the smaller cost."""
    counts = [false_alarms(n, k) for k in range(n + 1)]
    limits = [scan(one, costs, DELTA) + one.risk(costs) for one in counts]
    return np.array([*limits, *[costs.largest] * int(n * (costs.largest - 1))])


def certified_errors(n, costs, target):
    """Return the largest cost of errors with which the target is certified; -1 if none is."""
    few, many = -1, n
    while many - few > 1:
        middle = (few + many) // 2
        if chance_at_target(false_alarms(n, middle), costs, target) <= DELTA:
            few = middle
        else:
            many = middle
    return few


def failures(path, n, costs, limits, target, replicates, rng):
    """Return in which share of studies some cut is above its limit, or certified wrongly."""
    missed, alarms = errors_of(*path, n, replicates, rng)
    spent = np.rint(costs.cost_fn * missed + costs.cost_fp * alarms).astype(int)
    risk = costs.cost_fn * path[0] + costs.cost_fp * path[1]
    few = spent <= certified_errors(n, costs, target)
    wrong = {"limit": risk > limits[spent], "target": few & (risk > target)}
    return {name: float(np.mean(cuts.any(axis=1))) for name, cuts in wrong.items()}


def rows_of(n, prices, replicates):
    costs = Costs(cost_fn=prices[0], cost_fp=prices[1])
    rng = np.random.default_rng([n, int(prices[0])])
    if scan_limit(false_alarms(n, 0), costs, DELTA) is None:
        return
    limits, most = limits_by_errors(n, costs), prices[0] * prices[1] / sum(prices)
    last = int(np.count_nonzero(limits < most)) - 1
    for errors in sorted({int(share * last) for share in (0, 0.15, 0.5, 0.9)}):
        low = limits[errors] * ABOVE
        high = max(limits[min(errors + int(costs.largest), last)], 1.02 * low) * ABOVE
        for name, path in populations(low, high, *prices):
            found = failures(path, n, costs, limits, limits[errors], replicates, rng)
            yield {"errors": errors, "population": name, **found}
    found = failures(binormal(*prices), n, costs, limits, 0.25 * most, replicates, rng)
    yield {"errors": None, "population": "binormal", **found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=20_000)
    replicates, rows = parser.parse_args().replicates, []
    for n in SIZES:
        for prices in PRICES:
            for row in rows_of(n, prices, replicates):
                rows.append({"patients": n, "cost_fn": prices[0], **row})
                print(json.dumps(rows[-1]), flush=True)
    highest = {one: max(row[one] for row in rows) for one in ("limit", "target")}
    result = {"delta": DELTA, "replicates": replicates, "highest": highest, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

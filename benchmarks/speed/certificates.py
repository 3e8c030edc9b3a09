"""What the exact certificate costs: the first time, and again.

Buehler's limit is computed once for (patients, errors, costs, delta) and then looked up. Stored:
the allowance for chance of every bound at 46 certifying patients with 5 errors, and the seconds of
the exact limit beside a plain Clopper-Pearson limit in the same run.

Run: python benchmarks/speed/certificates.py (it writes benchmarks/results/certificates.json)
"""

import json
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from steadycut.core.bounds.buehler import _limit, buehler_limit
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

RESULT = Path(__file__).parents[1] / "results" / "certificates.json"
PAIRS = ((1.0, 1.0), (1.0, 3.0), (10.0, 1.0))
SIZES = (46, 200, 1000, 2000)
REPEATS = 5


def counts_of(n, miss=0.1, alarm=0.1):
    """Half of the patients ill; rates of misses and alarms."""
    half = n // 2
    fn, fp = round(miss * half), round(alarm * (n - half))
    return Confusion(tp=half - fn, fn=fn, fp=fp, tn=n - half - fp)


def seconds(work):
    start = perf_counter()
    work()
    return perf_counter() - start


def widths():
    """Return the allowance of every bound, by costs; None where the bound does not apply."""
    counts, rows = Confusion(tp=20, fn=3, fp=2, tn=21), []
    for name, bound in BOUNDS.items():
        row = {"bound": name}
        for fn, fp in PAIRS:
            costs = Costs(cost_fn=fn, cost_fp=fp)
            holds = bound.holds(costs, "split")
            value = round(bound.compute(counts, costs, 0.1), 4) if holds else None
            row[f"costs_{fn:g}_{fp:g}"] = value
        rows.append(row)
    return rows


def times():
    """Return the median seconds of the exact limit, the first time and again."""
    plain, rows = BOUNDS["clopper-pearson"].compute, []
    for n in SIZES:
        counts = counts_of(n)
        for fn, fp in PAIRS[1:]:
            costs = Costs(cost_fn=fn, cost_fp=fp)
            first, again, peer = [], [], []
            for _ in range(REPEATS):
                _limit.cache_clear()
                first.append(seconds(partial(buehler_limit, counts, costs, 0.1)))
                again.append(seconds(partial(buehler_limit, counts, costs, 0.1)))
                peer.append(seconds(partial(plain, counts, Costs(), 0.1)))
            named = {"first": first, "again": again, "clopper_pearson": peer}
            found = {name: round(median(one), 6) for name, one in named.items()}
            rows.append({"patients": n, "costs": f"{fn:g}:{fp:g}"} | found)
    return rows


if __name__ == "__main__":
    text = json.dumps({"widths": widths(), "seconds": times()}, indent=1)
    print(text)
    RESULT.write_text(text + "\n", encoding="utf-8")

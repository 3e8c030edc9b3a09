"""What the exact certificate costs: the first time, and again.

Buehler's limit is computed once for (patients, errors, costs, delta) and then looked up. Printed:
the generalisation term of every bound at 46 certifying patients with 10 % errors, and the seconds
of the exact limit beside a plain Clopper-Pearson limit in the same run.

Run: python benchmarks/speed/certificates.py
"""

from functools import partial
from statistics import median
from time import perf_counter

from steadycut.core.bounds.buehler import _limit, buehler_limit
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs

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
    print("Generalisation term, 46 certifying patients, 5 errors, delta 0.1\n")
    print("| bound | " + " | ".join(f"costs {fn:g}:{fp:g}" for fn, fp in PAIRS) + " |")
    print("|---" * (len(PAIRS) + 1) + "|")
    counts = Confusion(tp=20, fn=3, fp=2, tn=21)
    for name, bound in BOUNDS.items():
        cells = []
        for fn, fp in PAIRS:
            costs = Costs(cost_fn=fn, cost_fp=fp)
            holds = bound.holds(costs, "split")
            cells.append(f"{bound.compute(counts, costs, 0.1):.3f}" if holds else "-")
        print(f"| {name} | " + " | ".join(cells) + " |")


def times():
    print("\nSeconds of the exact limit, median of 5\n")
    print("| patients | costs | first time | again | Clopper-Pearson |")
    print("|---|---|---|---|---|")
    plain = BOUNDS["clopper-pearson"].compute
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
            cells = " | ".join(f"{median(one):.6f}" for one in (first, again, peer))
            print(f"| {n} | {fn:g}:{fp:g} | {cells} |")


if __name__ == "__main__":
    widths()
    times()
